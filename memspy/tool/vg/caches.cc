// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/caches.h"

#include "vg/vg.h"

namespace memspy::vg {
namespace {

constexpr const char* kCacheFolder = "/sys/devices/system/cpu/cpu0/cache/index";

// A figure of a cache; 0 when the system does not tell it.
u64 attribute(u32 index, const char* what) {
    HChar path[128];
    VG_(snprintf)(path, sizeof path, "%s%u/%s", kCacheFolder, index, what);
    char text[64];
    const u64 length = read_file(path, text, sizeof text - 1);
    u64 value = 0;
    for (u64 i = 0; i < length; ++i) {
        if (text[i] >= '0' && text[i] <= '9')
            value = value * 10 + static_cast<u64>(text[i] - '0');
        else if (text[i] == 'K')
            return value << 10;
        else if (text[i] == 'M')
            return value << 20;
        else
            break;
    }
    return value;
}

}  // namespace

u64 read_file(const char* path, char* into, u64 room) {
    const SysRes opened = VG_(open)(path, VKI_O_RDONLY, 0);
    if (sr_isError(opened)) return 0;
    const Int file = static_cast<Int>(sr_Res(opened));
    u64 length = 0;
    while (length < room) {
        const Int count = VG_(read)(file, into + length, static_cast<Int>(room - length));
        if (count <= 0) break;
        length += static_cast<u64>(count);
    }
    VG_(close)(file);
    return length;
}

u32 system_caches(SystemCache (&caches)[kMostSystemCaches]) {
    u32 found = 0;
    for (u32 index = 0; index < kMostSystemCaches; ++index) {
        HChar path[128];
        VG_(snprintf)(path, sizeof path, "%s%u/type", kCacheFolder, index);
        char type[16] = {};
        if (read_file(path, type, sizeof type - 1) == 0) break;
        const u64 level = attribute(index, "level");
        if (type[0] == 'I' || level == 0) continue;
        caches[found++] =
            SystemCache{level, attribute(index, "size"), attribute(index, "coherency_line_size"),
                        attribute(index, "ways_of_associativity")};
    }
    return found;
}

}  // namespace memspy::vg
