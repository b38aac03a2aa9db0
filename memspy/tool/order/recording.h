// SPDX-License-Identifier: GPL-2.0-or-later
//
// The shared state of the recorder's parts, and the bytes of lines that a record touched. Only those parts
// include this (recorder.h describes each of them).
#pragma once

#include "lines/line_sample.h"
#include "lines/line_table.h"
#include "lines/observed_order.h"
#include "log/records.h"
#include "order/clocks.h"
#include "order/polled_lines.h"
#include "order/recorder_options.h"
#include "order/strand.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "sync/own_locks.h"
#include "sync/semaphores.h"

namespace memspy::order {

using namespace lines;

using log::AccessUse;
using log::Chunk;
using log::kNoWord;
using log::Record;
using log::Shape;
using log::Span;

// All zeros is the state before initialise_recorder().
struct RecorderState {
    RecorderOptions options;
    LineTable lines;
    Clocks clocks;
    Simulation<Strand> merge;
    OwnLocks own_locks;
    rt::HashMap<Address> stacks;  // by serial: where it begins, of threads that others have made
    PolledLines polled;           // in the merge
    Semaphores semaphores;
    ObservedOrder observed;  // with lock_sets, held and readings: what lives.h needs
    LockSets lock_sets;
    LockSet held;      // by the thread whose log is being read
    u32 readings;      // first readings of all threads so far
    u32 lock_changes;  // how often `held` has changed
    // The reading, the thread's part of its run and the locks that it holds: another number for each
    // combination.
    u32 situation() const { return readings + lock_changes + observed.parts_ended(); }
    u64 look_back;                // so many words of logs may be looked through once more
    Time ended;                   // the latest end of a thread that is gone, in virtual time
    usize named_waits;            // rows of the merge's waits that have their objects
    rt::Vector<Strand*> strands;  // of threads that live or have records to be merged
    RecorderCounts counts;
    Progress progress;  // of the merge
    SampleState samples;
    Time merged_until;  // everything before it has been merged
    Time latest;        // of all records read so far, as of the last read()
    Time stored;        // the latest store to a line whose loads are passed
    Time entered;       // when a thread entered the kernel last
    Time merged_early;  // the horizon of the last merge for the sake of such lines
};
extern rt::Global<RecorderState> recording;

// Whether bytes have lives (lives.h).
inline bool knows_lives() { return recording->options.counts && recording->options.line_bytes == 64; }

inline LineTable& lines() { return recording->lines; }
inline LineProgress merged_at(const SharedLine& shared) { return {recording->progress, shared.line}; }
inline Address line_begin(u64 line) { return line << lines().line_bits(); }
inline Address line_end(u64 line) { return (line + 1) << lines().line_bits(); }

// `What` is an AccessUse or a Span.
template <typename What>
bool happened(const Record& record, const What& what) {
    return record.reached(what.proof) && (what.word == kNoWord || record.words()[what.word] != 0);
}

// The part of an access that concerns one of its lines.
inline LineAccess part_in(u64 line, Address a, u32 bytes, const AccessUse& use) {
    const Address begin = a > line_begin(line) ? a : line_begin(line);
    const Address end = a + bytes < line_end(line) ? a + bytes : line_end(line);
    LineAccess part;
    part.first = static_cast<u8>(begin - line_begin(line));
    part.bytes = static_cast<u16>(end - begin);
    part.loads = use.loads;
    part.stores = use.stores;
    part.sum = use.sum;
    return part;
}

// Of a line of 64 bytes.
inline u64 bytes_of(const LineAccess& part) { return (~u64{0} >> (64 - part.bytes)) << part.first; }

// Where the thread is. Without an instruction: in a function that it has just called.
inline Place place_of(const Record& record) {
    const Shape& shape = log::shape(record.shape);
    return {shape.uses.empty() ? 0 : shape.uses[shape.uses.size() - 1].instruction, record.path};
}

// A run of spans or uses on one line: its bytes, and the number of uses.
struct Touch {
    u64 line;
    u64 read, written;  // bytes of the line; all ones or none on lines that are not of 64 bytes
    u32 loads, stores;
};

// Calls f(touch) for each line of the span [low, high] if lines are not of 64 bytes or the span is longer
// than 64.
template <typename F>
void for_each_odd_touch(Address low, Address high, const Span& span, F f) {
    Touch touch{lines().line_of(low), 0, 0, span.loads, span.stores};
    for (Address from = low; from <= high; from = line_end(touch.line++)) {
        const u64 before = from - low, to = line_end(touch.line) - low;
        u64 bytes = ~u64{0};
        if (high - low < 64) bytes = (~u64{0} << before) & ~(to < 64 ? ~u64{0} << to : 0);
        touch.read = (span.read & bytes) != 0 ? ~u64{0} : 0;
        touch.written = (span.written & bytes) != 0 ? ~u64{0} : 0;
        f(touch);
        touch.loads = touch.stores = 0;
    }
}

// Calls f(touch) for each line of the span. Counts belong to the first line; `read` and `written` describe
// each line's bytes.
template <typename F>
void for_each_touch(const Record& record, const Span& span, F f) {
    const Address low = record.address(span.word, span.low);
    const Address high = record.address(span.word, span.low + span.bytes - 1);
    const u64 last = lines().line_of(high);
    Touch touch{lines().line_of(low), span.read, span.written, span.loads, span.stores};
    if (recording->options.line_bytes != 64 || span.bytes > 64) [[unlikely]]
        return for_each_odd_touch(low, high, span, f);
    const u32 shift = low & 63;
    touch.read <<= shift;
    touch.written <<= shift;
    f(touch);
    if (touch.line == last) [[likely]]
        return;
    f(Touch{last, span.read >> (64 - shift), span.written >> (64 - shift), 0, 0});
}

// The same for the whole executed part of the record.
template <typename F>
void for_each_touch(const Record& record, const Shape& shape, F f) {
    for (const Span& span : shape.spans)
        if (happened(record, span)) for_each_touch(record, span, f);
}

// Whether the record may store to the word of four bytes, whether or not it got there.
inline bool may_store_to(const Record& record, const Shape& shape, Address word) {
    if (shape.stores == 0) return false;
    for (const log::QuickSpan& span : shape.quick)
        if (span.stores &&
            word + 3 - record.address(span.word, span.low) <= static_cast<Address>(span.reach) + 3)
            return true;
    return false;
}

// Calls fetch(word) for the words of records from `ahead` on, up to `until` or a record behind it.
template <typename F>
[[gnu::always_inline]] inline void fetch_ahead(const u64*& ahead, const u64* until, F fetch) {
    while (ahead < until) {
        const u64* const next = ahead + log::record_words(reinterpret_cast<const Record*>(ahead)->shape);
        for (const u64* word = ahead + log::kRecordHead; word < next; ++word) fetch(*word);
        ahead = next;
    }
}

}  // namespace memspy::order
