// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/accesses.h"

#include "analyses/races/detector_state.h"
#include "analyses/races/source_atomics.h"
#include "threads/call_tree.h"

namespace memspy::races {

using log::AccessUse;

namespace {

// Signals

// The thread finds what others stored to these bytes before anybody knew that they are signals.
void find_stores(const RacingThread& f, const AccessHistory& history, u64 bytes) {
    const u32 strand = f.strand;
    history.for_each_store(bytes, [&](const KnownAccess& store) {
        if (store.strand != strand && !observed().is_before(store.strand, store.part, strand))
            observed().go_on_after_part(strand, store.strand, store.part, detector().now);
    });
}

template <typename F>
void for_each_word(u64 line, u16 words, F f) {
    for (; words != 0; words = static_cast<u16>(words & (words - 1)))
        f(line * kLineBytes + static_cast<Address>(std::countr_zero(words)) * 4);
}

// An access to words that are signals.
void signal(const RacingThread& f, const AccessHistory& history, u64 line, u64 bytes, const AccessUse& use) {
    const u16 words = words_of(bytes);
    if (use.loads) {
        find_stores(f, history, bytes);
        for_each_word(line, words, [&](Address word) { acquire_word(f, word); });
    }
    if (use.stores) for_each_word(line, words, [&](Address word) { release_word(f, word); });
}

// A sum whose result nobody uses: it goes on after nobody.
bool is_mere_sum(const AccessUse& use) {
    return use.update == log::UpdateKind::Add && use.sum == log::SumKind::Adds;
}

// Data

// An access and what is looked up for it.
struct FollowedUse {
    const AccessUse& access;
    UseFacts& facts;
    CallPath path;
    CodeRole role;
};

PlaceNumber place_of(const FollowedUse& use) {
    UseFacts& facts = use.facts;
    if (!facts.has_place || facts.path != use.path) {
        facts.place = detector().places.number_of({use.access.instruction, use.path});
        facts.path = use.path;
        facts.has_place = true;
    }
    return facts.place;
}

KnownAccess access_of(const RacingThread& f, const FollowedUse& use, u64 bytes, bool stores) {
    return {.bytes = bytes,
            .place = place_of(use),
            .part = f.turn_part,
            .held = f.held,
            .strand = static_cast<u16>(f.strand),
            .stores = stores,
            .sums = use.access.sum != log::SumKind::None,
            .uses = !stores && !use.facts.only_sums,
            .atomic = false,
            .by_thread = f.knows_its_number()};
}

RacingSide side_of(const KnownAccess& access) {
    return {.place = detector().places[access.place],
            .serial = serial_of(access.strand, access.part),
            .held = access.held,
            .stores = access.stores,
            .sums = access.sums,
            .frees = access.frees};
}

// Tasks that one thread runs one after the other may share what is the thread's own.
bool is_of_thread(const KnownAccess& a, const KnownAccess& b, const RacingPair& pair) {
    if (pair.first.serial != pair.second.serial) return false;
    return (a.by_thread && b.by_thread) || detector().host.is_thread_local(pair.address);
}

// Whose access it is: of memcpy and its like, their caller's.
CodeRole owner_of(const Place& place) {
    const CodeRole role = role_of(place.instruction);
    if (role != CodeRole::Memory) return role;
    Address behind = 0;
    return threads::return_addresses(place.path, &behind, 1) == 0 ? CodeRole::Own : role_of(behind - 1);
}

// The allocator gives memory another owner, a run-time of OpenMP orders threads by what it does, and a table
// of functions (.got.plt) may be filled in while others call by it.
bool races_never(CodeRole owner) {
    return owner == CodeRole::OpenMp || owner == CodeRole::Heap || owner == CodeRole::Loader;
}

// calloc clears memory that is no block yet, and realloc copies to it, by memset and its like.
bool makes_block(const RacingPair& pair) {
    const DetectorHost& host = detector().host;
    return pair.second.stores && role_of(pair.second.place.instruction) == CodeRole::Memory &&
           host.is_spare != nullptr && host.is_spare(pair.address);
}

bool is_library(CodeRole role) { return role == CodeRole::Library || role == CodeRole::CLibrary; }

// One of the two is the program's; or both are of libraries that work for it, as snprintf and fgets.
bool is_checked(const RacingPair& pair) {
    const CodeRole first = owner_of(pair.first.place), second = owner_of(pair.second.place);
    if (races_never(first) || races_never(second)) return false;
    if (first == CodeRole::Own || second == CodeRole::Own) return !makes_block(pair);
    const DetectorHost& host = detector().host;
    return is_library(first) && is_library(second) && host.is_own_data != nullptr &&
           host.is_own_data(pair.address) && !makes_block(pair);
}

// One of the two is in a loop that waits for the other's store.
bool is_polled(const RacingThread& f, const KnownAccess& known, const KnownAccess& access, Address a) {
    if (known.stores && !access.stores) return f.is_polling(a);
    if (known.stores || !access.stores) return false;
    for (const RacingThread* other : detector().followers)
        if (other->strand == known.strand) return other->is_polling(a);
    return false;
}

bool is_atomic(const RacingSide& side) { return is_atomic_in_source(side.place.instruction, side.stores); }

// Accesses that may be atomic ones, in code that does not tell. Two stores of libraries are what they do for the
// program (snprintf).
bool may_be_atomic(const RacingPair& pair) {
    if (pair.first.sums || pair.second.sums) return false;
    const auto is_of_library = [](const RacingSide& side) {
        return role_of(side.place.instruction) != CodeRole::Own;
    };
    if (pair.first.stores && pair.second.stores && (is_of_library(pair.first) || is_of_library(pair.second)))
        return false;
    if (pair.first.frees || pair.second.frees) return false;
    if (pair.bytes > 8 || !std::has_single_bit(pair.bytes) || pair.address % pair.bytes != 0) return false;
    return is_opaque(pair.first.place.instruction) && is_opaque(pair.second.place.instruction);
}

// Whether what looks like a race is a signal: by what is declared there, by what the threads do, or by what
// the source says of both accesses.
bool is_signal(const RacingThread& f, const RacingPair& pair, const KnownAccess& known,
               const KnownAccess& access) {
    const DetectorHost& host = detector().host;
    const Address code = pair.second.place.instruction;
    if (host.declared != nullptr && host.declared(pair.address, code) == DetectorHost::Declared::Atomic)
        return true;
    return is_polled(f, known, access, pair.address) || (is_atomic(pair.first) && is_atomic(pair.second)) ||
           may_be_atomic(pair);
}

// The two are accesses to a word that is summed up atomically. Then a plain access that makes no sum may be an
// atomic one, unless a directive of OpenMP makes the sum.
bool is_counted(u16 counters, u64 bytes, const KnownAccess& known, const KnownAccess& access) {
    if (known.atomic && access.atomic) return true;
    if (!known.atomic && !access.atomic)
        return (counters & words_of(bytes)) != 0 && (!known.sums || !access.sums);
    const KnownAccess& sum = known.atomic ? known : access;
    const bool other_sums = known.atomic ? access.sums : known.sums;
    return !other_sums && !is_of_directive(detector().places[sum.place].instruction);
}

// Who finds a value that another thread published goes on after that one.
void go_on_after(const RacingThread& f, const KnownAccess& store) {
    observed().go_on_after_part(f.strand, store.strand, store.part, detector().now);
}

// Locks that let only one of the two threads in at a time.
LockSet common_locks(const RacingThread& f, const KnownAccess& known) {
    if (known.held == LockSet::None || f.held == LockSet::None) return LockSet::None;
    lines::LockSets& sets = detector().lock_sets;
    LockSet both = sets.common(known.held, f.held);
    sets.for_each(f.read, [&](Address lock) { both = sets.without(both, lock); });
    return both;
}

// What looks like a race by the order of the two. Returns whether it is one.
bool meet_unordered(const RacingThread& f, LineTurn& at, const KnownAccess& known,
                    const KnownAccess& access) {
    const u64 both = known.bytes & access.bytes;
    if (is_counted(detector().lines.history(at).counters(), both, known, access)) {
        if (known.atomic && !access.stores) go_on_after(f, known);
        return false;
    }
    RacingPair pair = {
        .first = side_of(known),
        .second = side_of(access),
        .address = at.line * kLineBytes + static_cast<Address>(std::countr_zero(both)),
        .bytes = static_cast<u32>(std::popcount(both)),
        .last = {},
    };
    if (!is_checked(pair)) return false;
    if (is_signal(f, pair, known, access)) {
        detector().lines.add_signals(at, words_of(both));
        if (known.stores && !access.stores) go_on_after(f, known);
        return false;
    }
    if (is_of_thread(known, access, pair)) return false;
    pair.last = last_end_before(known.strand, f.strand);
    detector().host.race(pair);
    return true;
}

struct AccessVerdict {
    bool races = false;
    // A lock has put it behind another one, of which it uses nothing: it might have come before.
    bool is_luck = false;
};

// Of two accesses under one lock neither races with the other. The later one goes on after the earlier one's section
// if one of the two uses what it loads; two stores and sums would do the same the other way round.
AccessVerdict check(RacingThread& f, LineTurn& at, const KnownAccess& access) {
    constexpr u32 kMostOfTurn = 16;  // more of them, as in a loop, are not worth their time
    const u32 strand = f.strand;
    AccessVerdict checked;
    LockSet after = LockSet::None;
    detector().lines.history(at).add(
        access,
        [&](const KnownAccess& known) { return observed().is_before(known.strand, known.part, strand); },
        [&](const KnownAccess& known) {
            const LockSet locks = common_locks(f, known);
            if (locks == LockSet::None)
                checked.races |= meet_unordered(f, at, known, access);
            else if (known.uses || access.uses || f.luck_of_turn == kMostOfTurn)
                after = locks;
            else
                checked.is_luck = true;
        });
    if (checked.is_luck) ++f.luck_of_turn;
    detector().lock_sets.for_each(after, [&](Address lock) { acquire_word(f, lock); });
    return checked;
}

// An atomic sum whose result nobody uses: it goes on after nobody, and races with a sum that is not atomic. What
// else is stored or loaded there plainly may be an atomic access.
void count(RacingThread& f, LineTurn& at, KnownAccess sum) {
    detector().lines.add_counters(at, words_of(sum.bytes));
    sum.atomic = true;
    check(f, at, sum);
}

// What races is followed for a while: with other lines of the thread it is another race.
bool teaches_more(RacingThread& f, bool races) {
    // Of a turn, and of the thread: each costs as much as a first access. Without the second, a program with a
    // race in each of many turns took twice its time.
    constexpr u32 kMostOfTurn = 16, kMost = 10'000;
    return races && ++f.races_of_turn <= kMostOfTurn && ++f.races <= kMost;
}

void follow_data(RacingThread& f, LineTurn& at, u64 bytes, const FollowedUse& use) {
    if (use.access.loads && (bytes & ~at.loaded) != 0) {
        const AccessVerdict load = check(f, at, access_of(f, use, bytes, false));
        if (!teaches_more(f, load.races) && !load.is_luck) at.loaded |= bytes;
    }
    if (use.access.stores && (bytes & ~at.stored) != 0) {
        const AccessVerdict store = check(f, at, access_of(f, use, bytes, true));
        if (!teaches_more(f, store.races)) {
            at.stored |= bytes;
            if (!store.is_luck) at.loaded |= bytes;  // a later load may be used
        }
    }
    // What the thread does from now on is not before those who find the value.
    if (use.facts.publishes)
        for_each_word(at.line, words_of(bytes), [&](Address word) { release_word(f, word); });
}

// The part of an access that concerns one line, which has signals or may get one.
void follow_special(RacingThread& f, LineTurn& at, u64 bytes, const FollowedUse& use) {
    LineHistories& lines = detector().lines;
    const AccessHistory& history = lines.history(at);
    const AccessUse& access = use.access;
    const CodeRole role = use.role;
    const u64 line = at.line;
    const bool small = access.bytes <= 8;
    const bool known_signal = (history.signals() & words_of(bytes)) != 0;
    if (is_of_c_library(role) && (access.atomic || known_signal) &&
        orders_nothing(role, {access.instruction, use.path}))
        return;
    if (access.atomic && access.stores) {
        if (is_mere_sum(access) && role != CodeRole::Threading && !is_of_c_library(role)) {
            // It goes on after nobody; who loads the word goes on after it.
            if (known_signal)
                for_each_word(line, words_of(bytes), [&](Address word) { release_word(f, word); });
            else
                count(f, at, access_of(f, use, bytes, true));
            return;
        }
        lines.add_signals(at, words_of(bytes));
        note_part_end(f, "atomic update", {access.instruction, use.path});
        signal(f, history, line, bytes, access);
        return;
    }
    if (role == CodeRole::Threading || (small && (known_signal || role == CodeRole::Atomic))) {
        const bool on_stack = is_near_stack(f, line * kLineBytes);
        if (access.stores) note_part_end(f, "store", {access.instruction, use.path});
        if (role != CodeRole::Atomic || known_signal || access.loads || !on_stack)
            signal(f, history, line, bytes, access);
        if (role != CodeRole::Atomic || known_signal) return;
        if (!on_stack) return lines.add_signals(at, words_of(bytes));
    }
    bytes &= ~bytes_of(history.signals());
    if (bytes != 0) follow_data(f, lines.turn_at(line, turn_of(f)), bytes, use);
}

void follow_line(RacingThread& f, u64 line, u64 bytes, const FollowedUse& use) {
    LineTurn& at = detector().lines.turn_at(line, turn_of(f));
    const bool may_signal = use.access.atomic || use.role == CodeRole::Atomic ||
                            use.role == CodeRole::Threading || (at.turn & kSpecialLine) != 0;
    if (may_signal)
        follow_special(f, at, bytes, use);
    else
        follow_data(f, at, bytes, use);
}

void follow_access(RacingThread& f, Address a, FollowedUse use) {
    if (use.role == CodeRole::Heap) return;
    if (use.role == CodeRole::OpenMp) {
        if (orders_nothing(use.role, {use.access.instruction, use.path})) return;
        use.role = CodeRole::Threading;
    }
    if (a < f.lowest && is_near_stack(f, a)) f.lowest = a;
    const Address last = a + use.access.bytes - 1;
    for (u64 line = a / kLineBytes; line <= last / kLineBytes; ++line)
        follow_line(f, line, bytes_in(line, a, last), use);
}

}  // namespace

namespace {

// The use, which touches one line and is plain, is known of the turn.
bool is_known(const StrandTurn& turn, Address a, const AccessUse& use) {
    const u32 first = a % kLineBytes;
    if (first + use.bytes > kLineBytes) return false;
    const u64 bytes = mask_of(first, use.bytes);
    return detector().lines.is_repeated(a / kLineBytes, turn.number, use.loads ? bytes : 0,
                                        use.stores ? bytes : 0);
}

}  // namespace

void follow_accesses(RacingThread& f, const Record& record, const Shape& shape, ShapeFacts& facts) {
    UseFacts* of_use = facts.uses;
    StrandTurn turn = turn_of(f);
    for (const AccessUse& use : shape.uses) {
        UseFacts& about = *of_use++;
        if (!record.reached(use.proof) || (use.word != log::kNoWord && record.words()[use.word] == 0))
            continue;
        const Address a = record.address(use.word, use.offset);
        if (facts.is_plain && is_known(turn, a, use)) continue;
        follow_access(f, a, {use, about, record.path, about.role});
        if (!facts.is_plain || (detector().lines.is_special(a / kLineBytes))) turn = turn_of(f);
    }
}

bool teaches_nothing(RacingThread& f, const Record& record, const Shape& shape) {
    const TurnNumber turn = turn_of(f).number;
    const LineHistories& lines = detector().lines;
    for (const log::Span& span : shape.spans) {
        if (!record.reached(span.proof) || (span.word != log::kNoWord && record.words()[span.word] == 0))
            continue;
        const Address low = record.address(span.word, span.low);
        const u64 line = low / kLineBytes;
        const u32 shift = low % kLineBytes;
        if (!lines.is_repeated(line, turn, span.read << shift, span.written << shift)) return false;
        if (shift + span.bytes > kLineBytes &&
            !lines.is_repeated(line + 1, turn, span.read >> (kLineBytes - shift),
                               span.written >> (kLineBytes - shift)))
            return false;
    }
    return true;
}

void note_lock_word(RacingThread& f, const Record& record, const Shape& shape) {
    constexpr Address kLockBytes = 8;
    const Address lock = f.calls.back().lock;
    for (const AccessUse& use : shape.uses) {
        if (!use.atomic || !record.reached(use.proof)) continue;
        const Address a = record.address(use.word, use.offset);
        if (a - lock >= kLockBytes || use.bytes > kLockBytes || a % kLineBytes + use.bytes > kLineBytes)
            continue;
        LineTurn& at = detector().lines.turn_at(a / kLineBytes, turn_of(f));
        detector().lines.add_signals(at, words_of(mask_of(a % kLineBytes, use.bytes)));
    }
}

void free_block(RacingThread& f, Address begin, usize bytes, const Place& place) {
    constexpr u64 kSureLines = 4;  // of a block that may not have been touched since there are threads
    const u64 first = begin / kLineBytes, last = (begin + bytes - 1) / kLineBytes;
    const PlaceNumber number = detector().places.number_of(place);
    LineHistories& lines = detector().lines;
    const auto free_line = [&](u64 line, AccessHistory& history) {
        // What orders threads lies in many blocks, and its last user frees them.
        const u64 words = bytes_of(static_cast<u16>(history.signals() | history.counters()));
        const u64 data = bytes_in(line, begin, begin + bytes - 1) & ~words;
        if (data == 0) return;
        const StrandTurn turn = turn_of(f);
        check(f, lines.turn_at(line, turn),
              {.bytes = data,
               .place = number,
               .part = turn.part,
               .held = f.held,
               .strand = turn.strand,
               .stores = true,
               .frees = true});
    };
    u64 line = first;
    for (; line <= last && line < first + kSureLines; ++line)
        free_line(line, lines.history(lines.turn_at(line, turn_of(f))));
    if (line <= last) lines.for_each(line, last, free_line);
}

void forget(Address begin, usize bytes) {
    if (bytes == 0) return;
    const Address last = begin + bytes - 1;
    LineHistories& lines = detector().lines;
    lines.for_each(begin / kLineBytes, last / kLineBytes, [&](u64 line, AccessHistory& history) {
        const u64 gone = bytes_in(line, begin, last);
        history.forget(gone);
        lines.forget_turn(line, gone);
        if (!history.is_special()) return;
        const bool had_signals = history.signals() != 0;
        history.forget_words(words_of(gone));
        if (!had_signals) return;
        const Address first = line * kLineBytes + static_cast<u32>(std::countr_zero(gone));
        const auto count = static_cast<usize>(std::popcount(gone));
        observed().forget(first, count);
        detector().sections.forget(first, count);
        observed().forget(readers_of(first), count);
        if (detector().host.forget_locks != nullptr) detector().host.forget_locks(first, count);
    });
}

void forget_all_accesses() {
    LineHistories& lines = detector().lines;
    lines.for_each(0, ~u64{0}, [&](u64 line, AccessHistory& history) {
        history.forget(~u64{0});
        lines.forget_turn(line, ~u64{0});
    });
}

}  // namespace memspy::races
