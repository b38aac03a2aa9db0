// SPDX-License-Identifier: GPL-2.0-or-later
//
// Memory that a library has mapped for the program, and for other processes: who knows the library's calls tells it,
// who follows such memory listens. At most one does.
#pragma once

#include "rt/base.h"

namespace memspy::client {

using SharedWindowListener = void (*)(u32 thread, Address begin, usize bytes);
void listen_to_shared_windows(SharedWindowListener listener);
void tell_shared_window(u32 thread, Address begin, usize bytes);

}  // namespace memspy::client
