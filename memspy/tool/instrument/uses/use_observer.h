// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits a call of a helper behind each load and store that falls on a leaf of memory that somebody wants to
// know of. For who counts uses of bytes, whatever code makes them, the helper gets an address and nothing
// else, so a call is as short as calls are. Who wants to know the code takes `placed` instead of them.
#pragma once

#include "instrument/core/observer.h"

namespace memspy::instrument {

// Sizes of accesses by powers of two, from 1 to 32 bytes.
inline constexpr u32 kUseSizes = 6;

struct UseHooks {
    // A table by address: that of an access is not told where the leaf is null. Neither is moved.
    const void* const* leaves = nullptr;
    u32 leaf_bits = 0;  // of the bytes that a leaf covers; the table covers kClientAddressBits
    void (*load[kUseSizes])(Address a) = {};
    void (*store[kUseSizes])(Address a) = {};
    // For helpers of the core, of any size.
    void (*load_range)(Address a, u64 bytes) = nullptr;
    void (*store_range)(Address a, u64 bytes) = nullptr;
    // In the place of all of them, of any size: the stack of the running thread can be unwound. An access off the
    // stack pointer is not told.
    void (*placed)(Address a, Address instruction, u64 use) = nullptr;
};
// What `placed` hears of an access.
struct PlacedUse {
    static constexpr u64 kLoads = 1, kStores = 2;
    static constexpr unsigned kBytesShift = 2;
};
// From now on translations tell of accesses. Up to kMostUsers may want to know.
inline constexpr u32 kMostUsers = 2;
void add_use_hooks(const UseHooks& hooks);

class UseObserver final : public Observer {
public:
    UseObserver(Emitter& emit, const IRSB*) : emit_(emit) {}
    void instruction(const IRStmt* mark) override { instruction_ = instruction_address(mark); }
    void access(int statement, const Access& access, const Origin& origin) override;

private:
    IRExpr* is_wanted(const UseHooks& hooks, const Access& access);
    void tell(const UseHooks& hooks, const Access& access, bool stores);
    void tell_placed(const UseHooks& hooks, const Access& access);

    Emitter& emit_;
    Address instruction_ = 0;
};

}  // namespace memspy::instrument
