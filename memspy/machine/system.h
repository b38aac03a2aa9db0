// SPDX-License-Identifier: GPL-2.0-or-later
//
// The system's own figures (sysfs, /proc, sysconf), for comparison with the measured ones.
#pragma once

#include <string>
#include <vector>

#include "machine/figure.h"

namespace memspy::machine {

struct ReportedCache {
    int level = 0;
    u64 size = 0, line = 0, ways = 0;  // 0: unknown
    std::string shared_cpus;
};

struct System {
    std::string model;
    u64 cpus = 0, cores = 0, sockets = 0, nodes = 0, threads_per_core = 0;
    u64 page_size = 0, memory_bytes = 0;
    double frequency_mhz = 0;  // 0: unknown
    bool hypervisor = false;
    std::vector<ReportedCache> caches;  // data and unified caches of the first processor
};

System read_system();

}  // namespace memspy::machine
