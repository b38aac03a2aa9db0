// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words that threads wait for: the words that a thread loaded before it yielded or went to sleep, and the
// stores to a word before it was known that a thread waits for it. Both are found in the part of the log that
// is still there.
#include "order/polls.h"

#include <algorithm>
#include <utility>

#include "order/emptied_records.h"
#include "order/line_life.h"
#include "order/passing.h"
#include "order/rules.h"
#include "threads/call_tree.h"

namespace memspy::order {

// A small set of words.
struct WordSet {
    static constexpr u32 kMost = rules::kMostLooked;
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
    void remove(Address word) {
        u32 kept = 0;
        for (u32 i = 0; i < count; ++i)
            if (words[i] != word) words[kept++] = words[i];
        count = kept;
    }
    void watch_all() const {
        for (u32 i = 0; i < count; ++i) watch(words[i], rules::kPerhapsWaited);
    }
};

namespace {

// The number of chunks that may be searched for stores to words that turn out to be waited for: less than a
// second's work.
u32 scans_left = 16384;

// A jump, call or return through a word in memory. The dynamic linker writes such words when functions are
// called for the first time, and no thread waits for that.
bool is_jump(const AccessUse& use, const Shape& shape) {
    return use.bytes == sizeof(Address) && use.ordinal + 1u == shape.instructions;
}

// The accesses of a thread before its wait, found by going back in time.
struct PollHistory {
    WordSet loaded;  // plainly, without a store to it since
    WordSet own;     // the same, but the thread itself stored the value, and no other thread uses the line
    WordSet stored;
};

void add_words(PollHistory& past, Thread t, const Record& record, const Shape& shape) {
    for (usize i = shape.uses.size(); i-- > 0;) {
        const AccessUse& use = shape.uses[i];
        if (!happened(record, use) || use.bytes > 8) continue;
        const Address word = record.address(use.word, use.offset) & ~Address{3};
        const bool changes = record.changes(use);
        if (changes) {
            past.stored.add(word);
            // What is updated atomically is meant for other threads, too.
            if (!use.atomic && past.loaded.has(word) &&
                lines()[lines().line_of(word)].is_owned_by(t.serial)) {
                past.loaded.remove(word);
                past.own.add(word);
            }
        } else if ((!use.atomic || use.stores) && !use.vector && !is_jump(use, shape) &&
                   !past.stored.has(word)) {
            past.loaded.add(word);
        }
    }
}

// The latest few of the records added.
class Latest {
public:
    void put(const Record& record) { records_[count_++ % kMost] = &record; }
    // The latest first.
    void add_to(PollHistory& past, Thread t) const {
        for (u32 back = 1; back <= kMost && back <= count_; ++back) {
            const Record& record = *records_[(count_ - back) % kMost];
            add_words(past, t, record, log::shape(record.shape));
        }
    }

private:
    static constexpr u32 kMost = 24;
    const Record* records_[kMost] = {};
    u32 count_ = 0;
};

// Reports the last stores to the word among the accesses still to be merged, those of the thread that stored last.
// Merged accesses were before everything that happens from now on.
void tell_last_stores(Address word) {
    const LineState* known = lines().find(lines().line_of(word));
    if (known == nullptr || known->is_untouched()) return;
    if ((known->is_shared() || known->is_resting()) &&
        !lines().of(*known).turns.any_stores(merged_at(lines().of(*known))))
        return;
    const bool has_owner = known->is_owned() && !known->has(LineState::kFromFirst);
    u32 writer = 0;
    rt::Vector<Time> run, theirs;
    for (const Strand* strand : recording->strands) {
        if (has_owner && !known->is_calm() && !known->is_owned_by(strand->thread().serial)) continue;
        const Time last = run.empty() ? 0 : run.back();
        theirs.resize(0);
        strand->for_each_unmerged(scans_left, [&](const Record& record, const Shape& shape) {
            if (!may_store_to(record, shape, word)) return;
            for (const AccessUse& use : shape.uses) {
                if (!use.stores || !happened(record, use)) continue;
                const Address a = record.address(use.word, use.offset);
                if (a >= word + 4 || word >= a + use.bytes) continue;
                if (const Time time = record.time + use.ordinal; time > last) theirs.push_back(time);
            }
        });
        if (theirs.empty()) continue;
        std::swap(run, theirs);
        writer = strand->thread().serial;
    }
    if (!run.empty()) recording->clocks.stored(word, writer, run);
}

}  // namespace

// Calls f(record, instruction) for the last records up to `end`, which is in newest_. `instruction` is the
// record's first one that accesses memory. Records can only be read forwards, so it begins a few polls ago,
// and before a mere hint no earlier than some readings ago.
template <typename F>
void Strand::for_each_recent(const u64* end, Poll how, F f) const {
    auto with_instruction = [&](const Record& record, const Shape& shape) {
        if (!shape.uses.empty()) f(record, shape.uses[0].instruction);
    };
    const u64* const read_from = reads_[next_read_ % kReads];
    const u64* const poll_from = polls_[next_poll_ % kPolls];
    const u64* const from = how == Poll::Hint && read_from > poll_from ? read_from : poll_from;
    if (from == newest_->begin && oldest_ != newest_) {
        const Chunk* before = oldest_;
        while (before->next != newest_) before = before->next;
        for_each_record(before == oldest_ ? at_ : before->begin, before->end, with_instruction);
    }
    for_each_record(from, end, with_instruction);
}

// The words that the last records loaded. Before a system call the first of them are those of the functions
// that the thread is in, because much may happen between the load and the call (the linker looks up the
// function that yields or waits). Loads by the library that goes to sleep do not count.
void Strand::poll(const u64* end, Poll how) {
    end_passing();
    threads::CallPath callers[rules::kCallers] = {};
    Address sleeper = 0;  // an instruction of the library that goes to sleep
    if (how != Poll::Hint) {
        const Record* last = nullptr;
        for_each_recent(end, how, [&](const Record& record, Address instruction) {
            last = &record;
            if (how == Poll::Sleep) sleeper = instruction;
        });
        if (last != nullptr) callers[0] = threads::parent_of(last->path);
        for (u32 i = 1; i < rules::kCallers; ++i) callers[i] = threads::parent_of(callers[i - 1]);
    }
    const Time now = recording->clocks.now(thread_);
    const Time since = recording->options.sampled && now > rules::kRecent ? now - rules::kRecent : 0;
    Latest all, of_callers;
    for_each_recent(end, how, [&](const Record& record, Address instruction) {
        if (record.time < since) return;
        if (sleeper != 0 && instruction + rules::kOneLibrary - sleeper < 2 * rules::kOneLibrary) return;
        all.put(record);
        bool calls = false;
        for (threads::CallPath each : callers) calls |= record.path == each;
        if (calls) of_callers.put(record);
    });
    PollHistory past;
    if (how != Poll::Hint) of_callers.add_to(past, thread_);
    all.add_to(past, thread_);
    const u32 room = how == Poll::Hint ? rules::kMostPolled : rules::kMostLooked;
    if (past.loaded.count > room) past.loaded.count = room;
    if (!recording->options.sampled) {
        follow_next(how);
    } else if (!waits_for_known(past.loaded) && watched_for_++ < rules::kMostWatchedFor) {
        follow_next(how);
        past.stored.watch_all();
        past.own.watch_all();
        past.loaded.watch_all();
    }
    // Unoptimised code keeps everything on the stack; a thread does not spin for words there.
    recording->clocks.look_at(past.own.words, past.own.count);
    recording->clocks.poll(thread_, past.loaded.words, past.loaded.count, worked_);
    worked_ = false;
    if (polls_[(next_poll_ - 1) % kPolls] != end) polls_[next_poll_++ % kPolls] = end;
    watch_new_words();
}

// What it loads before its next poll must be in the log. A thread sleeps for many reasons, but those that
// sleep between looks at a word do so from the beginning on.
void Strand::follow_next(Poll how) {
    if (how != Poll::Sleep || sleeps_followed_++ < rules::kSleeps) followed_ = rules::kFollowed;
}

void Strand::found_spinning(const Address* words, u32 count, const rt::Vector<Address>& instructions,
                            u32 looks) {
    spun_words_.resize(0);
    spun_code_.resize(0);
    for (u32 i = 0; i < count; ++i) spun_words_.push_back(words[i]);
    for (const Address instruction : instructions) spun_code_.push_back(instruction);
    std::sort(spun_code_.begin(), spun_code_.end());
    recording->clocks.learn_trip(instructions.size());
    trip_ = static_cast<u32>(instructions.size() / looks);
}

bool Strand::is_of_spin(const Shape& shape) const {
    for (const AccessUse& use : shape.uses)
        if (!std::binary_search(spun_code_.begin(), spun_code_.end(), use.instruction)) return false;
    return true;
}

// Behind the first look of the loop that the log, up to `end`, is known to end in: the first of the last
// records that have nothing but the loop's accesses. `end` if they were passed.
u64* Strand::begin_of_spin(u64* end) {
    if (spun_words_.empty()) return end;
    u64* begin = end;
    bool inside = false, from_start = true;
    for (u64* at = newest_->end; at != end;) {
        const u32 number = reinterpret_cast<const Record*>(at)->shape;
        const bool was_inside = inside;
        const Shape& shape = log::shape(number);
        inside = is_of_spin(shape) && (was_inside || !shape.uses.empty());
        from_start = from_start && inside;
        at += log::record_words(number);
        if (!inside) begin = end;
        if (inside && !was_inside) begin = at;
    }
    if (from_start) take_back_polls();
    return begin;
}

// The same for what was read before, as far as it is not merged.
void Strand::take_back_polls() {
    rt::Vector<u64*> polls;
    for (Chunk* chunk = oldest_; chunk != nullptr; chunk = chunk->next)
        for (u64* at = chunk == oldest_ ? at_ : chunk->begin; at != chunk->end;) {
            const u32 number = reinterpret_cast<const Record*>(at)->shape;
            const Shape& shape = log::shape(number);
            if (!is_of_spin(shape) || (in_record_ && at == at_))
                polls.resize(0);
            else if (!polls.empty() || !shape.uses.empty())
                polls.push_back(at);
            at += log::record_words(number);
        }
    if (polls.size() < 2) return;
    const auto& first = *reinterpret_cast<const Record*>(polls[0]);
    const Time since = first.time + first.executed(log::shape(first.shape));
    for (usize i = 1; i < polls.size(); ++i) {
        make_empty(polls[i], polls[i] + log::record_words(reinterpret_cast<const Record*>(polls[i])->shape),
                   since);
    }
    recording->clocks.step_back(thread_, since);
}

// From there on the thread has only looked at the words, and that has taken no time.
void Strand::spin_from(u64* at, u64* end, Time now) {
    make_empty(at, end, now);
    end_passing();
    follow_next(Poll::Hint);
    // The second poll tells that the first one was no chance.
    for (int i = 0; i < 2; ++i)
        recording->clocks.poll(thread_, spun_words_.begin(), static_cast<u32>(spun_words_.size()));
    spun_words_.resize(0);
    worked_ = false;
    watch_new_words();
}

// The replay learns which words the thread waits for, and when that is over.
void Strand::tell_polls(Time now) {
    const bool polls = recording->options.counts && recording->clocks.polls_again(thread_);
    if (polls == polls_told_) return;
    polls_told_ = polls;
    Step step;
    step.kind = polls ? Step::StepKind::Poll : Step::StepKind::PollEnd;
    step.time = now;
    if (!polls) return push(step);
    step.when = trip_;
    step.place = last_place_;
    recording->clocks.for_each_polled(thread_, [&](Address word) {
        step.lock = word;
        push(step);
    });
}

void Strand::end_passing() {
    waited_ = true;
    order::end_passing(thread_, recording->clocks.now(thread_), lines_passed_);
}

// Of a sampled log all accesses to words that threads are known to wait for are there.
bool Strand::waits_for_known(const WordSet& loaded) {
    constexpr Address kGranule = 16;
    for (u32 i = 0; i < loaded.count; ++i)
        if (recording->clocks.words().any_carries_time(loaded.words[i] & ~(kGranule - 1), kGranule))
            return true;
    return false;
}

bool Strand::follows() {
    if (followed_ == 0) return false;
    --followed_;
    return true;
}

u64 Strand::quiet_bit() {
    if (waited_ && is_bound_large()) begin_age(thread_, ended_at_);
    waited_ = false;
    return follows() ? log::QuietLines::kNobody : order::quiet_bit(thread_);
}

void Strand::yields() {
    const Clocks& clock = recording->clocks;
    const bool spins = clock.is_spinning(thread_);
    poll(log_end(), clock.is_asleep(thread_) ? Poll::Sleep : Poll::Yield);
    if (spins && clock.polls_again(thread_))
        make_empty(const_cast<u64*>(reads_[(next_read_ - 1) % kReads]), log_end());
}

bool Strand::is_stuck() const {
    return stuck_at_ != 0 && recording->own_locks.is_held(thread_.serial, stuck_at_);
}

bool Strand::can_go_on() const {
    return is_here() && recording->clocks.time_to_run(thread_) != kNever && !is_stuck();
}

void watch_new_words() {
    for (Address a; recording->clocks.words().take_new(&a);) {
        tell_last_stores(a);
        const u64 line = lines().line_of(a);
        merged_line(lines()[line], line, {}, recording->merged_until).syncs = true;
        watch(a, log::WatchedLines::kForGood);
    }
}

}  // namespace memspy::order
