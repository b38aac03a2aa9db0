// SPDX-License-Identifier: GPL-2.0-or-later
#include "shadow/side_table.h"

#include <algorithm>
#include <new>

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::shadow {
namespace {

constexpr unsigned kGroupBits = 3;
constexpr usize kGroup = usize{1} << kGroupBits;

// Made at first use: most runs never need it, and static objects with destructors are not allowed.
using Entries = rt::HashMap<SideEntry, rt::ShortKey>;
static_assert(Entries::slot_bytes() == 24);
Entries* entries = nullptr;

// How many entries there are in each page, by a hash of the page: most ranges of memory have none, and a look
// into the hash table for each of their groups would cost as much as to fill the memory.
constexpr unsigned kPageBits = 12 - kGroupBits;
constexpr usize kPageCounts = usize{1} << 14;
u32 page_counts[kPageCounts];
u32& page_count(u64 group) { return page_counts[(group >> kPageBits) % kPageCounts]; }

struct Keyed {
    u64 group;
    SideEntry entry;
};
rt::Vector<Keyed>* scratch = nullptr;

template <typename T>
T* make(const char* what) {
    return new (rt::allocate(sizeof(T), what)) T;
}

// Calls f(group) for each group of the range that has an entry, in ascending order. f may change the map.
template <typename F>
void for_each_group(Address begin, usize bytes, F&& f) {
    if (side_empty() || bytes == 0) return;
    u64 first = begin >> kGroupBits, last = (begin + bytes - 1) >> kGroupBits;
    if (last - first < 2 * entries->size()) {
        for (u64 group = first; group <= last; ++group)
            if (page_count(group) == 0)
                group |= (u64{1} << kPageBits) - 1;
            else if (entries->find(group) != nullptr)
                f(group);
        return;
    }
    // The range is larger than the table.
    rt::Vector<u64> groups;
    entries->for_each([&](u64 group, SideEntry&) {
        if (group >= first && group <= last) groups.push_back(group);
    });
    std::sort(groups.begin(), groups.end());
    for (u64 group : groups) f(group);
}

}  // namespace

bool side_empty() { return entries == nullptr || entries->empty(); }

SideEntry* side_find(Address a) {
    const u64 group = a >> kGroupBits;
    return page_count(group) == 0 ? nullptr : entries->find(group);
}

SideEntry& side_make(Address a) {
    if (entries == nullptr) entries = make<Entries>("memspy.side_table");
    const usize before = entries->size();
    SideEntry& entry = (*entries)[a >> kGroupBits];
    if (entries->size() == before) return entry;
    ++page_count(a >> kGroupBits);
    for (u8& mask : entry.undefined) mask = 0xff;
    return entry;
}

void side_forget_range(Address begin, usize bytes) {
    for_each_group(begin, bytes, [&](u64 group) {
        Address base = group << kGroupBits;
        usize before = begin > base ? begin - base : 0;
        usize after = begin + bytes < base + kGroup ? begin + bytes - base : kGroup;
        if (before == 0 && after == kGroup) {
            entries->erase(group);
            --page_count(group);
            return;
        }
        SideEntry& entry = *entries->find(group);
        for (usize i = before; i < after; ++i) entry.forget(i);
    });
}

void side_copy_range(Address to, Address from, usize bytes) {
    if (to == from || side_empty()) return;
    // All are taken out first and put in last, so that overlap needs no care.
    if (scratch == nullptr) scratch = make<rt::Vector<Keyed>>("memspy.side_table");
    scratch->resize(0);
    for_each_group(from, bytes, [&](u64 group) { scratch->push_back({group, *entries->find(group)}); });
    side_forget_range(to, bytes);
    for (const Keyed& taken : *scratch) {
        Address base = taken.group << kGroupBits;
        for (usize i = 0; i < kGroup; ++i) {
            Address source = base + i;
            if (source - from >= bytes) continue;
            Address target = to + (source - from);
            side_make(target).store(target, taken.entry.undefined[i], taken.entry.origin(source));
        }
    }
}

usize side_count() { return entries == nullptr ? 0 : entries->size(); }

}  // namespace memspy::shadow
