// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/tokens.h"

#include <new>

namespace memspy::races {
namespace {

constexpr Address kTokens = Address{1} << 58;
constexpr usize kMostGiven = 1000;  // that nobody has taken

}  // namespace

SemaphoreTokens::~SemaphoreTokens() {
    semaphores_.for_each([](u64, CountedSemaphore* of) { rt::destroy(of); });
}

SemaphoreTokens::CountedSemaphore* SemaphoreTokens::find(Address semaphore) {
    CountedSemaphore** const found = semaphores_.find(semaphore);
    return found == nullptr || !(*found)->is_known ? nullptr : *found;
}

void SemaphoreTokens::make(Address semaphore, u64 count) {
    CountedSemaphore*& of = semaphores_[semaphore];
    if (of == nullptr) of = new (rt::allocate(sizeof(CountedSemaphore), "memspy.races")) CountedSemaphore;
    of->is_known = true;
    of->first = count;
    of->next = 0;
    of->given.resize(0);
}

Address SemaphoreTokens::give(Address semaphore) {
    CountedSemaphore* const of = find(semaphore);
    if (of == nullptr) return 0;
    if (of->next == of->given.size()) {
        of->given.resize(0);
        of->next = 0;
    }
    if (of->given.size() == kMostGiven) {
        of->is_known = false;
        return 0;
    }
    const Address word = kTokens | ++words_ * 4;
    of->given.push_back(word);
    return word;
}

bool SemaphoreTokens::take(Address semaphore, Address* word) {
    CountedSemaphore* const of = find(semaphore);
    if (of == nullptr) return false;
    *word = 0;
    if (of->first != 0) {
        --of->first;
        return true;
    }
    if (of->next == of->given.size()) {  // more are taken than were given: it is not understood
        of->is_known = false;
        return false;
    }
    *word = of->given[of->next++];
    return true;
}

void SemaphoreTokens::may_be_taken(Address semaphore) {
    if (CountedSemaphore* const of = find(semaphore)) of->is_known = false;
}

}  // namespace memspy::races
