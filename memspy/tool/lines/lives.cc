// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines/lives.h"

#include "lines/rules.h"

namespace memspy::lines {

void Lives::touch(const Toucher& by, u64 read, u64 written, const ObservedOrder& order, u32 part,
                  LockSets& locks, const Progress& merged) {
    if (by.situation != situation_) touched_ = stored_ = 0;
    situation_ = by.situation;
    touched_ |= read | written;
    stored_ |= written;
    const usize before = lives_.size();
    claim(by, read, written, order, part, locks, merged);
    if (lives_.size() > before) forget_ended(merged);
}

void Lives::passed(Thread t, u32 part, bool stores) {
    u64 unknown = ~open_;
    for (Life& life : lives_) {
        unknown &= ~life.current;
        if (life.owner != t.serial || life.current == 0) continue;
        if (part > life.part && part > life.last_part) life.last_part = part;
        if (stores) life.written |= life.current;
    }
    if (!stores || unknown == 0) return;
    add({.current = unknown,
         .ever = unknown,
         .written = unknown,
         .owner = t.serial,
         .last_part = part,
         .slot = static_cast<u16>(t.slot)});
}

void Lives::claim(const Toucher& by, u64 read, u64 written, const ObservedOrder& order, u32 part,
                  LockSets& locks, const Progress& merged) {
    u64 rest = (read | written) & ~open_;
    // Lives that are added meanwhile have none of the rest.
    for (usize i = lives_.size(); i-- > 0 && rest != 0;) {
        const u64 bytes = lives_[i].current & rest;
        if (bytes == 0) continue;
        rest &= ~bytes;
        if (lives_[i].owner == by.thread.serial) {
            touch_own(i, bytes, by, written, part, locks);
            continue;
        }
        const Life life = lives_[i];
        if (life.owner == 0) {
            take(i, bytes, by, written, part, Claim::Handed, false, merged);
            continue;
        }
        const u64 conflict = bytes & (written | life.written);
        open(bytes & ~conflict);
        if (conflict == 0) continue;
        if (!order.is_before(life.slot, life.part, by.thread.slot)) {
            // Each thread that takes them counts once, whatever it touches first.
            if (struck_in_ != by.reading) ++strikes_;
            struck_in_ = by.reading;
            if (strikes_ >= rules::kLifeStrikes)
                open(conflict);
            else
                take(i, conflict, by, written, part, Claim::Unordered, false, merged);
            continue;
        }
        const bool doubtful =
            life.last_part != 0 && !order.is_before(life.slot, life.last_part, by.thread.slot);
        if (locks.common(life.locks, by.held) == LockSet::None) {
            take(i, conflict, by, written, part, Claim::Handed, doubtful, merged);
            continue;
        }
        if (life.handed && !life.proven) follow_ &= ~conflict;
        if ((conflict & ~follow_) != 0)
            take(i, conflict & ~follow_, by, written, part, Claim::Guarded, doubtful, merged);
        if ((conflict & follow_) != 0)
            take(i, conflict & follow_, by, written, part, Claim::Follows, doubtful, merged);
    }
    if (rest == 0) return;
    for (usize i = lives_.size(); i-- > 0;) {
        Life& life = lives_[i];
        if (life.owner != by.thread.serial || life.handed || life.from != 0 || life.unordered ||
            life.locks != by.held)
            continue;
        life.extend(rest);
        return life.use(rest & written, part, by.reading);
    }
    add({.current = rest,
         .ever = rest,
         .written = rest & written,
         .start = by.time,
         .owner = by.thread.serial,
         .part = part,
         .first_reading = by.reading,
         .last_reading = by.reading,
         .locks = by.held,
         .slot = static_cast<u16>(by.thread.slot)});
}

void Lives::touch_own(usize i, u64 bytes, const Toucher& by, u64 written, u32 part, LockSets& locks) {
    const auto used = [&](Life& life) { life.use(bytes & written, part, by.reading); };
    if (lives_[i].locks == LockSet::None) return used(lives_[i]);
    const LockSet left = locks.common(lives_[i].locks, by.held);
    if (left == lives_[i].locks) return used(lives_[i]);
    if (lives_[i].current == bytes) {
        lives_[i].locks = left;
        return used(lives_[i]);
    }
    // Bytes that are touched with fewer locks are a part of the life of their own.
    lives_[i].current &= ~bytes;
    Life split = lives_[i];
    for (Life& life : lives_) {
        if (life.owner != split.owner || life.handed != split.handed || life.start != split.start ||
            life.from != split.from || life.unordered != split.unordered || life.locks != left)
            continue;
        life.extend(bytes);
        life.written |= split.written & bytes;
        return used(life);
    }
    split.current = split.ever = bytes;
    split.written &= bytes;
    split.locks = left;
    split.missed = split.missed_first = split.invalidated = false;
    used(split);
    add(split);
}

// The thread becomes the owner of bytes of lives_[i].
void Lives::take(usize i, u64 bytes, const Toucher& by, u64 written, u32 part, Claim claim, bool doubtful,
                 const Progress& merged) {
    lose(lives_[i], bytes, merged);
    const u32 former = lives_[i].owner == 0 ? lives_[i].from : lives_[i].owner;
    const u32 from = claim == Claim::Unordered ? 0 : former;
    const u32 last_of_former = lives_[i].last_reading;
    const bool handed = claim == Claim::Handed || claim == Claim::Follows;
    Life life{.current = bytes,
              .ever = bytes,
              .written = bytes & written,
              .start = by.time,
              .owner = by.thread.serial,
              .from = from,
              .part = part,
              .first_reading = by.reading,
              .last_reading = by.reading,
              .locks = by.held,
              .slot = static_cast<u16>(by.thread.slot),
              .handed = handed,
              .proven = claim == Claim::Handed,
              .unordered = claim == Claim::Unordered,
              .doubtful = doubtful};
    handed_over_ |= handed;
    // More bytes of the same life.
    usize joined = lives_.size();
    bool known = false;
    for (usize k = lives_.size(); k-- > i + 1 && claim != Claim::Unordered;) {
        Life& other = lives_[k];
        if (other.owner != life.owner || other.from != from || other.handed != handed ||
            last_of_former >= other.first_reading)
            continue;
        life.start = other.start;
        life.first_reading = other.first_reading;
        known |= other.proven;
        life.proven |= other.proven;
        if (other.locks != by.held) continue;
        other.doubtful |= doubtful;
        other.extend(bytes);
        other.use(life.written, part, by.reading);
        joined = k;
        break;
    }
    if (joined == lives_.size()) {
        add(life);
        joined = lives_.size() - 1;
    }
    if (claim == Claim::Guarded) unproven_ = true;
    if (claim == Claim::Handed && (!known || unproven_)) prove(joined, last_of_former);
}

// There is evidence that this life was handed over. What its owner took with it under a lock follows.
void Lives::prove(usize number, u32 last_of_former) {
    unproven_ = false;
    const Life proven = lives_[number];
    for (Life& life : lives_) {
        if (life.owner != proven.owner || life.from != proven.from || life.current == 0) continue;
        if (life.handed) {
            if (life.start == proven.start) life.proven = true;
            continue;
        }
        if (life.from == 0 || life.first_reading <= last_of_former) continue;
        life.handed = life.proven = true;
        life.doubtful |= proven.doubtful;
        follow_ |= life.current;
    }
}

void Lives::lose(Life& life, u64 bytes, const Progress& merged) {
    life.current &= ~bytes;
    if (life.owner != 0) life.end = merged.end_of_read(life.slot);
}

// The life has ended.
void Lives::forget(usize number) {
    const Life old = lives_[number];
    forgotten_ |= old.ever;
    if (old.unordered) doubtful_ |= old.ever;
    for (usize i = 0; i < number; ++i) lives_[i].ever &= ~old.ever | lives_[i].current;
    for (usize i = number; i + 1 < lives_.size(); ++i) lives_[i] = lives_[i + 1];
    lives_.pop_back();
}

void Lives::forget_ended(const Progress& merged) {
    usize ended = 0;
    for (const Life& each : lives_) ended += each.current == 0 ? 1 : 0;
    const usize most = handed_over_ ? rules::kMostEnded : 0;
    for (usize i = 0; ended != 0;) {
        const Life& life = lives_[i];
        if (ended <= most && life.end != 0 && !merged.is_past(life.slot, life.end)) return;
        if (life.current != 0) {
            ++i;
            continue;
        }
        forget(i);
        --ended;
    }
}

void Lives::add(const Life& life) {
    grow_by_one(lives_);
    lives_.push_back(life);
}

void Lives::open(u64 bytes) {
    if ((bytes & ~open_) == 0) return;
    open_ |= bytes;
    follow_ &= ~bytes;
    for (Life& life : lives_) life.current &= ~bytes;
}

void Lives::note_events(u32 serial, u64 bytes, const Events& events) {
    for (usize i = lives_.size(); i-- > 0;) {
        Life& life = lives_[i];
        if (life.owner != serial || (life.current & bytes) == 0) continue;
        if (!life.handed) return;
        if ((events.first_touch || events.coherence) && events.true_miss) {
            life.missed = true;
            life.missed_first = events.first_touch;
        }
        if (events.invalidation && events.true_invalidation) life.invalidated = true;
        return;
    }
}

void Lives::reuse(u64 bytes, const Progress& merged) {
    situation_ = 0;
    u64 known = open_ & bytes;
    u32 from = 0;
    for (Life& life : lives_) {
        known |= life.current & bytes;
        if ((life.current & bytes) != 0 && life.owner != 0) from = life.owner;
        if ((life.current & bytes) != 0) lose(life, bytes, merged);
    }
    open_ &= ~bytes;
    follow_ &= ~bytes;
    if (known == 0) return;
    add({.current = known, .ever = known, .from = from});
    forget_ended(merged);
}

Events Lives::late_events(Standing found, bool stores) {
    Events events;
    if (found.life == 0) return events;
    Life& life = lives_[found.life - 1];
    if (life.missed) {
        events.first_touch = life.missed_first;
        events.coherence = !life.missed_first;
        events.true_miss = true;
        events.from = life.from;
        life.missed = false;
    }
    if (stores && life.invalidated) {
        events.invalidation = events.true_invalidation = true;
        events.victim = life.from;
        life.invalidated = false;
    }
    return events;
}

void Lives::begin(Standing found, bool stores, Events& events) {
    if (found.life == 0) return;
    Life& life = lives_[found.life - 1];
    if (life.missed && (events.first_touch || events.coherence)) {
        events.true_miss = true;
        events.hides_true_miss = false;
    }
    life.missed = false;
    if (!stores) return;
    if (life.invalidated && events.invalidation) {
        events.true_invalidation = true;
        events.hides_true_invalidation = false;
    }
    life.invalidated = false;
}

}  // namespace memspy::lines
