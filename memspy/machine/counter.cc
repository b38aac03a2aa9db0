// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace memspy::machine {

MissCounter::MissCounter() {
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = PERF_TYPE_HW_CACHE;
    wanted.config =
        PERF_COUNT_HW_CACHE_L1D | PERF_COUNT_HW_CACHE_OP_READ << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
    if (file_ < 0) why_not_ = std::strerror(errno);
}

MissCounter::~MissCounter() {
    if (file_ >= 0) close(file_);
}

u64 MissCounter::misses() const {
    u64 value = 0;
    return read(file_, &value, sizeof value) == sizeof value ? value : 0;
}

}  // namespace memspy::machine
