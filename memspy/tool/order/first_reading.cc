// SPDX-License-Identifier: GPL-2.0-or-later
//
// First reading of a log: records get their times, lines learn which threads touch them, and accesses to
// shared lines go to the observed order and to the clocks. Runs of quiet records are noted, so that the
// second reading can pass them at once.
#include <algorithm>

#include "order/quick_look.h"

namespace memspy::order {
namespace {

// The time from a call on a lock to its update, in instructions.
constexpr Time kToUpdate = 16;
// The bits of a semaphore's first word that are its value.
constexpr u32 kTokens = ~u32{0} >> 1;
// While a record is read, the states of lines that later words touch are prefetched.
constexpr u32 kAhead = 80, kRecordAhead = 56, kOrderAhead = 32;
// Shorter runs of quiet records, in words of the log, are not noted.
constexpr int kShortRun = 12;

// Whether touches of a line in this state need no more attention as long as nothing changes: the line is the
// thread's own, or both orders know that the thread reads it. If the modelled order has still to learn of a
// line that the thread just got, it does so from the record that got it.
bool is_quiet(LineState state, Thread t, const Touch& touch) {
    return state.is_owned_by(t.serial) ||
           (touch.written == 0 && (is_known_reader(state, t) || is_known_at_rest(state, t)));
}

// Notes the lines that the record touches. Returns true if it is quiet. `shared`: its accesses must be
// processed one by one.
bool first_look(Thread t, u32 sequence, const Record& record, const Shape& shape, bool& shared) {
    bool quiet = true;
    for_each_touch(record, shape, [&](const Touch& touch) {
        if (recording->options.sampled) log::watched_lines().accessed(line_begin(touch.line));
        LineState& state = lines()[touch.line];
        quiet = quiet && is_quiet(state, t, touch);
        shared |= touch_line(t, touch, record, shape);
        if (touch.written == 0 && is_known_at_rest(state, t)) {
            reader_at_rest(lines().of(state), t)->sequence = sequence;
            note_at_rest(lines().of(state), t, touch);
            return;
        }
        if (!state.is_owned_by(t.serial)) return;
        found_own(state, sequence);
        if (state.is_calm()) note_calm(lines().of(state), t, touch);
    });
    return quiet;
}

// Threads may wait for words that are updated atomically, and for what is stored beside them.
void always_follow_updated(const Record& record, const Shape& shape) {
    const bool passes = log::quiet_lines().is_on();
    if (!passes && !recording->options.sampled) return;
    for (const AccessUse& use : shape.uses) {
        if (!use.atomic || !use.stores || !happened(record, use)) continue;
        const Address a = record.address(use.word, use.offset);
        if (passes) log::quiet_lines().always_follow(a);
        if (recording->own_locks.is_followed(a)) watch(a, kUpdated);
    }
}

// Takes the instructions of the pause before the record at `at`, or behind the last record. The record has no
// time yet.
u64 take_pause(u64* at) {
    auto& record = *reinterpret_cast<Record*>(at);
    const u64 instructions = record.time;
    record.time = 0;
    return instructions;
}

// Whether the log up to `end` already shows that t has ended its spinning, and that it was not for a lock: a lock is taken
// by an atomic update before it is given back.
bool leaves_for_good(Thread t, const u64* at, const u64* end) {
    const Clocks& clock = recording->clocks;
    for (u64 instructions = 0; instructions <= Clocks::kProbation;) {
        if (at == end) return false;
        const auto& record = *reinterpret_cast<const Record*>(at);
        const Shape& shape = log::shape(record.shape);
        for (const AccessUse& use : shape.uses)
            if (use.stores && happened(record, use) &&
                clock.spins_for(t, record.address(use.word, use.offset)))
                return !use.atomic;
        if (shape.may_wait()) return false;
        instructions += record.time + record.executed(shape);  // the time may still be a pause
        at += log::record_words(record.shape);
    }
    return true;
}

// Words that are updated atomically have no lives, but they order what threads do.
void note_for_lives(SharedLine& shared, Thread t, const AccessUse& use, const LineAccess& part, Address a) {
    if (use.atomic) return shared.use->lives.open(bytes_of(part));
    const Address word = a & ~Address{3};
    if (use.loads) recording->observed.acquire(t.slot, word);
    // Flags that threads wait for are such words, too.
    if (!use.stores ||
        (!recording->observed.knows(word) && !(shared.syncs && recording->clocks.has_sync_word(word, 16))))
        return;
    recording->observed.release(t.slot, word, recording->clocks.now(t) + 1);
    shared.use->orders = true;
}

// Whether `record` directly follows the one before and has the same content.
bool is_repeated(const Record* before, const Record& record) {
    if (before == nullptr || before->shape != record.shape || before->path != record.path) return false;
    const u32 words = log::record_words(record.shape) - log::kRecordHead;
    if (before->words() + words != reinterpret_cast<const u64*>(&record)) return false;
    for (u32 i = 0; i < words; ++i)
        if (before->words()[i] != record.words()[i]) return false;
    return true;
}

void count(const Record& record, const Shape& shape, AccessCounts& sum) {
    if (shape.always && record.reached(shape.last_marker)) [[likely]] {
        sum.loads += shape.loads;
        sum.stores += shape.stores;
        return;
    }
    for (const AccessUse& use : shape.uses) {
        if (!happened(record, use)) continue;
        sum.loads += use.loads;
        sum.stores += use.stores;
    }
}

// The record turned out to be later than it was when its lines were noted.
void touch_again(Thread t, const Record& record, const Shape& shape) {
    for_each_touch(record, shape, [&](const Touch& touch) {
        if (const LineState state = lines()[touch.line]; state.is_shared())
            touch_shared(lines().of(state), t, record.time, touch.written != 0);
    });
}

u64* from_record(Record& record) { return reinterpret_cast<u64*>(&record); }

// A shape of the same length without accesses, for a record that is not an access.
u32 empty_shape(u32 number) {
    static u32 numbers[log::kMostWords + log::kRecordHead + 1];
    const u32 words = log::record_words(number);
    if (numbers[words] == 0) {
        Shape empty;
        empty.words = words - log::kRecordHead;
        empty.segments.push_back(log::Segment{kNoWord, 0});
        numbers[words] = log::number_of_shape(empty);
    }
    return numbers[words];
}

// A shape of the same length with nothing but its use number `use`, in its first instruction.
u32 shape_of_use(u32 number, usize use) {
    static rt::Global<rt::HashMap<u32>> known;
    u32& found = (*known)[u64{number} << 32 | use];
    if (found != 0) return found;
    Shape only;
    only.words = log::shape(number).words;
    only.updates = true;
    AccessUse access = log::shape(number).uses[use];
    access.ordinal = 0;
    access.proof = kNoWord;
    log::add_use(only, access, recording->options.line_bytes);
    only.segments.push_back(log::Segment{kNoWord, 1});
    found = log::number_of_shape(only);
    return found;
}

// What a thread executes between two polls of one wait takes no time and is no access.
void make_empty(u64* from, const u64* end) {
    while (from != end) {
        auto& record = *reinterpret_cast<Record*>(from);
        from += log::record_words(record.shape);
        record.shape = empty_shape(record.shape);
    }
}

}  // namespace

// Whether the record has the update by which the function that the thread is in takes or gives its lock: the first one
// in it. Then nothing else is left of the record.
bool Strand::keep_update(Record& record) {
    for (const LockFunction& in : lock_functions_)
        if (in.updated) return false;
    const Shape& shape = log::shape(record.shape);
    for (usize i = 0; i < shape.uses.size() && shape.updates; ++i) {
        const AccessUse& use = shape.uses[i];
        if (!use.atomic || !use.stores || !happened(record, use)) continue;
        lock_functions_.back().updated = true;
        record.shape = shape_of_use(record.shape, i);
        return true;
    }
    return false;
}

// The thread has just made this update in the function that it is in.
void Strand::act_in_call(Time now) {
    Clocks& clock = recording->clocks;
    LockFunction& in = lock_functions_.back();
    if (in.event == log::LockEvent::Meet) clock.arrive(thread_, in.lock);
    if (in.event == log::LockEvent::Post) {
        recording->semaphores.post(in.lock, thread_.serial);
        push_token(Step::StepKind::Post, in.lock, in.path, now + 1);
    }
}

// How often the thread has updated the semaphore in the call.
void Strand::count_updates(const Record& record) {
    LockFunction& in = lock_functions_.back();
    constexpr u32 kWord = 8;
    for (const AccessUse& use : log::shape(record.shape).uses)
        if (use.atomic && use.stores && happened(record, use) &&
            record.address(use.word, use.offset) - in.lock < kWord)
            ++in.updates;
}

// Looks up how many tokens the semaphores have that this reading met. A token that a thread has taken in a call counts
// until it leaves the call (take_token). Until it has one the semaphore counts it as waiting, or it has not updated it.
void Strand::count_tokens() {
    constexpr u32 kWaiting = 4;  // where the number of those waiting is
    for (const Address a : semaphores_) {
        u32 value = 0, waiting = 0;
        if (recording->options.read_word == nullptr || !recording->options.read_word(a, &value) ||
            !recording->options.read_word(a + kWaiting, &waiting))
            continue;
        i64 tokens = (value & kTokens) - i64{waiting};
        for (const Strand* strand : recording->strands) tokens += strand->has_updated(a) ? 1 : 0;
        recording->merge.add_tokens(
            recording->semaphores.number_of(a),
            recording->semaphores.set_tokens(a, tokens < 0 ? 0 : static_cast<u32>(tokens)));
    }
    semaphores_.resize(0);
}

void Strand::forget_polls(const u64* end) {
    make_empty(const_cast<u64*>(reads_[(next_read_ - 1) % kReads]), end);
}

// An update of a word that may be a lock of the program's own.
void Strand::follow_own_lock(const AccessUse& use, Address at, const Place& place, Time now) {
    const Thread t = thread_;
    OwnLocks& own = recording->own_locks;
    LineState state = lines().look(at);
    const bool observed = state.is_shared() && lines().of(state).updated;
    use_own_lock(own.update(t.serial, at, use.instruction, use.update, observed), place, now + use.ordinal);
    if (is_for_order(state) && own.is_followed(at)) {
        merged_line(lines().at(at), lines().line_of(at), t, now);
        state = lines().look(at);
    }
    if (!state.is_shared() || observed == own.is_followed(at)) return;
    SharedLine& shared = lines().of(state);
    shared.updated = has_followed_word(shared);
    shared.syncs = shared.updated ||
                   recording->clocks.has_sync_word(line_begin(shared.line), recording->options.line_bytes);
}

// The atomic read-modify-writes of a record.
void Strand::note_updates(const Record& record, const Shape& shape, Time now) {
    const Thread t = thread_;
    for (const AccessUse& use : shape.uses) {
        if (!use.atomic || !use.stores || !happened(record, use)) continue;
        const AtomicCode code = recording->options.atomic_code == nullptr
                                    ? AtomicCode::Other
                                    : recording->options.atomic_code(Place{use.instruction, record.path});
        const Address at = record.address(use.word, use.offset), word = at & ~Address{3};
        // libomp's barriers are trees of flags of 8 bytes each, which are added to and loaded plainly. Each flag has one
        // writer, and a thread that arrives late finds the flag changed and never waits. So only the code shows that a
        // word is a flag.
        if (code == AtomicCode::Barrier && use.bytes == 8)
            recording->clocks.watch(word);
        else if (code != AtomicCode::Lock) {
            if (code != AtomicCode::Wait) follow_own_lock(use, at, Place{use.instruction, record.path}, now);
            recording->clocks.count_in(t, word);
        }
        // A value from elsewhere may tell who has something from now on. A sum (a counter, a number of references) says little,
        // and orders nothing.
        if (knows_lives() &&
            (use.update == log::UpdateKind::Replace || use.update == log::UpdateKind::Other)) {
            recording->observed.acquire(t.slot, word);
            recording->observed.release(t.slot, word, now + use.ordinal + 1);
        }
    }
    watch_new_words();
}

// Processes the accesses of a record that touches shared lines one by one.
void Strand::observe(const Record& record, const Shape& shape, u32 bit) {
    const Thread t = thread_;
    Clocks& clock = recording->clocks;
    for (const AccessUse& use : shape.uses) {
        if (!happened(record, use)) continue;
        const Address a = record.address(use.word, use.offset);
        const u64 last = lines().line_of(a + use.bytes - 1);
        for (u64 line = lines().line_of(a); line <= last; ++line) {
            const LineState state = lines()[line];
            const bool for_order = is_for_order(state);
            if (!state.is_shared() && !state.is_resting() && !for_order) continue;
            const LineAccess part = part_in(line, a, use.bytes, use);
            const Address from = line_begin(line) + part.first;
            // Accesses of system calls are not signals between threads; also, the core reports every futex
            // call as a store.
            const bool by_call = shape.instructions == 0;
            if (use.loads && !use.atomic && !by_call && clock.look(from, part.bytes)) watch_new_words();
            worked_ = worked_ || (use.stores && !recording->options.counts);
            if (for_order && !lines()[line].is_shared()) continue;
            SharedLine& shared = lines().of(lines()[line]);
            if (shared.syncs && !by_call) {
                if (use.loads) clock.load(t, from, part.bytes, use.atomic);
                if (use.stores) clock.store(t, from, part.bytes, use.atomic);
                constexpr u32 kOften = 256;
                if (!shared.updated && ++shared.looks % kOften == 0) {
                    clock.age(line_begin(line), recording->options.line_bytes);
                    shared.syncs = clock.has_sync_word(line_begin(line), recording->options.line_bytes);
                    if (!shared.syncs) unwatch(line);
                }
            }
            OwnLocks& own = recording->own_locks;
            if (use.loads && !use.atomic && !by_call && own.has_asked(t.serial))
                shared.updated |= own.load(t.serial, a);
            if (shared.updated && use.stores && !use.atomic && !by_call)
                use_own_lock(own.store(t.serial, a), Place{use.instruction, record.path},
                             clock.now(t) + use.ordinal + 1);
            if (shared.syncs && use.loads && own.is_held(t.serial, a)) finds_held_ = a;
            if (!recording->options.counts) continue;
            if (knows_lives()) note_for_lives(shared, t, use, part, a);
            // A line may have a record of its own only because its single user was seen to wait for a word
            // there.
            Ownership*& order = shared.order[static_cast<u32>(View::Observed)];
            if (use.stores && !worked_) worked_ = !is_only_holder(*order, t);
            const Events events = apply(order, t, part);
            if (use.stores && !use.atomic && recording->options.line_bytes == 64)
                pass_stores(shared, t, bit, record.time, bytes_of(part), lines_passed_);
            else if (use.loads)
                pass_loads(shared, t, bit, lines_passed_);
            if (!events.any()) continue;
            if (Lives& lives = shared.use->lives; lives.any())
                lives.note_events(t.serial, bytes_of(part), events);
            // What passes a resting line ends with its rest.
            if (!use.stores && !lines()[line].is_resting()) end_with_next_wait(shared, events.from);
            recording->options.observer.had_events(View::Observed, shared.notes, t,
                                                   object_at(shared, from, clock.now(t)),
                                                   Place{use.instruction, record.path}, events);
        }
    }
}

// Notes that [from, to) of newest_ is quiet.
void Strand::keep_run(u64* from, u64* to, Time last) {
    if (from == to || !recording->options.counts) return;
    rt::Vector<Chunk::RecordRun>& runs = newest_->runs;
    const u16 first = newest_->word_of(from), end = newest_->word_of(to);
    if (runs.size() != 0 && runs.back().end == first && runs.back().sequence == sequence_) {
        runs.back().end = end;
        runs.back().last = last;
    } else if (end - first >= kShortRun) {
        runs.push_back(Chunk::RecordRun{.last = last, .sequence = sequence_, .first = first, .end = end});
    }
}

void Strand::begin_reading() {
    if (sequence_ < LineState::kMostSequence) ++sequence_;
}

void Strand::note_end(Time now) {
    const u32 at = sequence_ % kEnds;
    while (ended_.size() <= at) ended_.push_back(0);
    ended_[at] = now;
}

Time Strand::ended(u32 reading) const {
    if (reading > sequence_) reading = sequence_;
    // For readings that are no longer kept, the end of the oldest one that is kept is an upper bound.
    if (sequence_ - reading >= kEnds) reading = sequence_ + 1;
    const u32 at = reading % kEnds;
    return at < ended_.size() ? ended_[at] : 0;
}

void Strand::read(u64* end) {
    const Thread t = thread_;
    Clocks& clock = recording->clocks;
    Chunk& chunk = *newest_;
    begin_reading();
    ++recording->readings;
    constexpr u64 kPartOfWords = 4;
    recording->look_back += static_cast<u64>(end - chunk.end) / kPartOfWords;
    note_renewed(t, lines_passed_);
    recording->held = lock_set_;
    // It may have slept in the call since it was seen there.
    if (knows_lives())
        for (const HeldLock& held : held_) recording->observed.acquire(thread_.slot, held.lock);
    if (next_record() == kNever) recording->progress.set(t.slot, ended_at_);
    recording->progress.set_left(t.slot, Progress::kAnyLine);
    reads_[next_read_++ % kReads] = chunk.end;
    AccessCounts sum;
    Time now = clock.now(t);
    went_on(ended_at_, now);
    Time reported = now;  // the clocks know everything up to here
    u64 instructions = 0;
    bool careful = clock.is_spinning(t);
    u64* since_poll =
        careful ? chunk.end : nullptr;  // if the thread spins: what it has executed since it polled
    const u32 bit = order::quiet_bit(t);
    QuickLook look(t, sequence_, bit, lines_passed_);
    const u64 *ahead = chunk.end, *record_ahead = chunk.end, *order_ahead = chunk.end;
    const Record* spun = nullptr;  // the last record that may belong to a spinning thread
    const Record* last = nullptr;  // the last record read
    const Record* found_held = nullptr;
    const auto tell_clock = [&] {
        clock.advance(t, now - reported);
        reported = now;
    };
    // Takes over the clock's time. Call when the clock knows everything up to `now`.
    auto see_clock = [&] {
        reported = clock.now(t);
        if (last != nullptr) last_place_ = place_of(*last);
        went_on(now, reported);
        now = reported;
    };
    auto pause = [&](u64* at) {
        const u64 passed = take_pause(at);
        instructions += passed;
        now += passed;
    };
    const auto pause_in_call = [&](u64* at) {
        const Time before = now;
        pause(at);
        if (!lock_functions_.empty()) now = before;
    };
    for (u64* at = chunk.end; at != end;) {
        u64* from = at;
        // Most records are quiet.
        while (at != end && !careful && lock_functions_.empty()) {
            auto& record = *reinterpret_cast<Record*>(at);
            if (record.time != 0) pause(at);
            fetch_ahead(ahead, std::min<const u64*>(at + kAhead, end), [](u64 a) { lines().prefetch(a); });
            fetch_ahead(record_ahead, std::min<const u64*>(at + kRecordAhead, end),
                        [](u64 a) { lines().prefetch_record(a); });
            fetch_ahead(order_ahead, std::min<const u64*>(at + kOrderAhead, end),
                        [](u64 a) { lines().prefetch_order(a, View::Observed); });
            look.set_time(now);
            const log::QuickShape& quick = log::quick_shape(record.shape);
            if (quick.is_plain) [[likely]] {
                const log::QuickExit& executed = quick.executed(at);
                if (!look.is_quiet(at, quick.begin(), executed.spans)) break;
                record.time = now;
                sum.loads += executed.loads;
                sum.stores += executed.stores;
                instructions += executed.instructions;
                now += executed.instructions;
            } else {
                const Shape& shape = log::shape(record.shape);
                if (shape.may_wait() || shape.updates || shape.event != log::LockEvent::None ||
                    !look.is_quiet(record, shape))
                    break;
                const u32 executed = record.executed(shape);
                record.time = now;
                count(record, shape, sum);
                instructions += executed;
                now += executed;
            }
            last = &record;
            u64* const next = at + log::record_words(record.shape);
            if (look.met_shared()) [[unlikely]] {
                keep_run(from, at, record.time);
                from = next;
            }
            at = next;
            if (look.met_calm()) [[unlikely]]
                look.note(record, log::shape(record.shape));
        }
        keep_run(from, at, now);
        if (at == end) break;
        auto& record = *reinterpret_cast<Record*>(at);
        while (leaves_call(record.path)) {
            tell_clock();
            if (tell_wait(now)) see_clock();
            // The end of the function's code is part of its fixed time, whichever way it took.
            const Time before = now;
            now = leave_call(now);
            const Time tail = now - before < record.time ? now - before : record.time;
            record.time -= tail;
            instructions += tail;
        }
        pause_in_call(at);
        if (is_in_take()) count_updates(record);
        const bool in_call = !lock_functions_.empty(), updates_lock = in_call && keep_update(record);
        if (updates_lock) {
            now += kToUpdate;
            tell_clock();
            act_in_call(now);
        }
        if (in_call && !updates_lock && !is_in_wait()) {
            const Shape& shape = log::shape(record.shape);
            record.time = now;
            count(record, shape, sum);
            instructions += record.executed(shape);
            if (shape.event != log::LockEvent::None) lock_call(record, shape.event, now);
            record.shape = empty_shape(record.shape);
            last = &record;
            at += log::record_words(record.shape);
            continue;
        }
        const Shape& shape = log::shape(record.shape);
        if (careful && clock.is_on_probation(t) && leaves_for_good(t, at, end)) {
            tell_clock();
            clock.end_probation(t);
            see_clock();
        }
        record.time = now;
        last = &record;
        reading_ = at;
        bool shared = false;
        finds_held_ = 0;
        if (shape.updates && !updates_lock) {
            tell_clock();
            note_updates(record, shape, now);
        }
        const bool is_quiet = first_look(t, sequence_, record, shape, shared);
        look.met_shared();
        if (shape.updates) always_follow_updated(record, shape);
        if (shared) {
            tell_clock();
            observe(record, shape, bit);
            // The end of its wait may have raised the thread.
            see_clock();
            if (record.time != now) {
                record.time = now;
                touch_again(t, record, shape);
            }
        }
        u32 executed = record.executed(shape);
        if (shape.event != log::LockEvent::None) lock_call(record, shape.event, now);
        // A thread that waits may loop, or sleep and come back.
        const bool waits = (in_call && !updates_lock) || finds_held_ != 0;
        if (finds_held_ != 0) found_held = &record;
        count(record, shape, sum);
        instructions += executed;
        now += executed;
        u64* const next = at + log::record_words(record.shape);
        if (waits) {
            record.shape = empty_shape(record.shape);
            now -= executed;
        }
        if (is_quiet) keep_run(at, next, now);
        at = next;
        // Records from here on are not affected.
        if (lost_until_ == sequence_) [[unlikely]] {
            note_end(now);
            begin_reading();
            look = QuickLook(t, sequence_, bit, lines_passed_);
        }
        if (shape.may_wait() || careful) [[unlikely]] {
            tell_clock();
            worked_ |= look.stored();
            const bool polls = (shape.yields || is_repeated(spun, record)) && !is_in_acquire();
            if (polls) poll(at, Poll::Hint);
            spun = shape.may_spin ? &record : nullptr;
            // The next record may be compared with this one.
            u64* const done = spun != nullptr ? from_record(record) : at;
            if (polls && since_poll != nullptr && clock.polls_again(t)) make_empty(since_poll, done);
            see_clock();
            careful = clock.is_spinning(t);
            if (polls || !careful) since_poll = careful ? done : nullptr;
        }
    }
    pause_in_call(end);
    if (last != nullptr) stuck_at_ = last == found_held ? finds_held_ : 0;
    worked_ |= look.stored();
    tell_clock();
    see_clock();
    count_tokens();
    ended_at_ = now;
    recording->progress.note_read(t.slot, now);
    reading_ = nullptr;
    if (now > recording->latest) recording->latest = now;
    chunk.end = end;
    note_end(now);
    sum.passed = log::take_passed();
    recording->options.observer.read(t, sum, instructions);
}

}  // namespace memspy::order
