// SPDX-License-Identifier: GPL-2.0-or-later
//
// The processors that a thread may use.
#pragma once

#include <sched.h>

#include <vector>

namespace memspy::machine {

inline std::vector<int> own_processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<int> cpus;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<unsigned>(cpu), &allowed)) cpus.push_back(cpu);
    return cpus;
}

// The calling thread's. Returns whether it has these now.
inline bool stay_on(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus) CPU_SET(static_cast<unsigned>(cpu), &set);
    return sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace memspy::machine
