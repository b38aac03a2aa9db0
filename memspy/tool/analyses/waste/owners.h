// SPDX-License-Identifier: GPL-2.0-or-later
//
// Owners: the object of a byte, kept beside each amount that is charged to objects, so that it is looked up
// only where another object's byte comes.
#pragma once

#include "heap/grains.h"
#include "instrument/effects/effect_layout.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/paged_array.h"

namespace memspy::waste {

using instrument::OwnedAmount;
using instrument::OwnedSpan;
using instrument::SiteCounts;

// What is known of objects outside the heap holds as long as their age is the same.
extern u32 owner_age;
extern rt::Global<heap::Grains> heap_owners;  // objects of the heap's blocks
void start_owners();

// Of a site of the block that runs, which is of the present age.
inline bool is_owned_now(const OwnedSpan& owned, Address a) {
    return ((heap_owners->at(a) == owned.grain) & (a - owned.begin < owned.size)) != 0;
}
inline bool is_owned(const OwnedSpan& owned, Address a) {
    return is_owned_now(owned, a) && (owned.grain != 0 || owned.age == owner_age);
}
// Makes the block one of the present age.
void refresh_owners(instrument::EffectBlock* block);
// The owner of `a`, which the site accesses now. The stack may be unwound for a variable of a frame.
// `accessed`: bytes accessed so far, which bound how often that is done.
OwnedSpan owner_of(Address a, const SiteCounts& site, u64 accessed);
// A frame that is left: its bytes, and code of its function; end = 0: not known.
struct LeftFrame {
    Address code, begin, end;
};
// Of a byte in it.
OwnedSpan owner_in(const LeftFrame& frame, Address a, u64 accessed);

// An amount of an object, and the offset in it of the first byte that was met; kNoOffset: not known.
inline constexpr u64 kNoOffset = ~u64{0};
struct ObjectAmount {
    u32 object;
    u64 amount, offset;
};
// Where in its object the byte is.
u64 offset_of(Address a, const OwnedSpan& owned);
// Bytes of heap blocks of an object that were allocated in all; 0: it is none of the heap's.
u64 handed_out(u32 object);

// Amounts by (what they are of, object).
class AmountsByObject {
public:
    // Adds `amount` of the byte at `a`, whose owner `find` finds if that changed.
    template <typename Find>
    void add(OwnedAmount& to, u64 key, Address a, u64 amount, Find find) {
        if (!is_owned(to.owned, a)) [[unlikely]] {
            keep(to, key);
            to.owned = find();
            met(to, key, a);
        }
        to.amount += amount;
    }
    // Moves what stands in `from` here.
    void keep(OwnedAmount& from, u64 key) {
        if (from.amount != 0) late_of(key, from.owned.object).sum->sum += from.amount;
        from.amount = 0;
    }
    // The owner was just found by the byte at `a`.
    void met(const OwnedAmount& of, u64 key, Address a) {
        LateSum& late = late_of(key, of.owned.object);
        if (late.is_met) return;
        late.is_met = true;
        if (late.sum->is_met) return;
        late.sum->is_met = true;
        late.sum->offset = offset_of(a, of.owned);
    }
    template <typename F>
    void for_each(F f) {
        for (u32 i = 0; i < sums_.size(); ++i)
            if (const ObjectSum& of = sums_[i]; of.sum != 0)
                f(of.key >> 32,
                  ObjectAmount{static_cast<u32>(of.key), of.sum, of.is_met ? of.offset : kNoOffset});
    }
    void clear() {
        for (u32 i = 0; i < sums_.size(); ++i) sums_[i].sum = 0;
    }

private:
    struct ObjectSum {
        u64 key, sum, offset;
        bool is_met;
    };
    // Sites go to and fro between objects, so most sums have been asked for lately. What is asked stands in the
    // table itself, which is one cache miss less.
    struct LateSum {
        u64 both;
        ObjectSum* sum;
        bool is_met;
    };
    LateSum& late_of(u64 key, u32 object) {
        const u64 both = key << 32 | object;
        LateSum& late = late_[(key * 31 + object) % kLate];
        if (late.sum != nullptr && late.both == both) [[likely]]
            return late;
        u32& number = numbers_[both];
        if (number == 0) {
            sums_.push_back({.key = both, .sum = 0, .offset = 0, .is_met = false});
            number = sums_.size();
        }
        ObjectSum& sum = sums_[number - 1];
        return late = {both, &sum, sum.is_met};
    }

    rt::HashMap<u32> numbers_;  // in sums_, from 1
    rt::PagedArray<ObjectSum, 4096> sums_;
    static constexpr u64 kLate = 1 << 14;
    LateSum late_[kLate] = {};
};

}  // namespace memspy::waste
