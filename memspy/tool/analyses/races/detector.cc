// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/detector.h"

#include <bit>
#include <new>

#include "analyses/races/openmp.h"
#include "analyses/races/racing_thread.h"
#include "analyses/races/roles.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"

namespace memspy::races {
namespace {

using log::AccessUse;
using log::LockEvent;
using log::Record;
using log::Shape;
using order::ObservedOrder;

// Words that are no memory of the program's: what stands for an end of a thread, for messages, for a lock's
// number.
constexpr Address kNoMemory = Address{1} << 60;
constexpr Address kMessages = kNoMemory | 8;
constexpr Address kRendezvouss = kNoMemory << 1, kEnds = kNoMemory << 2;

// Whether all accesses of a shape are plain ones to data.
enum class ShapeNature : u8 { Unknown, Plain, Special };

// The threads that meet at a barrier this time. Who comes when the first of them has left again meets others.
struct Rendezvous {
    Address word;    // stands for it; 0: nobody has come yet
    Address before;  // for the meeting before, which all have left when the first one leaves this one
};

// Nobody has waited for its end yet.
struct EndedThread {
    Thread thread;
    Address cleared;
};

struct DetectorState {
    DetectorHost host;
    ObservedOrder order;
    order::LockSets lock_sets;
    rt::Vector<RacingThread*> followers;  // by slot
    rt::Vector<ShapeNature> natures;      // by number of shape
    rt::HashMap<Rendezvous> meetings;     // by barrier
    u64 meetings_so_far;
    rt::Vector<EndedThread> ended;  // whose slots are held
    rt::HashMap<AccessHistory*> lines;
    // The line used last, by its number's lowest bits.
    static constexpr u32 kCached = 1 << 14;
    struct CachedLine {
        u64 line;
        AccessHistory* history;
    };
    CachedLine cached[kCached];
    u64 now;  // counts records: the time of the order
    u32 strands;
};
rt::Global<DetectorState> state;

ObservedOrder& order() { return state->order; }

u32 new_strand() { return state->strands++; }

RacingThread& follower(Thread t) {
    while (state->followers.size() <= t.slot) {
        auto* made = new (rt::allocate(sizeof(RacingThread), "memspy.races")) RacingThread;
        made->own_strand = made->strand = new_strand();
        state->followers.push_back(made);
    }
    return *state->followers[t.slot];
}

AccessHistory& history_of(u64 line) {
    DetectorState::CachedLine& cached = state->cached[line % DetectorState::kCached];
    if (cached.line == line && cached.history != nullptr) return *cached.history;
    AccessHistory*& known = state->lines[line];
    if (known == nullptr) known = new (rt::allocate(sizeof(AccessHistory), "memspy.races")) AccessHistory;
    cached = {line, known};
    return *known;
}

constexpr u64 mask_of(u32 first, u32 bytes) { return (~u64{0} >> (kLineBytes - bytes)) << first; }
// The bytes from `first` to `last` that the line has.
constexpr u64 bytes_in(u64 line, Address first, Address last) {
    const Address begin = line * kLineBytes;
    const u32 from = first > begin ? static_cast<u32>(first - begin) : 0;
    const u32 to = last < begin + kLineBytes ? static_cast<u32>(last - begin) : kLineBytes - 1;
    return mask_of(from, to - from + 1);
}
// The words of four bytes that bytes of a line are in.
constexpr u16 words_of(u64 bytes) {
    u64 any = bytes | bytes >> 1;
    any |= any >> 2;  // the lowest bit of each four tells
    u16 words = 0;
    for (u32 i = 0; i < 16; ++i) words = static_cast<u16>(words | ((any >> (i * 4) & 1) << i));
    return words;
}

bool is_near_stack(const RacingThread& f, Address a) {
    constexpr Address kNear = 256 * 1024;
    return f.stack_pointer != 0 && a - (f.stack_pointer - kNear) < 2 * kNear;
}

// Ends of threads

Address end_of(Thread t) { return kEnds | Address{t.serial} << 2; }

// The thread looks at a word that the kernel clears at a thread's end.
void learn_end(const RacingThread& f, Address word) {
    for (usize i = 0; i < state->ended.size(); ++i) {
        const EndedThread ended = state->ended[i];
        if (ended.cleared != word) continue;
        order().acquire(f.strand, end_of(ended.thread));
        order().forget(end_of(ended.thread), 4);
        state->host.release(ended.thread);
        state->ended[i] = state->ended.back();
        state->ended.pop_back();
        return;
    }
}

// What a function that waits for the end of a thread looks at.
void look_at_ends(const RacingThread& f, const Record& record, const Shape& shape) {
    for (const AccessUse& use : shape.uses)
        if (use.loads && record.reached(use.proof)) learn_end(f, record.address(use.word, use.offset));
}

// Signals

void release(const RacingThread& f, Address word) { order().release(f.strand, word, state->now); }
void acquire(const RacingThread& f, Address word) { order().acquire(f.strand, word); }

// The thread finds what others stored to these bytes before anybody knew that they are signals.
void find_stores(const RacingThread& f, const AccessHistory& history, u64 bytes) {
    const u32 slot = f.strand;
    history.for_each_store(bytes, [&](const KnownAccess& store) {
        if (store.slot != slot && !order().is_before(store.slot, store.part, slot))
            order().go_on_after_part(slot, store.slot, store.part, state->now);
    });
}

template <typename F>
void for_each_word(u64 line, u16 words, F f) {
    for (; words != 0; words = static_cast<u16>(words & (words - 1)))
        f(line * kLineBytes + static_cast<Address>(std::countr_zero(words)) * 4);
}

// An access to words that are signals.
void signal(const RacingThread& f, AccessHistory& history, u64 line, u64 bytes, const AccessUse& use) {
    const u16 words = words_of(bytes);
    if (use.loads) {
        find_stores(f, history, bytes);
        for_each_word(line, words, [&](Address word) { acquire(f, word); });
    }
    if (use.stores) for_each_word(line, words, [&](Address word) { release(f, word); });
}

// An atomic update. A sum whose result nobody uses orders nothing.
bool is_mere_sum(const AccessUse& use) {
    return use.update == log::UpdateKind::Add && use.sum == log::SumKind::Adds;
}

// Data

KnownAccess access_of(const RacingThread& f, const AccessUse& use, threads::CallPath path, u64 bytes,
                      bool stores) {
    return {.bytes = bytes,
            .place = {use.instruction, path},
            .slot = f.strand,
            .serial = f.thread.serial,
            .part = order().part(f.strand),
            .held = f.held,
            .stores = stores,
            .sums = use.sum != log::SumKind::None,
            .atomic = false,
            .by_thread = f.knows_its_number()};
}

// Tasks that one thread runs one after the other may share what is the thread's own.
bool is_of_thread(const KnownAccess& a, const KnownAccess& b, Address at) {
    if (a.serial != b.serial) return false;
    return (a.by_thread && b.by_thread) || state->host.is_thread_local(at);
}

bool is_checked(const KnownAccess& a, const KnownAccess& b) {
    return role_of(a.place.instruction) == CodeRole::Own || role_of(b.place.instruction) == CodeRole::Own;
}

// Whether what looks like a race is a signal by what is declared there. It counts as one from now on.
bool is_declared_signal(const KnownAccess& known, const KnownAccess& access, AccessHistory& history,
                        u64 line) {
    const u64 both = known.bytes & access.bytes;
    const Address at = line * kLineBytes + static_cast<Address>(std::countr_zero(both));
    if (state->host.declared == nullptr ||
        state->host.declared(at, access.place.instruction) != DetectorHost::Declared::Atomic)
        return false;
    history.add_signals(words_of(both));
    return true;
}

void check(const RacingThread& f, AccessHistory& history, u64 line, const KnownAccess& access) {
    const u32 slot = f.strand;
    history.add(
        access, [&](const KnownAccess& known) { return order().is_before(known.slot, known.part, slot); },
        [&](const KnownAccess& known) {
            if (!is_checked(known, access) || (known.atomic && access.atomic)) return;
            if ((known.atomic && !access.sums) || (access.atomic && !known.sums)) return;
            if (is_declared_signal(known, access, history, line)) {
                if (known.stores && !access.stores)
                    order().go_on_after_part(slot, known.slot, known.part, state->now);
                return;
            }
            const u64 both = known.bytes & access.bytes;
            const Address at = line * kLineBytes + static_cast<Address>(std::countr_zero(both));
            if (!is_of_thread(known, access, at))
                state->host.race({known, access, at, static_cast<u32>(std::popcount(both))});
        });
}

// An atomic sum whose result nobody uses: it orders nothing, and races with a sum that is not atomic. What
// else is stored or loaded there plainly may be an atomic access.
void count(const RacingThread& f, AccessHistory& history, u64 line, KnownAccess sum) {
    history.add_counters(words_of(sum.bytes));
    if (history.is_repeated(sum.slot, sum.part, sum.bytes, true)) return;
    sum.atomic = true;
    check(f, history, line, sum);
}

// The part of an access that concerns one line.
void access_line(RacingThread& f, u64 line, u64 bytes, const AccessUse& use, threads::CallPath path,
                 CodeRole role) {
    AccessHistory& history = history_of(line);
    const u32 slot = f.strand;
    const bool small = use.bytes <= 8;
    const bool known_signal = (history.signals() & words_of(bytes)) != 0;
    if (role == CodeRole::CLibrary && (use.atomic || known_signal) &&
        orders_nothing(role, {use.instruction, path}))
        return;
    if (use.atomic && use.stores) {
        if (is_mere_sum(use) && role != CodeRole::Threading && role != CodeRole::CLibrary) {
            if (!known_signal) count(f, history, line, access_of(f, use, path, bytes, true));
            return;
        }
        history.add_signals(words_of(bytes));
        signal(f, history, line, bytes, use);
        return;
    }
    if (role == CodeRole::Threading || (small && (known_signal || role == CodeRole::Atomic))) {
        if (role != CodeRole::Atomic || known_signal || use.loads || !is_near_stack(f, line * kLineBytes))
            signal(f, history, line, bytes, use);
        if (role != CodeRole::Atomic || known_signal) return;
        if (!is_near_stack(f, line * kLineBytes)) return history.add_signals(words_of(bytes));
    }
    if (known_signal)
        for (u32 i = 0; i < 16; ++i)
            if ((history.signals() >> i & 1) != 0) bytes &= ~(u64{15} << (i * 4));
    // A plain access to a word that is summed up atomically may be an atomic one, but if it makes a sum.
    if (history.counters() != 0 && use.sum == log::SumKind::None)
        for (u32 i = 0; i < 16; ++i)
            if ((history.counters() >> i & 1) != 0) bytes &= ~(u64{15} << (i * 4));
    if (bytes == 0) return;
    const u32 part = order().part(slot);
    if (use.loads && !history.is_repeated(slot, part, bytes, false))
        check(f, history, line, access_of(f, use, path, bytes, false));
    if (use.stores && !history.is_repeated(slot, part, bytes, true))
        check(f, history, line, access_of(f, use, path, bytes, true));
}

void access(RacingThread& f, const AccessUse& use, Address a, threads::CallPath path) {
    CodeRole role = role_of(use.instruction);
    if (role == CodeRole::OpenMp) {
        if (orders_nothing(role, {use.instruction, path})) return;
        role = CodeRole::Threading;
    }
    if (a < f.lowest && is_near_stack(f, a)) f.lowest = a;
    const Address last = a + use.bytes - 1;
    for (u64 line = a / kLineBytes; line <= last / kLineBytes; ++line)
        access_line(f, line, bytes_in(line, a, last), use, path, role);
}

// Polls

u64 hash_of(const Record& record) {
    u64 hash = u64{record.shape} << 32 ^ static_cast<u32>(record.path);
    const u32 words = log::record_words(record.shape) - log::kRecordHead;
    for (u32 i = 0; i < words; ++i) hash = (hash ^ record.words()[i]) * 0x9E3779B97F4A7C15u;
    return hash;
}

// It has stored to the bytes in this part of its run: a variable of its loop.
bool stores_itself(const RacingThread& f, const AccessHistory& history, u64 bytes) {
    bool found = false;
    history.for_each_store(bytes, [&](const KnownAccess& store) {
        found |= store.slot == f.strand && store.part == order().part(f.strand);
    });
    return found;
}

// The loads of a record are of words for which a thread may wait, and what it stores is neither a sum nor
// outside of its stack.
bool may_poll(const RacingThread& f, const Record& record, const Shape& shape) {
    constexpr usize kMostUses = 8;
    if (shape.uses.size() > kMostUses || shape.updates) return false;
    for (const AccessUse& use : shape.uses)
        if (use.sum != log::SumKind::None ||
            (use.stores && !is_near_stack(f, record.address(use.word, use.offset))))
            return false;
    return true;
}

// The words that the record loads tell the thread something.
void wait_for_words(const RacingThread& f, const Record& record, const Shape& shape) {
    for (const AccessUse& use : shape.uses) {
        const Address a = record.address(use.word, use.offset);
        if (use.stores || !record.reached(use.proof) || use.bytes > 8 || use.vector || is_near_stack(f, a))
            continue;
        const u32 first = a % kLineBytes;
        const u32 bytes = first + use.bytes > kLineBytes ? kLineBytes - first : use.bytes;
        AccessHistory& history = history_of(a / kLineBytes);
        if (stores_itself(f, history, mask_of(first, bytes))) continue;
        find_stores(f, history, mask_of(first, bytes));
        history.add_signals(words_of(mask_of(first, bytes)));
    }
}

// A thread that does the same again and again, and nothing else between, waits for one of the words that it
// loads. A loop that goes on has a sum, or other addresses.
void note_look(RacingThread& f, const Record& record, const Shape& shape) {
    constexpr u32 kPolls = 3;
    if (!may_poll(f, record, shape)) {
        ++f.news;
        return;
    }
    const u64 hash = hash_of(record);
    RacingThread::Look& look = f.looks[hash >> 32 & (RacingThread::kLooks - 1)];
    if (look.hash != hash) {
        look = {hash, ++f.news, 0};
        return;
    }
    look.times = f.news == look.news ? look.times + 1 : 0;
    look.news = f.news;
    if (look.times == kPolls) wait_for_words(f, record, shape);
}

// Calls on locks

void hold(RacingThread& f, Address lock, const Place& place) {
    for (LockHeld& held : f.locks)
        if (held.lock == lock) {
            ++held.depth;
            return;
        }
    if (state->host.takes != nullptr && f.held != LockSet::None)
        state->host.takes(f.thread.serial, lock, f.held, place);
    f.locks.push_back({lock, 1});
    f.held = state->lock_sets.with(f.held, lock);
}

// Where the function was called.
Place caller_of(threads::CallPath path) {
    Address behind = 0;
    if (threads::return_addresses(path, &behind, 1) == 0) return {};
    return {behind - 1, threads::parent_of(path)};
}

void let_go(RacingThread& f, Address lock) {
    for (LockHeld& held : f.locks) {
        if (held.lock != lock) continue;
        if (--held.depth != 0) return;
        held = f.locks.back();
        f.locks.pop_back();
        f.held = state->lock_sets.without(f.held, lock);
        return;
    }
}

Address meet(const RacingThread& f, Address barrier) {
    Rendezvous& now = state->meetings[barrier];
    if (now.word == 0) now.word = kRendezvouss | ++state->meetings_so_far * 4;
    release(f, now.word);
    return now.word;
}

void leave_meeting(const RacingThread& f, Address barrier, Address meeting) {
    Rendezvous& now = state->meetings[barrier];
    if (now.word == meeting) {
        if (now.before != 0) order().forget(now.before, 4);
        now = {0, meeting};
    }
    acquire(f, meeting);
}

// The word by which a lock is taken. Its release may have no name that is known.
void note_lock_word(const RacingThread& f, const Record& record, const Shape& shape) {
    constexpr Address kLockBytes = 8;
    const Address lock = f.calls.back().lock;
    for (const AccessUse& use : shape.uses) {
        if (!use.atomic || !record.reached(use.proof)) continue;
        const Address a = record.address(use.word, use.offset);
        if (a - lock < kLockBytes && use.bytes <= kLockBytes && a % kLineBytes + use.bytes <= kLineBytes)
            history_of(a / kLineBytes).add_signals(words_of(mask_of(a % kLineBytes, use.bytes)));
    }
}

void enter_call(RacingThread& f, const Record& record, LockEvent event) {
    if (f.is_in_run_time()) return;  // a lock of the run-time's own
    const Address lock = record.words()[0];
    for (const RacingThread::Call& in : f.calls)
        if (in.lock == lock && in.event != LockEvent::Join) return;  // functions on locks call each other
    switch (event) {
        case LockEvent::Release:
        case LockEvent::Wait: let_go(f, lock); [[fallthrough]];
        case LockEvent::Post: release(f, lock); break;
        default: break;
    }
    f.calls.push_back({record.path, event, lock, event == LockEvent::Meet ? meet(f, lock) : 0});
}

void leave_call(RacingThread& f) {
    const RacingThread::Call left = f.calls.back();
    f.calls.pop_back();
    switch (left.event) {
        case LockEvent::Acquire:
        case LockEvent::AcquireShared:
        case LockEvent::Wait:
            acquire(f, left.lock);
            hold(f, left.lock, caller_of(left.path));
            break;
        case LockEvent::Try:
        case LockEvent::TryShared:
        case LockEvent::Take:
        case LockEvent::TryTake: acquire(f, left.lock); break;
        case LockEvent::Meet: leave_meeting(f, left.lock, left.meeting); break;
        default: break;
    }
}

ShapeNature nature_of(const Shape& shape) {
    if (shape.event != LockEvent::None || shape.updates) return ShapeNature::Special;
    for (const AccessUse& use : shape.uses)
        if (const CodeRole role = role_of(use.instruction);
            use.atomic || role == CodeRole::Atomic || role == CodeRole::Threading || role == CodeRole::OpenMp)
            return ShapeNature::Special;
    for (const log::Span& span : shape.spans)
        if (span.bytes > kLineBytes) return ShapeNature::Special;
    return ShapeNature::Plain;
}

bool is_plain(u32 number, const Shape& shape) {
    const u32 at = number >> log::kLengthBits;
    if (state->natures.size() <= at) state->natures.resize(at + at / 4 + 64);
    ShapeNature& nature = state->natures[at];
    if (nature == ShapeNature::Unknown) [[unlikely]]
        nature = nature_of(shape);
    return nature == ShapeNature::Plain;
}

bool is_repeated(u64 line, u32 slot, u32 part, u64 loaded, u64 stored) {
    const DetectorState::CachedLine& cached = state->cached[line % DetectorState::kCached];
    return cached.line == line && cached.history != nullptr &&
           cached.history->is_repeated(slot, part, loaded, stored);
}

// Whether the thread has done all of that before in this part of its run, with nobody in between.
bool teaches_nothing(const RacingThread& f, const Record& record, const Shape& shape) {
    const u32 slot = f.strand, part = order().part(slot);
    for (const log::Span& span : shape.spans) {
        if (!record.reached(span.proof) || (span.word != log::kNoWord && record.words()[span.word] == 0))
            continue;
        const Address low = record.address(span.word, span.low);
        const u64 line = low / kLineBytes;
        const u32 shift = low % kLineBytes;
        if (!is_repeated(line, slot, part, span.read << shift, span.written << shift)) return false;
        if (shift + span.bytes > kLineBytes &&
            !is_repeated(line + 1, slot, part, span.read >> (kLineBytes - shift),
                         span.written >> (kLineBytes - shift)))
            return false;
    }
    return true;
}

void read_record(RacingThread& f, const Record& record, const Shape& shape) {
    while (!f.calls.empty() && !threads::is_below(record.path, f.calls.back().path)) leave_call(f);
    leave_omp(f, record.path);
    if (shape.event != LockEvent::None) return enter_call(f, record, shape.event);
    if (!f.calls.empty()) {
        if (shape.updates) note_lock_word(f, record, shape);
        if (!state->ended.empty() && f.calls.back().event == LockEvent::Join) look_at_ends(f, record, shape);
        return;
    }
    if (f.is_in_run_time()) return;
    note_look(f, record, shape);
    if (is_plain(record.shape, shape) && teaches_nothing(f, record, shape)) return;
    for (const AccessUse& use : shape.uses)
        if (record.reached(use.proof) && (use.word == log::kNoWord || record.words()[use.word] != 0))
            access(f, use, record.address(use.word, use.offset), record.path);
}

}  // namespace

void initialise_detector(const DetectorHost& host) {
    state->host = host;
    initialise_openmp({.order = &state->order,
                       .now = &state->now,
                       .new_strand = new_strand,
                       .read = host.read,
                       .calls_body = host.calls_body,
                       .forget = forget,
                       .meet = meet,
                       .leave_meeting = leave_meeting});
}

bool enter(Thread t, const OmpCall& call) {
    RacingThread& f = follower(t);
    ++state->now;
    return f.thread == t && enter_omp(f, call);
}
void got_block(Thread t, Address begin, usize bytes) { omp_block(follower(t), begin, bytes); }

order::LockSets& lock_sets() { return state->lock_sets; }

void begin(Thread parent, Thread t, Address cleared) {
    RacingThread& f = follower(t);
    const u32 strand = f.own_strand;
    f.~RacingThread();
    new (&f) RacingThread;
    f.strand = f.own_strand = strand;
    order().begin(strand);
    f.thread = t;
    f.cleared = cleared;
    if (!parent) return;
    f.parent = parent.serial;
    const u32 by = follower(parent).strand;
    order().go_on_after_part(strand, by, order().part(by), ++state->now);
}

void end(Thread t) {
    RacingThread& f = follower(t);
    while (!f.calls.empty()) leave_call(f);
    leave_all_omp(f);
    release(f, end_of(t));
    constexpr usize kMostHeld = 1000;  // threads that nobody waits for
    if (f.cleared == 0 || state->ended.size() == kMostHeld) return;
    state->host.hold(t);
    state->ended.push_back({t, f.cleared});
}

void read(Thread t, const u64* first, const u64* end) {
    RacingThread& f = follower(t);
    if (f.thread != t) return;
    if (state->host.stack_pointer != nullptr) f.stack_pointer = state->host.stack_pointer(t);
    while (first != end) {
        const auto& record = *reinterpret_cast<const Record*>(first);
        first += log::record_words(record.shape);
        ++state->now;
        read_record(f, record, log::shape(record.shape));
    }
}

void looked_at(Thread t, Address word) {
    if (!state->ended.empty()) learn_end(follower(t), word);
}
void send(Thread t) { release(follower(t), kMessages); }
void receive(Thread t) { acquire(follower(t), kMessages); }

void forget(Address begin, usize bytes) {
    if (bytes == 0) return;
    const Address last = begin + bytes - 1;
    const auto forget_in = [&](u64 line, AccessHistory& history) {
        const u64 gone = bytes_in(line, begin, last);
        history.forget(gone);
        history.forget_counters(words_of(gone));
        if (history.signals() == 0) return;
        history.forget_signals(words_of(gone));
        const u32 first = static_cast<u32>(std::countr_zero(gone));
        order().forget(line * kLineBytes + first, static_cast<usize>(std::popcount(gone)));
    };
    // A large range may hold few lines that are known.
    if (bytes / kLineBytes > state->lines.capacity()) {
        state->lines.for_each([&](u64 line, AccessHistory*& history) {
            if (line >= begin / kLineBytes && line <= last / kLineBytes) forget_in(line, *history);
        });
        return;
    }
    for (u64 line = begin / kLineBytes; line <= last / kLineBytes; ++line)
        if (AccessHistory** history = state->lines.find(line)) forget_in(line, **history);
}

void forget_others(Thread t) {
    state->lines.for_each([](u64, AccessHistory*& history) { history->forget(~u64{0}); });
    order().clear();
    state->ended.resize(0);
    RacingThread& f = follower(t);
    f.calls.resize(0);
    f.thread = t;
}

}  // namespace memspy::races
