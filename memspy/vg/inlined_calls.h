// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which modules' debug information is read for the calls that were inlined in their functions. To read it takes a fifth of
// the time of a short run, nearly all of it for the C library.
#pragma once

namespace memspy::vg {

// Those outside the system's folders. Call before the command line is read, which may say that none is.
void read_inlined_calls();
// Those in the system's folders, too. Call before the program's first module is loaded.
void read_inlined_calls_of_system();

}  // namespace memspy::vg
