// SPDX-License-Identifier: GPL-2.0-or-later
//
// LineTable: cache line -> who has touched it so far.
//
// A line is untouched, *private* (one thread alone has touched it: its serial, and whether a touch of it has gone through
// the merge) or *shared* (the number of a SharedLine). Four bytes a line, in leaves that are made when a line of their
// MiB is first touched. No Valgrind here.
#pragma once

#include "analyses/contention/objects.h"
#include "rt/lazy_array.h"
#include "threads/clocks.h"

namespace memspy::contention {

class LineState {
public:
    constexpr LineState() = default;
    static LineState private_to(u32 serial, bool merged) { return LineState(serial | (merged ? kMerged : 0)); }
    static LineState shared(u32 number) { return LineState(number | kShared); }

    bool is_untouched() const { return word_ == 0; }
    bool is_shared() const { return (word_ & kShared) != 0; }
    u32 number() const { return word_ & ~kShared; }               // of the SharedLine
    u32 owner() const { return word_ & ~(kShared | kMerged); }    // serial
    bool is_merged() const { return (word_ & kMerged) != 0; }

private:
    // Serials that do not fit would be taken for others': a program would have to start a billion threads.
    static constexpr u32 kShared = u32{1} << 31, kMerged = u32{1} << 30;
    constexpr explicit LineState(u32 word) : word_(word) {}
    u32 word_ = 0;
};
static_assert(sizeof(LineState) == 4);

// The owner of some bytes of a line; extents that ended are kept until the merge has passed their end.
struct OwnedBytes {
    Extent extent;  // clipped to the line
    threads::Time until = ~threads::Time{0};
};

struct SharedLine {
    u64 line = 0;  // address / line size
    Ownership* order[kViews] = {};
    LineTally* tally = nullptr;
    rt::Vector<OwnedBytes>* owners = nullptr;
    bool syncs = false;  // has a word that threads wait for
};

class LineTable {
public:
    void initialise(u32 line_bytes);
    u32 line_bits() const { return line_bits_; }
    u64 line_of(Address a) const { return a >> line_bits_; }

    // The state of a line, made untouched when it is new. Lines above the client's memory wrap around.
    LineState& operator[](u64 line) {
        LineState*& leaf = leaves_[(line >> leaf_bits_) & (kLeaves - 1)];
        if (leaf == nullptr) [[unlikely]]
            leaf = make_leaf();
        return leaf[line & leaf_mask_];
    }
    // The same for a line that need not be there: nullptr when nothing of its MiB was touched.
    LineState* find(u64 line) {
        LineState* leaf = leaves_[(line >> leaf_bits_) & (kLeaves - 1)];
        return leaf == nullptr ? nullptr : &leaf[line & leaf_mask_];
    }
    // Calls f(line) for each shared line that [begin, end) touches.
    template <typename F>
    void for_each_shared(Address begin, Address end, F f) {
        for (u64 line = line_of(begin); line < line_of(end - 1) + 1;) {
            LineState* state = find(line);
            if (state == nullptr) {
                line = ((line >> leaf_bits_) + 1) << leaf_bits_;
                continue;
            }
            if (state->is_shared()) f((*this)(*state));
            ++line;
        }
    }

    SharedLine& operator()(LineState state) { return shared_[state.number()]; }
    // The caller fills it in.
    u32 make_shared(u64 line);
    u32 shared_count() const { return shared_.size(); }

private:
    static constexpr unsigned kAddressBits = 37, kLeafAddressBits = 20;
    static constexpr u32 kLeaves = u32{1} << (kAddressBits - kLeafAddressBits);
    LineState* make_leaf();

    LineState** leaves_ = nullptr;
    u32 line_bits_ = 6;
    u32 leaf_bits_ = 14;  // lines of a leaf
    u64 leaf_mask_ = 0;
    rt::LazyArray<SharedLine, u32{1} << 27> shared_;
};

}  // namespace memspy::contention
