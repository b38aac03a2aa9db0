// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/shared_windows.h"

namespace memspy::client {
namespace {

SharedWindowListener listener = nullptr;

}  // namespace

void listen_to_shared_windows(SharedWindowListener given) { listener = given; }
void tell_shared_window(u32 thread, Address begin, usize bytes) {
    if (listener != nullptr && bytes != 0) listener(thread, begin, bytes);
}

}  // namespace memspy::client
