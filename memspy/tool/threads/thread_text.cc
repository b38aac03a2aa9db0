// SPDX-License-Identifier: GPL-2.0-or-later
#include "threads/thread_text.h"

#include "threads/registry.h"

namespace memspy::threads {

void add_thread(rt::Text& text, u32 serial) {
    text.add("thread ").add_plain(serial);
    if (const ThreadName name = name_of(serial); name.text[0] != '\0') text.add(" (").add(name.text).add(')');
}

}  // namespace memspy::threads
