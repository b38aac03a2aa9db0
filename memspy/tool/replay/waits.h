// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long threads waited, in virtual time: for which lock or word, where, and for whom. A row is a word and
// a place; its parts are pairs of threads. No Valgrind here.
#pragma once

#include "places/place.h"
#include "replay/thread_times.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::replay {

using places::ObjectId;
using places::Place;

struct WaitFigures {
    Time waited = 0, longest = 0;
    u64 times = 0;

    void add(Time time) {
        waited += time;
        if (time > longest) longest = time;
        ++times;
    }
    void add(const WaitFigures& other) {
        waited += other.waited;
        if (other.longest > longest) longest = other.longest;
        times += other.times;
    }
};

enum class WaitKind : u8 {
    Lock,
    Word,  // that another thread stores to: a barrier, condition, flag…
    End    // of a thread: a Word, too, until the caller says what it is
};
struct WaitRow {
    Address word = 0;  // 0: not known, or one of many that have no row
    Place place{};
    WaitKind kind{};
    u32 next = 0;       // index + 1 of the next row of the word
    ObjectId object{};  // of the word, and the word's offset in its block or symbol; for the caller
    u64 offset = 0;
    WaitFigures figures;
};
struct WaitPart {
    u32 row = 0;               // index
    u32 thread = 0, whom = 0;  // serials; 0: threads after the first kNamedThreads, or not known
    WaitFigures figures;
};

// All zeros is a valid empty object.
class Waits {
public:
    static constexpr u32 kNamedThreads = ThreadTimes::kNamedThreads;  // threads with parts of their own
    static constexpr usize kMostRows = 4096;

    void add(Address word, WaitKind kind, const Place& place, u32 thread, u32 whom, Time from, Time until);

    rt::Vector<WaitRow>& rows() { return rows_; }  // the last of kMostRows may stand for many
    const rt::Vector<WaitRow>& rows() const { return rows_; }
    const rt::Vector<WaitPart>& parts() const { return parts_; }
    ThreadTimes& times() { return times_; }
    const ThreadTimes& times() const { return times_; }
    void clear();

private:
    u32 row_of(Address word, WaitKind kind, const Place& place);

    rt::Vector<WaitRow> rows_;
    rt::Vector<WaitPart> parts_;
    rt::HashMap<u32> first_row_;  // index + 1, by word
    rt::HashMap<u32> part_;       // index + 1
    ThreadTimes times_;
};

}  // namespace memspy::replay
