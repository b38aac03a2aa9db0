// SPDX-License-Identifier: GPL-2.0-or-later
//
// Latent false sharing: what threads would do to each other's lines if these had 128 bytes, or if blocks of the heap
// began elsewhere in a line. Samples of the run are replayed in these layouts and in the present one, and a layout has
// so many latent events as it has more than the present one, of false sharing. No Valgrind here.
#pragma once

#include "analyses/contention/latent/sample_replay.h"
#include "places/object.h"
#include "remedies/sharing_report.h"
#include "rt/vector.h"

namespace memspy::contention {

using namespace remedies;

using places::Extent;
using places::ObjectId;

// Who owns a byte now; and whether all blocks of the object may begin at any multiple of 16.
struct LatentOwners {
    Extent (*owner)(Address a) = nullptr;
    bool (*can_move)(ObjectId object) = nullptr;
};

// Returns whether threads would meet more often in one of the layouts.
bool note_sample(const lines::LineSample& sample, const LatentOwners& owners);
void forget_samples();

struct LatentRules {
    u64 threshold = 0, floor = 0;  // as those of findings (sharing_report.h)
    u64 instructions = 0;          // of all threads
    lines::Time length = 0;        // of the run, in virtual time
    bool (*is_told)(ObjectId object,
                    void* argument) = nullptr;  // not the library's own, and no finding has it
    void* argument = nullptr;
};
// Most events first.
void find_latent(const LatentRules& rules, rt::Vector<LatentFinding>& findings,
                 rt::Vector<ObjectId>& members);

}  // namespace memspy::contention
