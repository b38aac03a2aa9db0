// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/race_reports.h"

#include "analyses/races/omp_clause.h"
#include "analyses/races/openmp.h"
#include "analyses/races/output/race_findings.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

rt::Global<rt::Vector<RaceRow>> rows;
rt::Global<rt::Vector<LockCycle>> cycles;
rt::Global<rt::HashMap<u32>> by_instructions, by_lines;  // index + 1
rt::Global<rt::Vector<LockTake>> takes;
rt::Global<rt::HashMap<u32>> first_take;  // by lock held and lock taken: index + 1

u64 mix(u64 a, u64 b) { return (a ^ b * 0x9E3779B97F4A7C15u) * 0xD6E8FEB86659FD93u; }

// Of a line of source; of the instruction where there is none.
u64 line_key(Address instruction) {
    const HChar *file = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &file, &folder, &line))
        return instruction;
    u64 key = line;
    for (; *file != '\0'; ++file) key = mix(key, static_cast<u8>(*file));
    return key;
}

// The same for both orders.
u64 pair_key(u64 a, u64 b) { return a < b ? mix(a, b) : mix(b, a); }

// Whether a chain of takes leads from one lock to another. The last take of it, or null.
const LockTake* find_way(Address from, Address to, u32 depth, u32* length) {
    constexpr u32 kLongest = 6;
    if (depth == kLongest) return nullptr;
    for (const LockTake& take : *takes) {
        if (take.before != from) continue;
        if (take.lock == to) {
            *length = depth + 1;
            return &take;
        }
        if (const LockTake* found = find_way(take.lock, to, depth + 1, length)) return found;
    }
    return nullptr;
}

// Both takes are made under one more lock, which lets only one thread come here at a time.
bool have_gate(const LockTake& a, const LockTake& b) {
    bool found = false;
    lock_sets().for_each(a.held, [&](Address lock) {
        if (lock == a.before || lock == b.before) return;
        lock_sets().for_each(b.held, [&](Address other) { found |= other == lock; });
    });
    return found;
}

void add_take(const LockTake& take) {
    u32& known = (*first_take)[mix(take.before, take.lock)];
    if (known != 0) return;
    takes->push_back(take);
    known = static_cast<u32>(takes->size());
    u32 length = 0;
    const LockTake* back = find_way(take.lock, take.before, 0, &length);
    if (back == nullptr || back->thread == take.thread || have_gate(take, *back)) return;
    cycles->push_back({{take, *back}, length + 1});
    tell(cycles->back());
}

// The name of what an OpenMP construct shares, on the stack of who began it; null: it is nothing of the kind.
const char* shared_name(places::ObjectId object, Address address, u64 bytes) {
    if (places::object(object).kind != places::Object::StorageKind::Stack) return nullptr;
    const SharedByTeam shared = shared_by_team(address);
    rt::Text name;
    if (shared.body == 0 || !places::add_captured(name, shared.body, shared.offset, bytes)) return nullptr;
    return VG_(strdup)("memspy.races.shared", name.c_str());
}

// For good; null if it is empty.
const char* kept(rt::Text& text) {
    return text.empty() ? nullptr : VG_(strdup)("memspy.races.text", text.c_str());
}

void add_words(RaceRow& row, const RacingPair& pair) {
    rt::Text name, clause, held, other_held, last, fix;
    add_variable(name, row);
    add_omp_clause(clause, pair, name.c_str(), row.shared != nullptr);
    row.clause = kept(clause);
    add_locks(held, pair.second.held);
    add_locks(other_held, pair.first.held);
    row.held = kept(held);
    row.other_held = kept(other_held);
    if (pair.last.what != nullptr)
        places::describe_place(last.add(pair.last.what).add(" at "), pair.last.place);
    row.last = kept(last);
    add_fix(fix, row, pair);
    row.fix = kept(fix);
}

}  // namespace

const rt::Vector<RaceRow>& race_rows() { return *rows; }
const rt::Vector<LockCycle>& lock_cycles() { return *cycles; }

void note_race(const RacingPair& pair) {
    const Place &place = pair.second.place, &other = pair.first.place;
    u32& known = (*by_instructions)[pair_key(place.instruction, other.instruction)];
    if (known == 0) {
        const places::Extent extent = places::find_extent(pair.address);
        u32& same = (*by_lines)[mix(pair_key(line_key(place.instruction), line_key(other.instruction)),
                                    static_cast<u64>(extent.object))];
        if (same == 0) {
            rows->push_back({.place = place,
                             .other_place = other,
                             .stack = places::stack_of(place),
                             .other_stack = places::stack_of(other),
                             .thread = pair.second.serial,
                             .other_thread = pair.first.serial,
                             .stores = pair.second.stores,
                             .other_stores = pair.first.stores,
                             .frees = pair.second.frees,
                             .other_frees = pair.first.frees,
                             .bytes = pair.bytes,
                             .object = extent.object,
                             .offset = pair.address - extent.start,
                             .shared = shared_name(extent.object, pair.address, pair.bytes)});
            same = static_cast<u32>(rows->size());
            add_words(rows->back(), pair);
            tell(rows->back(), pair.address);
        }
        known = same;
    }
    ++(*rows)[known - 1].times;
}

void note_take(u32 serial, Address lock, LockSet held, const Place& place) {
    lock_sets().for_each(held, [&](Address before) {
        if (first_take->find(mix(before, lock)) != nullptr) return;
        add_take({.before = before,
                  .lock = lock,
                  .place = place,
                  .stack = places::stack_of(place),
                  .thread = serial,
                  .held = held});
    });
}

}  // namespace memspy::races
