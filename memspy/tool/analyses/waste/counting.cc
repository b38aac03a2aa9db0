// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/waste/counting.h"

#include "analyses/waste/byte_states.h"
#include "analyses/waste/loaded_values.h"
#include "analyses/waste/pairs.h"
#include "instrument/stack/stack_window.h"
#include "rt/global.h"
#include "vg/vg.h"

namespace memspy::waste {

WasteTotals running_totals;

namespace {

rt::Global<ByteStates> states;
rt::Global<LoadedValues> values;
rt::Global<AmountsByObject> same_accesses;  // by context
rt::Global<rt::HashMap<SiteLook>> looks;    // by context
double tolerance = 0;
u32 returns = 0;  // of functions, as far as they go

u64 accessed() { return running_totals.stored + running_totals.loaded; }
using instrument::kRedZone;
constexpr u32 index_of(WasteRowKind kind) { return static_cast<u32>(kind); }

// Asked only where another object's byte comes.
[[gnu::noinline]] void find_owner(Address a, SiteCounts& site) {
    same_accesses->keep(site.same, number_of(&site));
    site.same.owned = owner_of(a, site, accessed());
    same_accesses->met(site.same, number_of(&site), a);
}

[[gnu::noinline]] void look(Address a, const SiteCounts& site, u64 counts) {
    constexpr u32 kNear = 256;
    if (site.done < kLookEvery) return;  // most sites never do more
    SiteLook& seen = (*looks)[number_of(&site)];
    const u32 address = static_cast<u32>(a);
    if ((site.done & 1) == 0) {
        seen.last = address;
        seen.calls = returns;
    } else if (counts != 0) {
        if (address == seen.last)
            seen.in_place += seen.calls == returns;
        else
            seen.near += address - seen.last + kNear < 2 * kNear;
    }
}
// Before the access is counted.
void look_at_some(Address a, const SiteCounts& site, u64 counts) {
    if ((site.done & (kLookEvery - 2)) == 0) [[unlikely]]
        look(a, site, counts);
}

// Most accesses change the states of no byte, and are to the object that the site met last: they are counted
// by a few instructions without a call, and all others below. `same`: 1 or 0; whether an access is wasted
// cannot be foreseen, so it is added without a branch.
template <u32 bytes>
void count_load(Address a, SiteCounts* site, u64 same) {
    look_at_some(a, *site, same);
    ++site->done;
    running_totals.loaded += bytes;
    running_totals.wasted[index_of(WasteRowKind::Load)] += same * bytes;
    site->same.amount += same;
}
template <u32 bytes>
[[gnu::noinline]] void load(Address a, SiteCounts* site, const void* value) {
    const LoadedValues::LoadOutcome outcome = values->loaded<bytes>(a, value);
    if (outcome.same != 0 && !is_owned(site->same.owned, a)) find_owner(a, *site);
    running_totals.used += outcome.used;
    running_totals.first += outcome.known != 0 ? 0 : bytes;
    count_load<bytes>(a, site, outcome.same);
}
template <u32 bytes>
void load(Address a, SiteCounts* site) {
    const auto* const value = reinterpret_cast<const void*>(a);
    u8* const last = values->find_known<bytes>(a);
    if (last == nullptr) [[unlikely]]
        return load<bytes>(a, site, value);
    const u64 same = LoadedValues::is_same<bytes>(last, value);
    if ((same & (is_owned_now(site->same.owned, a) ? 0 : 1)) != 0) [[unlikely]]
        return load<bytes>(a, site, value);
    __builtin_memcpy(last, value, bytes);
    count_load<bytes>(a, site, same);
}
void load_value(Address a, SiteCounts* site, u64 value) {
    switch (site->bytes) {
        case 1: return load<1>(a, site, &value);
        case 2: return load<2>(a, site, &value);
        case 4: return load<4>(a, site, &value);
        default: return load<8>(a, site, &value);
    }
}

// How bytes die, for ByteStates. [low, high): with their frame, where the function returns; high = 0: its end
// is not known.
struct Killed {
    SiteCounts& killer;
    bool with_frame = false;
    Address low = 0, high = 0;
    void operator()(Address a, ContextNumber dead, u32 bytes) const {
        running_totals.wasted[index_of(WasteRowKind::Dead)] += bytes;
        LeftFrame left{};
        if (high != 0) left = {place_of(killer).instruction, low, high};
        add_dead(a, dead, killer, bytes, with_frame ? &left : nullptr, accessed());
    }
};

template <u32 bytes>
void count_store(Address a, SiteCounts* site, u64 same) {
    look_at_some(a, *site, 1);
    ++site->done;
    running_totals.stored += bytes;
    running_totals.wasted[index_of(WasteRowKind::Silent)] += same * bytes;
    site->same.amount += same;
}
// What lies on the stack has a name only as long as its frame exists, so a store asks for it at once.
template <u32 bytes>
[[gnu::noinline]] void store_over(Address a, SiteCounts* site, u64 same) {
    if (!is_owned(site->same.owned, a)) find_owner(a, *site);
    states->stored<bytes>(a, number_of(site), Killed{*site});
    count_store<bytes>(a, site, same);
}
template <u32 bytes>
void store(Address a, SiteCounts* site, u64 same) {
    if (!is_owned_now(site->same.owned, a) || !states->store_new<bytes>(a, number_of(site)))
        return store_over<bytes>(a, site, same);
    count_store<bytes>(a, site, same);
}

// What a store is about to overwrite.
alignas(32) u8 overwritten[32];
void before_store(Address a, u64 bytes) {
    __builtin_memcpy(overwritten, reinterpret_cast<const void*>(a), bytes);
}
template <typename Float>
bool is_within(Address a) {
    Float now, old;
    __builtin_memcpy(&now, reinterpret_cast<const void*>(a), sizeof now);
    __builtin_memcpy(&old, overwritten, sizeof old);
    const double distance = static_cast<double>(now) - static_cast<double>(old);
    const double most = static_cast<double>(old) * tolerance;
    return __builtin_fabs(distance) <= __builtin_fabs(most);  // not of what is no number
}
bool is_overwritten_by_same(Address a, usize bytes) {
    const auto* const now = reinterpret_cast<const u8*>(a);
    for (usize i = 0; i < bytes; ++i)
        if (now[i] != overwritten[i]) return false;
    return true;
}
void compared_store(Address a, SiteCounts* site) {
    bool same = is_overwritten_by_same(a, site->bytes);
    if (!same && site->floating && tolerance > 0)
        same = site->bytes == sizeof(float) ? is_within<float>(a) : is_within<double>(a);
    switch (site->bytes) {
        case 1: return store<1>(a, site, same);
        case 2: return store<2>(a, site, same);
        case 4: return store<4>(a, site, same);
        case 8: return store<8>(a, site, same);
        case 16: return store<16>(a, site, same);
        default: return store<32>(a, site, same);
    }
}

// Helpers of the core: states of the processor and the like, which no program has too many of.
void load_range(Address a, u64 bytes) {
    running_totals.loaded += bytes;
    running_totals.used += states->loaded_range(a, bytes);
}
void store_range(Address a, u64 bytes, SiteCounts* site) {
    site->done += bytes;
    running_totals.stored += bytes;
    states->stored_range(a, bytes, number_of(site), Killed{*site});
}

void frame_end(Address low, Address high, SiteCounts* site) {
    // More than a stack: another one.
    constexpr usize kMostFrame = usize{64} << 20;
    if (high - low > kMostFrame) return;
    ++site->done;
    // Where a function returns, the stack pointer is at its frame's end.
    const bool ends = site->pushes;
    returns += ends;
    states->ended(low, high - low, Killed{*site, true, low + kRedZone, ends ? high : 0});
}

}  // namespace

void start_counting(double wanted_tolerance, u32 calls, bool in_twins) {
    tolerance = wanted_tolerance;
    start_contexts(calls);
    start_owners();
    values->start(*states);
    values->switch_to(0);
    instrument::set_effect_hooks({.in_twins = in_twins,
                                  .tolerant = tolerance > 0,
                                  .stretch_of = stretch_of,
                                  .enter = enter_stretch,
                                  .age = &owner_age,
                                  .refresh = refresh_owners,
                                  .load = {load<1>, load<2>, load<4>, load<8>, load<16>, load<32>},
                                  .store = {store<1>, store<2>, store<4>, store<8>, store<16>, store<32>},
                                  .load_value = load_value,
                                  .before_store = before_store,
                                  .compared_store = compared_store,
                                  .load_range = load_range,
                                  .store_range = store_range,
                                  .frame_end = frame_end});
}

SiteLook look_of(const SiteCounts& site) {
    const SiteLook* const seen = looks->find(number_of(&site));
    return seen == nullptr ? SiteLook{} : *seen;
}

void thread_loads(u32 serial) { values->switch_to(serial); }
void thread_forgotten(u32 serial) { values->forget(serial); }

void event_loads(Address begin, usize bytes) { running_totals.used += states->loaded_range(begin, bytes); }

void event_stores(Address begin, usize bytes, const places::Place& place) {
    SiteCounts& site = event_context(place, EffectKind::Store);
    running_totals.stored += bytes;
    site.done += bytes;
    states->stored_range(begin, bytes, number_of(&site), Killed{site});
}

void event_frees(Address begin, usize bytes, const places::Place& place) {
    SiteCounts& site = event_context(place, EffectKind::Free);
    states->ended(begin, bytes, Killed{site});
}

void event_shrinks(Address from, Address to, usize bytes) {
    states->moved(from, to, bytes);
    values->moved(from, to, bytes);
}

void memory_is_new(Address begin, usize bytes) {
    running_totals.used += states->loaded_range(begin, bytes);
    values->clear_range(begin, bytes);
}

void forget_states() {
    states->clear();
    values->clear();
}

void for_each_same(void (*f)(const SiteCounts& counts, const ObjectAmount& of, void* argument),
                   void* argument) {
    for_each_context([](SiteCounts& counts, void*) { same_accesses->keep(counts.same, number_of(&counts)); },
                     nullptr);
    same_accesses->for_each([&](u64 context, const ObjectAmount& of) {
        f(counts_of(static_cast<ContextNumber>(context)), of, argument);
    });
}

void clear_counts() {
    for_each_context([](SiteCounts& counts, void*) { counts.done = counts.same.amount = 0; }, nullptr);
    same_accesses->clear();
    looks->clear();
    clear_dead();
    running_totals = {};
}

}  // namespace memspy::waste
