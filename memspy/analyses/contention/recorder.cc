// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/recorder.h"

#include <bit>
#include <new>

#include "rt/global.h"
#include "threads/call_tree.h"

namespace memspy::contention {

using threads::Chunk;
using threads::Clocks;
using threads::kNever;
using threads::kNoWord;
using threads::Record;
using threads::Shape;
using threads::Span;
using threads::Use;

namespace {

RecorderOptions options;
rt::Global<LineTable> table;
rt::Global<Clocks> all_clocks;
rt::Global<Merge<Strand>> merging;
rt::Global<rt::HashMap<u8>> signals;  // by instruction
rt::Global<rt::Vector<Strand*>> strands;  // that live or have something to be merged
RecorderCounts counts;
Time merged_until = 0;
// So many words further on are the addresses whose states are fetched while this record is read.
constexpr u32 kAhead = 32;
// Words of the log that are not worth noting that they are quiet.
constexpr i64 kShortRun = 48;
// Accesses without an event after which a line may be calm.
constexpr u16 kQuiet = 8;
// The merge is worth its while when there is something to merge: so many chunks at least, and twice what a
// merge left.
constexpr u32 kLeastChunks = 8;
// Chunks that may be searched for stores to words that turn out to be waited for: less than a second's work.
u32 scans_left = 16384;
constexpr u32 kMostInstructions = 300;  // more than any record has
u32 merge_at = kLeastChunks;

u32 living_strands() { return static_cast<u32>(strands->size()); }

Address line_begin(u64 line) { return line << table->line_bits(); }
Address line_end(u64 line) { return (line + 1) << table->line_bits(); }

bool happened(const Record& record, const Use& use) {
    return record.reached(use.proof) && (use.word == kNoWord || record.words()[use.word] != 0);
}
bool happened(const Record& record, const Span& span) {
    return record.reached(span.proof) && (span.word == kNoWord || record.words()[span.word] != 0);
}

// What an access does to one of the lines that it touches.
LineAccess part_in(u64 line, Address a, u32 bytes, const Use& use) {
    const Address begin = a > line_begin(line) ? a : line_begin(line);
    const Address end = a + bytes < line_end(line) ? a + bytes : line_end(line);
    LineAccess part;
    part.first = static_cast<u8>(begin - line_begin(line));
    part.bytes = static_cast<u16>(end - begin);
    part.loads = use.loads;
    part.stores = use.stores;
    return part;
}

// Objects

OwnedBytes clipped_extent(u64 line, Address a) {
    OwnedBytes owned{.extent = find_extent(a)};
    if (owned.extent.begin < line_begin(line)) owned.extent.begin = line_begin(line);
    if (owned.extent.end > line_end(line)) owned.extent.end = line_end(line);
    return owned;
}

void forget_ended(rt::Vector<OwnedBytes>& owners) {
    usize kept = 0;
    for (const OwnedBytes& owned : owners)
        if (owned.until > merged_until) owners[kept++] = owned;
    owners.resize(kept);
}

// The object that owned `a` at `time`.
ObjectId object_at(SharedLine& shared, Address a, Time time) {
    const OwnedBytes* best = nullptr;
    for (const OwnedBytes& owned : *shared.owners)
        if (owned.extent.begin <= a && a < owned.extent.end && time < owned.until &&
            (best == nullptr || owned.until < best->until))
            best = &owned;
    if (best != nullptr) return best->extent.object;
    forget_ended(*shared.owners);
    shared.owners->push_back(clipped_extent(shared.line, a));
    return shared.owners->back().extent.object;
}

// Lines

// A run of spans or uses on one line: what bytes of it, and how often.
struct Touch {
    u64 line;
    u64 read, written;  // bytes of the line; all ones on lines over 64 bytes
    u32 loads, stores;
};

// Calls f(touch) for each line of the span. Counts go to the first; what is done to a line, `read` and
// `written` tell.
template <typename F>
void for_each_touch(const Record& record, const Span& span, F f) {
    const Address low = record.address(span.word, span.low);
    const Address high = record.address(span.word, span.high - 1);
    const u64 last = table->line_of(high);
    Touch touch{table->line_of(low), span.read, span.written, span.loads, span.stores};
    if (options.line_bytes != 64 || span.high - span.low > 64) [[unlikely]] {
        touch.read = span.loads != 0 ? ~u64{0} : 0;
        touch.written = span.stores != 0 ? ~u64{0} : 0;
        for (; touch.line <= last; ++touch.line, touch.loads = touch.stores = 0) f(touch);
        return;
    }
    const u32 shift = low & 63;
    touch.read <<= shift;
    touch.written <<= shift;
    f(touch);
    if (touch.line == last) [[likely]]
        return;
    f(Touch{last, span.read >> (64 - shift), span.written >> (64 - shift), 0, 0});
}

rt::Global<rt::Vector<u32>> slot_of_serial;  // of threads that are gone, too

void remember_slot(Thread t) {
    if (slot_of_serial->size() <= t.serial) slot_of_serial->resize(t.serial + 1);
    (*slot_of_serial)[t.serial] = t.slot;
}
Thread thread_with(u32 serial) { return Thread{.slot = (*slot_of_serial)[serial], .serial = serial}; }

// The first thread of a slot; serials of slots that may be in a read-only line's sets.
u32 first_in_slot[LineState::kReaders];
bool may_be_reader(Thread t) { return t.slot < LineState::kReaders && first_in_slot[t.slot] == t.serial; }
u32 reader_bit(Thread t) { return u32{1} << t.slot; }
u32 first_reader() { return may_be_reader(options.first) ? reader_bit(options.first) : 0; }

LineAccess whole_line(bool loads, bool stores) {
    return LineAccess{
        .first = 0, .bytes = static_cast<u16>(options.line_bytes), .loads = loads, .stores = stores};
}

void charge_cold(View view, SharedLine& shared, u32 serial) {
    Events events;
    events.cold = true;
    charge(view, *shared.tally, thread_with(serial), object_at(shared, line_begin(shared.line), 0), Place{},
           events);
}

// The ownership of a line that only its state in the table told of. What its threads did to it is not known
// byte by byte, so every byte counts as used. What has not been merged yet will be merged as it happened.
Ownership* ownership_before(LineState state, View view) {
    const bool modelled = view == View::Modelled;
    if (state.is_untouched()) return make_ownership();
    if (state.is_read_only()) {
        Ownership* order = make_ownership_of(options.first);
        const u32 readers = modelled ? state.modelled_readers() : state.observed_readers();
        for (u32 slot = 0; slot < LineState::kReaders; ++slot)
            if ((readers >> slot & 1) != 0)
                apply(*order, Thread{.slot = slot, .serial = first_in_slot[slot]}, whole_line(true, false));
        return order;
    }
    const Thread owner = thread_with(state.owner());
    if (modelled && state.has(LineState::kNewModelled)) return make_ownership_of(options.first);
    if (state.has(modelled ? LineState::kCopyModelled : LineState::kCopyObserved)) {
        Ownership* order = make_ownership_of(options.first);
        apply(*order, owner, whole_line(true, false));
        return order;
    }
    if (modelled && !state.has(LineState::kMerged)) return make_ownership();
    if (state.has(LineState::kFromFirst)) {
        Ownership* order = make_ownership_of(options.first);
        apply(*order, owner, whole_line(true, true));
        return order;
    }
    return make_ownership_of(owner);
}

// Counts up when read-only lines stop being so: what was found out of them before need not hold any more for
// what has been read for the first time only. For lines that a thread has for itself there is Strand::lose().
u64 read_only_losses = 0;

Time latest = 0;  // of all records read so far, as of the last read()

// The line is about to be somebody else's, too.
void count_loss(LineState state);

SharedLine& share(LineState& state, u64 line) {
    count_loss(state);
    const u32 number = table->make_shared(line);
    const LineState before = state;
    state = LineState::shared(number);
    SharedLine& shared = table->of(state);
    shared.tally = make_line_tally(line);
    shared.owners = new (rt::allocate(sizeof(*shared.owners), "memspy.owners")) rt::Vector<OwnedBytes>;
    shared.foreign_until = shared.stores_until = latest + 1;
    const bool from_first = before.is_read_only() || (before.is_owned() && before.has(LineState::kFromFirst));
    const u32 toucher = from_first ? options.first.serial : before.is_owned() ? before.owner() : 0;
    for (u32 view = 0; view < kViews; ++view) {
        shared.order[view] = ownership_before(before, static_cast<View>(view));
        const bool anew =
            view == static_cast<u32>(View::Modelled) && before.is_owned() &&
            !before.has(LineState::kMerged | LineState::kNewModelled | LineState::kCopyModelled);
        if (toucher != 0 && !anew) charge_cold(static_cast<View>(view), shared, toucher);
    }
    return shared;
}

// Calls f(part) for each run of bytes in the mask.
template <typename F>
void for_each_run(u64 mask, F f) {
    while (mask != 0) {
        const auto first = static_cast<u32>(std::countr_zero(mask));
        const auto bytes = static_cast<u32>(std::countr_one(mask >> first));
        f(first, bytes);
        if (first + bytes >= 64) return;
        mask &= ~u64{0} << (first + bytes);
    }
}

// Ends the time in which the line was calm: what its owner did meanwhile becomes known.
SharedLine& wake_up(LineState& state) {
    count_loss(state);
    SharedLine& shared = table->of(state);
    const Thread owner = thread_with(state.owner());
    state = LineState::shared(state.number());
    auto tell = [&](u64 mask, bool stores) {
        for_each_run(mask, [&](u32 first, u32 bytes) {
            const LineAccess part{.first = static_cast<u8>(first),
                                  .bytes = static_cast<u16>(bytes),
                                  .loads = !stores,
                                  .stores = stores};
            for (Ownership* order : shared.order) apply(*order, owner, part);
        });
    };
    tell(shared.read, false);
    tell(shared.written, true);
    if (shared.loads + shared.stores != 0) {
        const u64 used = shared.read | shared.written;
        const auto first = static_cast<u32>(std::countr_zero(used));
        const auto end = static_cast<u32>(64 - std::countl_zero(used));
        const LineAccess part{.first = static_cast<u8>(first),
                              .bytes = static_cast<u16>(end - first),
                              .loads = true,
                              .stores = shared.stores != 0};
        count_accesses(*shared.tally, owner, object_at(shared, line_begin(shared.line) + first, latest), part,
                       AccessCounts{shared.loads, shared.stores});
    }
    shared.read = shared.written = 0;
    shared.loads = shared.stores = 0;
    shared.quiet = 0;
    shared.streak = owner.serial;
    shared.foreign_until = shared.stores_until = latest + 1;
    return shared;
}

Rest::Reader* reader_at_rest(SharedLine& resting, Thread t) {
    if (t.slot >= resting.rest->slots) return nullptr;
    Rest::Reader& reader = resting.rest->readers()[t.slot];
    return reader.serial == t.serial ? &reader : nullptr;
}

// The line is about to be stored to.
SharedLine& end_rest(LineState& state) {
    SharedLine& shared = table->of(state);
    state = LineState::shared(state.number());
    if (shared.woken < 8) ++shared.woken;
    shared.restful = 0;
    shared.streak = 0;
    shared.foreign_until = shared.stores_until = latest + 1;
    for (u32 slot = 0; slot < shared.rest->slots; ++slot) {
        Rest::Reader& reader = shared.rest->readers()[slot];
        if (reader.serial == 0) continue;
        const Thread t{.slot = slot, .serial = reader.serial};
        for (Strand* strand : *strands)
            if (strand->thread().serial == reader.serial) strand->lose(reader.sequence);
        for_each_run(reader.read, [&](u32 first, u32 bytes) {
            const LineAccess part{
                .first = static_cast<u8>(first), .bytes = static_cast<u16>(bytes), .loads = true};
            for (Ownership* order : shared.order)
                if (holds(*order, t)) apply(*order, t, part);
        });
        if (reader.loads != 0) {
            const auto first = static_cast<u32>(std::countr_zero(reader.read));
            const auto end = static_cast<u32>(64 - std::countl_zero(reader.read));
            const LineAccess part{
                .first = static_cast<u8>(first), .bytes = static_cast<u16>(end - first), .loads = true};
            count_accesses(*shared.tally, t, object_at(shared, line_begin(shared.line) + first, latest), part,
                           AccessCounts{reader.loads, 0});
        }
        reader = Rest::Reader{};
    }
    return shared;
}

// Loads have been passed that taught nothing. When that goes on and all stores are merged, the line rests.
void perhaps_rest(SharedLine& shared) {
    constexpr u16 kRestful = 32;
    if (++shared.restful < kRestful << shared.woken) return;
    shared.restful = 0;
    if (options.line_bytes != 64 || shared.syncs || shared.stores_until > merged_until) return;
    u32 slots = 4;
    for (const Strand* strand : *strands)
        while (slots <= strand->thread().slot) slots *= 2;
    if (shared.rest == nullptr || shared.rest->slots < slots) {
        const usize bytes = sizeof(Rest) + slots * sizeof(Rest::Reader);
        if (shared.rest != nullptr) rt::release(shared.rest);
        shared.rest = new (rt::allocate(bytes, "memspy.rest")) Rest{slots};
        for (u32 slot = 0; slot < slots; ++slot) shared.rest->readers()[slot] = Rest::Reader{};
    }
    LineState& state = (*table)[shared.line];
    state = LineState::resting(state.number());
}

// Whether the thread is among those whose loads are only noted from here on.
bool joins_rest(SharedLine& resting, Thread t) {
    if (t.slot >= resting.rest->slots) return false;
    for (const Ownership* order : resting.order)
        if (!holds(*order, t)) return false;
    Rest::Reader& reader = resting.rest->readers()[t.slot];
    if (reader.serial != 0) return reader.serial == t.serial;
    reader = Rest::Reader{.serial = t.serial, .sequence = 0, .read = 0, .loads = 0};
    return true;
}

// What the owner of a calm line does.
void note(SharedLine& calm, const Touch& touch) {
    if ((touch.read & ~calm.read) != 0) calm.read |= touch.read;
    if ((touch.written & ~calm.written) != 0) calm.written |= touch.written;
    calm.loads += touch.loads;
    calm.stores += touch.stores;
    if ((calm.loads | calm.stores) > ~u32{0} / 2) [[unlikely]] {
        LineState& state = (*table)[calm.line];
        wake_up(state);
    }
}

// An event on a line that has no record.
void charge_lean(View view, Thread t, const Record& record, const Shape& shape, u64 line, bool stores,
                 const Events& events) {
    // The first use of the record on the line, a store if the event is one.
    for (const Use& use : shape.uses) {
        if (!happened(record, use) || (stores && !use.stores)) continue;
        const Address a = record.address(use.word, use.offset);
        if (table->line_of(a) > line || line > table->line_of(a + use.bytes - 1)) continue;
        const Address from = a > line_begin(line) ? a : line_begin(line);
        charge(view, t, find_extent(from).object, Place{use.instruction, record.path}, events);
        return;
    }
}

Events handover(bool first_touch, bool invalidation) {
    Events events;
    events.first_touch = events.true_miss = first_touch;
    events.invalidation = events.true_invalidation = invalidation;
    if (first_touch) events.from = options.first.serial;
    if (invalidation) events.victim = options.first.serial;
    return events;
}

// Whether all that the first thread did so far has been merged: what it did to a line of its own cannot come
// in behind what others do to it.
bool is_first_merged() {
    for (const Strand* strand : *strands)
        if (strand->thread() == options.first) return strand->is_merged();
    return true;
}

// Whether the instruction is a semaphore's, whose word carries time from the start: nothing in what is done to it tells
// it from a lock.
bool is_signal(Address instruction) {
    if (options.is_semaphore_code == nullptr) return false;
    u8& known = (*signals)[instruction];  // 1 no, 2 yes
    if (known == 0) known = options.is_semaphore_code(instruction) ? 2 : 1;
    return known == 2;
}

// First reading: notes that `t` touches a line whose state does not say at once that nothing happens. True
// when the accesses must be looked at one by one.
bool touch_slowly(LineState& state, Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    const bool untouched = state.is_untouched();
    if (untouched) {
        if (!options.touched_before(line_begin(touch.line))) {
            state = LineState::exclusive(t.serial, 0);
            return false;
        }
        state = LineState::exclusive(options.first.serial, LineState::kMerged);
        if (t == options.first) {
            if (touch.written == 0) state.set(LineState::kOnlyRead);
            return false;
        }
    }
    if (state.is_owned_by(t.serial)) {
        if (state.has(LineState::kOnlyRead)) {
            state.clear(LineState::kOnlyRead);
            return false;
        }
        // It stores to what the first thread still has a copy of.
        charge_lean(View::Observed, t, record, shape, touch.line, true, handover(false, true));
        state.clear(LineState::kCopyObserved);
        return false;
    }
    if (state.is_owned_by(options.first.serial) && state.has(LineState::kMerged) && !state.is_calm() &&
        !state.has(LineState::kCopyObserved | LineState::kCopyModelled | LineState::kNewModelled) &&
        (untouched || (touch.written == 0 && state.has(LineState::kOnlyRead)) || is_first_merged())) {
        if (touch.written == 0 && may_be_reader(t)) {
            count_loss(state);
            state = LineState::read_only(first_reader(), first_reader());
        } else if (touch.written != 0) {
            count_loss(state);
            charge_lean(View::Observed, t, record, shape, touch.line, true, handover(true, true));
            state = LineState::exclusive(
                t.serial, LineState::kMerged | LineState::kNewModelled | LineState::kFromFirst);
            return false;
        }
    }
    if (state.is_read_only() && may_be_reader(t)) {
        const u32 bit = reader_bit(t), observed = state.observed_readers(),
                  modelled = state.modelled_readers();
        if (touch.written == 0) {
            charge_lean(View::Observed, t, record, shape, touch.line, false, handover(true, false));
            state = LineState::read_only(observed | bit, modelled);
            return false;
        }
        if (t != options.first && ((observed | modelled) & ~bit & ~first_reader()) == 0) {
            count_loss(state);
            charge_lean(View::Observed, t, record, shape, touch.line, true,
                        handover((observed & bit) == 0, true));
            state = LineState::exclusive(
                t.serial, LineState::kMerged | LineState::kFromFirst |
                              ((modelled & bit) != 0 ? LineState::kCopyModelled : LineState::kNewModelled));
            return false;
        }
    }
    if (state.is_resting()) {
        if (touch.written != 0)
            end_rest(state);
        else if (joins_rest(table->of(state), t))
            return false;
    }
    SharedLine& shared = state.is_shared() || state.is_resting() ? table->of(state)
                         : state.is_calm()                       ? wake_up(state)
                                                                 : share(state, touch.line);
    if (shared.streak != t.serial) {
        shared.streak = t.serial;
        shared.foreign_until = latest + 1;
    }
    if (touch.written != 0 && shared.stores_until <= record.time + shape.instructions)
        shared.stores_until = record.time + kMostInstructions;
    return shared.syncs ||
           !is_settled(*shared.order[static_cast<u32>(View::Observed)], t, touch.read, touch.written);
}

bool is_known_reader(LineState state, Thread t) {
    return state.is_read_only() && may_be_reader(t) &&
           (state.observed_readers() & state.modelled_readers() & reader_bit(t)) != 0;
}

bool is_known_at_rest(LineState state, Thread t) {
    return state.is_resting() && reader_at_rest(table->of(state), t) != nullptr;
}

// Whether there is nothing more to find out about the touch when all goes on like this: the line is the
// thread's own in both orders, or both know that it reads it.
bool is_quiet(LineState state, Thread t, const Touch& touch) {
    if (state.is_owned_by(t.serial))
        return state.has(LineState::kMerged) && !state.has(LineState::kNewModelled) &&
               (touch.written == 0 || !state.has(LineState::kCopyModelled | LineState::kCopyObserved));
    return is_known_reader(state, t) || (touch.written == 0 && is_known_at_rest(state, t));
}

inline bool touch_line(Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    LineState& state = (*table)[touch.line];
    if (state.is_owned_by(t.serial) &&
        (touch.written == 0 || !state.has(LineState::kCopyObserved | LineState::kOnlyRead))) [[likely]]
        return false;
    if (state.is_read_only() && touch.written == 0 && may_be_reader(t) &&
        (state.observed_readers() & reader_bit(t)) != 0)
        return false;
    return touch_slowly(state, t, touch, record, shape);
}

void note_at_rest(SharedLine& resting, Thread t, const Touch& touch) {
    Rest::Reader& reader = *reader_at_rest(resting, t);
    reader.read |= touch.read;
    reader.loads += touch.loads;
}

// What is done to calm lines by their owner, and to resting ones.
[[gnu::noinline]] void note_calm(Thread t, const Record& record, const Shape& shape) {
    for (const Span& span : shape.spans) {
        if (!happened(record, span)) continue;
        for_each_touch(record, span, [&](const Touch& touch) {
            if (const LineState state = (*table)[touch.line]; state.is_calm())
                note(table->of(state), touch);
            else if (state.is_resting())
                note_at_rest(table->of(state), t, touch);
        });
    }
}

// The thread finds in the reading with this number that the line is its own.
void found_own(LineState& state, u32 sequence) {
    if (state.is_calm())
        table->of(state).sequence = sequence;
    else
        state.set_sequence(sequence);
}

// Finds out whether a record is quiet, and keeps when that was found out.
class QuickLook {
public:
    QuickLook(Thread t, u32 sequence)
        : t_(t),
          sequence_(sequence),
          mine_(LineState::all_of(t.serial, sequence)),
          line_mask_(options.line_bytes - 1) {}

    // All is reached, and the record has not been read before.
    bool is_quiet(const u64* at, const threads::QuickShape& shape) {
        const threads::QuickSpan* span = shape.begin();
        for (const threads::QuickSpan* end = span + shape.spans; span != end; ++span)
            if (!has(static_cast<Address>(span->low) + at[span->place], *span)) return false;
        return true;
    }
    bool is_quiet(const Record& record, const Shape& shape) {
        for (const threads::QuickSpan& span : shape.quick) {
            Address a = static_cast<Address>(span.low);
            if (span.word != kNoWord) {
                const u64 base = record.words()[span.word];
                if (base == 0) continue;
                a += base;
            }
            if (record.reached(span.proof) && !has(a, span)) return false;
        }
        return true;
    }
    // Whether there was a calm line since this was asked last.
    bool met_calm() {
        const bool met = calm_;
        calm_ = false;
        return met;
    }

private:
    bool has(Address a, const threads::QuickSpan& span) {
        if (!table->look(a).is_still(mine_) && !has_anyway(a, span.stores)) [[unlikely]]
            return false;
        if ((a & line_mask_) + span.reach <= line_mask_) [[likely]]
            return true;
        return span.reach <= line_mask_ && has_anyway(a + span.reach, span.stores);
    }
    bool has_anyway(Address a, bool stores) {
        const LineState state = table->look(a);
        if (state.is_all_of(t_.serial)) {
            calm_ |= state.is_calm();
            found_own(table->at(a), sequence_);
            return true;
        }
        if (stores) return false;
        if (state.is_resting()) {
            Rest::Reader* reader = reader_at_rest(table->of(state), t_);
            if (reader == nullptr) return false;
            reader->sequence = sequence_;
            calm_ = true;
            return true;
        }
        return is_known_reader(state, t_);
    }

    Thread t_;
    u32 sequence_;
    LineState mine_;
    Address line_mask_;
    bool calm_ = false;
};

// Whether the thread has all lines of the record for itself, or both orders know that it reads them.
bool has_all(Thread t, const Record& record, const Shape& shape) {
    for (const threads::QuickSpan& span : shape.quick) {
        Address a = static_cast<Address>(span.low);
        if (span.word != kNoWord) {
            const u64 base = record.words()[span.word];
            if (base == 0) continue;
            a += base;
        }
        if (!record.reached(span.proof)) continue;
        auto has = [&](Address part) {
            const LineState state = table->look(part);
            return state.is_all_of(t.serial) ||
                   (!span.stores && (is_known_reader(state, t) || is_known_at_rest(state, t)));
        };
        if (!has(a)) return false;
        if (table->line_of(a) != table->line_of(a + span.reach) &&
            (span.reach >= options.line_bytes || !has(a + span.reach)))
            return false;
    }
    return true;
}

// First reading

// Notes what the record touches. True when it is quiet; `shared`: its accesses must be looked at one by one.
bool first_look(Thread t, u32 sequence, const Record& record, const Shape& shape, bool& shared) {
    bool quiet = true;
    for (const Span& span : shape.spans) {
        if (!happened(record, span)) continue;
        for_each_touch(record, span, [&](const Touch& touch) {
            shared |= touch_line(t, touch, record, shape);
            LineState& state = (*table)[touch.line];
            quiet = quiet && is_quiet(state, t, touch);
            if (touch.written == 0 && is_known_at_rest(state, t)) {
                reader_at_rest(table->of(state), t)->sequence = sequence;
                note_at_rest(table->of(state), t, touch);
                return;
            }
            if (!state.is_owned_by(t.serial)) return;
            found_own(state, sequence);
            if (state.is_calm()) note(table->of(state), touch);
        });
    }
    return quiet;
}

// The accesses of a record that touches shared lines, one by one.
void observe(Thread t, const Record& record, const Shape& shape, bool& worked) {
    for (const Use& use : shape.uses) {
        if (!happened(record, use)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 last = table->line_of(a + use.bytes - 1);
        for (u64 line = table->line_of(a); line <= last; ++line) {
            const LineState state = (*table)[line];
            if (!state.is_shared() && !state.is_resting()) continue;
            SharedLine& shared = table->of(state);
            const LineAccess part = part_in(line, a, use.bytes, use);
            const Address from = line_begin(line) + part.first;
            // What a call accesses is no one's signal, and the core takes every futex call for a store.
            const bool by_call = shape.instructions == 0;
            if (use.loads && !use.atomic && !by_call && all_clocks->look(from, part.bytes)) watch_new_words();
            if (use.atomic && use.stores && is_signal(use.instruction)) {
                all_clocks->watch(from & ~Address{3});
                watch_new_words();
            }
            if (shared.syncs && !by_call) {
                if (use.loads) all_clocks->load(t, from, part.bytes, use.atomic);
                if (use.stores) all_clocks->store(t, from, part.bytes, use.atomic);
            }
            worked |= use.stores;
            const Events events = apply(*shared.order[static_cast<u32>(View::Observed)], t, part);
            if (!events.any()) continue;
            charge(View::Observed, *shared.tally, t,
                   object_at(shared, line_begin(line) + part.first, all_clocks->now(t)),
                   Place{use.instruction, record.path}, events);
        }
    }
}

void count(const Record& record, const Shape& shape, AccessCounts& sum) {
    if (shape.always && record.reached(shape.last_marker)) [[likely]] {
        sum.loads += shape.loads;
        sum.stores += shape.stores;
        return;
    }
    for (const Use& use : shape.uses) {
        if (!happened(record, use)) continue;
        sum.loads += use.loads;
        sum.stores += use.stores;
    }
}

// A jump, call or return by a word in memory: the linker writes such words as functions are called for the
// first time, and nobody waits for that.
bool is_jump(const Use& use, const Shape& shape) {
    return use.bytes == sizeof(Address) && use.ordinal + 1u == shape.instructions;
}

// A few words, each once.
struct Words {
    static constexpr u32 kMost = Clocks::kMostLooked;
    Address words[kMost] = {};
    u32 count = 0;
    bool has(Address word) const {
        for (u32 i = 0; i < count; ++i)
            if (words[i] == word) return true;
        return false;
    }
    void add(Address word) {
        if (count < kMost && !has(word)) words[count++] = word;
    }
};
// Adds words that the record loads plainly and nobody has stored to since: going back in time, `stored`
// collects those.
void add_loaded_words(const Record& record, const Shape& shape, Words& loaded, Words& stored, u32 room) {
    for (usize i = shape.uses.size(); i-- > 0;) {
        const Use& use = shape.uses[i];
        if (!happened(record, use) || use.bytes > 8) continue;
        const Address word = record.address(use.word, use.offset) & ~Address{3};
        if (use.stores)
            stored.add(word);
        else if (!use.atomic && loaded.count < room && !is_jump(use, shape) && !stored.has(word))
            loaded.add(word);
    }
}

}  // namespace

void initialise_recorder(const RecorderOptions& given) {
    options = given;
    table->initialise(options.line_bytes);
    merging->set_latency(options.coherence_latency);
    threads::limit_chunks(options.log_chunks);
}

Clocks& clocks() { return *all_clocks; }

class Recorder {
public:
    static Strand* make(Thread thread) {
        auto* strand = new (rt::allocate(sizeof(Strand), "memspy.strand")) Strand(thread);
        if (thread.slot < LineState::kReaders && first_in_slot[thread.slot] == 0)
            first_in_slot[thread.slot] = thread.serial;
        remember_slot(thread);
        strands->push_back(strand);
        add_chunk(*strand);
        strand->oldest_ = strand->newest_;
        strand->at_ = strand->newest_->begin;
        merging->add(strand);
        return strand;
    }

    static void add_chunk(Strand& strand) {
        Chunk* chunk = threads::take_chunk();
        if (chunk == nullptr) {
            merge_now();
            while ((chunk = threads::take_chunk()) == nullptr) force();
        }
        ++strand.chunks_;
        for (const u64*& at : strand.reads_) at = chunk->begin;
        for (const u64*& at : strand.polls_) at = chunk->begin;
        if (strand.newest_ != nullptr) strand.newest_->next = chunk;
        strand.newest_ = chunk;
    }

    static void read(Strand& strand, u64* end) {
        const Thread t = strand.thread_;
        Chunk& chunk = *strand.newest_;
        if (strand.sequence_ < LineState::kMostSequence) ++strand.sequence_;
        strand.reads_[strand.next_read_++ % Strand::kReads] = chunk.end;
        AccessCounts sum;
        Time now = all_clocks->now(t);
        Time told = now;  // to the clocks
        u64 instructions = 0;
        bool careful = all_clocks->is_spinning(t);
        QuickLook look(t, strand.sequence_);
        auto keep_run = [&](u64* from, u64* to, u64 stamp) {
            if (from == to) return;
            if (chunk.runs.size() != 0 && chunk.runs.back().end == from && chunk.runs.back().stamp == stamp &&
                chunk.runs.back().sequence == strand.sequence_) {
                chunk.runs.back().end = to;
                chunk.runs.back().last = now;
            } else if (to - from >= kShortRun) {
                chunk.runs.push_back(Chunk::Run{from, to, now, stamp, strand.sequence_});
            }
        };
        for (u64* at = chunk.end; at != end;) {
            u64* const from = at;
            const u64 stamp = read_only_losses;
            // What is quiet is most.
            while (at != end && !careful) {
                auto& record = *reinterpret_cast<Record*>(at);
                const threads::QuickShape& quick = threads::quick_shape(record.shape);
                if (quick.is_plain && at[quick.last_place] != 0) [[likely]] {
                    for (u32 i = threads::kRecordHead; i < quick.record_words; ++i)
                        table->prefetch(at[kAhead + i]);
                    if (!look.is_quiet(at, quick)) break;
                    record.time = now;
                    sum.loads += quick.loads;
                    sum.stores += quick.stores;
                    instructions += quick.instructions;
                    now += quick.instructions;
                } else {
                    const Shape& shape = threads::shape(record.shape);
                    if (shape.yields || !look.is_quiet(record, shape)) break;
                    const u32 executed = record.executed(shape);
                    record.time = now;
                    count(record, shape, sum);
                    instructions += executed;
                    now += executed;
                }
                at += quick.record_words;
                if (look.met_calm()) [[unlikely]]
                    note_calm(t, record, threads::shape(record.shape));
            }
            keep_run(from, at, stamp);
            if (at == end) break;
            auto& record = *reinterpret_cast<Record*>(at);
            const Shape& shape = threads::shape(record.shape);
            record.time = now;
            bool shared = false;
            const u64 stamp_before = read_only_losses;
            const bool is_quiet = first_look(t, strand.sequence_, record, shape, shared);
            look.met_calm();  // the first look has noted it
            if (shared) {
                all_clocks->advance(t, now - told);
                observe(t, record, shape, strand.worked_);
                // What it waited for may have lifted the thread.
                record.time = now = told = all_clocks->now(t);
            }
            const u32 executed = record.executed(shape);
            count(record, shape, sum);
            instructions += executed;
            now += executed;
            u64* const next = at + shape.record_words();
            if (is_quiet) keep_run(at, next, stamp_before);
            at = next;
            if (shape.yields || careful) [[unlikely]] {
                all_clocks->advance(t, now - told);
                if (shape.yields) poll(strand, at, Clocks::kMostPolled, false);
                now = told = all_clocks->now(t);
                careful = all_clocks->is_spinning(t);
            }
        }
        all_clocks->advance(t, now - told);
        if (now > latest) latest = now;
        chunk.end = end;
        ThreadRow& row = thread_row(t);
        row.accesses.loads += sum.loads;
        row.accesses.stores += sum.stores;
        row.instructions += instructions;
    }

    static bool renew(Strand& strand) {
        if (threads::chunks_taken() >= merge_at) merge_now();
        add_chunk(strand);
        // A fair share of half the log: the other half is for those who are behind.
        return strand.chunks_ * living_strands() * 2 > threads::chunk_limit();
    }

    static void merge_now() {
        merge_until(all_clocks->horizon());
        const u32 left = threads::chunks_taken();
        merge_at = 2 * left > kLeastChunks ? 2 * left : kLeastChunks;
        if (merge_at > threads::chunk_limit()) merge_at = threads::chunk_limit();
    }

    // `forced`: also what the latency of others' events might still be before.
    static void merge_until(Time horizon, bool forced = false) {
        if (forced)
            merging->force(horizon);
        else
            merging->run(horizon);
        if (horizon == kNever) horizon = latest;
        if (horizon > merged_until) merged_until = horizon;
        for (usize i = 0; i < strands->size();) {
            Strand* strand = (*strands)[i];
            if (strand->gone_ && strand->is_merged()) {
                options.merged(strand->thread_);
                drop(strand);
                (*strands)[i] = strands->back();
                strands->pop_back();
            } else {
                ++i;
            }
        }
    }

    static void drop(Strand* strand) {
        merging->remove(strand);
        for (Chunk* chunk = strand->oldest_; chunk != nullptr;) {
            Chunk* next = chunk->next;
            threads::give_back(chunk);
            chunk = next;
        }
        rt::release(strand);
    }

    // Has what is oldest merged though other threads may still come to that time.
    static void force() {
        const Strand* largest = (*strands)[0];
        for (const Strand* strand : *strands)
            if (strand->chunks_ > largest->chunks_) largest = strand;
        CHECK(largest->chunks_ > 1);
        const auto& behind = *reinterpret_cast<const Record*>(largest->oldest_->next->begin);
        const Time until = largest->oldest_->next->end != largest->oldest_->next->begin
                               ? behind.time + 1
                               : all_clocks->now(largest->thread_) + 1;
        ++counts.forced;
        counts.lifted += all_clocks->force_horizon(until > merged_until ? until : merged_until + 1);
        merge_until(all_clocks->horizon(), true);
    }

    static void forget_others(Strand* mine) {
        for (Strand* strand : *strands) {
            if (strand == mine) continue;
            options.merged(strand->thread_);
            drop(strand);
        }
        strands->resize(0);
        strands->push_back(mine);
        for (Chunk* chunk = mine->oldest_; chunk != mine->newest_;) {
            Chunk* next = chunk->next;
            threads::give_back(chunk);
            chunk = next;
        }
        mine->oldest_ = mine->newest_;
        mine->at_ = mine->newest_->end;
        mine->in_record_ = false;
        mine->chunks_ = 1;
        counts = RecorderCounts{};
    }

    // The last store to the word among what is still to be merged; what has been merged was before all that
    // happens from now on.
    static void tell_last_store(Address word) {
        u32 writer = 0, run = 0;
        Time last = 0;
        for (const Strand* strand : *strands) {
            Time theirs = 0;
            u32 times = 0;
            for (const Chunk* chunk = strand->oldest_; chunk != nullptr && scans_left != 0;
                 chunk = chunk->next) {
                --scans_left;
                const u64* at = chunk == strand->oldest_ ? strand->at_ : chunk->begin;
                while (at != chunk->end) {
                    const auto& record = *reinterpret_cast<const Record*>(at);
                    const Shape& shape = threads::shape(record.shape);
                    at += shape.record_words();
                    for (const Use& use : shape.uses) {
                        if (!use.stores || !happened(record, use)) continue;
                        const Address a = record.address(use.word, use.offset);
                        if (a >= word + 4 || word >= a + use.bytes) continue;
                        theirs = record.time + use.ordinal;
                        if (theirs > last) ++times;
                    }
                }
            }
            if (theirs <= last) continue;
            last = theirs;
            writer = strand->thread_.serial;
            run = times;
        }
        if (last != 0) all_clocks->stored(word, writer, last, run);
    }

    static void set_gone(Strand& strand) { strand.gone_ = true; }
    static u64* begin(const Strand& strand) { return strand.newest_->end; }

    // A few records, the latest of those that were put in.
    template <u32 n>
    struct Latest {
        const Record* records[n] = {};
        u32 count = 0;
        void put(const Record* record) { records[count++ % n] = record; }
        // The latest first, as long as there is room.
        void add_to(Words& loaded, Words& stored, u32 room) const {
            for (u32 back = 1; back <= n && back <= count && loaded.count < room; ++back) {
                const Record& record = *records[(count - back) % n];
                add_loaded_words(record, threads::shape(record.shape), loaded, stored, room);
            }
        }
    };

    // What the last records up to `end` loaded; and before them those of the functions that the thread is in,
    // since much may happen between what one of them found and the wait (the linker looks for the function
    // that waits). Records can be read forwards only: it begins a few polls ago, or some reads ago. What the
    // library that goes to sleep looks at is its own affair.
    static void poll(Strand& strand, const u64* end, u32 room, bool asleep) {
        const u64* const read_from = strand.reads_[strand.next_read_ % Strand::kReads];
        const u64* const poll_from = strand.polls_[strand.next_poll_ % Strand::kPolls];
        const u64* const from = read_from > poll_from ? read_from : poll_from;
        auto for_each_record = [&](auto f) {
            auto go_through = [&](const u64* at, const u64* until) {
                while (at != until) {
                    const auto* record = reinterpret_cast<const Record*>(at);
                    const Shape& shape = threads::shape(record->shape);
                    at += shape.record_words();
                    if (!shape.uses.empty()) f(record, shape.uses[0].instruction);
                }
            };
            if (from == strand.newest_->begin && strand.oldest_ != strand.newest_) {
                const Chunk* before = strand.oldest_;
                while (before->next != strand.newest_) before = before->next;
                go_through(before == strand.oldest_ ? strand.at_ : before->begin, before->end);
            }
            go_through(from, end);
        };
        Latest<24> all;
        constexpr Address kNear = 1u << 17;
        const Record* last = nullptr;
        Address caller = 0;
        if (asleep) {
            for_each_record([&](const Record* record, Address instruction) {
                last = record;
                caller = instruction;
            });
        }
        auto is_own = [&](Address instruction) { return instruction + kNear - caller < 2 * kNear; };
        for_each_record([&](const Record* record, Address instruction) {
            if (!is_own(instruction)) all.put(record);
        });
        Latest<24> of_callers;
        if (last != nullptr) {
            constexpr u32 kCallers = 6;
            threads::CallPath callers[kCallers] = {}, path = last->path;
            for (threads::CallPath& each : callers) each = path = threads::parent_of(path);
            for_each_record([&](const Record* record, Address instruction) {
                bool in_caller = false;
                for (threads::CallPath each : callers) in_caller |= record->path == each;
                if (in_caller && !is_own(instruction)) of_callers.put(record);
            });
        }
        Words loaded, stored;
        all.add_to(loaded, stored, room);
        if (asleep) of_callers.add_to(loaded, stored, Words::kMost);
        all_clocks->poll(strand.thread_, loaded.words, loaded.count, strand.worked_);
        strand.worked_ = false;
        if (strand.polls_[(strand.next_poll_ - 1) % Strand::kPolls] != end)
            strand.polls_[strand.next_poll_++ % Strand::kPolls] = end;
        watch_new_words();
    }
    static void poll(Strand& strand) {
        poll(strand, strand.newest_->end, Clocks::kMostLooked / 2, all_clocks->is_asleep(strand.thread_));
    }
};

Strand* make_strand(Thread thread) { return Recorder::make(thread); }
u64* log_begin(const Strand& strand) { return Recorder::begin(strand); }
void read(Strand& strand, u64* end) { Recorder::read(strand, end); }
// Written to the log like any other, as a record of one access; long ranges as several.
void record_access(Strand& strand, Address begin, usize bytes, bool stores, const Place& place) {
    constexpr usize kMost = 32 * 1024;
    while (bytes != 0) {
        const usize part = bytes < kMost ? bytes : kMost;
        Shape shape;
        shape.words = 1;
        (stores ? shape.stores : shape.loads) = 1;
        Use use{};
        use.instruction = place.instruction;
        use.bytes = static_cast<u16>(part);
        use.proof = kNoWord;
        use.loads = !stores;
        use.stores = stores;
        shape.uses.push_back(use);
        Span span{};
        span.high = static_cast<i64>(part);
        span.read = stores ? 0 : ~u64{0};
        span.written = stores ? ~u64{0} : 0;
        span.loads = !stores;
        span.stores = stores;
        span.proof = kNoWord;
        shape.spans.push_back(span);
        shape.segments.push_back(threads::Segment{kNoWord, 0});
        u64* at = log_begin(strand);
        if ((reinterpret_cast<u64>(at) & threads::kFullBit) != 0) {
            renew_chunk(strand);
            at = log_begin(strand);
        }
        auto& record = *reinterpret_cast<Record*>(at);
        record.shape = threads::number_of_shape(shape);
        record.path = place.path;
        at[threads::kRecordHead] = begin;
        read(strand, at + shape.record_words());
        begin += part;
        bytes -= part;
    }
}

bool renew_chunk(Strand& strand) { return Recorder::renew(strand); }
void thread_gone(Strand* strand) { Recorder::set_gone(*strand); }
void merge() { Recorder::merge_now(); }
void merge_all() {
    Recorder::merge_until(kNever, true);
    // What goes on after this cannot be before it.
    all_clocks->force_horizon(merged_until);
    count_calm_lines();
}
void count_calm_lines() {
    for (u32 number = 0; number < table->shared_count(); ++number)
        if (LineState& state = (*table)[table->shared_line(number).line]; state.is_calm())
            wake_up(state);
        else if (state.is_resting())
            end_rest(state);
}
void forget_others(Strand* mine) { Recorder::forget_others(mine); }
const RecorderCounts& recorder_counts() { return counts; }

// Second reading

namespace {

// Whether the accesses must be merged. What can be settled without is.
bool needs_merge(Thread t, const Touch& touch, const Record& record, const Shape& shape) {
    LineState& state = (*table)[touch.line];
    if (state.is_owned_by(t.serial)) {
        if (state.has(LineState::kNewModelled)) [[unlikely]] {
            charge_lean(View::Modelled, t, record, shape, touch.line, touch.written != 0,
                        handover(true, touch.written != 0));
            state.clear(LineState::kNewModelled);
            if (touch.written == 0) state.set(LineState::kCopyModelled);
        } else if (touch.written != 0 && state.has(LineState::kCopyModelled)) [[unlikely]] {
            charge_lean(View::Modelled, t, record, shape, touch.line, true, handover(false, true));
            state.clear(LineState::kCopyModelled);
        }
        if (!state.has(LineState::kMerged)) state.set(LineState::kMerged);
        return false;
    }
    if (state.is_read_only()) {
        if (touch.written == 0 && may_be_reader(t)) {
            const u32 bit = reader_bit(t);
            if ((state.modelled_readers() & bit) == 0) {
                charge_lean(View::Modelled, t, record, shape, touch.line, false, handover(true, false));
                state = LineState::read_only(state.observed_readers(), state.modelled_readers() | bit);
            }
            return false;
        }
        // The first thread's own accesses of before.
        if (t == options.first) return false;
    }
    return touch.written != 0 || !is_known_at_rest(state, t);
}

// The line of an access that has to be merged.
SharedLine& merged_line(LineState& state, u64 line, bool stores = true) {
    if (state.is_resting()) return stores ? end_rest(state) : table->of(state);
    if (state.is_shared()) return table->of(state);
    return state.is_calm() ? wake_up(state) : share(state, line);
}

Touch touch_of(const Use& use, Address a, u64 line) {
    Touch touch{line, 0, 0, 0, 0};
    if (line == table->line_of(a)) {
        touch.loads = use.loads;
        touch.stores = use.stores;
    }
    if (options.line_bytes != 64) {
        touch.read = use.loads ? ~u64{0} : 0;
        touch.written = use.stores ? ~u64{0} : 0;
        return touch;
    }
    const LineAccess part = part_in(line, a, use.bytes, use);
    const u64 bytes = (~u64{0} >> (64 - part.bytes)) << part.first;
    if (use.loads) touch.read = bytes;
    if (use.stores) touch.written = bytes;
    return touch;
}

}  // namespace

// What there is to do about a record: whether it has an access that must be merged is found out without
// settling anything.
Strand::Interest Strand::interest_in(const Record& record, const Shape& shape) const {
    if (has_all(thread_, record, shape)) return Interest::None;
    Interest interest = Interest::None;
    for (const Span& span : shape.spans) {
        if (!happened(record, span)) continue;
        for_each_touch(record, span, [&](const Touch& touch) {
            if (interest == Interest::Merge) return;
            const LineState state = (*table)[touch.line];
            if (state.is_all_of(thread_.serial)) return;
            interest = Interest::Settle;
            if (state.is_owned_by(thread_.serial) || state.is_read_only()) return;
            // Loads that teach nothing are in nobody's way once the stores before them are merged.
            if ((state.is_shared() || state.is_resting()) && touch.written == 0) {
                if (is_known_at_rest(state, thread_)) return;
                SharedLine& shared = table->of(state);
                if (shared.stores_until <= merged_until && !shared.syncs &&
                    is_settled(*shared.order[static_cast<u32>(View::Modelled)], thread_, touch.read, 0))
                    return;
            }
            interest = Interest::Merge;
        });
    }
    return interest;
}

// The record has none.
void Strand::pass(const Record& record, const Shape& shape) {
    for (const Span& span : shape.spans) {
        if (!happened(record, span)) continue;
        for_each_touch(record, span, [&](const Touch& touch) {
            if (needs_merge(thread_, touch, record, shape) && touch.loads != 0) {
                SharedLine& shared = table->of((*table)[touch.line]);
                const auto first = static_cast<u32>(std::countr_zero(touch.read));
                const LineAccess part{
                    .first = static_cast<u8>(first),
                    .bytes = static_cast<u16>(64 - std::countl_zero(touch.read) - static_cast<int>(first)),
                    .loads = true};
                count_accesses(*shared.tally, thread_,
                               object_at(shared, line_begin(touch.line) + first, record.time), part,
                               AccessCounts{touch.loads, 0});
                if ((*table)[touch.line].is_shared()) perhaps_rest(shared);
            }
        });
    }
}

// The run of records around at_ that the first reading found quiet, if they still are.
const Chunk::Run* Strand::quiet_run() {
    const rt::Vector<Chunk::Run>& runs = oldest_->runs;
    while (run_ < runs.size() && runs[run_].end <= at_) ++run_;
    if (run_ == runs.size() || runs[run_].begin > at_) return nullptr;
    const Chunk::Run& run = runs[run_];
    return run.sequence > lost_until_ && run.stamp == read_only_losses ? &run : nullptr;
}

// Makes the record at at_ the present one, passing those that have nothing to merge.
bool Strand::enter_record(Time horizon) {
    for (;;) {
        if (at_ == oldest_->end) {
            if (oldest_ == newest_) return false;
            Chunk* passed = oldest_;
            oldest_ = oldest_->next;
            at_ = oldest_->begin;
            --chunks_;
            run_ = 0;
            threads::give_back(passed);
            continue;
        }
        if (const Chunk::Run* run = quiet_run()) {
            // Should it be quiet no more when the horizon has moved on, what disturbs it comes after it all
            // the same.
            if (run->last > horizon) return false;
            at_ = run->end;
            ++counts.quiet;
            continue;
        }
        const auto& record = *reinterpret_cast<const Record*>(at_);
        const Shape& shape = threads::shape(record.shape);
        if (record.time >= horizon) return false;
        const Interest interest = interest_in(record, shape);
        if (interest == Interest::Merge) {
            ++counts.interesting;
            in_record_ = true;
            early_count_ = 0;
            use_ = 0;
            line_ = 0;
            return true;
        }
        if (record.time + record.executed(shape) > horizon) return false;
        if (interest == Interest::Settle) pass(record, shape);
        at_ += shape.record_words();
    }
}

bool Strand::waiting() const { return is_merged() && (gone_ || all_clocks->is_blocked(thread_)); }

namespace {

void count_loss(LineState state) {
    if (state.is_read_only()) ++read_only_losses;
    if (!state.is_owned()) return;
    const u32 sequence = state.is_calm() ? table->of(state).sequence : state.sequence();
    for (Strand* strand : *strands)
        if (strand->thread().serial == state.owner()) strand->lose(sequence);
}

}  // namespace

bool Strand::next(Time horizon, Time* time) {
    while (in_record_ || enter_record(horizon)) {
        const auto& record = *reinterpret_cast<const Record*>(at_);
        const Shape& shape = threads::shape(record.shape);
        for (; use_ < shape.uses.size(); ++use_, line_ = 0) {
            const Use& use = shape.uses[use_];
            if (!happened(record, use) || is_early(use_)) continue;
            const Address a = record.address(use.word, use.offset);
            const u64 first = table->line_of(a), last = table->line_of(a + use.bytes - 1);
            for (; first + line_ <= last; ++line_) {
                const u64 line = first + line_;
                // The clock stands still while a thread spins; its accesses keep their order all the same.
                time_ = record.time + use.ordinal > last_ ? record.time + use.ordinal : last_;
                // What is behind the horizon may still come to be shared.
                if (time_ >= horizon) return false;
                if (!needs_merge(thread_, touch_of(use, a, line), record, shape)) continue;
                shared_ = &merged_line((*table)[line], line, use.stores);
                *time = time_;
                return true;
            }
        }
        in_record_ = false;
        at_ += shape.record_words();
    }
    return false;
}

bool Strand::is_early(usize use) const {
    for (u32 i = 0; i < early_count_; ++i)
        if (early_[i] == use) return true;
    return false;
}

// Does the record's use to the line shared_ points to.
Events Strand::apply_use(usize number) {
    const auto& record = *reinterpret_cast<const Record*>(at_);
    const Use& use = threads::shape(record.shape).uses[number];
    const Address a = record.address(use.word, use.offset);
    const LineAccess part = part_in(shared_->line, a, use.bytes, use);
    const Place place{use.instruction, record.path};
    const ObjectId object = object_at(*shared_, line_begin(shared_->line) + part.first, time_);
    count_access(*shared_->tally, thread_, object, place, part);
    const Events events = apply(*shared_->order[static_cast<u32>(View::Modelled)], thread_, part);
    if (events.any()) {
        charge(View::Modelled, *shared_->tally, thread_, object, place, events);
        shared_->quiet = 0;
    } else if (++shared_->quiet >= kQuiet) {
        shared_->quiet = 0;
        calm_down();
    }
    ++counts.merged;
    return events;
}

// When the thread has the line for itself in both orders, and all that others did to it is merged, it is calm
// from now on.
void Strand::calm_down() {
    SharedLine& shared = *shared_;
    if (options.line_bytes != 64 || shared.syncs || shared.streak != thread_.serial ||
        shared.foreign_until > time_)
        return;
    for (const Ownership* order : shared.order)
        if (!is_only_holder(*order, thread_)) return;
    LineState& state = (*table)[shared.line];
    state = LineState::calm(thread_.serial, state.number());
}

// The use that follows the present one on its line, when it is a store within reach that touches no other
// line; else the number of uses.
usize Strand::store_along() const {
    const auto& record = *reinterpret_cast<const Record*>(at_);
    const Shape& shape = threads::shape(record.shape);
    const u16 reach = static_cast<u16>(shape.uses[use_].ordinal + kTogether);
    for (usize i = use_ + 1; i < shape.uses.size() && shape.uses[i].ordinal <= reach; ++i) {
        const Use& use = shape.uses[i];
        if (!happened(record, use) || is_early(i)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 first = table->line_of(a), last = table->line_of(a + use.bytes - 1);
        if (first > shared_->line || shared_->line > last) continue;
        return use.stores && first == last ? i : shape.uses.size();
    }
    return shape.uses.size();
}

static u32 number_of(const Events& events) {
    return (events.first_touch || events.coherence ? 1u : 0u) + (events.invalidation ? 1u : 0u);
}

u32 Strand::consume() {
    const Shape& shape = threads::shape(reinterpret_cast<const Record*>(at_)->shape);
    const Events events = apply_use(use_);
    u32 happened = number_of(events);
    last_ = time_;
    ++line_;
    const bool missed = events.cold || events.first_touch || events.coherence;
    if (!missed || shape.uses[use_].stores || early_count_ == kMostEarly) return happened;
    const usize along = store_along();
    if (along == shape.uses.size() || !(*table)[shared_->line].is_shared()) return happened;
    early_[early_count_++] = static_cast<u16>(along);
    return happened + number_of(apply_use(along));
}

// Owners and waiting

void retire(Address begin, Address end) {
    if (begin >= end) return;
    const Time now = latest;
    table->for_each_known(begin, end, [&](SharedLine& shared) {
        if (LineState& state = (*table)[shared.line]; state.is_resting()) end_rest(state);
        Address a = begin > line_begin(shared.line) ? begin : line_begin(shared.line);
        const Address last = end < line_end(shared.line) ? end : line_end(shared.line);
        while (a < last) {
            OwnedBytes* owned = nullptr;
            for (OwnedBytes& candidate : *shared.owners)
                if (candidate.until == kNever && candidate.extent.begin <= a && a < candidate.extent.end)
                    owned = &candidate;
            if (owned == nullptr) {
                shared.owners->push_back(clipped_extent(shared.line, a));
                owned = &shared.owners->back();
            }
            owned->until = now + 1;
            a = owned->extent.end;
        }
    });
    all_clocks->forget(begin, end - begin);
}

void poll(Strand& strand) { Recorder::poll(strand); }

void watch_new_words() {
    for (Address a; all_clocks->take_new_word(&a);) {
        Recorder::tell_last_store(a);
        const u64 line = table->line_of(a);
        LineState& state = (*table)[line];
        merged_line(state, line).syncs = true;
    }
}

}  // namespace memspy::contention
