// SPDX-License-Identifier: GPL-2.0-or-later
#include "sharing/coherence_counts.h"

namespace memspy::sharing {

void CoherenceCounts::add(const Events& events) {
    bool miss = events.first_touch || events.coherence;
    cold += events.cold;
    first_touches += events.first_touch;
    coherence_misses += events.coherence;
    invalidations += events.invalidation;
    true_misses += miss && events.true_miss;
    false_misses += miss && !events.true_miss;
    true_invalidations += events.invalidation && events.true_invalidation;
    false_invalidations += events.invalidation && !events.true_invalidation;
    handed_over += events.handed_over;
    hide_true += events.hide_true();
}

void CoherenceCounts::add(const CoherenceCounts& other) {
    cold += other.cold;
    first_touches += other.first_touches;
    coherence_misses += other.coherence_misses;
    invalidations += other.invalidations;
    true_misses += other.true_misses;
    false_misses += other.false_misses;
    true_invalidations += other.true_invalidations;
    false_invalidations += other.false_invalidations;
    handed_over += other.handed_over;
    hide_true += other.hide_true;
}

}  // namespace memspy::sharing
