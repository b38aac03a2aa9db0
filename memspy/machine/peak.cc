// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace memspy::machine {
namespace {

// More than the latency of an operation times those that begin in a cycle, and few enough for the registers.
constexpr int kChains = 12;

#if defined(__x86_64__)
double of_two(double factor, int rounds) {
    __m128d a[kChains];
    const __m128d x = _mm_set1_pd(factor);
    for (__m128d& one : a) one = x;
    for (int i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (int k = 0; k < kChains; ++k) a[k] = _mm_add_pd(_mm_mul_pd(a[k], x), x);
    }
    __m128d sum = a[0];
    for (int k = 1; k < kChains; ++k) sum = _mm_add_pd(sum, a[k]);
    return _mm_cvtsd_f64(sum);
}

__attribute__((target("avx2,fma"))) double of_four(double factor, int rounds) {
    __m256d a[kChains];
    const __m256d x = _mm256_set1_pd(factor);
    for (__m256d& one : a) one = x;
    for (int i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (int k = 0; k < kChains; ++k) a[k] = _mm256_fmadd_pd(a[k], x, x);
    }
    __m256d sum = a[0];
    for (int k = 1; k < kChains; ++k) sum = _mm256_add_pd(sum, a[k]);
    return _mm256_cvtsd_f64(sum);
}

__attribute__((target("avx512f"))) double of_eight(double factor, int rounds) {
    __m512d a[kChains];
    const __m512d x = _mm512_set1_pd(factor);
    for (__m512d& one : a) one = x;
    for (int i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (int k = 0; k < kChains; ++k) a[k] = _mm512_fmadd_pd(a[k], x, x);
    }
    __m512d sum = a[0];
    for (int k = 1; k < kChains; ++k) sum = _mm512_add_pd(sum, a[k]);
    return _mm512_cvtsd_f64(sum);
}
#elif defined(__aarch64__)
double of_two(double factor, int rounds) {
    float64x2_t a[kChains];
    const float64x2_t x = vdupq_n_f64(factor);
    for (float64x2_t& one : a) one = x;
    for (int i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
        for (int k = 0; k < kChains; ++k) a[k] = vfmaq_f64(x, a[k], x);
    }
    float64x2_t sum = a[0];
    for (int k = 1; k < kChains; ++k) sum = vaddq_f64(sum, a[k]);
    return vgetq_lane_f64(sum, 0);
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
