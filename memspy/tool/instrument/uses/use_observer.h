// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits a call of a helper behind each load and store that falls on a leaf of memory that somebody wants to
// know of. For who counts uses of bytes, whatever code makes them; the helper gets an address and nothing
// else, so a call is as short as calls are.
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
};
// From now on translations tell of accesses.
void set_use_hooks(const UseHooks& hooks);

class UseObserver final : public Observer {
public:
    UseObserver(Emitter& emit, const IRSB*) : emit_(emit) {}
    void access(int statement, const Access& access, const Origin& origin) override;

private:
    void tell(const Access& access, const char* name, void (*const (&sized)[kUseSizes])(Address),
              void (*range)(Address, u64));

    Emitter& emit_;
};

}  // namespace memspy::instrument
