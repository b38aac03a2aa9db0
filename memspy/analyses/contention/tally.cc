// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/tally.h"

#include <algorithm>
#include <bit>
#include <new>

#include "analyses/contention/line_memory.h"
#include "rt/global.h"

namespace memspy::contention {

using threads::CallPath;

namespace {

// The counts that do not follow from others.
struct EventCounts {
    u64 cold = 0, first_touches = 0, coherence = 0, invalidations = 0, true_misses = 0,
        true_invalidations = 0, handed_over = 0, hide_true = 0;

    void add(const Events& events) {
        cold += events.cold;
        first_touches += events.first_touch;
        coherence += events.coherence;
        invalidations += events.invalidation;
        true_misses += events.true_miss;
        true_invalidations += events.true_invalidation;
        handed_over += events.handed_over;
        hide_true += events.hide_true();
    }
    void add(const EventCounts& other) {
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

// The upper half of the result is well mixed.
u64 hash_of(u64 a, u64 b, u64 c) {
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

// Accesses of a thread to the same bytes of a line: an entry of a hash table.
struct UsedBytes {
    u64 key = 0;  // 0: none
    u32 loads = 0;
    u32 stores : 27 = 0;
    u32 stored_first : 1 = 0;  // the first access only stored
    u32 has_sums : 1 = 0;
    u32 sums_told : 1 = 0;                  // see RangeRow
    u32 folds : 1 = 0;                      // becomes part of its group
    u32 holds_bytes : 1 = 0;                // a group: loads of single bytes count here
    u32 other_loads = 0, other_stores = 0;  // that are no part of a sum, as far as is known

    static constexpr u32 kStoreBits = 27;
    static constexpr u32 kGroup = 8;
    // Before an access is counted.
    void begin(bool stores_only) {
        if (loads == 0 && stores == 0) stored_first = stores_only;
    }
    void count_kind(const LineAccess& access) {
        if (access.sum == log::SumKind::None) return count_others({access.loads, access.stores});
        has_sums = 1;
        // The load of what is added to may have been an access before.
        if ((!access.loads || access.sum == log::SumKind::AddsAfterLoad) && other_loads != 0) --other_loads;
        if (access.sum == log::SumKind::AddsAndTells) sums_told = 1;
    }
    void count_others(const AccessCounts& others) {
        const auto add = [](u32 count, u64 more) {
            return static_cast<u32>(std::min(count + more, u64{~u32{0}}));
        };
        other_loads = add(other_loads, others.loads);
        other_stores = add(other_stores, others.stores);
    }
    static u64 key_of(u32 thread, const LineAccess& access) {
        return u64{thread} << 32 | u64{access.first} << 16 | access.bytes;
    }
    static bool is_byte(u64 key) { return static_cast<u16>(key) == 1; }
    // Of a byte's range: that of its group, and that of another byte in it.
    static u64 group_of(u64 key) { return (key & ~u64{(kGroup - 1) << 16 | 0xFFFF}) | kGroup; }
    static u64 byte_of(u64 key, u32 byte) { return (key & ~u64{(kGroup - 1) << 16}) | u64{byte} << 16; }
    bool is_loaded_byte() const { return is_byte(key) && stores == 0 && loads != 0; }
};

// How often a Range's counter has wrapped; seldom enough for a list.
struct Wrap {
    u64 line = 0;
    u64 key = 0;
    bool stores = false;
};

struct TallyState {
    rt::Vector<ThreadRow*> threads;  // by serial; null for those not made known, `others` for those summed up
    ThreadRow others;                // no threads at first
    rt::Vector<RowRecord*> rows_of;  // by serial: the thread's first row
    u32 pairs_left = 0;              // when pairs were last looked through
    rt::Vector<Sheet*> sheets;       // by slot
    Sheet* shared = nullptr;         // one for all threads, if per_thread is false
    RecordTable<RowRecord> rows;
    RecordTable<PairRecord> pairs;
    rt::HashMap<LineTally*> lines;
    rt::Vector<Wrap> wraps;
    rt::Vector<RangeRow> ranges;  // of the LineRow returned last
    rt::Vector<const UsedBytes*> range_order;
    LineRow line_row;
    LineMemory line_memory;
    LineMemory small_memory;  // EventCounts
};
rt::Global<TallyState> g_state;
bool g_per_thread = true;

bool is_summed(u32 serial) {
    const auto& threads = g_state->threads;
    return serial < threads.size() && threads[serial] == &g_state->others;
}

template <typename T>
T* make(const char* what) {
    return new (rt::allocate(sizeof(T), what)) T{};
}

}  // namespace

class LineTally {
public:
    explicit LineTally(u64 line) : line_(line) {}

    void count(u64 key, const LineAccess& access) {
        UsedBytes& range = find_range(key, access.stores);
        range.begin(!access.loads);
        if (access.loads && ++range.loads == 0) g_state->wraps.push_back({line_, range.key, false});
        if (access.stores && ++range.stores == 0) g_state->wraps.push_back({line_, range.key, true});
        range.count_kind(access);
    }
    // Whether stores among them add to what is there is not known.
    void count(u64 key, const AccessCounts& accesses) {
        UsedBytes& range = find_range(key, accesses.stores != 0);
        range.begin(accesses.loads == 0);
        add(range, accesses);
        if (accesses.stores == 0) range.count_others(accesses);
    }
    [[gnu::always_inline]] void prefetch() const { __builtin_prefetch(this); }
    [[gnu::always_inline]] void prefetch(u64 key) const {
        if (room_ != 0) __builtin_prefetch(&ranges_[home(key)]);
    }
    void charge(View view, const Events& events) { events_[static_cast<u32>(view)].add(events); }

    u64 line() const { return line_; }

    // Fills the only LineRow, but for the ranges.
    LineRow& counted_row() {
        LineRow& row = g_state->line_row;
        row.line = line_;
        for (u32 view = 0; view < kViews; ++view) row.counts[view] = events_[view].full();
        row.ranges = nullptr;
        return row;
    }
    // The whole LineRow.
    const LineRow& row() {
        if (g_state->others.threads != 0 && count_ != 0) rebuild(room_);
        LineRow& row = counted_row();
        auto& order = g_state->range_order;
        order.resize(0);
        for (u32 i = 0; i < room_; ++i)
            if (ranges_[i].key != 0) order.push_back(&ranges_[i]);
        // By thread, first byte, number of bytes.
        std::sort(order.begin(), order.end(),
                  [](const UsedBytes* a, const UsedBytes* b) { return a->key < b->key; });
        auto& rows = g_state->ranges;
        rows.resize(0);
        for (const UsedBytes* range : order) rows.push_back(row_of(*range));
        row.ranges = &rows;
        return row;
    }

    void reset() {
        for (EventCounts& events : events_) events = {};
        if (ranges_ != nullptr) g_state->line_memory.give(ranges_, room_ * sizeof(UsedBytes));
        ranges_ = nullptr;
        count_ = room_ = 0;
        folded_ = false;
    }

private:
    RangeRow row_of(const UsedBytes& range) const {
        RangeRow row;
        row.thread = static_cast<u32>(range.key >> 32);
        row.first = static_cast<u16>(range.key >> 16);
        row.bytes = static_cast<u16>(range.key);
        row.accesses = {range.loads, range.stores};
        row.stored_first = range.stored_first;
        for (const Wrap& wrap : g_state->wraps) {
            if (wrap.line != line_ || wrap.key != range.key) continue;
            if (wrap.stores)
                row.accesses.stores += u64{1} << UsedBytes::kStoreBits;
            else
                row.accesses.loads += u64{1} << 32;
        }
        row.sums_told = range.sums_told;
        if (range.has_sums) {
            row.sums.loads = row.accesses.loads - std::min<u64>(row.accesses.loads, range.other_loads);
            row.sums.stores = row.accesses.stores - std::min<u64>(row.accesses.stores, range.other_stores);
        }
        return row;
    }
    void add(UsedBytes& range, const AccessCounts& more) {
        const u64 loads = range.loads + more.loads, stores = range.stores + more.stores;
        for (u64 wraps = loads >> 32; wraps > 0; --wraps) g_state->wraps.push_back({line_, range.key, false});
        for (u64 wraps = stores >> UsedBytes::kStoreBits; wraps > 0; --wraps)
            g_state->wraps.push_back({line_, range.key, true});
        range.loads = static_cast<u32>(loads);
        range.stores = static_cast<u32>(stores) & ((u32{1} << UsedBytes::kStoreBits) - 1);
    }
    u32 home(u64 key) const { return static_cast<u32>(key * 0x9E37'79B9'7F4A'7C15u >> 40) & (room_ - 1); }

    UsedBytes* find(u64 key) const {
        if (room_ != 0) {
            for (u32 i = home(key); ranges_[i].key != 0; i = (i + 1) & (room_ - 1))
                if (ranges_[i].key == key) return &ranges_[i];
        }
        return nullptr;
    }
    UsedBytes& find_range(u64 key, bool stores) {
        if (folded_ && !stores && UsedBytes::is_byte(key)) {
            UsedBytes* const group = find(UsedBytes::group_of(key));
            if (group != nullptr && group->holds_bytes) return *group;
        }
        if (UsedBytes* const known = find(key)) return *known;
        if ((count_ + 1) * 4 > room_ * 3) grow();
        ++count_;
        UsedBytes& range = free_place(key);
        range.key = key;
        return range;
    }
    // Whether the thread has loaded each byte of the range's group alone, and stored to none of them, nor to the group: then
    // one range will do for these loads.
    bool folds(const UsedBytes& range) const {
        if (!range.is_loaded_byte()) return false;
        if (const UsedBytes* const group = find(UsedBytes::group_of(range.key));
            group != nullptr && group->stores != 0)
            return false;
        for (u32 byte = 0; byte < UsedBytes::kGroup; ++byte) {
            const UsedBytes* const other = find(UsedBytes::byte_of(range.key, byte));
            if (other == nullptr || !other->is_loaded_byte()) return false;
        }
        return true;
    }
    // The entry with the key, or a free one for it.
    UsedBytes& free_place(u64 key) {
        u32 i = home(key);
        while (ranges_[i].key != 0 && ranges_[i].key != key) i = (i + 1) & (room_ - 1);
        return ranges_[i];
    }
    void grow() {
        if (count_ >= kMany && (fold() || g_state->others.threads != 0)) {
            rebuild(room_);
            if (count_ * 2 < room_) return;
        }
        rebuild(room_ == 0 ? 4 : room_ * 2);
    }
    // Texts are read byte by byte, and each thread that reads one would need as many ranges as it has bytes. Returns whether
    // there are such ranges: rebuild() puts them together.
    bool fold() {
        bool any = false;
        for (u32 i = 0; i < room_; ++i) any |= (ranges_[i].folds = folds(ranges_[i])) != 0;
        if (!any) return false;
        for (Wrap& wrap : g_state->wraps)
            if (const UsedBytes* const range = wrap.line == line_ ? find(wrap.key) : nullptr;
                range != nullptr && range->folds != 0)
                wrap.key = UsedBytes::group_of(wrap.key);
        for (u32 i = 0; i < room_; ++i)
            if (ranges_[i].folds != 0) ranges_[i].key = UsedBytes::group_of(ranges_[i].key);
        folded_ = true;
        return true;
    }
    // Makes a table of that size, and puts the ranges of summed threads together.
    void rebuild(u32 room) {
        UsedBytes* old = ranges_;
        const u32 old_room = room_;
        room_ = room;
        count_ = 0;
        ranges_ = static_cast<UsedBytes*>(g_state->line_memory.take(room_ * sizeof(UsedBytes)));
        for (u32 i = 0; i < room_; ++i) ranges_[i] = UsedBytes{};
        for (u32 i = 0; i < old_room; ++i) {
            if (old[i].key == 0) continue;
            const bool summed = is_summed(static_cast<u32>(old[i].key >> 32));
            // A summed thread has not lived for long, so its counters have not wrapped.
            const u64 key = summed ? old[i].key & ~u32{0} : old[i].key;
            UsedBytes& range = free_place(key);
            count_ += range.key == 0;
            range.key = key;
            range.begin(old[i].stored_first);
            add(range, {old[i].loads, old[i].stores});
            range.count_others({old[i].other_loads, old[i].other_stores});
            if (old[i].has_sums) range.has_sums = 1;
            if (old[i].sums_told) range.sums_told = 1;
            if (old[i].folds || old[i].holds_bytes) range.holds_bytes = 1;
        }
        if (old != nullptr) g_state->line_memory.give(old, old_room * sizeof(UsedBytes));
    }

    static constexpr u32 kMany = 48;

    // What every access needs comes first, in one line of the host's.
    UsedBytes* ranges_ = nullptr;
    u32 count_ = 0;
    u32 room_ = 0;
    bool folded_ = false;
    u64 line_;
    EventCounts events_[kViews];
};

namespace {

// Counts that are on their way to their ranges. A line's ranges are seldom in the host's caches, so they are fetched while
// other counts are made. In the order of the accesses.
class PendingCounts {
public:
    void add(LineTally& line, u64 key, const LineAccess& access) { next(line, key).access = access; }
    void add(LineTally& line, u64 key, const AccessCounts& together) {
        Count& count = next(line, key);
        count.together = together;
        count.access.bytes = 0;
    }
    void finish() {
        while (finished_ != added_) finish_one();
    }

private:
    struct Count {
        LineTally* line;
        u64 key;
        LineAccess access;  // without bytes: many at once
        AccessCounts together;
    };
    // So many counts later a line's tally has been fetched, and its range.
    static constexpr u32 kRoom = 32, kTally = 8;
    Count& at(u32 number) { return counts_[number % kRoom]; }
    Count& next(LineTally& line, u64 key) {
        if (added_ - finished_ == kRoom) finish_one();
        line.prefetch();
        if (added_ - finished_ >= kTally) {
            const Count& fetched = at(added_ - kTally);
            fetched.line->prefetch(fetched.key);
        }
        Count& count = at(added_++);
        count.line = &line;
        count.key = key;
        return count;
    }
    void finish_one() {
        const Count& count = at(finished_++);
        if (count.access.bytes != 0)
            count.line->count(count.key, count.access);
        else
            count.line->count(count.key, count.together);
    }
    u32 added_ = 0, finished_ = 0;
    Count counts_[kRoom];
};
rt::Global<PendingCounts> pending;

// Only slow paths come here: another thread got the slot, or the first one.
[[gnu::noinline]] Sheet& open_sheet(Thread t) {
    TallyState& state = *g_state;
    CHECK(t.serial < state.threads.size() && state.threads[t.serial] != nullptr);
    while (t.slot >= state.sheets.size()) state.sheets.push_back(nullptr);
    Sheet*& sheet = state.sheets[t.slot];
    if (sheet == nullptr) sheet = make<Sheet>("memspy.tally.sheet");
    sheet->open(t.serial, state.threads[t.serial]);
    return *sheet;
}

Sheet& sheet_of(Thread t) {
    TallyState& state = *g_state;
    if (!g_per_thread) [[unlikely]]
        return *state.shared;
    if (t.slot < state.sheets.size()) [[likely]] {
        Sheet* sheet = state.sheets[t.slot];
        if (sheet != nullptr && sheet->serial == t.serial) return *sheet;
    }
    return open_sheet(t);
}

// Ascending serials; that of the threads summed up comes first.
template <typename F>
void for_each_thread_row(F f) {
    if (g_state->others.threads != 0) f(g_state->others);
    for (ThreadRow* row : g_state->threads)
        if (row != nullptr && row != &g_state->others) f(*row);
}

// The record with the key; first searched in the cache in front of the table.
template <typename Record, u32 kCached>
Record& find_cached(Record* (&cache)[kCached], RecordTable<Record>& table, const Record& wanted) {
    static_assert(std::has_single_bit(kCached));
    Record*& cached = cache[wanted.hash() >> (64 - std::countr_zero(kCached))];
    if (cached == nullptr || !cached->same_key(wanted)) [[unlikely]]
        cached = &table.find_or_make(wanted);
    return *cached;
}

RowRecord& row_of(Sheet& sheet, ObjectId object, const Place& place) {
    RowRecord wanted;
    wanted.object = object;
    wanted.thread = sheet.counted_as;
    wanted.place = place;
    RowRecord& row = find_cached(sheet.rows, g_state->rows, wanted);
    if (row.next == nullptr && row.thread != 0) {
        auto& rows_of = g_state->rows_of;
        while (row.thread >= rows_of.size()) rows_of.push_back(nullptr);
        row.next = rows_of[row.thread] == nullptr ? &row : rows_of[row.thread];  // last row: itself
        rows_of[row.thread] = &row;
    }
    return row;
}

void charge_pair(Sheet& sheet, u32 view, ObjectId object, u32 other, bool is_true) {
    PairRecord wanted;
    wanted.object = object;
    wanted.thread = sheet.counted_as;
    wanted.other = is_summed(other) ? 0 : other;
    PairRecord& pair = find_cached(sheet.pairs, g_state->pairs, wanted);
    ++pair.events[view];
    if (!is_true) ++pair.false_events[view];
}

}  // namespace

void CoherenceCounts::add(const Events& events) {
    bool miss = events.first_touch || events.coherence;
    cold += events.cold;
    first_touches += events.first_touch;
    coherence_misses += events.coherence;
    invalidations += events.invalidation;
    true_misses += miss && events.true_miss;
    false_misses += miss && !events.true_miss;
    true_invalidations += events.invalidation && events.true_invalidation;
    false_invalidations += events.invalidation && !events.true_invalidation;
    handed_over += events.handed_over;
    hide_true += events.hide_true();
}

void CoherenceCounts::add(const CoherenceCounts& other) {
    cold += other.cold;
    first_touches += other.first_touches;
    coherence_misses += other.coherence_misses;
    invalidations += other.invalidations;
    true_misses += other.true_misses;
    false_misses += other.false_misses;
    true_invalidations += other.true_invalidations;
    false_invalidations += other.false_invalidations;
    handed_over += other.handed_over;
    hide_true += other.hide_true;
}

LineTally* make_line_tally(u64 line) {
    LineTally*& known = g_state->lines[line];
    if (known == nullptr) known = new (g_state->line_memory.take(sizeof(LineTally))) LineTally(line);
    return known;
}

void set_per_thread(bool per_thread) {
    g_per_thread = per_thread;
    if (per_thread || g_state->shared != nullptr) return;
    g_state->shared = make<Sheet>("memspy.tally.sheet");
    g_state->shared->open(0, make<ThreadRow>("memspy.tally.thread"));
}

void count_access(LineTally& line, Thread t, ObjectId object, const Place& place, const LineAccess& access) {
    Sheet& sheet = sheet_of(t);
    row_of(sheet, object, place).accesses.add({access.loads, access.stores});
    pending->add(line, UsedBytes::key_of(sheet.counted_as, access), access);
}

void count_accesses(LineTally& line, Thread t, ObjectId object, const LineAccess& part,
                    const AccessCounts& accesses) {
    Sheet& sheet = sheet_of(t);
    if (sheet.together == nullptr || sheet.together->object != object)
        sheet.together = &row_of(sheet, object, Place{});
    sheet.together->accesses.add(accesses);
    pending->add(line, UsedBytes::key_of(sheet.counted_as, part), accesses);
}

void charge(View view, Thread t, ObjectId object, const Place& place, const Events& events) {
    Sheet& sheet = sheet_of(t);
    u32 v = static_cast<u32>(view);
    EventCounts*& row_events = row_of(sheet, object, place).events[v];
    if (row_events == nullptr) row_events = new (g_state->small_memory.take(sizeof(EventCounts))) EventCounts;
    row_events->add(events);
    sheet.thread->counts[v].add(events);
    if (events.from != 0) charge_pair(sheet, v, object, events.from, events.true_miss);
    if (events.invalidation) charge_pair(sheet, v, object, events.victim, events.true_invalidation);
}
void charge(View view, LineTally& line, Thread t, ObjectId object, const Place& place, const Events& events) {
    charge(view, t, object, place, events);
    line.charge(view, events);
}

void know_thread(Thread t, u32 parent_serial, u32 guest_id) {
    auto& threads = g_state->threads;
    while (t.serial >= threads.size()) threads.push_back(nullptr);  // resize() would copy each time
    if (threads[t.serial] == nullptr) threads[t.serial] = make<ThreadRow>("memspy.tally.thread");
    ThreadRow& row = *threads[t.serial];
    row.serial = t.serial;
    row.parent = parent_serial;
    row.guest_id = guest_id;
}

ThreadRow& thread_row(Thread t) {
    auto& threads = g_state->threads;
    CHECK(t.serial < threads.size() && threads[t.serial] != nullptr);
    return *threads[t.serial];
}

const ThreadRow* find_thread(u32 serial) {
    const auto& threads = g_state->threads;
    return serial < threads.size() && !is_summed(serial) ? threads[serial] : nullptr;
}

CoherenceCounts total(View view) {
    CoherenceCounts sum;
    u32 v = static_cast<u32>(view);
    for_each_thread_row([&](const ThreadRow& row) { sum.add(row.counts[v]); });
    if (const Sheet* shared = g_state->shared) sum.add(shared->thread->counts[v]);
    return sum;
}

AccessCounts total_accesses() {
    AccessCounts sum;
    for_each_thread_row([&](const ThreadRow& row) { sum.add(row.accesses); });
    return sum;
}

void for_each_row(void (*f)(const SharingRow&, void*), void* argument) {
    g_state->rows.for_each([&](const RowRecord& record) {
        SharingRow row;
        row.object = record.object;
        row.place = record.place;
        row.thread = record.thread;
        row.accesses = record.accesses;
        for (u32 view = 0; view < kViews; ++view)
            if (record.events[view] != nullptr) row.counts[view] = record.events[view]->full();
        f(row, argument);
    });
}

namespace {

void sum_pairs() {
    TallyState& state = *g_state;
    rt::Vector<PairRecord> summed;
    state.pairs.for_each([&](PairRecord& pair) {
        if (!is_summed(pair.thread) && !is_summed(pair.other)) return;
        summed.push_back(pair);
        state.pairs.remove(pair);
    });
    for (PairRecord& pair : summed) {
        PairRecord wanted;
        wanted.object = pair.object;
        wanted.thread = is_summed(pair.thread) ? 0 : pair.thread;
        wanted.other = is_summed(pair.other) ? 0 : pair.other;
        PairRecord& sum = state.pairs.find_or_make(wanted);
        for (u32 view = 0; view < kViews; ++view) {
            sum.events[view] += pair.events[view];
            sum.false_events[view] += pair.false_events[view];
        }
    }
    for (Sheet* sheet : state.sheets)
        if (sheet != nullptr) sheet->forget();
    state.pairs_left = state.pairs.size();
}

}  // namespace

void for_each_pair(void (*f)(const PairRow&, void*), void* argument) {
    if (g_state->others.threads != 0) sum_pairs();
    g_state->pairs.for_each([&](const PairRecord& record) {
        PairRow row;
        row.object = record.object;
        row.thread = record.thread;
        row.other = record.other;
        for (u32 view = 0; view < kViews; ++view) {
            row.events[view] = record.events[view];
            row.false_events[view] = record.false_events[view];
        }
        f(row, argument);
    });
}

void for_each_thread(void (*f)(const ThreadRow&, void*), void* argument) {
    for_each_thread_row([&](const ThreadRow& row) { f(row, argument); });
}

void for_each_line(void (*f)(const LineRow&, void*), void* argument) {
    rt::Vector<LineTally*> lines;
    lines.reserve(g_state->lines.size());
    g_state->lines.for_each([&](u64, LineTally* line) { lines.push_back(line); });
    std::sort(lines.begin(), lines.end(),
              [](const LineTally* a, const LineTally* b) { return a->line() < b->line(); });
    for (LineTally* line : lines) f(line->counted_row(), argument);
}

const LineRow* find_line(u64 line) {
    pending->finish();
    LineTally** known = g_state->lines.find(line);
    return known == nullptr ? nullptr : &(*known)->row();
}

void sum_up(u32 serial) {
    TallyState& state = *g_state;
    if (!g_per_thread || find_thread(serial) == nullptr) return;
    ThreadRow*& thread = state.threads[serial];
    state.others.accesses.add(thread->accesses);
    state.others.instructions += thread->instructions;
    for (u32 view = 0; view < kViews; ++view) state.others.counts[view].add(thread->counts[view]);
    ++state.others.threads;
    rt::release(thread);
    thread = &state.others;
    for (Sheet* sheet : state.sheets)
        if (sheet != nullptr && sheet->serial == serial) sheet->serial = 0;
    RowRecord* row = serial < state.rows_of.size() ? state.rows_of[serial] : nullptr;
    if (row != nullptr) state.rows_of[serial] = nullptr;
    while (row != nullptr) {
        RowRecord* const next = row->next == row ? nullptr : row->next;
        RowRecord wanted;
        wanted.object = row->object;
        wanted.place = row->place;
        RowRecord& sum = state.rows.find_or_make(wanted);
        sum.accesses.add(row->accesses);
        for (u32 view = 0; view < kViews; ++view) {
            EventCounts* events = row->events[view];
            if (events == nullptr) continue;
            if (sum.events[view] == nullptr)
                sum.events[view] = new (state.small_memory.take(sizeof(EventCounts))) EventCounts;
            sum.events[view]->add(*events);
            state.small_memory.give(events, sizeof(EventCounts));
        }
        state.rows.remove(*row);
        row = next;
    }
    constexpr u32 kManyPairs = 1024;
    if (state.pairs.size() >= state.pairs_left * 2 + kManyPairs) sum_pairs();
}

void reset() {
    TallyState& state = *g_state;
    pending->finish();
    for (RowRecord*& row : state.rows_of) row = nullptr;
    auto zero = [](ThreadRow& row) {
        row.accesses = {};
        row.instructions = 0;
        for (CoherenceCounts& counts : row.counts) counts = {};
    };
    for_each_thread_row(zero);
    state.others.threads = 0;
    for (Sheet* sheet : state.sheets)
        if (sheet != nullptr) sheet->forget();
    if (state.shared != nullptr) {
        zero(*state.shared->thread);
        state.shared->forget();
    }
    state.rows.for_each([&](RowRecord& row) {
        for (EventCounts* events : row.events)
            if (events != nullptr) state.small_memory.give(events, sizeof(EventCounts));
    });
    state.rows.clear();
    state.pairs.clear();
    state.wraps.clear();
    state.lines.for_each([](u64, LineTally* line) { line->reset(); });
}

void restart(u32 serial) {
    for (u32 i = 0; i < g_state->threads.size(); ++i)
        if (i != serial) sum_up(i);
    reset();
}

}  // namespace memspy::contention
