// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/frame_variables.h"

#include <algorithm>
#include <new>

#include "dwarf/variables.h"
#include "places/debug_sections.h"
#include "places/function_places.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::places {
namespace {

// A frame in which code runs at one place. kAnySize: its begin is not known.
constexpr usize kAnySize = 0;
struct FrameState {
    vg::ModuleId module;
    Address code;
    usize size;
    u64 in_page;  // the place of its end in a page
    bool operator==(const FrameState&) const = default;
};

// Of all frames with the same variables.
struct FrameLayout {
    vg::ModuleId module;
    Address begin, end;  // the code
    usize size;
    u64 in_page;
    bool any_size, any_page;
    rt::Vector<PlacedVariable> variables;
    bool is_of(const FrameState& frame) const {
        return module == frame.module && frame.code >= begin && frame.code < end &&
               (any_size || size == frame.size) && (any_page || in_page == frame.in_page);
    }
};

rt::Global<rt::Vector<FrameLayout*>> layouts;
struct LookedUpFrame {
    FrameState frame;
    const FrameLayout* layout;
};
rt::Global<rt::HashMap<LookedUpFrame>> known_frames;

PlacedVariable placed_as_told(const dwarf::ListedVariable& told, vg::ModuleId module) {
    PlacedVariable placed{.from_end = told.from_end,
                          .variable = variable_as_told(told, module),
                          .shape = told.shape,
                          .scope = told.scope};
    placed.variable.end = told.bytes;
    return placed;
}

void keep(const dwarf::ListedVariable& told, void* argument) {
    FrameLayout& layout = *static_cast<FrameLayout*>(argument);
    layout.variables.push_back(placed_as_told(told, layout.module));
}

// Of variables of one scope that share bytes (EQUIVALENCE) keeps the largest, of several the last.
void keep_largest(rt::Vector<PlacedVariable>& told) {
    const auto end_of = [](const PlacedVariable& each) {
        return each.from_end + static_cast<i64>(each.variable.end);
    };
    rt::Vector<PlacedVariable> kept;
    for (usize i = 0; i < told.size(); ++i) {
        bool is_largest = true;
        for (usize k = 0; k < told.size() && is_largest; ++k) {
            const bool meets = told[k].scope == told[i].scope && told[k].from_end < end_of(told[i]) &&
                               told[i].from_end < end_of(told[k]) &&
                               told[k].variable.name != told[i].variable.name;
            const u64 own = told[i].variable.end, other = told[k].variable.end;
            is_largest = !meets || other < own || (other == own && k < i);
        }
        if (is_largest) kept.push_back(told[i]);
    }
    told.resize(0);
    for (const PlacedVariable& each : kept) told.push_back(each);
}

void read(FrameLayout& layout, Address code) {
    if (layout.module == vg::ModuleId::None) return;
    const vg::Module& module = vg::module(layout.module);
    bool any = false;
    dwarf::FrameByte frame;
    frame.pc = code - module.bias;
    frame.from_end = -static_cast<i64>(layout.size);
    if (layout.size == kAnySize) frame.from_stack_pointer = dwarf::FrameByte::kUnknownSize;
    frame.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
    frame.end = layout.in_page;
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        any = any || sections.info.size != 0;
        frame.function = place_of_function(layout.module, sections, frame.pc);
        const dwarf::FrameValidity valid = dwarf::for_each_variable(sections, frame, keep, &layout);
        if (!valid.found) return false;
        layout.begin = valid.begin + module.bias;
        layout.end = valid.end + module.bias;
        layout.any_size = !valid.by_size;
        layout.any_page = !valid.by_page;
        return true;
    });
    if (any) return keep_largest(layout.variables);
    // Without debug information none of its frames has variables.
    layout.begin = module.begin;
    layout.end = module.end;
    layout.any_size = layout.any_page = true;
}

const FrameLayout& layout_of(Address code, Address begin, Address end) {
    const FrameState frame{vg::module_of_code(code), code, begin == kUnknownBegin ? kAnySize : end - begin,
                           end % dwarf::FrameByte::kPage};
    u64 key = (code ^ u64{static_cast<u32>(frame.module)} << 48) +
              (frame.size << 12 | frame.in_page) * 0x9E37'79B9'7F4A'7C15u;
    for (;; ++key) {
        const LookedUpFrame* const known = known_frames->find(key);
        if (known == nullptr) break;
        if (known->frame == frame) return *known->layout;
    }
    const FrameLayout* layout = nullptr;
    for (const FrameLayout* each : *layouts)
        if (each->is_of(frame)) layout = each;
    if (layout == nullptr) {
        auto* made = new (rt::allocate(sizeof(FrameLayout), "memspy.frames"))
            FrameLayout{frame.module, code, code + 1, frame.size, frame.in_page, false, false, {}};
        read(*made, code);
        layouts->push_back(made);
        layout = made;
    }
    (*known_frames)[key] = {frame, layout};
    return *layout;
}

bool is_same(const StackVariable& a, const StackVariable& b) {
    return a.name == b.name && a.function == b.function && a.line == b.line && a.end == b.end;
}

// Leaves out what was told twice, and variables of several scopes that share bytes.
void keep_certain(rt::Vector<PlacedVariable>& told) {
    keep_largest(told);
    std::sort(told.begin(), told.end(),
              [](const PlacedVariable& a, const PlacedVariable& b) { return a.from_end < b.from_end; });
    usize kept = 0;
    i64 end = 0;  // of all before
    bool is_shared = false;
    for (const PlacedVariable& placed : told) {
        const i64 own_end = placed.from_end + static_cast<i64>(placed.variable.end);
        const bool is_first = kept == 0 || placed.from_end >= end;
        if (!is_first && placed.from_end == told[kept - 1].from_end &&
            is_same(placed.variable, told[kept - 1].variable))
            continue;
        if (is_first && is_shared) --kept;  // the last one met others
        is_shared = !is_first;
        end = is_first ? own_end : std::max(end, own_end);
        if (is_first) told[kept++] = placed;
    }
    told.resize(is_shared ? kept - 1 : kept);
}

}  // namespace

StackVariable variable_as_told(const dwarf::ListedVariable& told, vg::ModuleId module) {
    StackVariable variable;
    variable.name = vg::intern(told.name);
    variable.function = told.function == nullptr ? nullptr : vg::intern(told.function);
    variable.module = module;
    variable.entry = told.entry;
    variable.line = told.line;
    variable.unit = told.unit;
    variable.file = told.file;
    return variable;
}

bool list_placed_variables(Address entry, Address end, PlacedVariables* placed) {
    const vg::ModuleId id = vg::module_of_code(entry);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    dwarf::FrameByte frame;
    frame.pc = entry - module.bias;
    frame.from_stack_pointer = dwarf::FrameByte::kUnknownSize;
    frame.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
    frame.end = end % dwarf::FrameByte::kPage;
    struct ListedPlaces {
        vg::ModuleId module;
        rt::Vector<PlacedVariable>& all;
    } told{id, placed->all};
    const bool found = with_debug_sections(module, [&](const dwarf::Sections& sections) {
        frame.function = place_of_function(id, sections, frame.pc);
        const dwarf::FrameValidity valid = dwarf::for_each_place(
            sections, frame,
            [](const dwarf::ListedVariable& variable, void* argument) {
                const ListedPlaces& to = *static_cast<ListedPlaces*>(argument);
                // What reaches beyond the frame is a parameter that the caller has put there.
                if (variable.from_end + static_cast<i64>(variable.bytes) <= 0)
                    to.all.push_back(placed_as_told(variable, to.module));
            },
            &told);
        placed->by_page = valid.by_page;
        return valid.found;
    });
    keep_certain(placed->all);
    return found;
}

bool find_frame_variable(Address code, Address begin, Address end, Address a, StackVariable* found) {
    *found = {};
    Address low = begin, high = end;
    for (const PlacedVariable& placed : layout_of(code, begin, end).variables) {
        const Address first = end + static_cast<u64>(placed.from_end), last = first + placed.variable.end;
        // What reaches beyond the frame is a parameter that the caller has put there. Innermost functions
        // have some below it.
        if ((begin != kUnknownBegin && first + VG_STACK_REDZONE_SZB < begin) || last > end) continue;
        if (a >= first && a < last) {
            // Of variables that share a place the one of the innermost scope is alive.
            *found = placed.variable;
            found->begin = first;
            found->end = last;
        }
        if (last <= a && last > low) low = last;
        if (first > a && first < high) high = first;
    }
    if (found->name != nullptr) return true;
    found->begin = low;
    found->end = high;
    return false;
}

}  // namespace memspy::places
