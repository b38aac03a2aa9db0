// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/strides.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memspy::locality {
namespace {

bool has_wide = false;

using FourWords = u32 __attribute__((vector_size(16)));
using FourSteps = i32 __attribute__((vector_size(16)));
using EightWords = u32 __attribute__((vector_size(32)));
using EightSteps = i32 __attribute__((vector_size(32)));

// So many words at once: each step compares all of them with the words that stand as many places before them.
template <typename Words, typename Steps>
[[gnu::always_inline]] inline void find(const u32* words, u32 count, u32* strides) {
    struct __attribute__((packed, may_alias)) Stored {
        Words lanes;
    };
    for (u32 i = 0; i < count; i += sizeof(Words) / sizeof(u32)) {
        const Words here = reinterpret_cast<const Stored*>(words + i)->lanes;
        Words nearest = Words{} + kCutOff;
#pragma GCC unroll 8
        for (u32 back = 1; back <= kWindow; ++back) {
            const Words before = reinterpret_cast<const Stored*>(words + i - back)->lanes;
            const auto step = reinterpret_cast<Steps>(here - before);
            const auto distance = reinterpret_cast<Words>(step < 0 ? -step : step);
            nearest = distance < nearest ? distance : nearest;
        }
        reinterpret_cast<Stored*>(strides + i)->lanes = nearest;
    }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void find_wide(const u32* words, u32 count, u32* strides) {
    find<EightWords, EightSteps>(words, count, strides);
}

// The system must keep the wide registers, too.
bool keeps_wide_registers() {
    u32 low = 0, high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6;
}
#endif

}  // namespace

void prepare_strides() {
#if defined(__x86_64__)
    u32 a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0 || !keeps_wide_registers()) return;
    has_wide = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0;
#endif
}

void find_strides(const u32* words, u32 count, u32* strides) {
#if defined(__x86_64__)
    if (has_wide) return find_wide(words, count, strides);
#endif
    find<FourWords, FourSteps>(words, count, strides);
}

}  // namespace memspy::locality
