// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/starved.h"

#include "vg/caches.h"
#include "vg/vg.h"

namespace memspy::vg {

u64 starved_microseconds() {
    // "1234 567 89": nanoseconds on a processor, nanoseconds ready without one, time slices.
    HChar text[80] = {};
    read_file("/proc/self/schedstat", text, sizeof text - 1);
    HChar* rest = text;
    VG_(strtoull10)(text, &rest);
    return VG_(strtoull10)(rest, nullptr) / 1000;
}

}  // namespace memspy::vg
