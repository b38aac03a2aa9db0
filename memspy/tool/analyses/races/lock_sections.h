// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the critical sections of a lock order. That one came before the other is the run's luck: the later one goes on
// after the earlier one only where it uses what that one stored, or the reverse (accesses.cc). Two kinds of sections
// order by themselves:
//
// * Who was told something from inside a section, and takes the lock then, comes after that section in any run.
// * All sections of a lock do of which it is not always known who holds it: one that was taken by an attempt, or
//   before there were threads. If another thread gives it back than took it, it is no lock, but a signal.
//
// No Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::races {

// All zeros is a valid empty object.
class LockSections {
public:
    LockSections() = default;
    LockSections(const LockSections&) = delete;
    LockSections& operator=(const LockSections&) = delete;
    ~LockSections();

    // A section ended. Parts of the strand's run: the one in which it took the lock, the one that ends as it gives it.
    void ends(Address lock, u32 strand, u32 taken, u32 given);
    // From now on. `handed_over`: another thread gave it back than took it.
    void set_orders_all(Address lock, bool handed_over) { order_all_[lock] |= handed_over; }
    bool orders_all(Address lock) { return order_all_.find(lock) != nullptr; }
    bool was_handed_over(Address lock) {
        const bool* const known = order_all_.find(lock);
        return known != nullptr && *known;
    }
    // Whether one of its sections has told the thread something. is_before(strand, part): what it knows.
    template <typename Before>
    bool has_told(Address lock, Before is_before) {
        rt::Vector<TellingSection>** const found = telling_.find(lock);
        if (found == nullptr) return false;
        for (const TellingSection& section : **found)
            if (is_before(section.strand, section.taken) && !is_before(section.strand, section.given))
                return true;
        return false;
    }
    void forget(Address first, usize bytes);

private:
    static constexpr usize kMostSections = 16;
    // In which its strand let others go on.
    struct TellingSection {
        u32 strand, taken, given;
    };
    rt::HashMap<rt::Vector<TellingSection>*> telling_;  // by lock
    rt::HashMap<bool> order_all_;
};

}  // namespace memspy::races
