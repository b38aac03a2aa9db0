// SPDX-License-Identifier: GPL-2.0-or-later
//
// Semaphores whose count is known from their beginning. Who takes a token goes on after who gave it, not after all
// who gave one before: two threads that may have a token at once are not ordered by it. Tokens go out in the order in
// which they came: the first ones were there from the beginning, and nobody gave them. No Valgrind here.
#pragma once

#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::races {

// All zeros is a valid empty object.
class SemaphoreTokens {
public:
    SemaphoreTokens() = default;
    SemaphoreTokens(const SemaphoreTokens&) = delete;
    SemaphoreTokens& operator=(const SemaphoreTokens&) = delete;
    ~SemaphoreTokens();

    void make(Address semaphore, u64 count);
    // The word that stands for the token, for who takes it to acquire; 0: the semaphore is not known.
    Address give(Address semaphore);
    // Whether it is known; then the token's word, 0 if nobody gave it.
    bool take(Address semaphore, Address* word);
    // Somebody may have taken a token.
    void may_be_taken(Address semaphore);

private:
    struct CountedSemaphore {
        bool is_known = false;
        u64 first = 0;  // tokens that nobody gave
        usize next = 0;
        rt::Vector<Address> given;  // from next on: not taken yet
    };
    CountedSemaphore* find(Address semaphore);

    rt::HashMap<CountedSemaphore*> semaphores_;
    u64 words_ = 0;
};

}  // namespace memspy::races
