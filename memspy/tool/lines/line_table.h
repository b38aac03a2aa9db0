// SPDX-License-Identifier: GPL-2.0-or-later
//
// LineTable: cache line -> the threads that touch it, in eight bytes. A line that threads do not compete for
// costs no more.
//
//   untouched   no thread has touched it since accesses are logged
//   exclusive   one thread touches it. It may have taken the line over from the program's first thread (a
//               matrix that main fills and a worker then computes on); flags say how much of that handover
//               has been counted
//   read only   first touched by the program's first thread, and only read since; a set of readers for each
//               view
//   shared      described by a SharedLine
//   resting     a SharedLine that has only been read for a while: accesses of its readers are noted, but not
//               applied
//   calm        a SharedLine that one thread has had to itself for a while: like exclusive, but nothing is
//               forgotten
//
// No Valgrind here.
#pragma once

#include <algorithm>
#include <bit>

#include "lines/line_observer.h"
#include "lines/line_passes.h"
#include "lines/lives.h"
#include "lines/ownership.h"
#include "lines/rules.h"
#include "lines/turns.h"
#include "places/objects.h"
#include "rt/paged_array.h"

namespace memspy::lines {

using places::Extent;

class LineState {
public:
    enum Flag : u32 {
        kMerged = u32{1} << 31,  // exclusive: an access of the owner has been merged
        // Exclusive, taken over from a thread that was gone, and all of whose accesses were merged. In an
        // order in which the owner has not stored to it since (observed: kOnlyRead, modelled: the next two),
        // the line is still in that one's cache.
        kInherited = u32{1} << 30,
        // Exclusive, taken over from the first thread or one that was gone, which still has a copy as long as
        // no store of the owner has been merged.
        kCopyModelled = u32{1} << 29,
        kNewModelled = u32{1} << 28,  // the same, and the owner's first access has not been merged yet
        kFromFirst = u32{1} << 27,    // exclusive, taken over from the first thread
        // Exclusive to a thread that has only read it since accesses are logged.
        kOnlyRead = u32{1} << 26,
        // Exclusive, taken over from the first thread. All the first thread's accesses come before the
        // owner's, even those that have not been merged yet.
        kAfterFirst = u32{1} << 25,
        // Read only: earlier accesses of the first thread may not have been merged yet.
        kUnmerged = u32{1} << 31
    };
    // A thread notes when it found that a line is its own: the number of its reading, up to this.
    static constexpr u32 kMostSequence = (u32{1} << 24) - 1;
    static constexpr u32 kMostNumber = kMostSequence;  // number of a SharedLine
    // Slots that can be in a read-only line's sets.
    static constexpr u32 kReaders = 28;

    constexpr LineState() = default;
    static LineState exclusive(u32 serial, u32 flags) { return LineState(serial, flags); }
    static LineState calm(u32 serial, u32 number) { return LineState(serial, kMerged | kCalm | number); }
    static LineState resting(u32 number) { return LineState(kResting, number); }
    static LineState shared(u32 number) { return LineState(kShared, number); }
    // `flags`: kUnmerged or none.
    static LineState read_only(u32 readers, u32 flags) {
        return LineState(kReadOnly | readers, readers | flags);
    }
    void add_observed_reader(u32 bit) { owner_ |= bit; }  // is_read_only()
    void add_modelled_reader(u32 bit) { rest_ |= bit; }

    bool operator==(const LineState&) const = default;
    bool is_untouched() const { return owner_ == 0; }
    bool is_shared() const { return owner_ == kShared; }
    bool is_resting() const { return owner_ == kResting; }
    bool is_read_only() const { return owner_ >= kReadOnly; }
    bool is_owned() const { return owner_ != 0 && owner_ < kShared; }
    bool is_owned_by(u32 serial) const { return owner_ == serial; }
    // The thread has the line to itself, calm or not, and none of its accesses is news.
    bool is_all_of(u32 serial) const {
        return owner_ == serial &&
               (rest_ & ~(kNumber | kCalm | kFromFirst | kAfterFirst | kInherited | kOnlyRead)) == kMerged;
    }
    bool is_calm() const { return is_owned() && (rest_ & kCalm) != 0; }
    bool has_record() const { return is_shared() || is_resting() || is_calm(); }
    // Whether the thread has the line to itself for the first reading, the line is not calm, and this was
    // found in the same reading as `mine`.
    bool is_still(LineState mine) const {
        return ((std::bit_cast<u64>(*this) ^ std::bit_cast<u64>(mine)) & ~(u64{kForSecond} << 32)) == 0;
    }
    static LineState found_by(u32 serial, u32 sequence) { return LineState(serial, sequence); }
    // Exclusive: the last reading in which the owner found the line to be its own.
    u32 sequence() const { return rest_ & kNumber; }
    void set_sequence(u32 sequence) { rest_ = (rest_ & ~kNumber) | sequence; }

    u32 owner() const { return owner_; }  // is_owned()
    bool has(u32 flags) const { return (rest_ & flags) != 0; }
    u32 flags(u32 wanted) const { return rest_ & wanted; }
    void set(Flag flag) { rest_ |= flag; }
    void clear(u32 flags) { rest_ &= ~flags; }
    u32 number() const { return rest_ & kNumber; }                 // number of the SharedLine
    u32 observed_readers() const { return owner_ & kReaderMask; }  // is_read_only(): by slot
    u32 modelled_readers() const { return rest_ & kReaderMask; }

private:
    // Serials are below these values: a program would have to start billions of threads to reach them.
    static constexpr u32 kShared = 0xE0000000, kResting = 0xE0000001, kReadOnly = 0xF0000000;
    // Flags that only the second reading needs.
    static constexpr u32 kForSecond =
        kMerged | kCopyModelled | kNewModelled | kFromFirst | kAfterFirst | kInherited;
    static constexpr u32 kCalm = u32{1} << 24, kNumber = (u32{1} << 24) - 1;
    static constexpr u32 kReaderMask = (u32{1} << kReaders) - 1;
    constexpr LineState(u32 owner, u32 rest) : owner_(owner), rest_(rest) {}
    u32 owner_ = 0;
    u32 rest_ = 0;
};
static_assert(sizeof(LineState) == 8);

// The owner of some bytes of a line. Extents that ended are kept until the merge has passed their end.
struct OwnedBytes {
    Extent extent;  // clipped to the line
    Time until = kNever;
};

// Who used the bytes of a line.
struct LineHistory {
    rt::Vector<OwnedBytes, OnLineMemory> owners;
    Lives lives;
    bool orders = false;  // plain stores to a word of it let others go on (lines/observed_order.h)
    // Calm: of the owner's last touch, and what it held at all of them (lives.h).
    u32 situation = 0, last_reading = 0, last_part = 0;
    LockSet held = LockSet::None;
};

// How many slots an array has that needs this one: at most a quarter more, or one.
inline u32 slots_for(u32 slot) {
    const u32 step = std::max(std::bit_floor(slot + 1) / 4, 2u);
    return (slot + step) / step * step;
}

// The accesses to a resting line, by slot. All these threads hold it in both orders.
struct alignas(8) Rest {
    struct LineReader {
        u32 serial;    // 0: none
        u32 sequence;  // like LineState::sequence()
        u64 read;      // which bytes
        u64 loads;
    };
    u32 slots;
    static usize bytes(u32 slots) { return sizeof(Rest) + slots * sizeof(LineReader); }
    LineReader* readers() { return reinterpret_cast<LineReader*>(this + 1); }
};

struct alignas(64) SharedLine {
    u64 line = 0;  // address / line size
    // Calm: the bytes that the owner has read and written since, one bit each, and the number of accesses
    // that have not been counted.
    u64 read = 0, written = 0;
    u32 loads = 0, stores = 0;
    Turns turns;                 // accesses that only the first reading has read
    u32 sequence = 0;            // calm: like LineState::sequence()
    u8 quiet = 0;                // accesses merged since the last event
    bool passed : 1 = false;     // accesses may be missing that are still to be merged (passing.h)
    bool disturbed : 1 = false;  // that has been so before
    u16 restful = 0;             // runs of loads that the merge passed since the last store
    u8 woken = 0;                // how often it was woken from rest
    bool syncs = false;          // has a word that threads wait for
    u8 blamed = 0;               // see Suspects::blame
    bool updated = false;        // by an atomic read-modify-write
    // Loads that taught the first reading nothing, since loads were passed last. With `syncs`: accesses
    // observed.
    u32 looks = 0;

    Ownership* order[kViews] = {};
    LineNotes* notes = nullptr;
    Rest* rest = nullptr;  // resting
    LinePasses* passes = nullptr;
    LineHistory* use = nullptr;
};
static_assert(sizeof(SharedLine) == 192);

class LineTable {
public:
    void initialise(u32 line_bytes);
    u32 line_bits() const { return line_bits_; }
    u64 line_of(Address a) const { return a >> line_bits_; }

    // The state of a line; a new line is untouched. Lines above the client's memory wrap around.
    LineState& operator[](u64 line) {
        LineState*& leaf = leaves_[(line >> leaf_bits_) & (kLeaves - 1)];
        if (leaf == untouched_) [[unlikely]] {
            leaf = make_leaf();
            made_.push_back(static_cast<u32>((line >> leaf_bits_) & (kLeaves - 1)));
        }
        return leaf[line & leaf_mask_];
    }
    // The state of the line of `a`, for reading.
    LineState look(Address a) const {
        return leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)][(a & kLeafAddressMask) >> line_bits_];
    }
    LineState& at(Address a) {  // the line has been looked at before
        return leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)][(a & kLeafAddressMask) >> line_bits_];
    }
    // Prefetches the state of the line of `a`, which may be any number, into the host's cache.
    void prefetch(u64 a) const {
        __builtin_prefetch(
            &leaves_[(a >> kLeafAddressBits) & (kLeaves - 1)][(a & kLeafAddressMask) >> line_bits_]);
    }
    // The same for what the line's record has, if there is one: the state has been fetched.
    [[gnu::always_inline]] void prefetch_record(u64 a) {
        const LineState state = look(a);
        if (!state.has_record()) return;
        const char* const record = reinterpret_cast<const char*>(&of(state));
        for (usize at = 0; at < sizeof(SharedLine); at += 64) __builtin_prefetch(record + at);
    }
    // And for what the record points to: it has been fetched.
    [[gnu::always_inline]] void prefetch_order(u64 a, View view) {
        const LineState state = look(a);
        if (!state.has_record()) return;
        const SharedLine& shared = of(state);
        prefetch_ownership(*shared.order[static_cast<u32>(view)]);
        __builtin_prefetch(shared.use);
    }
    // The state of a line; nullptr if nothing in its MiB was touched.
    LineState* find(u64 line) {
        LineState* leaf = leaves_[(line >> leaf_bits_) & (kLeaves - 1)];
        return leaf == untouched_ ? nullptr : &leaf[line & leaf_mask_];
    }
    // Calls f(state) for each line from `line` on, below `end`; not for all where nothing was touched.
    template <typename F>
    void for_each_line(u64 line, u64 end, F f) {
        while (line < end) {
            LineState* state = find(line);
            if (state == nullptr) {
                line = ((line >> leaf_bits_) + 1) << leaf_bits_;
                continue;
            }
            f(*state);
            ++line;
        }
    }
    // Calls f(first line, state of it and those behind it, number of lines) for each part of the memory of which
    // a line was touched, in no order.
    template <typename F>
    void for_each_part(F f) const {
        for (const u32 leaf : made_) f(u64{leaf} << leaf_bits_, leaves_[leaf], leaf_mask_ + 1);
    }
    // Calls f(shared line) for each line with a SharedLine that [begin, end) touches.
    template <typename F>
    void for_each_known(Address begin, Address end, F f) {
        for_each_line(line_of(begin), line_of(end - 1) + 1, [&](LineState& state) {
            if (state.has_record()) f(of(state));
        });
    }

    SharedLine& of(LineState state) { return shared_[state.number()]; }  // shared or calm
    u32 make_shared(u64 line);                                           // the caller fills it in
    u32 shared_count() const { return shared_.size(); }
    SharedLine& shared_line(u32 number) { return shared_[number]; }

private:
    static constexpr unsigned kAddressBits = kClientAddressBits, kLeafAddressBits = 20;
    static constexpr u32 kLeaves = u32{1} << (kAddressBits - kLeafAddressBits);
    LineState* make_leaf();

    static constexpr u64 kLeafAddressMask = (u64{1} << kLeafAddressBits) - 1;
    LineState** leaves_ = nullptr;
    rt::Vector<u32> made_;            // leaves of their own
    LineState* untouched_ = nullptr;  // the leaf for addresses where nothing was touched
    u32 line_bits_ = 6;
    u32 leaf_bits_ = 14;  // lines of a leaf
    u64 leaf_mask_ = 0;
    rt::PagedArray<SharedLine, 1024> shared_;
};

}  // namespace memspy::lines
