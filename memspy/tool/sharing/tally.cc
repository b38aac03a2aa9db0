// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/tally.h"

#include <algorithm>
#include <new>

#include "rt/global.h"
#include "sharing/tally_records.h"

namespace memspy::sharing {

using threads::CallPath;

namespace {

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
    StayLog stays;
    rt::Vector<RangeRow> ranges;  // of the LineRow returned last
    LineRow line_row;
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

// Threads that are summed up, if there are any.
ByteRanges::IsSummed summed() { return g_state->others.threads != 0 ? is_summed : nullptr; }

}  // namespace

class LineTally {
public:
    explicit LineTally(u64 line) : line_(line) {}

    void count(u32 thread, const LineAccess& access) { ranges_.count(thread, access, summed()); }
    void count(u32 thread, const LineAccess& part, const AccessCounts& accesses) {
        ranges_.count(thread, part, accesses, summed());
    }
    [[gnu::always_inline]] void prefetch() const { __builtin_prefetch(this); }
    [[gnu::always_inline]] void prefetch(u32 thread, const LineAccess& access) const {
        ranges_.prefetch(thread, access);
    }
    void charge(View view, const Events& events) { events_.add(view, events); }
    // Most lines are handed over once or twice.
    bool is_seldom_taken() { return turns_ < 4 && ++turns_ < 4; }

    u64 line() const { return line_; }

    // Fills the only LineRow, but for the ranges.
    LineRow& counted_row() {
        LineRow& row = g_state->line_row;
        row.line = line_;
        for (u32 view = 0; view < kViews; ++view) row.counts[view] = events_.full(static_cast<View>(view));
        row.ranges = nullptr;
        return row;
    }
    // The whole LineRow.
    const LineRow& row() {
        LineRow& row = counted_row();
        g_state->ranges.resize(0);
        ranges_.add_to(g_state->ranges, summed());
        row.ranges = &g_state->ranges;
        return row;
    }

    void reset() {
        events_.clear();
        ranges_.clear();
        turns_ = 0;
    }

private:
    ByteRanges ranges_;  // first: every access needs it
    u64 line_;
    LineEvents events_;
    u32 turns_ = 0;  // stays, as far as they are counted
};

namespace {

// Counts that are on their way to their ranges. A line's ranges are seldom in the host's caches, so they are
// fetched while other counts are made. In the order of the accesses.
class PendingCounts {
public:
    void add(LineTally& line, u32 thread, const LineAccess& access) {
        Count& count = next(line, thread, access);
        count.is_one = true;
    }
    void add(LineTally& line, u32 thread, const LineAccess& part, const AccessCounts& together) {
        Count& count = next(line, thread, part);
        count.is_one = false;
        count.together = together;
    }
    void finish() {
        while (finished_ != added_) finish_one();
    }

private:
    struct Count {
        LineTally* line;
        u32 thread;
        LineAccess access;  // many at once: their bytes
        bool is_one;
        AccessCounts together;
    };
    // So many counts later a line's tally has been fetched, and its range.
    static constexpr u32 kRoom = 32, kTally = 8;
    Count& at(u32 number) { return counts_[number % kRoom]; }
    Count& next(LineTally& line, u32 thread, const LineAccess& access) {
        if (added_ - finished_ == kRoom) finish_one();
        line.prefetch();
        if (added_ - finished_ >= kTally) {
            const Count& fetched = at(added_ - kTally);
            fetched.line->prefetch(fetched.thread, fetched.access);
        }
        Count& count = at(added_++);
        count.line = &line;
        count.thread = thread;
        count.access = access;
        return count;
    }
    void finish_one() {
        const Count& count = at(finished_++);
        if (count.is_one)
            count.line->count(count.thread, count.access);
        else
            count.line->count(count.thread, count.access, count.together);
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

LineTally* make_line_tally(u64 line) {
    LineTally*& known = g_state->lines[line];
    if (known == nullptr) known = new (lines::line_memory().take(sizeof(LineTally))) LineTally(line);
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
    pending->add(line, sheet.counted_as, access);
}

void count_accesses(LineTally& line, Thread t, ObjectId object, const LineAccess& part,
                    const AccessCounts& accesses) {
    Sheet& sheet = sheet_of(t);
    if (sheet.together == nullptr || sheet.together->object != object)
        sheet.together = &row_of(sheet, object, Place{});
    sheet.together->accesses.add(accesses);
    pending->add(line, sheet.counted_as, part, accesses);
}

void count_look(LineTally& line, Thread t, const LineAccess& look) {
    pending->add(line, sheet_of(t).counted_as, look);
}

void charge(View view, Thread t, ObjectId object, const Place& place, const Events& events) {
    Sheet& sheet = sheet_of(t);
    u32 v = static_cast<u32>(view);
    EventCounts*& row_events = row_of(sheet, object, place).events[v];
    if (row_events == nullptr) row_events = new (lines::line_memory().take(sizeof(EventCounts))) EventCounts;
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

const LineRow* find_line_counts(u64 line) {
    LineTally** known = g_state->lines.find(line);
    return known == nullptr ? nullptr : &(*known)->counted_row();
}

void note_stay(LineTally& line, const lines::Ownership& order) {
    if (!line.is_seldom_taken()) g_state->stays.note(line.line(), order);
}

const StayLog& stay_log() { return g_state->stays; }

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
                sum.events[view] = new (lines::line_memory().take(sizeof(EventCounts))) EventCounts;
            sum.events[view]->add(*events);
            lines::line_memory().give(events, sizeof(EventCounts));
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
            if (events != nullptr) lines::line_memory().give(events, sizeof(EventCounts));
    });
    state.rows.clear();
    state.pairs.clear();
    state.stays.clear();
    state.lines.for_each([](u64, LineTally* line) { line->reset(); });
}

void restart(u32 serial) {
    for (u32 i = 0; i < g_state->threads.size(); ++i)
        if (i != serial) sum_up(i);
    reset();
}

}  // namespace memspy::sharing
