// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "rt/base.h"
#include "vg/vg.h"

namespace memspy::vg {

// Of the system's clock, since 1970. It may be set back.
inline u64 wall_microseconds() {
    struct vki_timeval now;
    VG_(gettimeofday)(&now, nullptr);
    return static_cast<u64>(now.tv_sec) * 1'000'000 + static_cast<u64>(now.tv_usec);
}

}  // namespace memspy::vg
