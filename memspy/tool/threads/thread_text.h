// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "rt/text.h"

namespace memspy::threads {

// "thread 2 (worker)": its number, and what the program calls it if it does.
void add_thread(rt::Text& text, u32 serial);

}  // namespace memspy::threads
