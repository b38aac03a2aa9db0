// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/lock_sections.h"

#include <new>

namespace memspy::races {

LockSections::~LockSections() {
    telling_.for_each([](u64, rt::Vector<TellingSection>* of) { rt::destroy(of); });
}

void LockSections::ends(Address lock, u32 strand, u32 taken, u32 given) {
    if (taken == given) return;  // nobody was told anything
    using SectionList = rt::Vector<TellingSection>;
    SectionList*& of = telling_[lock];
    if (of == nullptr) of = new (rt::allocate(sizeof(SectionList), "memspy.races")) SectionList;
    // Of many sections of a strand the last ones are taken for one.
    if (of->size() >= kMostSections)
        for (usize i = of->size(); i-- > 0;)
            if (TellingSection& known = (*of)[i]; known.strand == strand) return void(known.given = given);
    of->push_back({strand, taken, given});
}

void LockSections::forget(Address first, usize bytes) {
    constexpr usize kAlignment = 4;
    for (const Address at : telling_.keys_in(first, bytes, kAlignment)) {
        rt::destroy(*telling_.find(at));
        telling_.erase(at);
    }
    for (const Address at : order_all_.keys_in(first, bytes, kAlignment)) order_all_.erase(at);
}

}  // namespace memspy::races
