// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/cpuid.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace memspy::machine {

std::vector<ReportedCache> caches_of_cpuid() {
    std::vector<ReportedCache> caches;
#if defined(__x86_64__)
    // Both leaves have the same form; a processor has one of them.
    for (const unsigned leaf : {4u, 0x8000001du}) {
        if (__get_cpuid_max(leaf & 0x80000000u, nullptr) < leaf) continue;
        for (unsigned index = 0; index < 16; ++index) {
            unsigned a = 0, b = 0, c = 0, d = 0;
            __cpuid_count(leaf, index, a, b, c, d);
            const unsigned type = a & 31;  // 0: no more; 2: instructions
            if (type == 0) break;
            if (type == 2) continue;
            ReportedCache cache;
            cache.level = static_cast<int>(a >> 5 & 7);
            cache.line = (b & 0xfff) + 1;
            cache.ways = (b >> 22) + 1;
            cache.size = cache.ways * ((b >> 12 & 0x3ff) + 1) * cache.line * (u64{c} + 1);
            caches.push_back(cache);
        }
        if (!caches.empty()) break;
    }
#endif
    return caches;
}

#if defined(__x86_64__)
// Leaf 0x18 has one buffer in each sub-leaf.
static std::vector<ReportedTlb> tlbs_of_leaves() {
    constexpr unsigned kLeaf = 0x18;
    enum { kData = 1, kUnified = 3, kLoads = 4 };
    std::vector<ReportedTlb> tlbs;
    if (__get_cpuid_max(0, nullptr) < kLeaf) return tlbs;
    unsigned a = 0, b = 0, c = 0, d = 0;
    __cpuid_count(kLeaf, 0, a, b, c, d);
    const unsigned last = a;
    for (unsigned index = 0; index <= last && index < 16; ++index) {
        __cpuid_count(kLeaf, index, a, b, c, d);
        const unsigned type = d & 31;
        const bool is_for_small = (b & 1) != 0;
        if ((type != kData && type != kUnified && type != kLoads) || !is_for_small) continue;
        tlbs.push_back({static_cast<int>(d >> 5 & 7), u64{b >> 16} * c});
    }
    return tlbs;
}

static std::vector<ReportedTlb> tlbs_of_amd() {
    constexpr unsigned kFirst = 0x80000005, kSecond = 0x80000006;
    std::vector<ReportedTlb> tlbs;
    if (__get_cpuid_max(0x80000000, nullptr) < kSecond) return tlbs;
    unsigned a = 0, b = 0, c = 0, d = 0;
    __cpuid(kFirst, a, b, c, d);
    if ((b >> 16 & 0xff) != 0) tlbs.push_back({1, b >> 16 & 0xff});
    __cpuid(kSecond, a, b, c, d);
    if ((b >> 28) != 0 && (b >> 16 & 0xfff) != 0) tlbs.push_back({2, b >> 16 & 0xfff});
    return tlbs;
}
#endif

std::vector<ReportedTlb> tlbs_of_cpuid() {
#if defined(__x86_64__)
    std::vector<ReportedTlb> tlbs = tlbs_of_leaves();
    return tlbs.empty() ? tlbs_of_amd() : tlbs;
#else
    return {};
#endif
}

}  // namespace memspy::machine
