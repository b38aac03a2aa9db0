// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/pairs.h"

#include "rt/global.h"
#include "rt/paged_array.h"
#include "vg/data_symbols.h"
#include "vg/vg.h"

namespace memspy::waste {
namespace {

rt::Global<rt::PagedArray<DeadPair, 4096>> pairs;  // from 1
rt::Global<rt::HashMap<u32>> numbers;              // by (dead, killer)
rt::Global<AmountsByObject> amounts;

u32 number_of_pair(ContextNumber dead, ContextNumber killer) {
    u32& number = (*numbers)[u64{dead} << 32 | killer];
    if (number != 0) return number;
    if (pairs->size() == 0) pairs->push_back({});
    return number = pairs->push_back({.dead = dead, .killer = killer, .bytes = {}});
}

bool is_one_function(Address code, Address other) {
    const HChar* name = nullptr;
    if (!VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name)) return false;
    const HChar* const first = vg::intern(name);
    return VG_(get_fnname)(VG_(current_DiEpoch)(), other, &name) && vg::intern(name) == first;
}

// The site of the dead store may know the variable of a frame that is gone.
OwnedSpan owner_of_dead(Address a, ContextNumber dead, const SiteCounts& killer, const LeftFrame* left,
                        u64 accessed) {
    const SiteCounts& store = counts_of(dead);
    if (is_owned(store.same.owned, a)) return store.same.owned;
    if (left == nullptr) return owner_of(a, killer, accessed);
    LeftFrame frame = *left;
    // At the function's end the variables of its inner blocks are not known.
    const Address stored_by = place_of(store).instruction;
    if (frame.end != 0 && is_one_function(stored_by, frame.code)) frame.code = stored_by;
    return owner_in(frame, a, accessed);
}

}  // namespace

void add_dead(Address a, ContextNumber dead, SiteCounts& killer, u32 bytes, const LeftFrame* left,
              u64 accessed) {
    if (pairs->size() <= killer.pair || (*pairs)[killer.pair].dead != dead || killer.pair == 0) [[unlikely]]
        killer.pair = number_of_pair(dead, number_of(&killer));
    amounts->add((*pairs)[killer.pair].bytes, killer.pair, a, bytes,
                 [&] { return owner_of_dead(a, dead, killer, left, accessed); });
}

void for_each_dead(void (*f)(const DeadPair& pair, const ObjectAmount& of, void* argument), void* argument) {
    for (u32 i = 1; i < pairs->size(); ++i) amounts->keep((*pairs)[i].bytes, i);
    amounts->for_each(
        [&](u64 number, const ObjectAmount& of) { f((*pairs)[static_cast<u32>(number)], of, argument); });
}

void clear_dead() {
    for (u32 i = 1; i < pairs->size(); ++i) (*pairs)[i].bytes.amount = 0;
    amounts->clear();
}

usize pair_count() { return pairs->size(); }

}  // namespace memspy::waste
