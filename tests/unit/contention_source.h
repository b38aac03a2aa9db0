// SPDX-License-Identifier: GPL-2.0-or-later
//
// Accesses to lines as literals, for the tests of ownership, tally and merge.
#pragma once

#include <initializer_list>
#include <ostream>

#include "lines/ownership.h"
#include "sharing/tally.h"

namespace memspy::sharing {

struct Step {
    Thread thread;
    LineAccess access;
};

inline Thread thread(u32 slot) { return {slot, slot + 1}; }
inline LineAccess access(u32 first, u32 bytes, bool loads, bool stores) {
    return {static_cast<u8>(first), static_cast<u16>(bytes), loads, stores};
}
inline Step load(Thread t, u32 first, u32 bytes = 8) { return {t, access(first, bytes, true, false)}; }
inline Step store(Thread t, u32 first, u32 bytes = 8) { return {t, access(first, bytes, false, true)}; }
inline Step update(Thread t, u32 first, u32 bytes = 8) { return {t, access(first, bytes, true, true)}; }

inline bool operator==(const CoherenceCounts& a, const CoherenceCounts& b) {
    return a.cold == b.cold && a.first_touches == b.first_touches &&
           a.coherence_misses == b.coherence_misses && a.invalidations == b.invalidations &&
           a.true_misses == b.true_misses && a.false_misses == b.false_misses &&
           a.true_invalidations == b.true_invalidations && a.false_invalidations == b.false_invalidations;
}
inline std::ostream& operator<<(std::ostream& out, const CoherenceCounts& c) {
    return out << "cold " << c.cold << " first " << c.first_touches << " coherence " << c.coherence_misses
               << " invalidations " << c.invalidations << " true " << c.true_misses << "+"
               << c.true_invalidations << " false " << c.false_misses << "+" << c.false_invalidations;
}

// A line that owns its record and counts its events.
class TestLine {
public:
    TestLine() : line_(lines::make_ownership()) {}
    explicit TestLine(Thread owner) : line_(lines::make_ownership_of(owner)) {}
    TestLine(const TestLine&) = delete;
    TestLine& operator=(const TestLine&) = delete;
    ~TestLine() { lines::release(line_); }

    // Without counting.
    Events apply(const Step& step) { return lines::apply(line_, step.thread, step.access); }
    Events operator()(const Step& step) {
        Events events = apply(step);
        counts.add(events);
        return events;
    }
    void operator()(std::initializer_list<Step> steps) {
        for (const Step& step : steps) (*this)(step);
    }
    const lines::Ownership& state() const { return *line_; }
    bool held_by(Thread t) const { return lines::holds(*line_, t); }
    u64 misses() const { return counts.cold + counts.misses(); }

    CoherenceCounts counts;

private:
    lines::Ownership* line_;
};

}  // namespace memspy::sharing
