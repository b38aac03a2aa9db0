// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the values of a superblock are made from the addresses of variables, in functions without optimisation.
//
// The base of an address is the constant part of its first sum: `lea -0x20(%rbp)`, or `-0x20(%rbp,%rax,4)` in
// an access. What an instruction adds to a pointer that an earlier one has made moves the pointer, and not
// its base: so `buf + sizeof buf` belongs to `buf`. Code also adds the frame pointer to an index first, and
// the constant in a later instruction.
#pragma once

#include "instrument/core/access.h"
#include "places/bounds.h"
#include "vg/frame_end.h"

namespace memspy::instrument {

inline constexpr int kNoStatement = -1;
// Stands for the frame pointer as the superblock found it.
inline constexpr IRTemp kFramePointerAtBegin = IRTemp_INVALID;

// Where a temporary's value comes from.
struct Derived {
    enum class DerivedFrom : u8 {
        Other,
        Frame,  // the frame's end plus `at`
        // An address in `variable`, or beyond it, by an index; or, if `bare`, a frame's register plus an index.
        Indexed,
        // From a pointer variable, or passed in a register, by PointerSource `loaded`; plus or minus something.
        Loaded,
    };
    DerivedFrom source = DerivedFrom::Other;
    bool bare = false;  // a frame's register without a constant
    i64 at = 0,
        base = 0;  // distances from the frame's end: of the value, and of what the pointer was made from
    Address made_by = 0;             // the instruction that chose the base
    IRTemp anchor = IRTemp_INVALID;  // a temporary, and its distance from the frame's end
    i64 anchor_at = 0;
    const places::VariableBounds* variable = nullptr;
    u32 loaded = 0;
    bool resumed = false;  // it holds only if the superblock goes on where an earlier one was left (below)
};

// A pointer whose variable is known when the code runs.
struct PointerSource {
    int statement = kNoStatement;  // the load; for an argument or a result none
    u32 argument = 0;              // its number
    IRTemp value = IRTemp_INVALID;
    IRExpr* place = nullptr;  // the address that is loaded from
    u64 owner = 0;
    bool is_used = false;
    i64 at = 0;  // the distance of the place from the frame's end
    // The load was in the superblock that was left: the place is this temporary, plus a distance, and has the
    // value still.
    IRTemp anchor = IRTemp_INVALID;
    i64 from_anchor = 0;
};

// What a statement does with a pointer variable.
struct PointerStore {
    int statement = kNoStatement;
    u64 owner = 0;
    i64 at = 0;  // of the variable, from the frame's end
};

// Code in a function without optimisation behind a call.
void note_return_place(Address code);
bool is_return_place(Address code);

// What registers hold at an instruction inside a superblock. A check that trips leaves the superblock there,
// and another one goes on; a jump may come there too, with other values.
struct HeldValues {
    static constexpr u32 kMost = 4;
    struct HeldValue {
        Int offset = 0;
        Derived value;
        i64 loaded_from = 0;  // Loaded: the distance of the pointer variable from the frame's end
        bool operator==(const HeldValue& other) const;
    };
    HeldValue values[kMost];
    u32 count = 0;
    bool contradicted = false;  // two superblocks say different things
};

class Derivations {
public:
    explicit Derivations(const IRSB* in);
    // Follows the statements [begin, end). Returns false if none of them belongs to a function without
    // optimisation.
    bool run(int begin, int end);
    // Registers have been held since the superblock that was left here.
    bool uses_held() const { return uses_held_; }
    bool follows_call() const { return follows_call_; }
    bool is_entry() const { return begins_function_; }

    // `exact`: an index is never added to it, so that the address is that of its variable.
    Derived of(const IRExpr* value) const;
    // The variable that a pointer is made from; null: unknown. Not for Loaded.
    const places::VariableBounds* variable_of(const IRExpr* value) const;
    const places::VariableBounds* variable_of(const Derived& from) const;
    places::PlainFunction* function() const { return function_; }  // at the end
    Address next() const { return next_; }                         // behind the last instruction
    const Scratch<PointerSource>& sources() const { return sources_; }
    PointerSource* source_at(int statement);
    const PointerStore* store_at(int statement) const;
    // The value that was last put into a register, or null.
    IRExpr* in_register(Int offset) const;
    // What it has held since the superblock that was left, or null.
    const Derived* held_in(Int offset) const;
    void note_use(const IRExpr* value);

private:
    void keep_held();
    void take_held();
    void begin_instruction(Address code);
    void note_write(int statement, IRTemp temp, const IRExpr* data);
    void note_register(Int offset, IRTemp temp, Derived& result);
    void note_sum(const IRExpr* left, const IRExpr* right, bool minus, Derived& result);
    Derived moved(Derived from, i64 distance) const;
    Derived indexed(const Derived& from) const;
    void note_load(int statement, IRTemp temp, IRExpr* address, Derived& result);
    void note_store(int statement, const IRStmt* store);

    struct PutValue {
        Int offset;
        IRExpr* value;
    };
    const IRSB* in_;
    Scratch<Derived> of_temp_;
    Scratch<PointerSource> sources_;
    Scratch<PointerStore> stores_;
    Scratch<PutValue> puts_;
    places::PlainFunction* function_ = nullptr;
    Address code_ = 0, next_ = 0;  // the instruction, and its end
    bool is_entry_ = false;        // the function begins in this block, and the code has not left it
    bool begins_function_ = false, follows_call_ = false, uses_held_ = false;
    struct HeldNow {
        Int offset;
        Derived value;
    };
    Scratch<HeldNow> held_;     // at the first instruction
    bool knows_frame_ = false;  // frame_ is that of code_
    vg::FrameEnd frame_;
};

}  // namespace memspy::instrument
