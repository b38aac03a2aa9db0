// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/source_atomics.h"

#include "analyses/races/source_lines.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"

namespace memspy::races {
namespace {

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
    SourceLines lines;
    if (!mentions_atomics(instruction) || !read_source(instruction, &lines)) return false;
    const char* const text = lines.line.text;
    return is_directive(text, stores) || is_directive(lines.before.text, stores) || has_builtin(text, stores);
}

// Whether a plain access of that kind cannot be the line's atomic operation: a sum is one instruction.
bool is_other_operation(const char* text, bool stores) {
    constexpr const char* kSums[] = {"__atomic_fetch_add", "__atomic_add_fetch", "__atomic_fetch_sub",
                                     "__atomic_sub_fetch"};
    return rt::contains_one_of(text, kSums) || (has_builtin(text, !stores) && !has_builtin(text, stores));
}

bool has_directive(const char* text) {
    constexpr const char* kWords[] = {"pragma omp", "!$omp", "!$OMP"};
    return rt::contains_one_of(text, kWords);
}

rt::Global<rt::HashMap<bool>> known_answers;     // by instruction and kind
rt::Global<rt::HashMap<bool>> known_directives;  // by instruction

}  // namespace

bool is_atomic_in_source(Address instruction, bool stores) {
    const u64 key = instruction << 1 | (stores ? 1 : 0);
    if (const bool* known = known_answers->find(key)) return *known;
    const bool found = find_in_source(instruction, stores);
    (*known_answers)[key] = found;
    return found;
}

bool is_of_operand(Address instruction, bool stores) {
    SourceLines lines;
    return read_source(instruction, &lines) && is_other_operation(lines.line.text, stores);
}

bool is_of_directive(Address instruction) {
    if (const bool* known = known_directives->find(instruction)) return *known;
    SourceLines lines;
    const bool found = read_source(instruction, &lines) &&
                       (has_directive(lines.line.text) || has_directive(lines.before.text));
    (*known_directives)[instruction] = found;
    return found;
}

}  // namespace memspy::races
