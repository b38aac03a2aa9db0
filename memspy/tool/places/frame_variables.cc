// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/frame_variables.h"

#include <new>

#include "dwarf/variables.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::places {
namespace {

struct PlacedVariable {
    i64 from_end;
    StackVariable variable;  // `end` is its size, `begin` is not set
};

// Of the frames in which code runs at one place, of one size, and at one place in a page.
struct FrameLayout {
    vg::ModuleId module;
    Address code;
    usize size;
    u64 in_page;
    rt::Vector<PlacedVariable> variables;
    bool is_of(const FrameLayout& other) const {
        return module == other.module && code == other.code && size == other.size && in_page == other.in_page;
    }
};

rt::Global<rt::HashMap<FrameLayout*>> layouts;

void keep(const dwarf::ListedVariable& told, void* argument) {
    FrameLayout& layout = *static_cast<FrameLayout*>(argument);
    StackVariable variable;
    variable.end = told.bytes;
    variable.name = vg::intern(told.name);
    variable.function = told.function == nullptr ? nullptr : vg::intern(told.function);
    variable.module = layout.module;
    variable.entry = told.entry;
    variable.line = told.line;
    layout.variables.push_back({told.from_end, variable});
}

void read(FrameLayout& layout) {
    if (layout.module == vg::ModuleId::None) return;
    const vg::Module& module = vg::module(layout.module);
    dwarf::FrameByte frame;
    frame.pc = layout.code - module.bias;
    frame.from_end = -static_cast<i64>(layout.size);
    frame.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
    frame.end = layout.in_page;
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        dwarf::for_each_variable(sections, frame, keep, &layout);
        return !layout.variables.empty();
    });
}

const FrameLayout& layout_of(Address code, Address begin, Address end) {
    const FrameLayout wanted{vg::module_of_code(code), code, end - begin, end % dwarf::FrameByte::kPage, {}};
    u64 key = (code ^ u64{static_cast<u32>(wanted.module)} << 48) +
              (wanted.size << 12 | wanted.in_page) * 0x9E37'79B9'7F4A'7C15u;
    for (;; ++key) {
        FrameLayout*& layout = (*layouts)[key];
        if (layout != nullptr && layout->is_of(wanted)) return *layout;
        if (layout != nullptr) continue;
        layout = new (rt::allocate(sizeof(FrameLayout), "memspy.frames"))
            FrameLayout{wanted.module, wanted.code, wanted.size, wanted.in_page, {}};
        read(*layout);
        return *layout;
    }
}

}  // namespace

bool find_frame_variable(Address code, Address begin, Address end, Address a, StackVariable* found) {
    Address low = begin, high = end;
    for (const PlacedVariable& placed : layout_of(code, begin, end).variables) {
        const Address first = end + static_cast<u64>(placed.from_end), last = first + placed.variable.end;
        // What reaches beyond the frame is a parameter that the caller has put there.
        if (first < begin || last > end) continue;
        if (a >= first && a < last) {
            *found = placed.variable;
            found->begin = first;
            found->end = last;
            return true;
        }
        if (last <= a && last > low) low = last;
        if (first > a && first < high) high = first;
    }
    found->begin = low;
    found->end = high;
    return false;
}

}  // namespace memspy::places
