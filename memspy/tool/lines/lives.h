// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lives of a line's bytes. Memory goes from one thread to the next: a node that a thread takes from a
// list, uses alone, and puts back; a job that a producer fills and a worker empties; a block that is freed
// and allocated again. Who gets which block was decided in the real run. The replay lets threads take locks
// in another order, and so their uses of one block may overlap there, which cannot be: in that order they
// would have got other blocks.
//
// So a byte has a *life* for each owner. A thread that touches bytes which another one used begins a new life
// of them if
//   - one of the two stored to them,
//   - the other's last touch is before this one by synchronisation, as observed (lines/observed_order.h), and
//   - no lock was held at both.
// With a lock held at both, the bytes are *guarded*: the replay orders the accesses. Without an order there
// is no evidence that anything was handed over; after a few such touches in a line the bytes are *open* for
// good, as are bytes that are updated atomically, and those that several threads only read at a time. The
// evidence is that of single bytes, so neighbours in a line with an owner each have one life each, whatever
// locks the threads take besides.
//
// A link of a list lies in the node, but is touched under the list's lock only. Where a thread got guarded
// bytes from the same thread, after that one's last touch of the others, they *follow*: they begin a life
// with these from then on. They do so no longer once such a life ends without any touch of bytes with
// evidence.
//
// In the replay an access is *late* if a later life of its bytes has begun there, and one of the two stores.
// Late accesses do not change the line. The events that the first touch of a life had in the observed order
// are charged to its first late accesses, unless the life began in time: then the modelled order has found
// its own.
//
// What the log does not have (accesses that were passed, and those to a line before a second thread came to
// it) makes a thread's last touch look earlier than it was, so an owner may change without evidence once. The
// next touch by the former owner that is seen is not ordered then. Where the touch may have been too late to
// be before the new owner's, the new life is *doubtful*, and so is what is late for it.
//
// Only on lines of 64 bytes. No Valgrind here.
#pragma once

#include "lines/line_memory.h"
#include "lines/lock_sets.h"
#include "lines/observed_order.h"
#include "lines/ownership.h"
#include "lines/turns.h"

namespace memspy::lines {

// A thread at a record of its first reading.
struct Toucher {
    Thread thread;
    Time time = 0;    // by its clock
    u32 reading = 0;  // number among the first readings of all threads, from 1
    LockSet held = LockSet::None;
    u32 situation =
        0;  // not 0: a number for the thread, the reading, the part of its run and `held` together
};

class Lives {
public:
    // First reading. Whether these bytes were touched before in the situation: then further touches change
    // nothing.
    bool touched_in(u32 situation, u64 read, u64 written) const {
        return situation_ == situation && ((read & ~touched_) | (written & ~stored_)) == 0;
    }
    void touch(const Toucher& by, u64 read, u64 written, const ObservedOrder& order, u32 part,
               LockSets& locks, const Progress& merged);
    // Accesses that teach nothing: of interest is only when the thread touched these bytes last, and what it
    // stored.
    void touch_again(u32 serial, u64 bytes, u64 written, u32 reading, u32 part) {
        bytes &= ~open_;
        if (bytes == 0) return;
        for (Life& life : lives_)
            if (life.owner == serial && (life.current & bytes) != 0)
                life.use(life.current & written, part, reading);
    }
    // Accesses of the thread were not told, up to that part of its run at the latest. With stores: it had the
    // line to itself, so bytes that nobody is known to have touched are perhaps its own.
    void passed(Thread t, u32 part, bool stores);
    // Of these bytes, those that are not the thread's present ones.
    u64 not_of(u32 serial, u64 bytes) const {
        for (const Life& life : lives_)
            if (life.owner == serial) bytes &= ~life.current;
        return bytes;
    }
    // These bytes have no lives.
    void open(u64 bytes);
    // The thread's access to these bytes has had these events in the observed order. Only if any().
    void note_events(u32 serial, u64 bytes, const Events& events);
    // The memory gets another use: whoever touches the bytes next begins a life.
    void reuse(u64 bytes, const Progress& merged);

    // Replay. `has_begun(slot, serial, time)` tells whether the thread has done all up to `time`.
    struct Standing {
        u32 life = 0;  // index + 1, valid until the next touch; 0: from before the known ones
        bool late = false;
        bool doubtful = false;  // late, but perhaps only because accesses were passed
    };
    bool any() const { return handed_over_; }  // a life was handed over
    template <typename Begun>
    Standing find(Thread t, Time time, u64 bytes, bool stores, Begun has_begun) {
        Standing found;
        bytes &= ~open_;
        for (usize i = lives_.size(); i-- > 0;) {
            Life& life = lives_[i];
            if ((life.ever & bytes) == 0) continue;
            if (life.owner == t.serial && life.start <= time) {
                found.life = static_cast<u32>(i + 1);
                break;
            }
            // What is later than this one says nothing of what was before it.
            if (life.unordered) found.late = false;
            if (found.late || !life.handed || life.owner == t.serial || life.owner == 0) continue;
            if (!stores && (life.written & bytes) == 0) continue;
            if (!life.begun) life.begun = has_begun(life.slot, life.owner, life.start);
            found.late = life.begun;
            found.doubtful = life.begun && life.doubtful;
        }
        // An access from before the known lives was perhaps never ordered.
        found.late = found.late && (found.life != 0 || (bytes & forgotten_ & ~doubtful_) == bytes);
        return found;
    }
    // Whether all that the thread may still do to the line in the replay up to `until`, by its clock, is late
    // or changes nothing, known or not: all bytes were handed over since, and these lives have begun.
    template <typename Begun>
    bool has_handed_over_all(u32 serial, Time until, Begun has_begun) const {
        if (open_ != 0) return false;
        u64 taken = 0, written = 0;
        for (usize i = lives_.size(); i-- > 0;) {
            const Life& life = lives_[i];
            if (life.owner == serial && life.start <= until)
                return taken == ~u64{0} && (written == 0 || written == ~u64{0});
            if (life.unordered || life.doubtful) return false;
            if (!life.handed || life.owner == 0) continue;
            if (!life.begun && !has_begun(life.slot, life.owner, life.start)) continue;
            taken |= life.ever;
            written |= life.written;
        }
        return false;
    }
    // The events of a late access.
    Events late_events(Standing found, bool stores);
    // An access that is not late has been applied, with these events: those of a first touch are true
    // sharing, though what the former owner stored may be late.
    void begin(Standing found, bool stores, Events& events);

    // For tests.
    u64 open_bytes() const { return open_; }
    usize count() const { return lives_.size(); }

private:
    struct Life {
        u64 current = 0;  // bytes
        u64 ever = 0;     // with those that have had later lives
        u64 written = 0;
        Time start = 0;     // by the owner's clock
        Time end = 0;       // the same: when the merge is behind the touches of bytes that were lost
        u32 owner = 0;      // serial; 0: nobody yet
        u32 from = 0;       // serial of the owner before
        u32 part = 0;       // of the owner's last touch
        u32 last_part = 0;  // of its last one that may have been passed; 0: none since
        u32 first_reading = 0, last_reading = 0;
        LockSet locks = LockSet::None;  // held at every touch
        u16 slot = 0;                   // the owner's
        bool handed : 1 = false;
        bool proven : 1 = false;     // by evidence, not because the bytes follow
        bool begun : 1 = false;      // in the replay
        bool unordered : 1 = false;  // the former owner's last touch is not before it
        bool doubtful : 1 = false;   // or may not be
        // Of the first touches in the observed order, until they are charged.
        bool missed : 1 = false, missed_first : 1 = false, invalidated : 1 = false;

        // The owner's touch at a part of its run.
        void use(u64 stored, u32 of_part, u32 reading) {
            written |= stored;
            part = of_part;
            last_part = 0;
            last_reading = reading;
        }
        void extend(u64 bytes) {
            current |= bytes;
            ever |= bytes;
        }
    };
    static_assert(sizeof(Life) == 72);
    // Lives of which no byte is left are forgotten, the oldest first, once the merge is behind them and all
    // older ones, and where none was handed over. So are the oldest if there are more than this: what their
    // owners still have to do in the replay counts as older than any life.

    void touch_own(usize i, u64 bytes, const Toucher& by, u64 written, u32 part, LockSets& locks);
    enum class Claim : u8 { Unordered, Guarded, Follows, Handed };
    void take(usize i, u64 bytes, const Toucher& by, u64 written, u32 part, Claim claim, bool doubtful,
              const Progress& merged);
    void prove(usize number, u32 last_of_former);
    void claim(const Toucher& by, u64 read, u64 written, const ObservedOrder& order, u32 part,
               LockSets& locks, const Progress& merged);
    void lose(Life& life, u64 bytes, const Progress& merged);
    void forget(usize number);
    void forget_ended(const Progress& merged);
    void add(const Life& life);

    // The situation of the last touch, and the bytes touched and stored to in it.
    u32 situation_ = 0;
    u64 touched_ = 0, stored_ = 0;
    rt::Vector<Life, OnLineMemory> lives_;  // in the order of the real run
    u64 open_ = 0;
    u64 follow_ = 0;
    u8 strikes_ = 0;
    u32 struck_in_ = 0;  // the reading of the last touch without order
    bool handed_over_ = false;
    bool unproven_ = false;  // a life has begun under a lock since evidence was looked for last
    u64 forgotten_ = 0;      // bytes of which lives were forgotten
    u64 doubtful_ = 0;       // and some of these without an order
};

}  // namespace memspy::lines
