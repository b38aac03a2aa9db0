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

// Of processors, for all threads of the process.
inline u64 processor_microseconds() {
    constexpr vki_clockid_t kOfProcess = 2;  // CLOCK_PROCESS_CPUTIME_ID
    struct vki_timespec used;
    VG_(clock_gettime)(&used, kOfProcess);
    return static_cast<u64>(used.tv_sec) * 1'000'000 + static_cast<u64>(used.tv_nsec) / 1000;
}

}  // namespace memspy::vg
