// SPDX-License-Identifier: GPL-2.0-or-later
//
// Statistics for a machine that has other things to do. What disturbs a measurement only makes it longer, now and then
// by much: so the low end of many short samples is the machine, and it counts once two halves of the samples agree.
#pragma once

#include <optional>

#include "machine/clock.h"

namespace memspy::machine {

struct Repetition {
    int least = 5, most = 40;  // samples in each half
    double agree = 0.02;       // the two halves' low ends differ by no more than this share
};

// `sample` takes one sample. Nothing where the halves never agree, or the deadline passes first.
template <typename Sample>
std::optional<double> repeat(const Sample& sample, const Deadline& deadline, const Repetition& how = {}) {
    double low[2] = {1e300, 1e300};
    for (int taken = 1; taken <= how.most; ++taken) {
        // In turns, so that a disturbance that lasts meets both.
        for (double& half : low) {
            const double value = sample();
            if (value < half) half = value;
        }
        if (taken >= how.least) {
            const double less = low[0] < low[1] ? low[0] : low[1];
            const double more = low[0] < low[1] ? low[1] : low[0];
            if (more - less <= how.agree * less) return less;
        }
        if (taken % 4 == 0 && deadline.passed()) return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace memspy::machine
