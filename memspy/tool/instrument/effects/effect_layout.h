// SPDX-License-Identifier: GPL-2.0-or-later
//
// What generated code and the analysis of wasted work (--waste) share: the counts of a site in a context, and
// how they are found. No Valgrind here.
//
// A *site* is a load, a store, or a place where frames end; a *stretch* the sites of a superblock between two
// changes of the call path. For each call path a stretch has one block: a EffectBlock and the counts of its
// sites. Generated code looks the block up once, by path, and passes the address of a site's counts to the
// helper of each access.
#pragma once

#include "instrument/core/stretch_number.h"
#include "rt/vector.h"
#include "threads/thread.h"

namespace memspy::instrument {

enum class EffectKind : u8 { Load, Store, FrameEnd, Free };

struct EffectSite {
    Address instruction = 0;
    EffectKind kind{};
    u8 bytes = 0;         // of an access; 0: of several sizes
    bool direct = false;  // at a fixed distance from the stack or frame pointer
    bool pushes = false;  // the instruction moves the stack pointer, too; FrameEnd: the function returns
    bool floating = false;
    bool decides = false;  // a side exit depends on what is loaded
    bool operator==(const EffectSite&) const = default;
};

// Bytes of [begin, begin + size) are the object's where their grain (heap/grains.h) is `grain`, as long as
// its age is the present one, if they are none of the heap's (owners.h).
struct OwnedSpan {
    Address begin;
    u32 size;
    u32 age;
    u32 object;  // 0: none found yet
    u32 grain;   // the object, if it is the heap's; else 0
};

struct OwnedAmount {
    u64 amount;
    OwnedSpan owned;
};

// A site in a context. Its place in the arena of blocks is the number of the context.
struct SiteCounts {
    u64 done;          // accesses; bytes, if they have several sizes
    OwnedAmount same;  // of them: stores of the value that is there, loads of the value that was loaded
    u32 pair;          // of the last dead store that it killed
    u16 index;         // in its block
    u8 bytes;          // of an access
    bool direct : 1, pushes : 1, floating : 1, decides : 1;
    EffectKind kind : 2;
};
static_assert(sizeof(SiteCounts) == 48);

struct EffectStretch : StretchNumber {
    rt::Vector<EffectSite>* sites;
    bool of_library;      // its code
    EffectStretch* next;  // another one that begins with the same instruction
};

// Before the counts of a stretch's sites.
struct EffectBlock {
    EffectStretch* stretch;
    threads::CallPath path;
    u32 age;  // of what the sites know of owners
    SiteCounts* sites() { return reinterpret_cast<SiteCounts*>(this + 1); }
};
static_assert(sizeof(EffectBlock) == 16);

// The blocks used last.
struct EffectCell {
    u64 key;  // the stretch's tag | caller (CallFrame); 0: empty
    EffectBlock* block;
};
static_assert(sizeof(EffectCell) == 16);
inline constexpr u64 kEffectCells = u64{1} << 17;
extern EffectCell* effect_cells;
inline EffectCell& effect_cell_of(const EffectStretch& stretch, u64 caller) {
    return effect_cells[(caller ^ stretch.spread()) & (kEffectCells - 1)];
}

// Sizes of accesses by powers of two, from 1 to 32 bytes.
inline constexpr u32 kEffectSizes = 6;
using EffectHelper = void (*)(Address a, SiteCounts* site);
struct EffectHooks {
    bool in_twins = false;  // accesses are told of in twins only
    bool tolerant = false;  // a store of a float needs the value that was there
    // Returns the same stretch for the same sites behind the same instruction.
    EffectStretch* (*stretch_of)(Address first, const rt::Vector<EffectSite>& sites) = nullptr;
    // All others are called from generated code. Fills the cell for the stretch and the caller.
    void (*enter)(EffectStretch* stretch, u64 caller) = nullptr;
    // The block that runs has an old age if it is not *age: refresh() makes it that.
    const u32* age = nullptr;
    void (*refresh)(EffectBlock* block) = nullptr;
    // Behind the access; memory has its value. The store's third argument: whether the value was there
    // before.
    EffectHelper load[kEffectSizes] = {};
    void (*store[kEffectSizes])(Address a, SiteCounts* site, u64 same) = {};
    // Of a value of up to eight bytes that memory need no longer have.
    void (*load_value)(Address a, SiteCounts* site, u64 value) = nullptr;
    // For stores whose old value generated code does not keep: before, and behind.
    void (*before_store)(Address a, u64 bytes) = nullptr;
    EffectHelper compared_store = nullptr;
    // For helpers of the core, of any size.
    void (*load_range)(Address a, u64 bytes) = nullptr;
    void (*store_range)(Address a, u64 bytes, SiteCounts* site) = nullptr;
    // The frames in [low, high) are gone.
    void (*frame_end)(Address low, Address high, SiteCounts* site) = nullptr;
};
// From now on translations tell of accesses.
void set_effect_hooks(const EffectHooks& hooks);

}  // namespace memspy::instrument
