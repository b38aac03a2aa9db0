// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses of a superblock's statements: memory operands of every statement form, and the origin of an
// address when the translation is made.
#pragma once

#include "instrument/emitter.h"
#include "rt/vector.h"

namespace memspy::instrument {

// Where the instruction that an IMark begins stands in the client's code.
inline Address instruction_address(const IRStmt* mark) {
    return static_cast<Address>(mark->Ist.IMark.addr + mark->Ist.IMark.delta);
}

// One memory operand of a statement.
struct Access {
    IRExpr* address = nullptr;  // atom
    IRExpr* guard = nullptr;    // Ity_I1 atom, or null: always happens
    u32 bytes = 0;
    bool loads = false;
    bool stores = false;
    explicit operator bool() const { return bytes != 0; }
};

// The access of `statement`; empty (bytes 0) when it touches no memory. Covers Load, Store, LoadG, StoreG,
// CAS (of one or two elements), LLSC, and the memory effect of dirty calls.
Access access_of(const IRSB* block, const IRStmt* statement);

// Where an address comes from, within one superblock.
struct Origin {
    enum class AddressRoot : u8 { Stack, Frame, Static, Unknown };
    AddressRoot kind = AddressRoot::Unknown;
    // The address is root + offset. For Stack and Frame the root is what read the stack or frame pointer;
    // Static has none.
    IRTemp root = IRTemp_INVALID;
    u64 offset = 0;
    // Of an Unknown one: the stack pointer plus or minus something.
    bool from_stack = false;
};

// Follows temporaries back to their origins. Feed it each statement in order.
class Addresses {
public:
    explicit Addresses(const IRSB* block);
    void note(const IRStmt* statement);
    Origin origin(const IRExpr* atom) const;

private:
    rt::Vector<Origin> of_temp_;
};

bool writes_stack_pointer(const IRStmt* statement);
// True for a write of the stack pointer with something that comes neither from itself nor from the frame
// pointer: swapcontext, longjmp.
bool switches_stack(const IRStmt* statement, const Addresses& addresses);

// Ranges that the superblock has already found, or made, fine.
class KnownFine {
public:
    bool covers(const Origin& origin, u32 bytes) const;
    void add(const Origin& origin, u32 bytes);

private:
    struct FineRange {
        Origin origin;
        u32 bytes;
    };
    // More are rarely alive at once; the oldest is forgotten.
    static constexpr u32 kRanges = 24;
    FineRange ranges_[kRanges];
    u32 count_ = 0, next_ = 0;
};

}  // namespace memspy::instrument
