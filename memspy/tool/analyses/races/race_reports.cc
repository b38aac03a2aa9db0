// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/race_reports.h"

#include "analyses/races/moved_accesses.h"
#include "analyses/races/omp_clause.h"
#include "analyses/races/omp_graph.h"
#include "analyses/races/openmp.h"
#include "analyses/races/output/race_findings.h"
#include "analyses/races/roles.h"
#include "places/block_types.h"
#include "places/captured.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "threads/call_tree.h"
#include "vg/modules.h"

namespace memspy::races {
namespace {

rt::Global<rt::Vector<RaceRow>> rows;
rt::Global<rt::Vector<LockCycle>> cycles;
rt::Global<rt::HashMap<u32>> by_places, by_texts;  // index + 1
rt::Global<LockOrders> lock_orders;

// The same for both orders.
u64 pair_key(u64 a, u64 b) { return a < b ? mix(a, b) : mix(b, a); }

u64 key_of(const Place& place) { return mix(place.instruction, static_cast<u64>(place.path)); }

u64 key_of(const char* text) {
    u64 key = 0;
    for (; *text != '\0'; ++text) key = mix(key, static_cast<u8>(*text));
    return key;
}

// Of the line that reports show: a function of a library, or one inlined from its headers, works for many.
u64 line_key(const Place& place) {
    rt::Text line;
    places::describe_place(line, place);
    return key_of(line.c_str());
}

// How far a variable of a frame is known depends on what its thread is doing meanwhile.
u64 object_key(places::ObjectId object) {
    return places::object(object).kind == places::Object::StorageKind::Stack ? 0 : static_cast<u64>(object);
}

// Of its variable: an array's elements are one, and of several that an access touches the first one counts.
u64 variable_key(places::ObjectId object, const char* name) {
    u64 key = object_key(object);
    bool inside = false;  // an index
    for (const char* c = name; *c != '\0'; ++c) {
        if (rt::starts_with(c, ", ") || rt::starts_with(c, " and ")) break;
        if (!inside) key = mix(key, static_cast<u8>(*c));
        inside = *c == '[' || (inside && *c != ']');
    }
    return key;
}

// For good; null if it is empty.
const char* kept(rt::Text& text) { return text.empty() ? nullptr : vg::intern(text.c_str()); }

// The name of what an OpenMP construct shares, on the stack of who began it; null: it is nothing of the kind.
const char* shared_name(places::ObjectId object, Address address, u64 bytes) {
    if (places::object(object).kind != places::Object::StorageKind::Stack) return nullptr;
    const SharedByTeam shared = shared_by_team(address);
    rt::Text name;
    if (shared.body == 0 || !places::add_captured(name, shared.body, shared.offset, bytes)) return nullptr;
    return kept(name);
}

// What holds the block of the heap; null: not known. An array that Fortran allocates is known by the descriptor only,
// which the running construct shares.
const char* owner_name(places::ObjectId object, Address block) {
    places::look_for_owner(object, block);
    rt::Text name;
    const places::Object& of = places::object(object);
    if (of.kind != places::Object::StorageKind::Heap) return nullptr;
    bool found = places::add_owner(name, of.allocated);
    for (usize i = omp_state().open_teams.size(); !found && i-- > 0;)
        if (const OmpTeam& by = team(omp_state().open_teams[i]); by.data != 0)
            found = places::add_captured_holder(name, by.body, by.data, block);
    return found ? kept(name) : nullptr;
}

void name_variable(RaceRow& row, Address address, Address start) {
    row.variable = shared_name(row.object, address, row.bytes);
    row.is_shared = row.variable != nullptr;
    if (!row.is_shared) row.variable = owner_name(row.object, start);
}

void add_words(RaceRow& row, const RacingPair& pair, const char* name) {
    rt::Text clause, held, other_held, last, fix;
    add_omp_clause(clause, pair, name, row.is_shared);
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

void move_to_its_line(RacingSide& side, const char* name) {
    if (side.frees) return;
    Address behind = 0;
    const bool by_library =
        threads::return_addresses(side.place.path, &behind, 1) != 0 && role_of(behind - 1) != CodeRole::Own;
    side.place.instruction = in_its_line(side.place.instruction, name, side.stores, by_library);
}

RacingPair in_their_lines(RacingPair pair, const char* name) {
    move_to_its_line(pair.first, name);
    move_to_its_line(pair.second, name);
    return pair;
}

void show_at(RaceRow& row, const RacingPair& pair) {
    row.place = pair.second.place;
    row.other_place = pair.first.place;
    row.stack = places::stack_of(row.place);
    row.other_stack = places::stack_of(row.other_place);
}

RaceRow row_of(const RacingPair& pair, const places::Extent& extent) {
    RaceRow row = {.place = pair.second.place,
                   .other_place = pair.first.place,
                   .thread = pair.second.serial,
                   .other_thread = pair.first.serial,
                   .stores = pair.second.stores,
                   .other_stores = pair.first.stores,
                   .frees = pair.second.frees,
                   .other_frees = pair.first.frees,
                   .bytes = pair.bytes,
                   .object = extent.object,
                   .offset = pair.address - extent.start};
    name_variable(row, pair.address, extent.start);
    return row;
}

}  // namespace

const rt::Vector<RaceRow>& race_rows() { return *rows; }
const rt::Vector<LockCycle>& lock_cycles() { return *cycles; }

void note_race(const RacingPair& found) {
    const places::Extent extent = places::find_extent(found.address);
    u32& known = (*by_places)[mix(pair_key(key_of(found.second.place), key_of(found.first.place)),
                                  object_key(extent.object))];
    if (known == 0) {
        RaceRow row = row_of(found, extent);
        rt::Text name;
        add_variable(name, row);
        const RacingPair pair = in_their_lines(found, name.c_str());
        show_at(row, pair);
        u32& same = (*by_texts)[mix(pair_key(line_key(row.place), line_key(row.other_place)),
                                    variable_key(row.object, name.c_str()))];
        if (same == 0) {
            add_words(row, pair, name.c_str());
            rows->push_back(row);
            same = static_cast<u32>(rows->size());
            tell(rows->back(), pair.address, name.c_str());
        }
        known = same;
    }
    ++(*rows)[known - 1].times;
}

void note_take(const LockTake& take) {
    LockCycle cycle;
    if (!lock_orders->add(take, lock_sets(), &cycle.circle)) return;
    for (u32 i = 0; i < cycle.circle.locks; ++i) {
        cycle.stacks[i] = places::stack_of(cycle.circle.takes[i].place);
        rt::Text told;
        add_take(told, cycle.circle.takes[i], i);
        cycle.told[i] = kept(told);
    }
    cycles->push_back(cycle);
}

void forget_locks(Address first, usize bytes) { lock_orders->forget(first, bytes); }

void hands_over(Address lock) {
    lock_orders->forget(lock, 1);
    usize kept = 0;
    for (const LockCycle& cycle : *cycles) {
        bool has_it = false;
        for (u32 i = 0; i < cycle.circle.locks; ++i) has_it |= cycle.circle.takes[i].lock == lock;
        if (!has_it) (*cycles)[kept++] = cycle;
    }
    cycles->resize(kept);
}

void tell_cycles() {
    for (const LockCycle& cycle : *cycles) tell(cycle);
}

}  // namespace memspy::races
