// SPDX-License-Identifier: GPL-2.0-or-later
//
// The extents of variables as the code that addresses them sees them, from debug information: for functions
// that were compiled without optimisation (dwarf/bounds.h says why only these).
#pragma once

#include "dwarf/variables.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/modules.h"

namespace memspy::places {

// A variable. Lives as long as the run.
struct VariableBounds {
    i64 begin = 0;  // a static variable's address; otherwise the distance from the frame's end
    u64 bytes = 0;
    const char* name = nullptr;      // interned, as the next
    const char* function = nullptr;  // that it is declared in; null: none
    bool is_static = false;
    // Bytes before it where an access is none beyond it: those of a variable that ends there, if the address
    // may have been made from that one.
    u64 doubtful = 0;
};

// A function without optimisation.
class PlainFunction {
public:
    u32 number() const { return number_; }  // from 1 on
    Address begin() const { return begin_; }
    bool has(Address code) const { return code >= begin_ && code < end_; }

    // The array in the frame, or in a variable there, whose first element, or a row's first element, is at
    // the distance from the frame's end, when `code` runs. Null: there is none, or more than one.
    const VariableBounds* array_at(Address code, i64 from_end);
    // Whether a pointer or reference is there.
    bool is_pointer_at(Address code, i64 from_end);
    // The same for an address; `exact`: no index is added to it.
    const VariableBounds* static_array_at(Address a, bool exact) const;

private:
    friend class FunctionTable;
    struct BoundedVariable {
        VariableBounds bounds;
        u64 type;
    };
    struct ScopeLayout {
        Address begin = 0, end = 0;  // the code in which these are there
        rt::Vector<BoundedVariable> variables;
    };
    const ScopeLayout& layout_at(Address code);

    // f(unit), or false.
    template <typename F>
    bool in_unit(F f) const;

    u32 number_ = 0;
    vg::ModuleId module_{};
    Address begin_ = 0, end_ = 0;
    u64 unit_ = 0, entry_ = 0;  // in .debug_info
    const char* name_ = nullptr;
    bool folds_ = false;
    bool plain_ = false;  // false: kept so that its unit is not looked for again
    rt::Vector<ScopeLayout*> layouts_;
    rt::HashMap<bool> pointers_;  // by code and distance: what is_pointer_at() says
};

// The function that the code belongs to; null: it is optimised, or nothing is known of it. Slow the first
// time for each compilation unit.
PlainFunction* plain_function(Address code);

}  // namespace memspy::places
