// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/source_atomics.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

constexpr usize kLineLength = 240;  // of which the text is looked at
struct LineText {
    char text[kLineLength];
    usize length;

    void clear() { length = 0; }
    void add(char c) {
        if (length + 1 < kLineLength) text[length++] = c;
        text[length] = '\0';
    }
};

// A line and the one before it, which may be its directive.
struct LineAndDirective {
    LineText before, line;
};

// Reads from the file's begin up to the wanted line. False if it has none.
bool read_lines(Int file, u32 wanted, LineAndDirective* lines) {
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

// Of `omp atomic`, what the directive does with memory: it reads, writes, or updates if it does not say so.
bool is_directive(const char* text, bool stores) {
    if (!rt::contains(text, "omp atomic") && !rt::contains(text, "OMP ATOMIC")) return false;
    constexpr const char* kReads[] = {"read", "READ"};
    constexpr const char* kWrites[] = {"write", "WRITE"};
    const bool reads = rt::contains_one_of(text, kReads), writes = rt::contains_one_of(text, kWrites);
    return stores ? !reads : !writes;
}

bool has_builtin(const char* text, bool stores) {
    constexpr const char* kLoads[] = {"__atomic_load", "atomic_load"};
    constexpr const char* kStores[] = {"__atomic_store", "atomic_store", "__atomic_clear",
                                       "__sync_lock_release"};
    return stores ? rt::contains_one_of(text, kStores) : rt::contains_one_of(text, kLoads);
}

bool find_in_source(Address instruction, bool stores) {
    const HChar *name = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &name, &folder, &line)) return false;
    rt::Text path;
    if (folder != nullptr && *folder != '\0' && *name != '/') path.add(folder).add("/");
    path.add(name);
    const Int file = VG_(fd_open)(path.c_str(), VKI_O_RDONLY, 0);
    if (file < 0) return false;
    LineAndDirective lines = {};
    const bool found = read_lines(file, line, &lines);
    VG_(close)(file);
    if (!found) return false;
    const char* const text = lines.line.text;
    return is_directive(text, stores) || is_directive(lines.before.text, stores) || has_builtin(text, stores);
}

rt::Global<rt::HashMap<bool>> known_answers;  // by instruction and kind

}  // namespace

bool is_atomic_in_source(Address instruction, bool stores) {
    const u64 key = instruction << 1 | (stores ? 1 : 0);
    if (const bool* known = known_answers->find(key)) return *known;
    const bool found = find_in_source(instruction, stores);
    (*known_answers)[key] = found;
    return found;
}

}  // namespace memspy::races
