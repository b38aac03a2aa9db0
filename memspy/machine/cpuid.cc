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

}  // namespace memspy::machine
