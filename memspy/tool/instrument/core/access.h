// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses of a superblock's statements: memory operands of every statement form, and the origin of an
// address when the translation is made.
#pragma once

#include "instrument/core/emitter.h"
#include "log/records.h"
#include "rt/vector.h"

namespace memspy::instrument {

// The client address of the instruction that an IMark begins.
inline Address instruction_address(const IRStmt* mark) {
    return static_cast<Address>(mark->Ist.IMark.addr + mark->Ist.IMark.delta);
}

// Statements [0, preamble_end(block)) come before the first instruction and are copied unchanged.
int preamble_end(const IRSB* block);

// One memory operand of a statement.
struct Access {
    IRExpr* address = nullptr;  // atom
    IRExpr* guard = nullptr;    // Ity_I1 atom, or null: the access always happens
    u32 bytes = 0;
    bool loads = false;
    bool stores = false;
    bool in_one_line = false;  // known from a check
    explicit operator bool() const { return bytes != 0; }
};

// The access of `statement`; empty (bytes 0) when it touches no memory. Covers Load, Store, LoadG, StoreG,
// CAS (of one or two elements), LLSC, and the memory effect of dirty calls.
Access access_of_any(const IRSB* block, const IRStmt* statement);
inline Access access_of(const IRSB* block, const IRStmt* statement) {
    if (statement->tag == Ist_WrTmp && statement->Ist.WrTmp.data->tag != Iex_Load) return {};
    return statement->tag == Ist_Put || statement->tag == Ist_IMark ? Access{}
                                                                    : access_of_any(block, statement);
}

// Whether the statement loads values: all loads do except those of the core's helpers, which load data in
// forms of their own.
bool is_value_load(const IRStmt* statement);

// Whether the statement loads a float, a vector, or anything else that its instruction puts into a vector
// register.
bool loads_vector(const IRSB* block, Int statement);

// Whether the statement reads a vector register, or a part of one.
bool reads_vector_register(const IRStmt* statement);

// The statement that gives the temporary its value; null if `value` is none.
const IRStmt* maker_of(const IRSB* block, const IRExpr* value);

// What an atomic read-modify-write of the superblock stores; Other if `statement` is none.
log::UpdateKind update_kind(const IRSB* block, const IRStmt* statement);

// Whether an atomic read-modify-write happens only if the memory has a value that the program knows from before.
bool compares(const IRSB* block, const IRStmt* statement);

// The value of the memory before an atomic read-modify-write, and behind it, as code that comes after the statement.
struct UpdateValues {
    IRExpr* before = nullptr;  // Ity_I64; null if the superblock does not know it
    IRExpr* after = nullptr;
};
UpdateValues update_values(Emitter& emit, const IRSB* block, const IRStmt* statement);

// The origin of an address within one superblock.
struct Origin {
    enum class AddressRoot : u8 { Stack, Frame, Static, Unknown };
    AddressRoot kind = AddressRoot::Unknown;
    // The address is root + offset. For Stack and Frame the root is the temporary that read the stack or
    // frame pointer; Static has no root. For Unknown it is a name, and not the temporary's value.
    IRTemp root = IRTemp_INVALID;
    u64 offset = 0;
    // For Unknown: the address is the stack pointer plus or minus a value that is not constant.
    bool from_stack = false;
};

// A compiler's fence (`lock or $0, (%rsp)`): an update of the thread's own frame that changes nothing. Others
// neither wait for such a word nor take it for a lock.
bool is_fence(const IRStmt* statement, const Origin& address);

// Follows temporaries back to their origins. Call note() for each statement in order. Two temporaries that
// are computed in the same way from the same others have one origin: the bytes p[i] and p[i + 1] are off one
// base.
class Addresses {
public:
    explicit Addresses(const IRSB* block);
    void note(const IRStmt* statement);
    Origin origin(const IRExpr* atom) const;

private:
    // What a root was computed from: roots of the operands, and what else decides.
    struct Computed {
        IROp op;
        IRTemp left, right;
        u64 constant;
        IRTemp root;
        u32 next;  // number + 1 of the next one in the same bucket
        bool is_like(const Computed& other) const {
            return op == other.op && left == other.left && right == other.right && constant == other.constant;
        }
    };
    static constexpr u32 kBuckets = 64;

    void note_operation(const IRExpr* left, const IRExpr* right, IROp op, Origin& result);
    void find_root(const Computed& computed, Origin& result);

    Scratch<Origin> of_temp_;
    Scratch<Computed> computed_;
    u32 buckets_[kBuckets] = {};
};

bool writes_stack_pointer(const IRStmt* statement);
// True if the statement writes a value to the stack pointer that comes neither from the stack pointer nor
// from the frame pointer, as swapcontext and longjmp do.
bool switches_stack(const IRStmt* statement, const Addresses& addresses);

// Ranges that the superblock has already found to be fine, or has made fine.
class KnownFine {
public:
    bool covers(const Origin& origin, u32 bytes) const;
    void add(const Origin& origin, u32 bytes);

private:
    struct FineRange {
        Origin origin;
        u32 bytes;
    };
    // More ranges are rarely alive at once; a new one replaces the oldest.
    static constexpr u32 kRanges = 24;
    FineRange ranges_[kRanges];
    u32 count_ = 0, next_ = 0;
};

}  // namespace memspy::instrument
