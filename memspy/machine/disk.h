// SPDX-License-Identifier: GPL-2.0-or-later
//
// The disk of a folder: its size from the system; latency and bandwidth of reads that go past the system's
// cache, of a file without a name that is written for it.
#pragma once

#include <string>

#include "machine/clock.h"
#include "machine/figure.h"

namespace memspy::machine {

struct Disk {
    std::string folder;
    u64 size = 0;               // bytes of its file system; 0: not known
    Figure<double> latency_us;  // of a read of a page at a random place
    Figure<double> read_gb_s, write_gb_s;
};

// The folder for temporary files: TMPDIR, or /var/tmp.
Disk measure_disk(const Deadline& deadline);

}  // namespace memspy::machine
