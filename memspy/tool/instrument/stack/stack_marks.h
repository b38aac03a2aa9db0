// SPDX-License-Identifier: GPL-2.0-or-later
//
// StackMarks: the code of fast translations for accesses off the stack pointer and for its moves.
//
// All offsets are from the stack pointer at the superblock's start, for which stack_window.h guarantees
// shadow at a fixed distance. A store to the frame needs no check: its address shows that it is addressable.
// Without undefined values that is so of a load, too, unless policy().check_stack says otherwise.
// Memory that a frame gets is marked before anything could look at it. Memory that a frame gives back is
// marked when the superblock is left: late marks, or marks lost by a trip, do no harm.
#pragma once

#include "instrument/core/access.h"
#include "instrument/stack/stack_window.h"

namespace memspy::instrument {

class StackMarks {
public:
    explicit StackMarks(Emitter& emit, const IRSB* in);

    // First pass: call for each statement in order, after `addresses` has noted it.
    void note(int statement, const Addresses& addresses);
    // Call after the first pass. What the access of a statement needs: a mark, a test, nothing, or what other
    // addresses need.
    enum class MarkEffect : u8 { Other, Defines, Tests, Nothing };
    MarkEffect kind(int statement) const {
        return plans_.size() != 0 ? plans_[static_cast<usize>(statement)].kind : MarkEffect::Other;
    }

    // Second pass: call in the order of the emitted code.
    void begin(Address first);    // before the first instruction
    void met(int statement);      // call before a statement is emitted
    void before_check();          // call before a check of another address, or an exit by a test
    IRExpr* test(int statement);  // Ity_I1: a loaded byte is not fine
    void define(int statement);   // makes the bytes of a store fine
    void leave();                 // call before an exit of the client's code, and at the superblock's end

private:
    struct Plan {
        MarkEffect kind = MarkEffect::Other;
        bool moves = false;    // to `offset`
        bool unknown = false;  // moves to an unknown place
        bool later = false;    // down, as with a frame pointer: may be marked when the superblock ends
        bool switched = false;
        bool hints = false;  // the 128 bytes from `offset` on become undefined; unknown: below the sp
        i64 offset = 0;
        u32 bytes = 0;
    };
    struct Root {
        IRTemp temp;
        i64 offset;
    };
    bool find(const Origin& origin, i64* offset) const;
    IRExpr* at(i64 offset);
    IRExpr* load_states(i64 offset, u32 bytes);
    void store_states(i64 offset, u32 bytes, IRExpr* states);
    void fill(i64 from, i64 to, IRExpr* pattern);
    void mark_new();
    IRExpr* pattern(Int offset, IRExpr** kept);

    Emitter& emit_;
    const IRSB* in_;
    bool on_;
    bool used_ = false;
    Scratch<Plan> plans_;
    Scratch<Root> roots_;
    // First pass.
    bool known_ = true;
    i64 planned_ = 0;
    // Second pass: the stack pointer's offset, and the offset from which memory is marked as in use.
    i64 now_ = 0, marked_ = 0;
    u64 move_ = kDerived;  // flags that hold for all moves of the superblock
    IRExpr* start_ = nullptr;
    IRExpr* states_ = nullptr;  // address of the states at the initial stack pointer
    IRExpr* fresh_ = nullptr;
    IRExpr* dead_ = nullptr;
    // A move that only a helper can mark: from, to, and how.
    IRExpr* moved_from_ = nullptr;
    IRExpr* moved_to_ = nullptr;
    u64 moved_how_ = 0;
};

}  // namespace memspy::instrument
