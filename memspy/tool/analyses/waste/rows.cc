// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>
#include <tuple>

#include "analyses/waste/counting.h"
#include "analyses/waste/pairs.h"
#include "analyses/waste/waste.h"

namespace memspy::waste {
namespace {

using WasteEnd = WasteRow::WasteEnd;

// Rows of a kind in the report; a small program has some thousands, most of them of the libraries' start.
constexpr usize kMostRows = 5000;

// One instruction has a context for each translation that it is part of, so rows are about the same when
// their places are.
auto key_of(const WasteRow& row) {
    return std::tuple(row.kind, row.place.instruction, static_cast<u32>(row.place.path),
                      row.killer.instruction, static_cast<u32>(row.killer.path),
                      static_cast<u32>(row.object));
}

// What contexts of one place loaded, or stored, in all: an instruction may do both.
struct PlaceBytes {
    places::Place place;
    bool loads;
    u64 bytes;
};
auto key_of(const PlaceBytes& of) {
    return std::tuple(of.place.instruction, static_cast<u32>(of.place.path), of.loads);
}

template <typename T>
void sort_by_key(rt::Vector<T>& items) {
    std::sort(items.begin(), items.end(), [](const T& a, const T& b) { return key_of(a) < key_of(b); });
}
void add_to(PlaceBytes& sum, const PlaceBytes& of) { sum.bytes += of.bytes; }
void add_to(WasteRow& sum, const WasteRow& of) {
    sum.bytes += of.bytes;
    sum.offset = std::min(sum.offset, of.offset);
    sum.looked += of.looked;
    sum.in_place += of.in_place;
    sum.near += of.near;
}
// Adds up neighbours of one key.
template <typename T>
void join(rt::Vector<T>& items) {
    sort_by_key(items);
    usize kept = 0;
    for (usize i = 0; i < items.size(); ++i) {
        if (kept != 0 && key_of(items[kept - 1]) == key_of(items[i]))
            add_to(items[kept - 1], items[i]);
        else
            items[kept++] = items[i];
    }
    items.resize(kept);
}

void set_site(WasteRow& row, const SiteCounts& counts, const ObjectAmount& of) {
    row.place = place_of(counts);
    row.direct = counts.direct;
    row.decides = counts.decides;
    row.object = places::ObjectId{of.object};
    row.offset = of.offset;
    row.width = counts.bytes;
    const SiteLook look = look_of(counts);
    row.looked = counts.done / kLookEvery;
    row.in_place = look.in_place;
    row.near = look.near;
    const places::Object& object = places::object(row.object);
    row.held = places::is_variable(object) && object.kind == places::Object::StorageKind::Static
                   ? object.size
                   : handed_out(of.object);
}

void add_same(const SiteCounts& counts, const ObjectAmount& of, void* argument) {
    WasteRow row{};
    row.kind = counts.kind == EffectKind::Load ? WasteRowKind::Load : WasteRowKind::Silent;
    set_site(row, counts, of);
    row.bytes = of.amount * counts.bytes;
    static_cast<rt::Vector<WasteRow>*>(argument)->push_back(row);
}

void add_dead_row(const DeadPair& pair, const ObjectAmount& of, void* argument) {
    WasteRow row{};
    const SiteCounts &dead = counts_of(pair.dead), &killer = counts_of(pair.killer);
    set_site(row, dead, of);
    row.killer = place_of(killer);
    row.end = killer.kind == EffectKind::FrameEnd ? WasteEnd::FrameLeft
              : killer.kind == EffectKind::Free   ? WasteEnd::Freed
                                                  : WasteEnd::Stored;
    row.bytes = of.amount;
    static_cast<rt::Vector<WasteRow>*>(argument)->push_back(row);
}

void add_access(SiteCounts& counts, void* argument) {
    if (counts.done == 0 || counts.kind == EffectKind::FrameEnd) return;
    const u64 bytes = counts.done * std::max<u64>(counts.bytes, 1);
    static_cast<rt::Vector<PlaceBytes>*>(argument)->push_back(
        {place_of(counts), counts.kind == EffectKind::Load, bytes});
}

void set_all(WasteRow& row, const rt::Vector<PlaceBytes>& accessed) {
    const PlaceBytes wanted{row.place, row.kind == WasteRowKind::Load, 0};
    const PlaceBytes* const found =
        std::lower_bound(accessed.begin(), accessed.end(), wanted,
                         [](const PlaceBytes& a, const PlaceBytes& b) { return key_of(a) < key_of(b); });
    if (found != accessed.end() && key_of(*found) == key_of(wanted)) row.all = found->bytes;
}

}  // namespace

void build_rows(WasteReport& report) {
    rt::Vector<WasteRow> rows;
    for_each_same(add_same, &rows);
    for_each_dead(add_dead_row, &rows);
    for (u64& bytes : report.direct) bytes = 0;
    for (const WasteRow& row : rows)
        if (row.direct) report.direct[static_cast<u32>(row.kind)] += row.bytes;
    join(rows);
    std::sort(rows.begin(), rows.end(), [](const WasteRow& a, const WasteRow& b) {
        if (a.kind != b.kind) return a.kind < b.kind;
        return a.bytes != b.bytes ? a.bytes > b.bytes : key_of(a) < key_of(b);
    });
    rt::Vector<PlaceBytes> accessed;
    for_each_context(add_access, &accessed);
    join(accessed);
    usize of_kind[kWasteRowKinds] = {};
    report.rows.clear();
    for (u64& bytes : report.left_out) bytes = 0;
    for (WasteRow& row : rows) {
        const u32 kind = static_cast<u32>(row.kind);
        if (of_kind[kind]++ >= kMostRows) {
            report.left_out[kind] += row.bytes;
            continue;
        }
        set_all(row, accessed);
        report.rows.push_back(row);
    }
}

}  // namespace memspy::waste
