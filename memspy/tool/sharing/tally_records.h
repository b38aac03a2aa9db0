// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tally keeps (tally.cc): events of lines, rows and pairs by their key, and the sheet of a thread.
#pragma once

#include <array>
#include <bit>
#include <new>

#include "lines/line_memory.h"
#include "rt/vector.h"
#include "sharing/coherence_counts.h"

namespace memspy::sharing {

// The counts that do not follow from others.
template <typename Count>
struct CountsOf {
    Count cold = 0, first_touches = 0, coherence = 0, invalidations = 0, true_misses = 0,
          true_invalidations = 0, handed_over = 0, hide_true = 0;

    void add(const Events& events) {
        cold += events.cold;
        first_touches += events.first_touch;
        coherence += events.coherence;
        invalidations += events.invalidation;
        true_misses += events.true_miss;
        true_invalidations += events.true_invalidation;
        handed_over += events.handed_over;
        hide_true = static_cast<Count>(hide_true + events.hide_true());
    }
    template <typename Other>
    void add(const CountsOf<Other>& other) {
        cold += other.cold;
        first_touches += other.first_touches;
        coherence += other.coherence;
        invalidations += other.invalidations;
        true_misses += other.true_misses;
        true_invalidations += other.true_invalidations;
        handed_over += other.handed_over;
        hide_true += other.hide_true;
    }
    CoherenceCounts full() const {
        CoherenceCounts counts;
        counts.cold = cold;
        counts.first_touches = first_touches;
        counts.coherence_misses = coherence;
        counts.invalidations = invalidations;
        counts.true_misses = true_misses;
        counts.false_misses = first_touches + coherence - true_misses;
        counts.true_invalidations = true_invalidations;
        counts.false_invalidations = invalidations - true_invalidations;
        counts.handed_over = handed_over;
        counts.hide_true = hide_true;
        return counts;
    }
};
using EventCounts = CountsOf<u64>;

// Those of a line. Most lines have few events.
class LineEvents {
public:
    void add(View view, const Events& events) {
        const auto v = static_cast<u32>(view);
        if (many_ != nullptr) return many_[v].add(events);
        few_[v].add(events);
        if (is_nearly_full(few_[v])) [[unlikely]]
            move();
    }
    void clear() {
        if (many_ != nullptr) lines::line_memory().give(many_, kViews * sizeof(EventCounts));
        *this = {};
    }
    CoherenceCounts full(View view) const {
        const auto v = static_cast<u32>(view);
        return many_ != nullptr ? many_[v].full() : few_[v].full();
    }

private:
    using FewCounts = CountsOf<u16>;
    // An access adds at most 2.
    static bool is_nearly_full(const FewCounts& counts) {
        u64 highest = 0;
        for (u64 four : std::bit_cast<std::array<u64, 2>>(counts)) highest |= four & 0x8000'8000'8000'8000u;
        return highest != 0;
    }
    void move() {
        many_ = static_cast<EventCounts*>(lines::line_memory().take(kViews * sizeof(EventCounts)));
        for (u32 v = 0; v < kViews; ++v) (new (&many_[v]) EventCounts)->add(few_[v]);
    }

    FewCounts few_[kViews] = {};
    EventCounts* many_ = nullptr;  // instead
};

// The upper half of the result is well mixed.
inline u64 hash_of(u64 a, u64 b, u64 c) {
    u64 mixed = a * 0x9E37'79B9'7F4A'7C15u + b * 0xC2B2'AE3D'27D4'EB4Fu + c * 0x1656'67B1'9E37'79F9u;
    return (mixed ^ mixed >> 32) * 0x9E37'79B9'7F4A'7C15u;
}

// Rows and pairs as they are kept. A thread's cache finds its rows and pairs, so the tables are seldom
// searched.
struct RowRecord {
    ObjectId object{};
    u32 thread = 0;
    Place place{};
    AccessCounts accesses;
    EventCounts* events[kViews] = {};  // made when there are any
    RowRecord* next = nullptr;         // of the same thread
    bool removed = false;

    bool same_key(const RowRecord& other) const {
        return object == other.object && thread == other.thread && place == other.place;
    }
    u64 hash() const {
        return hash_of(place.instruction, static_cast<u64>(place.path) << 32 | thread,
                       static_cast<u64>(object));
    }
};
struct PairRecord {
    ObjectId object{};
    u32 thread = 0, other = 0;
    u64 events[kViews] = {};
    u64 false_events[kViews] = {};
    bool removed = false;

    bool same_key(const PairRecord& wanted) const {
        return object == wanted.object && thread == wanted.thread && other == wanted.other;
    }
    u64 hash() const { return hash_of(static_cast<u64>(object), thread, other); }
};

// Records found by their key; they stay at their addresses until they are removed.
template <typename Record>
class RecordTable {
public:
    Record& find_or_make(const Record& wanted) {
        if ((count_ + 1) * 4 > capacity_ * 3) grow();
        const u32 hash = hash_of(wanted);
        u32 i = hash & (capacity_ - 1);
        for (; index_[i].record != nullptr; i = (i + 1) & (capacity_ - 1))
            if (index_[i].hash == hash && index_[i].record->same_key(wanted)) return *index_[i].record;
        index_[i] = {new (place_for_one()) Record(wanted), hash};
        ++count_;
        return *index_[i].record;
    }
    void remove(Record& record) {
        u32 i = hash_of(record) & (capacity_ - 1);
        while (index_[i].record != &record) i = (i + 1) & (capacity_ - 1);
        // Entries behind the removed one in the same run move nearer to their home.
        for (u32 next = (i + 1) & (capacity_ - 1); index_[next].record != nullptr;
             next = (next + 1) & (capacity_ - 1)) {
            if (((next - index_[next].hash) & (capacity_ - 1)) < ((next - i) & (capacity_ - 1))) continue;
            index_[i] = index_[next];
            i = next;
        }
        index_[i] = {};
        record.removed = true;
        free_.push_back(&record);
        --count_;
    }
    u32 size() const { return count_; }
    template <typename F>
    void for_each(F f) {
        for (u32 i = 0; i < made_; ++i)
            if (Record& record = blocks_[i / kBlock][i % kBlock]; !record.removed) f(record);
    }
    void clear() {
        for (Record* block : blocks_) rt::release(block);
        blocks_.clear();
        if (index_ != nullptr) rt::release(index_);
        index_ = nullptr;
        free_.clear();
        count_ = made_ = capacity_ = 0;
    }

private:
    static constexpr u32 kBlock = 256;
    struct IndexEntry {
        Record* record = nullptr;
        u32 hash = 0;  // the record itself is seldom in the host's caches
    };

    Record* place_for_one() {
        if (!free_.empty()) {
            Record* place = free_.back();
            free_.pop_back();
            return place;
        }
        if (made_ % kBlock == 0)
            blocks_.push_back(static_cast<Record*>(rt::allocate(kBlock * sizeof(Record), "memspy.tally")));
        return &blocks_.back()[made_++ % kBlock];
    }

    static u32 hash_of(const Record& record) { return static_cast<u32>(record.hash() >> 32); }
    void grow() {
        capacity_ = capacity_ == 0 ? 64 : capacity_ * 2;
        if (index_ != nullptr) rt::release(index_);
        index_ = static_cast<IndexEntry*>(rt::allocate(capacity_ * sizeof(IndexEntry), "memspy.tally"));
        for (u32 i = 0; i < capacity_; ++i) index_[i] = {};
        for_each([this](Record& record) {
            const u32 hash = hash_of(record);
            u32 i = hash & (capacity_ - 1);
            while (index_[i].record != nullptr) i = (i + 1) & (capacity_ - 1);
            index_[i] = {&record, hash};
        });
    }

    rt::Vector<Record*> blocks_;
    rt::Vector<Record*> free_;
    IndexEntry* index_ = nullptr;
    u32 count_ = 0;
    u32 made_ = 0;  // of the blocks' records, in use or free
    u32 capacity_ = 0;
};

// The counters of the thread in one slot, and the rows and pairs that it used last.
struct Sheet {
    static constexpr u32 kRows = 128, kPairs = 16;

    u32 serial = 0;
    u32 counted_as = 0;  // the thread's serial in rows, pairs and ranges
    ThreadRow* thread = nullptr;
    RowRecord* rows[kRows] = {};
    RowRecord* together = nullptr;  // the last row to which many accesses were added at once
    PairRecord* pairs[kPairs] = {};

    void open(u32 new_serial, ThreadRow* row) {
        serial = new_serial;
        thread = row;
        counted_as = row->serial;
        forget();
    }
    void forget() {
        for (auto& row : rows) row = nullptr;
        together = nullptr;
        for (auto& pair : pairs) pair = nullptr;
    }
};

}  // namespace memspy::sharing
