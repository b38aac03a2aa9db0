// SPDX-License-Identifier: GPL-2.0-or-later
//
// --bounds: accesses that leave the stack or static variable that they belong to (instrument/bounds/).
#pragma once

namespace memspy::defects {

void report_accesses_beyond_variables();

}  // namespace memspy::defects
