// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/peak.h"

namespace memspy::machine {
namespace {

// More than the latency of an operation times those that begin in a cycle, and few enough for the registers.
constexpr int kChains = 12;

using Two = double __attribute__((vector_size(16)));

// The compiler fuses the two operations where the caller's target can do so.
template <typename Doubles>
[[gnu::always_inline]] inline double run_chains(double factor, int rounds) {
    const Doubles x = Doubles{} + factor;
    Doubles chains[kChains];
    for (Doubles& one : chains) one = x;
    for (int i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (Doubles& one : chains) one = one * x + x;
    }
    Doubles sum = chains[0];
    for (int k = 1; k < kChains; ++k) sum += chains[k];
    return sum[0];
}

double of_two(double factor, int rounds) { return run_chains<Two>(factor, rounds); }

#if defined(__x86_64__)
using Four = double __attribute__((vector_size(32)));
using Eight = double __attribute__((vector_size(64)));

__attribute__((target("avx2,fma"))) double of_four(double factor, int rounds) {
    return run_chains<Four>(factor, rounds);
}
__attribute__((target("avx512f"))) double of_eight(double factor, int rounds) {
    return run_chains<Eight>(factor, rounds);
}
#endif

}  // namespace

PeakLoop widest_loop() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return {"eight doubles, fused", 16.0 * kChains, of_eight};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return {"four doubles, fused", 8.0 * kChains, of_four};
    return {"two doubles", 4.0 * kChains, of_two};
#else
    return {"two doubles, fused", 4.0 * kChains, of_two};
#endif
}

}  // namespace memspy::machine
