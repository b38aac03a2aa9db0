// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/what_if.h"

#include <algorithm>
#include <new>

namespace memspy::replay {
namespace {

template <typename T>
T* make(const char* what) {
    return new (rt::allocate(sizeof(T), what)) T;
}

}  // namespace

WhatIf::Excess& WhatIf::of(u32 serial) {
    while (threads_.size() <= serial) threads_.push_back(nullptr);
    Excess*& excess = threads_[serial];
    if (excess == nullptr) excess = make<Excess>("memspy.what_if.thread");
    return *excess;
}

const WhatIf::Excess* WhatIf::find(u32 serial) const {
    return serial < threads_.size() ? threads_[serial] : nullptr;
}

WhatIf::Moment WhatIf::moment(const Excess& excess, Time now) {
    Moment result;
    result.full = now + excess.excess;
    for (u32 i = 0; i < kSaved; ++i) result.saved[i] = excess.saved[i];
    return result;
}

void WhatIf::raise(Moment& moment, const Moment& least) {
    const Time full = moment.full > least.full ? moment.full : least.full;
    for (u32 i = 0; i < kSaved; ++i) {
        const Time own = moment.full - moment.saved[i], other = least.full - least.saved[i];
        moment.saved[i] = full - (own > other ? own : other);
    }
    moment.full = full;
}

void WhatIf::raise(Moment& moment, Time least) {
    Moment at;
    at.full = least;
    raise(moment, at);
}

void WhatIf::settle(Excess& excess, const Moment& moment, Time now) {
    excess.excess = moment.full - now;
    for (u32 i = 0; i < kSaved; ++i) excess.saved[i] = moment.saved[i];
}

void WhatIf::events(u32 serial, u32 events, u32 free, u32 suspect) {
    if (price_ == 0 || events == 0) return;
    Excess& excess = of(serial);
    excess.excess += price_ * events;
    excess.saved[kAll] += price_ * free;
    if (suspect == kNoSuspect) return;
    excess.saved[suspect] += price_ * free;
    excess.saved[kSuspects + suspect] += price_ * events;
}

void WhatIf::went_on(u32 serial, Time from, Time until, u32 other, Time when) {
    if (price_ == 0) return;
    const Excess* const cause = other == 0 ? nullptr : find(other);
    if (cause == nullptr && find(serial) == nullptr) return;
    Excess& own = of(serial);
    Moment at = moment(own, from);
    // `of` does not move what find() returned.
    if (cause != nullptr) raise(at, moment(*cause, when));
    raise(at, until);
    settle(own, at, until);
}

void WhatIf::acquired(u32 serial, Time now, Address lock, bool shared) {
    if (price_ == 0) return;
    LockTimes** const found = locks_.find(lock);
    if (found == nullptr) return;
    if ((*found)->last != serial) ++(*found)->turns;
    (*found)->last = serial;
    Excess& own = of(serial);
    Moment at = moment(own, now);
    raise(at, (*found)->exclusive);
    if (!shared) raise(at, (*found)->shared);
    settle(own, at, now);
}

void WhatIf::released(u32 serial, Time now, Address lock, bool shared) {
    if (price_ == 0) return;
    LockTimes** found = locks_.find(lock);
    if (found == nullptr) {
        if (locks_.size() >= kMostLocks) return;
        found = &locks_[lock];
        *found = make<LockTimes>("memspy.what_if.lock");
        (*found)->last = serial;
    }
    const Excess* const own = find(serial);
    const Moment at = moment(own == nullptr ? Excess{} : *own, now);
    raise(shared ? (*found)->shared : (*found)->exclusive, at);
}

void WhatIf::ended(u32 serial, Time now) {
    if (price_ == 0) return;
    const Excess* const own = find(serial);
    raise(ended_, moment(own == nullptr ? Excess{} : *own, now));
    // Threads that join it still need its times.
    if (serial <= kKept || serial - kKept >= threads_.size()) return;
    Excess*& old = threads_[serial - kKept];
    if (old != nullptr) rt::release(old);
    old = nullptr;
}

template <typename F>
void WhatIf::for_each_saved(F f) {
    for (Excess* excess : threads_)
        if (excess != nullptr) f(excess->saved, excess->excess);
    locks_.for_each([&](u64, LockTimes* lock) {
        f(lock->exclusive.saved, lock->exclusive.full);
        f(lock->shared.saved, lock->shared.full);
    });
    f(ended_.saved, ended_.full);
}

void WhatIf::renew(u32 suspect) {
    parts_[suspect] = {};
    for_each_saved([suspect](Time* saved, Time) { saved[suspect] = saved[kSuspects + suspect] = 0; });
}

void WhatIf::join(u32 into, u32 from) {
    parts_[into].add(parts_[from]);
    parts_[from] = {};
    for_each_saved([into, from](Time* saved, Time most) {
        for (const u32 kind : {0u, kSuspects}) {
            Time &to = saved[kind + into], &of = saved[kind + from];
            to = std::min(to + of, most);
            of = 0;
        }
    });
}

WhatIf::EndTimes WhatIf::end(const rt::Vector<Living>& threads) const {
    Moment last = ended_;
    for (const Living& thread : threads) {
        const Excess* const own = find(thread.serial);
        raise(last, moment(own == nullptr ? Excess{} : *own, thread.now));
    }
    EndTimes result;
    result.full = last.full;
    result.without_all = last.full - last.saved[kAll];
    for (u32 i = 0; i < kSuspects; ++i) {
        result.without[i] = last.full - last.saved[i];
        result.without_any[i] = last.full - last.saved[kSuspects + i];
    }
    return result;
}

void WhatIf::forget() {
    for (Excess* excess : threads_)
        if (excess != nullptr) rt::release(excess);
    threads_.clear();
    locks_.for_each([](u64, LockTimes* lock) { rt::release(lock); });
    locks_.clear();
    ended_ = Moment{};
    for (EventParts& parts : parts_) parts = {};
}

}  // namespace memspy::replay
