// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/source_lines.h"

#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

// Reads from the file's begin up to the wanted line. False if it has none.
bool read_lines(Int file, u32 wanted, SourceLines* lines) {
    constexpr Int kBlock = 4096;
    char block[kBlock];
    u32 number = 1;
    for (;;) {
        const Int got = VG_(read)(file, block, kBlock);
        if (got <= 0) return number == wanted;
        for (Int i = 0; i < got; ++i) {
            if (block[i] != '\n') {
                (number == wanted ? lines->line : lines->before).add(block[i]);
                continue;
            }
            if (number++ == wanted) return true;
            if (number < wanted) lines->before.clear();
        }
    }
}

}  // namespace

bool read_source(Address instruction, SourceLines* lines) {
    const HChar *name = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &name, &folder, &line)) return false;
    rt::Text path;
    if (folder != nullptr && *folder != '\0' && *name != '/') path.add(folder).add("/");
    path.add(name);
    const Int file = VG_(fd_open)(path.c_str(), VKI_O_RDONLY, 0);
    if (file < 0) return false;
    const bool found = read_lines(file, line, lines);
    VG_(close)(file);
    return found;
}

}  // namespace memspy::races
