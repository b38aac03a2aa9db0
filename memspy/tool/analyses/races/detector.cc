// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/detector.h"

#include <bit>
#include <new>

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

// Words that are no memory of the program's: what stands for an end of a thread, for messages, for a lock's number.
constexpr Address kNoMemory = Address{1} << 60;
constexpr Address kMessages = kNoMemory | 8;
constexpr Address kRendezvouss = kNoMemory << 1, kEnds = kNoMemory << 2;

struct LockHeld {
    Address lock;
    u32 depth;
};

// A thread, by slot.
struct RacingThread {
    Thread thread;
    // Functions on locks that it is in, outermost first.
    struct Call {
        threads::CallPath path;
        LockEvent event;
        Address lock;
        Address meeting;  // at a barrier
    };
    rt::Vector<Call> calls;
    rt::Vector<LockHeld> locks;
    LockSet held{};
    Address stack_pointer = 0;
    Address cleared = 0;  // by the kernel, at its end

    // The last records without stores, to know a loop that polls.
    struct Look {
        u64 hash;
        u64 stores;  // how many stores the thread had made then
        u32 times;
    };
    static constexpr u32 kLooks = 8;
    Look looks[kLooks] = {};
    u32 next_look = 0;
    u64 stores = 0;
};

// Whether all accesses of a shape are plain ones to data.
enum class ShapeNature : u8 { Unknown, Plain, Special };

// The threads that meet at a barrier this time. Who comes when the first of them has left again meets others.
struct Rendezvous {
    Address word;  // stands for it; 0: nobody has come yet
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
};
rt::Global<DetectorState> state;

ObservedOrder& order() { return state->order; }

RacingThread& follower(Thread t) {
    while (state->followers.size() <= t.slot)
        state->followers.push_back(new (rt::allocate(sizeof(RacingThread), "memspy.races")) RacingThread);
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
        order().acquire(f.thread.slot, end_of(ended.thread));
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

void release(const RacingThread& f, Address word) { order().release(f.thread.slot, word, state->now); }
void acquire(const RacingThread& f, Address word) { order().acquire(f.thread.slot, word); }

// The thread finds what others stored to these bytes before anybody knew that they are signals.
void find_stores(const RacingThread& f, const AccessHistory& history, u64 bytes) {
    const u32 slot = f.thread.slot;
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
            .slot = f.thread.slot,
            .serial = f.thread.serial,
            .part = order().part(f.thread.slot),
            .held = f.held,
            .stores = stores,
            .sums = use.sum != log::SumKind::None};
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
    const u32 slot = f.thread.slot;
    history.add(
        access, [&](const KnownAccess& known) { return order().is_before(known.slot, known.part, slot); },
        [&](const KnownAccess& known) {
            if (!is_checked(known, access)) return;
            if (is_declared_signal(known, access, history, line)) {
                if (known.stores && !access.stores)
                    order().go_on_after_part(slot, known.slot, known.part, state->now);
                return;
            }
            const u64 both = known.bytes & access.bytes;
            state->host.race({known, access, line * kLineBytes + static_cast<Address>(std::countr_zero(both)),
                              static_cast<u32>(std::popcount(both))});
        });
}

// The part of an access that concerns one line.
void access_line(RacingThread& f, u64 line, u64 bytes, const AccessUse& use, threads::CallPath path,
                 CodeRole role) {
    AccessHistory& history = history_of(line);
    const u32 slot = f.thread.slot;
    const bool small = use.bytes <= 8;
    const bool known_signal = (history.signals() & words_of(bytes)) != 0;
    if (role == CodeRole::CLibrary && (use.atomic || known_signal) &&
        orders_nothing(role, {use.instruction, path}))
        return;
    if (use.atomic && use.stores) {
        history.add_signals(words_of(bytes));
        if (!is_mere_sum(use) ||
            (role == CodeRole::Threading && is_sum_a_signal({use.instruction, path}, use.bytes)))
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
    if (bytes == 0) return;
    const u32 part = order().part(slot);
    if (use.loads && !history.is_repeated(slot, part, bytes, false))
        check(f, history, line, access_of(f, use, path, bytes, false));
    if (use.stores && !history.is_repeated(slot, part, bytes, true))
        check(f, history, line, access_of(f, use, path, bytes, true));
}

void access(RacingThread& f, const AccessUse& use, Address a, threads::CallPath path) {
    const CodeRole role = role_of(use.instruction);
    if (role == CodeRole::Threading && orders_nothing(role, {use.instruction, path})) return;
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
        found |= store.slot == f.thread.slot && store.part == order().part(f.thread.slot);
    });
    return found;
}

// A thread that loads the same words at the same place again and again, and hardly stores anything between, waits for
// one of them.
void note_look(RacingThread& f, const Record& record, const Shape& shape) {
    if (shape.stores != 0) {
        f.stores += shape.stores;
        return;
    }
    constexpr u32 kPolls = 3;
    constexpr u64 kStoresBetween = 1;  // the return address of a function that yields
    const u64 hash = hash_of(record);
    for (RacingThread::Look& look : f.looks) {
        if (look.hash != hash) continue;
        look.times = f.stores - look.stores <= kStoresBetween ? look.times + 1 : 0;
        look.stores = f.stores;
        if (look.times != kPolls) return;
        for (const AccessUse& use : shape.uses) {
            const Address a = record.address(use.word, use.offset);
            if (!record.reached(use.proof) || use.bytes > 8 || use.vector || is_near_stack(f, a)) continue;
            const u32 first = a % kLineBytes;
            const u32 bytes = first + use.bytes > kLineBytes ? kLineBytes - first : use.bytes;
            AccessHistory& history = history_of(a / kLineBytes);
            if (stores_itself(f, history, mask_of(first, bytes))) continue;
            find_stores(f, history, mask_of(first, bytes));
            history.add_signals(words_of(mask_of(first, bytes)));
        }
        return;
    }
    f.looks[f.next_look++ % RacingThread::kLooks] = {hash, f.stores, 0};
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

void leave_meeting(const RacingThread& f, const RacingThread::Call& left) {
    Rendezvous& now = state->meetings[left.lock];
    if (now.word == left.meeting) now.word = 0;
    acquire(f, left.meeting);
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
        case LockEvent::Meet: leave_meeting(f, left); break;
        default: break;
    }
}

ShapeNature nature_of(const Shape& shape) {
    if (shape.event != LockEvent::None || shape.updates) return ShapeNature::Special;
    for (const AccessUse& use : shape.uses)
        if (const CodeRole role = role_of(use.instruction);
            use.atomic || (role == CodeRole::Atomic || role == CodeRole::Threading))
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
    const u32 slot = f.thread.slot, part = order().part(slot);
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
    if (shape.event != LockEvent::None) return enter_call(f, record, shape.event);
    if (!f.calls.empty()) {
        if (shape.updates) note_lock_word(f, record, shape);
        if (!state->ended.empty() && f.calls.back().event == LockEvent::Join) look_at_ends(f, record, shape);
        return;
    }
    note_look(f, record, shape);
    if (is_plain(record.shape, shape) && teaches_nothing(f, record, shape)) return;
    for (const AccessUse& use : shape.uses)
        if (record.reached(use.proof) && (use.word == log::kNoWord || record.words()[use.word] != 0))
            access(f, use, record.address(use.word, use.offset), record.path);
}

}  // namespace

void initialise_detector(const DetectorHost& host) { state->host = host; }
order::LockSets& lock_sets() { return state->lock_sets; }

void begin(Thread parent, Thread t, Address cleared) {
    order().begin(t.slot);
    RacingThread& f = follower(t);
    f.~RacingThread();
    new (&f) RacingThread;
    f.thread = t;
    f.cleared = cleared;
    if (parent) order().go_on_after_part(t.slot, parent.slot, order().part(parent.slot), ++state->now);
}

void end(Thread t) {
    RacingThread& f = follower(t);
    while (!f.calls.empty()) leave_call(f);
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
