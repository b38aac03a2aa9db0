// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits calls of the helpers of effect_layout.h beside the client's own code: before stores, behind loads and
// stores, and where the stack pointer has moved up.
#pragma once

#include "instrument/core/context_cells.h"
#include "instrument/core/observer.h"
#include "instrument/effects/deciding_loads.h"
#include "instrument/effects/effect_layout.h"

namespace memspy::instrument {

class EffectObserver final : public Observer {
public:
    EffectObserver(Emitter& emit, const IRSB* in) : emit_(emit), in_(in), addresses_(in), deciding_(in) {}

    void instruction(const IRStmt* mark) override;
    void met(const IRStmt* statement) override;
    void before_exit(const IRStmt* exit) override;
    void before_store(int statement, const Access& access) override;
    void access(int statement, const Access& access, const Origin& origin) override;
    void before_call() override { close_stretch(); }
    void end(IRJumpKind jump) override;

private:
    void open_stretch();
    void close_stretch();
    IRExpr* counts_of(const EffectSite& site);
    EffectSite site_of(EffectKind kind, const Access& access, const Origin& origin) const;
    void call(const char* name, const void* function, IRExpr** arguments, IRExpr* guard = nullptr);
    void loaded(int statement, const Access& access, const Origin& origin);
    void stored(int statement, const Access& access, const Origin& origin);
    void swapped(const IRCAS& cas, const Access& access, const Origin& origin);
    bool is_float(const IRExpr* value) const;
    IRExpr* bits_of(IRExpr* value);
    IRExpr* is_same(IRExpr* left, IRExpr* right);
    void stack_moves(const IRStmt* put);
    void end_frames(bool returns);

    Emitter& emit_;
    const IRSB* in_;
    Addresses addresses_;
    DecidingLoads deciding_;
    Address instruction_ = 0;
    u32 loads_ = 0;                 // of the instruction
    bool moves_stack_ = false;      // the instruction does
    IRExpr* old_ = nullptr;         // what the store will overwrite; null: a helper keeps it
    Scratch<IRTemp> vector_parts_;  // with a tolerance: read from vector registers
    ContextLookup stretch_;         // the sites between two changes of the call path
    rt::Vector<EffectSite> sites_;
    // The stack pointer's offset from where it was when the superblock began, or behind the last unknown
    // move; and which temporaries have it.
    i64 now_ = 0;
    struct StackRoot {
        IRTemp temp;
        i64 offset;
    };
    Scratch<StackRoot> roots_;
    IRExpr* lowest_ = nullptr;  // the stack pointer before it moved up
    i64 lowest_offset_ = 0;
};

}  // namespace memspy::instrument
