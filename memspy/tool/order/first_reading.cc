// SPDX-License-Identifier: GPL-2.0-or-later
//
// First reading of a log: records get their times, lines learn which threads touch them, and accesses to
// shared lines go to the observed order and to the clocks. Runs of quiet records are noted, so that the
// second reading can pass them at once.
//
// The steps, for each stretch of records:
//   pass_quiet     most records teach nothing: they get their times, and that is all
//   leave_calls    the record shows that functions on locks have been left
//   stay_in_call   of what a function on locks executes, nothing is left but the update that takes or gives the lock
//   look_at        lines, words and the observed order learn of the accesses
//   take_time      the record is counted and takes its time; in a wait it takes none
//   perhaps_poll   a record that waits, or that a spinning thread executes, may be a poll
#include <algorithm>

#include "order/emptied_records.h"
#include "order/quick_look.h"
#include "order/rules.h"

namespace memspy::order {
namespace {

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
        if (recording->own_locks.is_followed(a)) watch(a, rules::kUpdated);
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

// Whether the log up to `end` already shows that t has ended its spinning, and that it was not for a lock: a
// lock is taken by an atomic update before it is given back.
bool leaves_for_good(Thread t, const u64* at, const u64* end) {
    const Clocks& clock = recording->clocks;
    for (u64 instructions = 0; instructions <= rules::kProbation;) {
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

// How often the record looks at its first word: VEX unrolls short loops.
u32 looks_in(const Shape& shape) {
    u32 looks = 0;
    for (const AccessUse& use : shape.uses) looks += use.instruction == shape.uses[0].instruction ? 1 : 0;
    return std::max(looks, 1u);
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

}  // namespace

class FirstReading {
public:
    // `now`: the thread's clock. The strand is prepared for the reading. [end, all_end): polls of a wait in
    // which the log ends.
    FirstReading(Strand& strand, Time now, u64* end, u64* all_end)
        : strand_(strand),
          t_(strand.thread_),
          clock_(recording->clocks),
          bit_(order::quiet_bit(t_)),
          look_(t_, strand.sequence_, bit_, strand.lines_passed_),
          at_(strand.newest_->end),
          end_(end),
          all_end_(all_end),
          now_(now),
          reported_(now),
          careful_(clock_.is_spinning(t_)),
          since_poll_(careful_ ? at_ : nullptr),
          since_look_(strand.is_stuck() ? at_ : nullptr),
          looked_(now) {}

    void run() {
        for (;;) {
            pass_quiet();
            if (at_ == end_) break;
            auto& record = *reinterpret_cast<Record*>(at_);
            leave_calls(record);
            pause_in_call(at_);
            if (stay_in_call(record)) continue;
            const Shape& shape = log::shape(record.shape);
            const bool is_quiet = look_at(record, shape);
            take_time(record, shape, is_quiet);
            if (shape.may_wait() || careful_) [[unlikely]]
                perhaps_poll(record, shape);
        }
        finish();
    }

private:
    void tell_clock() {
        clock_.advance(t_, now_ - reported_);
        reported_ = now_;
    }
    // Takes over the clock's time. Call when the clock knows everything up to the present.
    void see_clock() {
        reported_ = clock_.now(t_);
        if (last_ != nullptr) strand_.last_place_ = place_of(*last_);
        strand_.went_on(now_, reported_);
        now_ = reported_;
    }
    void execute(u64 instructions) {
        instructions_ += instructions;
        now_ += instructions;
    }
    // Of the pause in a call on a lock only the instructions count.
    void pause_in_call(u64* at) {
        const u64 passed = take_pause(at);
        instructions_ += passed;
        if (strand_.lock_functions_.empty()) now_ += passed;
    }

    void fetch_lines(const u64* at) {
        fetch_ahead(ahead_, std::min<const u64*>(at + kAhead, end_), [](u64 a) { lines().prefetch(a); });
        fetch_ahead(record_ahead_, std::min<const u64*>(at + kRecordAhead, end_),
                    [](u64 a) { lines().prefetch_record(a); });
        fetch_ahead(order_ahead_, std::min<const u64*>(at + kOrderAhead, end_),
                    [](u64 a) { lines().prefetch_order(a, View::Observed); });
    }
    void pass_quiet();
    void leave_calls(Record& record);
    bool stay_in_call(Record& record);
    bool look_at(Record& record, const Shape& shape);
    void take_time(Record& record, const Shape& shape, bool is_quiet);
    void looks_in_vain(Record& record);
    void forget_look();
    void take_back_looks(u64* end);
    void perhaps_poll(Record& record, const Shape& shape);
    void finish();

    Strand& strand_;
    const Thread t_;
    Clocks& clock_;
    const u64 bit_;  // of the thread in quiet lines
    QuickLook look_;
    u64* at_;
    u64* const end_;
    u64* const all_end_;
    const u64 *ahead_ = at_, *record_ahead_ = at_, *order_ahead_ = at_;
    Time now_;
    Time reported_;  // the clocks know everything up to here
    u64 instructions_ = 0;
    AccessCounts sum_;
    u64 polled_at_ = 0;             // in instructions_
    bool careful_;                  // the thread spins
    u64* since_poll_;               // then: what it has executed since it polled
    const Record* spun_ = nullptr;  // the last record that may belong to a spinning thread
    const Record* last_ = nullptr;  // the last record read
    // What it has executed since it found a lock of the program's own held; the clock and instructions_ then.
    u64* since_look_;
    Time looked_ = 0;
    u64 looked_at_ = 0;
    bool in_call_ = false, updates_lock_ = false;  // of the present record
};

// Passes the records that teach nothing, up to the first one that may.
void FirstReading::pass_quiet() {
    if (careful_ || since_look_ != nullptr || !strand_.lock_functions_.empty()) return;
    u64 *at = at_, *from = at;
    Time now = now_;
    u64 loads = 0, stores = 0;
    while (at != end_) {
        auto& record = *reinterpret_cast<Record*>(at);
        if (record.time != 0) now += take_pause(at);
        fetch_lines(at);
        look_.set_time(now);
        u32 executed = 0;
        const log::QuickShape& quick = log::quick_shape(record.shape);
        if (quick.is_plain) [[likely]] {
            const log::QuickExit& exit = quick.executed(at);
            if (!look_.is_quiet(at, quick.begin(), exit.spans)) break;
            loads += exit.loads;
            stores += exit.stores;
            executed = exit.instructions;
        } else {
            const Shape& shape = log::shape(record.shape);
            if (shape.may_wait() || shape.updates || shape.event != log::LockEvent::None ||
                !look_.is_quiet(record, shape))
                break;
            count(record, shape, sum_);
            executed = record.executed(shape);
        }
        record.time = now;
        now += executed;
        last_ = &record;
        u64* const next = at + log::record_words(record.shape);
        if (look_.met_shared()) [[unlikely]] {
            strand_.keep_run(from, at, record.time);
            from = next;
        }
        at = next;
        if (look_.met_calm()) [[unlikely]]
            look_.note(record, log::shape(record.shape));
    }
    sum_.loads += loads;
    sum_.stores += stores;
    execute(now - now_);
    strand_.keep_run(from, at, now);
    at_ = at;
}

void FirstReading::leave_calls(Record& record) {
    while (strand_.leaves_call(record.path)) {
        tell_clock();
        if (strand_.tell_wait(now_)) see_clock();
        // The end of the function's code is part of its fixed time, whichever way it took.
        const Time before = now_;
        now_ = strand_.leave_call(now_);
        const Time tail = std::min(now_ - before, record.time);
        record.time -= tail;
        instructions_ += tail;
    }
    strand_.tell_held();
}

// Returns true if nothing is left of the record.
bool FirstReading::stay_in_call(Record& record) {
    if (strand_.is_in_take()) strand_.count_updates(record);
    in_call_ = !strand_.lock_functions_.empty();
    updates_lock_ = in_call_ && strand_.keep_update(record);
    if (updates_lock_) {
        now_ += rules::kInCall;
        tell_clock();
        strand_.act_in_call(now_);
    }
    if (!in_call_ || updates_lock_ || strand_.is_in_wait()) return false;
    const Shape& shape = log::shape(record.shape);
    record.time = now_;
    count(record, shape, sum_);
    instructions_ += record.executed(shape);
    if (shape.event != log::LockEvent::None) strand_.lock_call(record, shape.event, now_);
    record.shape = empty_shape(record.shape);
    forget_look();
    last_ = &record;
    at_ += log::record_words(record.shape);
    return true;
}

// Returns true if the record is quiet.
bool FirstReading::look_at(Record& record, const Shape& shape) {
    if (careful_ && clock_.is_on_probation(t_) && leaves_for_good(t_, at_, end_)) {
        tell_clock();
        clock_.end_probation(t_);
        see_clock();
    }
    record.time = now_;
    last_ = &record;
    strand_.reading_ = at_;
    strand_.finds_held_ = 0;
    if (shape.updates && !updates_lock_) {
        tell_clock();
        strand_.note_updates(record, shape, now_);
    }
    bool shared = false;
    const bool is_quiet = first_look(t_, strand_.sequence_, record, shape, shared);
    look_.met_shared();
    if (shape.updates) always_follow_updated(record, shape);
    if (!shared) return is_quiet;
    tell_clock();
    strand_.observe(record, shape, bit_);
    // The end of its wait may have raised the thread.
    see_clock();
    if (record.time != now_) {
        record.time = now_;
        touch_again(t_, record, shape);
    }
    return is_quiet;
}

void FirstReading::take_time(Record& record, const Shape& shape, bool is_quiet) {
    const u32 executed = record.executed(shape);
    if (shape.event != log::LockEvent::None) strand_.lock_call(record, shape.event, now_);
    // A thread that waits may loop, or sleep and come back.
    const bool finds_held = strand_.finds_held_ != 0, waits = (in_call_ && !updates_lock_) || finds_held;
    if (finds_held) looks_in_vain(record);
    count(record, shape, sum_);
    instructions_ += executed;
    if (waits)
        record.shape = empty_shape(record.shape);
    else
        now_ += executed;
    u64* const next = at_ + log::record_words(record.shape);
    strand_.worked_ |= look_.stored();
    if (finds_held) {
        since_look_ = next;
        looked_at_ = instructions_;
    } else if (since_look_ != nullptr && (!strand_.is_stuck() || strand_.worked_ || shape.updates ||
                                          instructions_ - looked_at_ > rules::kSpin)) {
        forget_look();
    }
    if (is_quiet) strand_.keep_run(at_, next, now_);
    at_ = next;
    strand_.tell_held();
    // Records from here on are not affected.
    if (strand_.lost_until_ == strand_.sequence_) [[unlikely]] {
        strand_.note_end(now_);
        strand_.begin_reading();
        look_ = QuickLook(t_, strand_.sequence_, bit_, strand_.lines_passed_);
    }
}

// The record finds a lock of the program's own held. Since it found that before, the thread has only waited: in
// code that is not optimised a look takes several records.
void FirstReading::looks_in_vain(Record& record) {
    if (since_look_ != nullptr && strand_.stuck_at_ == strand_.finds_held_) take_back_looks(at_);
    record.time = now_;
    looked_ = now_;
    strand_.stuck_at_ = strand_.finds_held_;
    strand_.worked_ = false;
}

void FirstReading::forget_look() {
    since_look_ = nullptr;
    strand_.stuck_at_ = 0;
}

void FirstReading::take_back_looks(u64* end) {
    tell_clock();
    make_empty(since_look_, end, looked_);
    clock_.step_back(t_, looked_);
    see_clock();
}

void FirstReading::perhaps_poll(Record& record, const Shape& shape) {
    tell_clock();
    // Who finds a lock held waits for the lock, and not for its word.
    const bool polls = (record.yields(shape) || is_repeated(spun_, record)) && !strand_.is_in_acquire() &&
                       !strand_.is_stuck();
    if (polls) strand_.poll(at_, Poll::Hint);
    spun_ = shape.may_spin ? &record : nullptr;
    // The next record may be compared with this one.
    u64* const done = spun_ != nullptr ? reinterpret_cast<u64*>(&record) : at_;
    if (polls && since_poll_ != nullptr && clock_.polls_again(t_)) make_empty(since_poll_, done);
    see_clock();
    if (polls && since_poll_ != nullptr && instructions_ > polled_at_)
        strand_.trip_ = static_cast<u32>(instructions_ - polled_at_) / looks_in(shape);
    if (polls) polled_at_ = instructions_;
    strand_.tell_polls(now_);
    careful_ = clock_.is_spinning(t_);
    if (polls || !careful_) since_poll_ = careful_ ? done : nullptr;
}

void FirstReading::finish() {
    const bool spins = !strand_.spun_words_.empty();
    if (!spins || end_ != all_end_) pause_in_call(end_);
    strand_.worked_ |= look_.stored();
    tell_clock();
    if (since_look_ != nullptr) take_back_looks(end_);
    if (spins) strand_.spin_from(end_, all_end_, now_);
    see_clock();
    strand_.tell_polls(now_);
    strand_.count_tokens();
    strand_.ended_at_ = now_;
    recording->progress.note_read(t_.slot, now_);
    strand_.reading_ = nullptr;
    recording->latest = std::max(recording->latest, now_);
    strand_.newest_->end = all_end_;
    strand_.note_end(now_);
    sum_.passed = log::take_passed();
    recording->options.observer.read(t_, sum_, instructions_);
}

void Strand::read(u64* all_end) {
    u64* const end = begin_of_spin(all_end);
    begin_reading();
    ++recording->readings;
    constexpr u64 kPartOfWords = 4;
    recording->look_back += static_cast<u64>(all_end - newest_->end) / kPartOfWords;
    note_renewed(thread_, lines_passed_);
    recording->held = lock_set_;
    // It may have slept in the call since it was seen there.
    if (knows_lives())
        for (const HeldLock& held : held_) recording->observed.acquire(thread_.slot, held.lock);
    if (next_record() == kNever) recording->progress.set(thread_.slot, ended_at_);
    recording->progress.set_left(thread_.slot, Progress::kAnyLine);
    reads_[next_read_++ % kReads] = newest_->end;
    const Time now = recording->clocks.now(thread_);
    went_on(ended_at_, now);
    tell_polls(now);
    FirstReading(*this, now, end, all_end).run();
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

}  // namespace memspy::order
