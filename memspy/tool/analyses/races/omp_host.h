// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the order of OpenMP needs of the tool.
#pragma once

#include "analyses/races/racing_thread.h"
#include "lines/observed_order.h"

namespace memspy::races {

struct OmpHost {
    lines::ObservedOrder* order;
    u64* now;
    u32 (*new_strand)();
    bool (*read)(Address from, void* to, usize bytes);
    // What the run-time calls there, from now on.
    void (*calls_body)(Address code, OmpFunction as);
    void (*forget)(Address begin, usize bytes);
    // The threads of a team meet: the word of this meeting, and its end.
    Address (*meet)(const RacingThread& f, Address barrier);
    void (*leave_meeting)(const RacingThread& f, Address barrier, Address meeting);
};

}  // namespace memspy::races
