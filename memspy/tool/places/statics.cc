// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/statics.h"

#include <algorithm>
#include <new>

#include "dwarf/static_list.h"
#include "places/debug_sections.h"
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

// A declaration, and how many program units have it.
struct CountedStatic {
    DeclaredStatic declared;
    u32 count = 1;
};

bool is_same(const DeclaredStatic& a, const DeclaredStatic& b) {
    return a.begin == b.begin && a.end == b.end && a.name == b.name;
}

struct FoundStatics {
    rt::Vector<CountedStatic> shared, of_threads;
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
    found.push_back({declared, 1});
}

// Where program units divide a block in different ways, that of most of them counts; of equally many the
// finest, which says most. Of variables that EQUIVALENCE puts at the same place it is the largest.
void choose(rt::Vector<CountedStatic>& found, DeclaredStatics& chosen) {
    std::sort(found.begin(), found.end(), [](const CountedStatic& a, const CountedStatic& b) {
        const DeclaredStatic &x = a.declared, &y = b.declared;
        if (x.begin != y.begin) return x.begin < y.begin;
        if (x.end != y.end) return x.end < y.end;
        if (x.name != y.name) return VG_(strcmp)(x.name, y.name) < 0;
        return x.unit != y.unit ? x.unit < y.unit : x.line < y.line;
    });
    usize distinct = 0;
    for (const CountedStatic& each : found) {
        if (distinct != 0 && is_same(found[distinct - 1].declared, each.declared))
            ++found[distinct - 1].count;
        else
            found[distinct++] = each;
    }
    found.resize(distinct);
    // From each group of declarations that overlap.
    for (usize first = 0, last; first < distinct; first = last) {
        u64 end = found[first].declared.end;
        for (last = first + 1; last < distinct && found[last].declared.begin < end; ++last)
            end = std::max(end, found[last].declared.end);
        std::sort(found.begin() + first, found.begin() + last,
                  [](const CountedStatic& a, const CountedStatic& b) {
                      const DeclaredStatic &x = a.declared, &y = b.declared;
                      if (a.count != b.count) return a.count > b.count;
                      if (x.end - x.begin != y.end - y.begin)
                          return (x.end - x.begin < y.end - y.begin) == x.is_common;
                      return x.begin != y.begin ? x.begin < y.begin : VG_(strcmp)(x.name, y.name) < 0;
                  });
        const usize before = chosen.size();
        for (usize i = first; i < last; ++i) {
            const DeclaredStatic& each = found[i].declared;
            bool is_free = true;
            for (usize k = before; k < chosen.size() && is_free; ++k)
                is_free = each.end <= chosen[k].begin || each.begin >= chosen[k].end;
            if (is_free) chosen.push_back(each);
        }
        std::sort(chosen.begin() + before, chosen.end(),
                  [](const DeclaredStatic& a, const DeclaredStatic& b) { return a.begin < b.begin; });
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

const DeclaredStatic* find_member(vg::ModuleId module, bool of_common, u64 address, u64* begin, u64* end) {
    const DeclaredStatics& all = statics_of(module).shared;
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
