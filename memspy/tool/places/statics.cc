// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/statics.h"

#include <algorithm>
#include <new>

#include "dwarf/static_list.h"
#include "places/debug_sections.h"
#include "places/object.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/system_paths.h"

namespace memspy::places {
namespace {

// By address. They do not overlap.
using DeclaredStatics = rt::Vector<DeclaredStatic>;
struct StaticsOfModule {
    DeclaredStatics shared, of_threads;
};
rt::Global<rt::HashMap<StaticsOfModule*>> statics_of_modules;

// A declaration as a program unit has it.
struct FoundStatic {
    DeclaredStatic declared;
    u64 division;     // which declaration of a COMMON block it is in; else 0
    u32 units = 1;    // that declare it, or all of the block, so
    u32 members = 1;  // of the block there
    bool again = false;
};

struct FoundStatics {
    rt::Vector<FoundStatic> shared, of_threads;
};

void add(const dwarf::ListedStatic& told, void* argument) {
    auto& all = *static_cast<FoundStatics*>(argument);
    auto& found = told.of_thread ? all.of_threads : all.shared;
    const auto kept = [](const char* text) { return text == nullptr ? nullptr : vg::intern(text); };
    DeclaredStatic declared;
    declared.begin = told.address;
    declared.end = told.address + (told.bytes == 0 ? 1 : told.bytes);
    declared.name = kept(told.name);
    declared.function = kept(told.function);
    declared.block = kept(told.block);
    declared.is_common = told.is_common;
    declared.line = told.line;
    declared.unit = told.unit;
    declared.file = told.file;
    found.push_back({declared, told.division});
}

// Counts the units that divide a block alike, and marks all but the first as told again. The members of a division
// stand together.
void count_units(rt::Vector<FoundStatic>& found) {
    rt::HashMap<u32> first_of;  // by a hash of the division's members: index + 1
    for (usize first = 0, last; first < found.size(); first = last) {
        const u64 division = found[first].division;
        u64 hash = division == 0 ? 1 : 2;
        for (last = first;
             last == first || (last < found.size() && division != 0 && found[last].division == division);
             ++last) {
            const DeclaredStatic& each = found[last].declared;
            hash = mix(mix(mix(hash, each.begin), each.end), reinterpret_cast<u64>(each.name));
        }
        u32& known = first_of[hash];
        if (known != 0) {
            for (usize i = first; i < last; ++i) found[i].again = true;
            for (usize i = known - 1; i < known - 1 + (last - first); ++i) ++found[i].units;
            continue;
        }
        known = static_cast<u32>(first) + 1;
        for (usize i = first; i < last; ++i) found[i].members = static_cast<u32>(last - first);
    }
}

// Which declaration counts where several overlap. Of program units that divide a block in different ways most of them
// count; of equally many those with the most members, which say most. Of variables that EQUIVALENCE puts at the
// same place it is the largest; in a block, the smallest.
bool counts_before(const FoundStatic& a, const FoundStatic& b) {
    const DeclaredStatic &x = a.declared, &y = b.declared;
    if (a.units != b.units) return a.units > b.units;
    if (a.members != b.members) return a.members > b.members;
    if (a.division != b.division) return a.division < b.division;
    const u64 x_bytes = x.end - x.begin, y_bytes = y.end - y.begin;
    if (x_bytes != y_bytes) return (x_bytes < y_bytes) == x.is_common;
    return x.begin != y.begin ? x.begin < y.begin : VG_(strcmp)(x.name, y.name) < 0;
}

// Adds what others have left of a variable. Those behind `first` are by address.
void add_free_parts(DeclaredStatics& chosen, usize first, const DeclaredStatic& variable) {
    DeclaredStatics parts;
    DeclaredStatic rest = variable;
    for (usize i = first; i < chosen.size() && rest.begin < rest.end; ++i) {
        const DeclaredStatic& taken = chosen[i];
        if (taken.end <= rest.begin) continue;
        if (taken.begin >= rest.end) break;
        DeclaredStatic part = rest;
        part.end = taken.begin;
        if (part.begin < part.end) parts.push_back(part);
        rest.begin = taken.end;
    }
    if (rest.begin < rest.end) parts.push_back(rest);
    for (const DeclaredStatic& part : parts) chosen.push_back(part);
    if (parts.size() != 0)
        std::sort(chosen.begin() + first, chosen.end(),
                  [](const DeclaredStatic& a, const DeclaredStatic& b) { return a.begin < b.begin; });
}

void choose(rt::Vector<FoundStatic>& all, DeclaredStatics& chosen) {
    count_units(all);
    rt::Vector<FoundStatic> found;
    for (const FoundStatic& each : all)
        if (!each.again) found.push_back(each);
    std::sort(found.begin(), found.end(), [](const FoundStatic& a, const FoundStatic& b) {
        return a.declared.begin != b.declared.begin ? a.declared.begin < b.declared.begin
                                                    : counts_before(a, b);
    });
    // From each group of declarations that overlap.
    for (usize first = 0, last; first < found.size(); first = last) {
        u64 end = found[first].declared.end;
        for (last = first + 1; last < found.size() && found[last].declared.begin < end; ++last)
            end = std::max(end, found[last].declared.end);
        std::sort(found.begin() + first, found.begin() + last, counts_before);
        const usize before = chosen.size();
        for (usize i = first; i < last; ++i) add_free_parts(chosen, before, found[i].declared);
    }
}

const StaticsOfModule& statics_of(vg::ModuleId id) {
    StaticsOfModule*& known = (*statics_of_modules)[static_cast<u64>(id)];
    if (known != nullptr) return *known;
    known = new (rt::allocate(sizeof(StaticsOfModule), "memspy.statics")) StaticsOfModule;
    const vg::Module& module = vg::module(id);
    if (rt::is_system_path(module.path)) return *known;
    FoundStatics found;
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        dwarf::for_each_static(sections, add, &found);
        return !found.shared.empty() || !found.of_threads.empty();
    });
    choose(found.shared, known->shared);
    choose(found.of_threads, known->of_threads);
    return *known;
}

// The first one that ends behind `address`.
const DeclaredStatic* first_behind(const DeclaredStatics& all, u64 address) {
    return std::upper_bound(all.begin(), all.end(), address,
                            [](u64 a, const DeclaredStatic& each) { return a < each.end; });
}

const DeclaredStatic* find_at(const DeclaredStatics& all, u64 address) {
    const DeclaredStatic* const found = first_behind(all, address);
    return found != all.end() && found->begin <= address ? found : nullptr;
}

}  // namespace

const DeclaredStatic* find_declared(vg::ModuleId module, u64 address) {
    return find_at(statics_of(module).shared, address);
}
const DeclaredStatic* find_declared_of_thread(vg::ModuleId module, u64 offset) {
    return find_at(statics_of(module).of_threads, offset);
}

const DeclaredStatic* find_member(vg::ModuleId module, MemberOf what, u64 address, u64* begin, u64* end) {
    const StaticsOfModule& statics = statics_of(module);
    const DeclaredStatics& all = what == MemberOf::ThreadCommon ? statics.of_threads : statics.shared;
    const bool of_common = what != MemberOf::Equivalence;
    const DeclaredStatic* const found = first_behind(all, address);
    if (found != all.end() && found->begin <= address) {
        // A variable with the symbol's bytes is no member of a COMMON block.
        if (found->is_common != of_common) return nullptr;
        *begin = found->begin;
        *end = found->end;
        return found;
    }
    if (found != all.end() && found->begin < *end) *end = found->begin;
    if (found != all.begin() && found[-1].end > *begin) *begin = found[-1].end;
    return nullptr;
}

void add_declared_file(rt::Text& text, vg::ModuleId module, const DeclaredStatic& declared) {
    with_debug_sections(vg::module(module), [&](const dwarf::Sections& sections) {
        const usize before = text.size();
        dwarf::add_file_of(text, sections, declared.unit, declared.file);
        return text.size() != before;
    });
}

}  // namespace memspy::places
