// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests of the program (memspy.h) and monitor commands: who answers them.
#pragma once

namespace memspy {

void register_client_requests();  // call before the command line is read

}  // namespace memspy
