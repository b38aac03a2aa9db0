// SPDX-License-Identifier: GPL-2.0-or-later
//
// A line now and then, on a terminal, that says how far a long run is (--progress).
#pragma once

namespace memspy {

void start_progress();  // once the options are known

}  // namespace memspy
