// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/source_lines.h"

#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

// Calls line(number, text) for each line of the file until it returns false.
template <typename F>
void for_each_line(Int file, F line) {
    constexpr Int kBlock = 4096;
    char block[kBlock];
    LineText text;
    u32 number = 1;
    for (;;) {
        const Int got = VG_(read)(file, block, kBlock);
        if (got <= 0) return void(line(number, text));
        for (Int i = 0; i < got; ++i) {
            if (block[i] != '\n') {
                text.add(block[i]);
                continue;
            }
            if (!line(number++, text)) return;
            text.clear();
        }
    }
}

struct SourcePlace {
    rt::Text path;
    u32 line = 0;
};
bool find_place(Address instruction, SourcePlace* place) {
    const HChar *name = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &name, &folder, &line)) return false;
    if (folder != nullptr && *folder != '\0' && *name != '/') place->path.add(folder).add("/");
    place->path.add(name);
    place->line = line;
    return true;
}
template <typename F>
bool read_file(SourcePlace& place, F line) {
    const Int file = VG_(fd_open)(place.path.c_str(), VKI_O_RDONLY, 0);
    if (file < 0) return false;
    for_each_line(file, line);
    VG_(close)(file);
    return true;
}

using LineNumbers = rt::Vector<u32>;
rt::Global<rt::HashMap<LineNumbers*>> atomic_lines;  // by hash of the file's path

const LineNumbers& atomic_lines_of(SourcePlace& place) {
    u64 hash = 0;
    for (const char* c = place.path.c_str(); *c != '\0'; ++c)
        hash = (hash ^ static_cast<u8>(*c)) * 0x9E3779B97F4A7C15u;
    LineNumbers*& known = (*atomic_lines)[hash];
    if (known != nullptr) return *known;
    LineNumbers* const found = new (rt::allocate(sizeof(LineNumbers), "memspy.races")) LineNumbers;
    read_file(place, [&](u32 number, const LineText& text) {
        constexpr const char* kWords[] = {"atomic", "ATOMIC", "__sync"};
        if (rt::contains_one_of(text.text, kWords)) found->push_back(number);
        return true;
    });
    known = found;
    return *found;
}

}  // namespace

bool read_source(Address instruction, SourceLines* lines) {
    SourcePlace place;
    if (!find_place(instruction, &place)) return false;
    bool found = false;
    read_file(place, [&](u32 number, const LineText& text) {
        found = number == place.line;
        if (number + 1 == place.line) lines->before = text;
        if (found) lines->line = text;
        return !found;
    });
    return found;
}

void read_source_of(Address instruction, u32 first, LineTest* test, void* context) {
    SourcePlace place;
    if (!find_place(instruction, &place)) return;
    read_file(place, [&](u32 number, const LineText& text) {
        return number < first || test(context, number, text);
    });
}

bool mentions_atomics(Address instruction) {
    SourcePlace place;
    if (!find_place(instruction, &place)) return false;
    for (const u32 line : atomic_lines_of(place))
        if (line == place.line || line + 1 == place.line) return true;
    return false;
}

}  // namespace memspy::races
