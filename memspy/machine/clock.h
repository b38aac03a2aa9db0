// SPDX-License-Identifier: GPL-2.0-or-later
//
// Time, and the time left.
#pragma once

#include <chrono>

namespace memspy::machine {

inline double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
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
