// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines that threads look at again and again while they wait, in the replay. The looks themselves are not in
// the log, but they hold the line: whoever stores to it, to any byte, takes it away, and the next look
// fetches it again. So for each trip of the loop there is at most one miss of the thread that waits and one
// invalidation by who stores: true sharing at the word that is waited for, false at its neighbours.
#pragma once

#include "lines/line_table.h"
#include "order/strand.h"

namespace memspy::order {

using namespace lines;

// All zeros is a valid empty object.
class PolledLines {
public:
    bool empty() const { return looks_.empty(); }
    bool has(u64 line) const {
        for (const PolledWord& each : looks_)
            if (each.line == line) return true;
        return false;
    }
    // From `now` on the thread looks at the word once in `trip` units.
    void begin(Thread t, u64 line, Address word, Time trip, Time now, const Place& place);
    void end(Thread t);
    // The thread is about to store to the line: those that wait at it have looked before, unless they have
    // just lost it.
    void store(SharedLine& shared, Thread by, Time now);

private:
    struct PolledWord {
        u64 line;
        Address word;
        Thread thread;
        Time trip;
        Time next;  // its next look, if it has lost the line
        Place place;
    };
    static void look(SharedLine& shared, const PolledWord& polled);
    rt::Vector<PolledWord> looks_;
};

}  // namespace memspy::order
