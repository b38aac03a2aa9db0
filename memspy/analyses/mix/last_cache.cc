// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mix/last_cache.h"

namespace memspy::mix {

void LastCache::start(u64 bytes, u32 line_bytes) {
    const u64 lines = bytes / line_bytes;
    sets_ = lines < kWays ? 1 : lines / kWays;
    ways_ = static_cast<CacheWay*>(rt::map_zeroed(sets_ * kWays * sizeof(CacheWay), "memspy.mix_cache"));
}

LastCache::Traffic LastCache::search(CacheWay* set, u64 line, bool stores) {
    Traffic traffic;
    u32 place = 0;
    while (place < kWays - 1 && set[place] >> 1 != line + 1) ++place;
    CacheWay found = set[place];
    if (found >> 1 != line + 1) {
        traffic.fetched = true;
        traffic.written = (found & 1) != 0;
        found = (line + 1) << 1;
    }
    for (; place > 0; --place) set[place] = set[place - 1];
    set[0] = found | CacheWay{stores};
    return traffic;
}

}  // namespace memspy::mix
