// SPDX-License-Identifier: GPL-2.0-or-later
//
// Checks of accesses to variables by an index (--bounds). Code without optimisation is known to access the
// variable that the address was made from (derivation.h). A range check stands behind the access; a helper is
// called if it fails.
//
// Pointers to variables are followed through pointer variables and arguments (known_pointers.h): where one is
// stored its variable is noted, and looked up where it is loaded and used.
#pragma once

#include "instrument/bounds/derivation.h"
#include "instrument/bounds/known_pointers.h"
#include "instrument/bounds/outside.h"
#include "instrument/core/observer.h"

namespace memspy::instrument {

class BoundsChecks final : public Observer {
public:
    BoundsChecks(Emitter& emit, const IRSB* in) : emit_(emit), in_(in), derived_(in) {}

    void begin(int begin, int end) override;
    void instruction(const IRStmt* mark) override { code_ = instruction_address(mark); }
    void access(int statement, const Access& access, const Origin& origin) override;
    void end(IRJumpKind jump) override;

private:
    void check(const IRExpr* address, const Access& access);
    void note_store(const PointerStore& store, const IRStmt* statement);
    bool describe(const IRExpr* value, PointerCode* pointer);
    bool describe(const Derived& from, const places::VariableBounds* variable, PointerCode* pointer);
    void emit_resumption(Address first);
    void note_passed(u32 number, IRExpr* frame_end);
    PointerCode passed_on();
    const PointerCode& looked_up(u32 source);

    Emitter& emit_;
    const IRSB* in_;
    Derivations derived_;
    Scratch<PointerCode> looked_up_;   // by source
    IRExpr* frame_end_ = nullptr;      // of the function that begins here, or has returned
    IRExpr* frame_pointer_ = nullptr;  // at the beginning
    IRExpr* resumes_ = nullptr;  // Ity_I1: an earlier superblock was left at this one's first instruction
    Address code_ = 0;
    bool is_on_ = false;
};

}  // namespace memspy::instrument
