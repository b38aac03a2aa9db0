// SPDX-License-Identifier: GPL-2.0-or-later
#include "order/passing.h"

#include "order/known_threads.h"
#include "order/rules.h"

namespace memspy::order {

Passer passers[QuietLines::kThreads];

u64 known_bit(u32 serial) {
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial && passers[i].is_present()) return log::quiet_lines().bit_of(i);
    return 0;
}
u64 known_bits(u32 serial) {
    u64 bits = 0;
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial) bits |= log::quiet_lines().bit_of(i);
    return bits;
}

namespace {

// The bits of threads that are gone are free once no line is quiet for them.
void free_bits() {
    u64 bits = 0;
    for (u32 i = 0; i < QuietLines::kThreads; ++i) {
        if (passers[i].serial == 0 || !passers[i].gone) continue;
        bits |= log::quiet_lines().bit_of(i);
        passers[i] = Passer{};
    }
    if (bits != 0) log::quiet_lines().forget_threads(bits);
}

// Gives the thread a bit for lines that it has not passed yet.
void give_fresh(u32 serial) {
    u32 free = 0;
    Passer* unused = nullptr;
    for (Passer& passer : passers) {
        if (passer.serial != 0) continue;
        ++free;
        unused = &passer;
    }
    if (free > rules::kKeptFree) *unused = Passer{.serial = serial, .ended = 0};
}
// Tells the thread's bits. Returns the present one.
u64 know_ages(u32 serial) {
    const u64 bit = known_bit(serial);
    u64 fresh = bit;
    for (u32 i = 0; i < QuietLines::kThreads; ++i)
        if (passers[i].serial == serial && passers[i].is_fresh()) fresh = log::quiet_lines().bit_of(i);
    log::quiet_lines().set_ages(bit, {known_bits(serial), fresh});
    return bit;
}

// Threads that are still to come need the bits: what a thread has passed in its ages counts as passed in the
// present one.
void join_ages() {
    for (const Passer& present : passers) {
        if (present.serial == 0 || !present.is_present()) continue;
        const u64 bit = known_bit(present.serial), others = known_bits(present.serial) & ~bit;
        if (others == 0) continue;
        log::quiet_lines().join_ages(others, bit);
        for (Passer& passer : passers)
            if (passer.serial == present.serial && !passer.is_present()) passer = Passer{};
        know_ages(present.serial);
    }
}

}  // namespace

u64 quiet_bit(Thread t) {
    if (!log::quiet_lines().is_on()) return QuietLines::kNobody;
    for (const auto make_free : {free_bits, join_ages, +[] {}}) {
        u32 free = QuietLines::kThreads;
        for (u32 i = 0; i < QuietLines::kThreads; ++i) {
            if (passers[i].serial == t.serial && passers[i].is_present()) return log::quiet_lines().bit_of(i);
            if (passers[i].serial == 0 && free == QuietLines::kThreads) free = i;
        }
        if (free != QuietLines::kThreads) {
            passers[free] = Passer{.serial = t.serial};
            give_fresh(t.serial);
            return know_ages(t.serial);
        }
        make_free();
    }
    return QuietLines::kNobody;
}

void begin_age(Thread t, Time now) {
    if (!log::quiet_lines().is_on()) return;
    Passer* present = nullptr;
    Passer* oldest = nullptr;
    Passer* unused = nullptr;
    u32 ages = 0, free = 0;
    for (Passer& passer : passers) {
        if (passer.serial == 0) {
            ++free;
            unused = &passer;
        } else if (passer.serial == t.serial) {
            ++ages;
            if (passer.is_present())
                present = &passer;
            else if (!passer.is_fresh() && (oldest == nullptr || passer.ended < oldest->ended))
                oldest = &passer;
        }
    }
    if (present == nullptr || now < present->began + rules::kShortestAge) return;
    // What was passed by the bit of the oldest age counts as passed in the new one.
    Passer* const next = ages < rules::kAges && free > rules::kKeptFree ? unused : oldest;
    if (next == nullptr) return;
    present->ended = now;
    *next = Passer{.serial = t.serial, .began = now};
    know_ages(t.serial);
}

void make_quiet(Thread t, u64 line) {
    const u64 bit = quiet_bit(t);
    if (bit != QuietLines::kNobody) log::quiet_lines().make_quiet(line_begin(line), bit);
}

void make_loads_quiet(Thread t, u64 line) {
    const u64 bit = quiet_bit(t);
    if (bit != QuietLines::kNobody) log::quiet_lines().make_loads_quiet(line_begin(line), bit);
}

void quiet_thread_gone(Thread t) {
    for (Passer& passer : passers)
        if (passer.serial == t.serial) passer.gone = true;
}

void forget_quiet_threads(Thread mine) {
    for (Passer& passer : passers)
        if (passer.serial != mine.serial) passer.gone = true;
}

void watch(Address word, u32 accesses) {
    if (recording->options.sampled) log::watched_lines().watch(word, accesses);
}
void unwatch(u64 line) {
    if (!recording->options.sampled) return;
    log::watched_lines().forget(line_begin(line), line_end(line));
}

Passed follow_line(u64 line, Thread taker) {
    if (!log::quiet_lines().is_on()) return {};
    const bool stores = log::quiet_lines().are_stores_quiet(line_begin(line));
    const u64 bits = log::quiet_lines().follow(line_begin(line));
    return {bits == 0 ? 0 : bits & ~known_bits(taker.serial), stores};
}

bool was_passed_after(u64 line, Thread t, Time time) {
    if (!log::quiet_lines().is_on()) return false;
    u64 bits = log::quiet_lines().quiet_for(line_begin(line));
    if (bits == 0) return false;
    const Time now = time + recording->merge.delay_of(t.serial);
    for (; bits != 0; bits &= bits - 1) {
        const Passer& passer = passers[log::quiet_lines().number_of(bits)];
        const u32 serial = passer.serial;
        if (serial == 0 || serial == t.serial || passer.is_fresh()) continue;
        if (time_of(serial) > now &&
            (passer.is_present() || passer.ended + recording->merge.delay_of(serial) > now))
            return true;
    }
    return false;
}

}  // namespace memspy::order
