// SPDX-License-Identifier: GPL-2.0-or-later
//
// LineMemory: memory for records of cache lines, in whole units. If a unit is a host cache line, the records
// of two lines never share one. Returned blocks are used again for requests of their size; slabs are never
// freed. All zeros is an empty object, see rt/global.h.
#pragma once

#include "rt/base.h"

namespace memspy::contention {

class LineMemory {
public:
    static constexpr usize kHostLine = 64;
    static constexpr usize kUnpadded = 16;

    // kHostLine (the default) or kUnpadded. Call before the first take.
    void set_unit(usize unit) {
        CHECK(slab_ == 0);
        unit_ = unit;
    }

    // The memory is not zeroed.
    void* take(usize bytes) {
        usize units = units_of(bytes);
        taken_ += units * unit();
        if (units > kMostUnits) return take_large(units);
        if (Free* block = free_[units]) {
            free_[units] = block->next;
            return block;
        }
        usize size = units * unit();
        if (size > slab_left_) new_slab();
        Address block = slab_;
        slab_ += size;
        slab_left_ -= size;
        return reinterpret_cast<void*>(block);
    }

    // `bytes` as passed to take().
    void give(void* memory, usize bytes) {
        usize units = units_of(bytes);
        taken_ -= units * unit();
        if (units > kMostUnits) {
            rt::release(static_cast<void**>(memory)[-1]);
            return;
        }
        auto* block = static_cast<Free*>(memory);
        block->next = free_[units];
        free_[units] = block;
    }

    usize taken() const { return taken_; }  // bytes in use

private:
    struct Free {
        Free* next;
    };
    static constexpr usize kMostUnits = 16;
    static constexpr usize kSlab = usize{1} << 18;

    usize unit() const { return unit_ == 0 ? kHostLine : unit_; }
    usize units_of(usize bytes) const { return (bytes + unit() - 1) / unit(); }

    // The rest of the old slab is lost: at most sixteen units of 256 KiB.
    void new_slab() {
        auto raw = reinterpret_cast<Address>(rt::allocate(kSlab + kHostLine, "memspy.line_memory"));
        slab_ = (raw + kHostLine - 1) & ~Address{kHostLine - 1};
        slab_left_ = kSlab;
    }

    void* take_large(usize units) {
        void* raw = rt::allocate(units * unit() + sizeof(void*) + kHostLine, "memspy.line_memory");
        Address start = reinterpret_cast<Address>(raw) + sizeof(void*);
        auto* block = reinterpret_cast<void**>((start + kHostLine - 1) & ~Address{kHostLine - 1});
        block[-1] = raw;
        return block;
    }

    usize unit_ = 0;
    usize taken_ = 0;
    Free* free_[kMostUnits + 1] = {};
    Address slab_ = 0;
    usize slab_left_ = 0;
};

}  // namespace memspy::contention
