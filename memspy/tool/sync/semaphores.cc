// SPDX-License-Identifier: GPL-2.0-or-later
#include "sync/semaphores.h"

#include <algorithm>
#include <new>

namespace memspy::sync {

Semaphores::Semaphore& Semaphores::of(Address a) {
    Semaphore*& semaphore = semaphores_[a];
    if (semaphore == nullptr) {
        semaphore = new (rt::allocate(sizeof(Semaphore), "memspy.semaphore")) Semaphore;
        semaphore->number = ++last_number_;
    }
    return *semaphore;
}

void Semaphores::post(Address a, u32 serial) { of(a).posts.push_back(serial); }

u32 Semaphores::take(Address a) {
    Semaphore& semaphore = of(a);
    if (semaphore.unknown > 0 || semaphore.next == semaphore.posts.size()) {
        --semaphore.unknown;
        return 0;
    }
    const u32 serial = semaphore.posts[semaphore.next++];
    if (constexpr usize kMany = 64; semaphore.next >= kMany && semaphore.next * 2 >= semaphore.posts.size()) {
        const usize left = semaphore.posts.size() - semaphore.next;
        for (usize i = 0; i < left; ++i) semaphore.posts[i] = semaphore.posts[semaphore.next + i];
        semaphore.posts.resize(left);
        semaphore.next = 0;
    }
    return serial;
}

i64 Semaphores::set_tokens(Address a, u32 tokens) {
    Semaphore& semaphore = of(a);
    const i64 posted = static_cast<i64>(semaphore.posts.size() - semaphore.next);
    const i64 more = i64{tokens} - semaphore.unknown - posted;
    // Those that nobody is known to have posted are taken first.
    const i64 taken = std::clamp(-more - std::max(semaphore.unknown, i64{0}), i64{0}, posted);
    semaphore.unknown += more + taken;
    for (i64 i = 0; i < taken; ++i) take(a);
    return more;
}

void Semaphores::forget(Address a, usize bytes, Time latest) {
    if (bytes == 0 || semaphores_.empty()) return;
    constexpr usize kAlignment = 4;
    for (const Address at : semaphores_.keys_in(a, bytes, kAlignment)) {
        Semaphore* const semaphore = *semaphores_.find(at);
        forgotten_.push_back({semaphore->number, latest});
        rt::destroy(semaphore);
        semaphores_.erase(at);
    }
}

}  // namespace memspy::sync
