// SPDX-License-Identifier: GPL-2.0-or-later
//
// Statistics for a machine with other load. Disturbances only make a measurement longer, sometimes by much.
// So the low end of many short samples describes the machine, and it counts once two halves of the samples
// agree.
#pragma once

#include <optional>

#include "machine/clock.h"

namespace memspy::machine {

struct Repetition {
    int least = 5, most = 40;  // samples in each half
    double agree = 0.02;       // greatest relative difference of the two halves' low ends
};

// `sample` takes one sample. Returns nothing if the halves never agree, or the deadline passes first.
template <typename Sample>
std::optional<double> repeat(const Sample& sample, const Deadline& deadline, const Repetition& how = {}) {
    double low[2] = {1e300, 1e300};
    for (int taken = 1; taken <= how.most; ++taken) {
        // In turns, so that a longer disturbance affects both halves.
        for (double& half : low) {
            const double value = sample();
            if (value < half) half = value;
        }
        if (taken >= how.least) {
            const double less = low[0] < low[1] ? low[0] : low[1];
            const double more = low[0] < low[1] ? low[1] : low[0];
            if (more - less <= how.agree * less) return less;
        }
        if (deadline.passed()) return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace memspy::machine
