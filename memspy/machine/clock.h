// SPDX-License-Identifier: GPL-2.0-or-later
//
// Time, and the time left.
#pragma once

#include <time.h>

#include <chrono>

namespace memspy::machine {

inline double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// The time that this thread has run: other programs that have the processor in between do not count. Asking
// takes the kernel a quarter of a microsecond.
inline double thread_ns() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// After this time no measurement begins; the missing figures count as not found.
class Deadline {
public:
    explicit Deadline(double seconds) : end_(now_ns() + seconds * 1e9) {}
    bool passed() const { return now_ns() > end_; }

private:
    double end_;
};

}  // namespace memspy::machine
