// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/parted.h"

#include "order/recorder.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::contention {
namespace {

rt::Global<rt::HashMap<PartedBlocks>> places;  // by allocation and the thread that made it

}  // namespace

void note_block(const heap::Block& block) {
    if (block.size == 0 || block.size > order::line_bytes() / 2) return;
    const u32 owner = order::only_user(block.payload);
    if (owner == 0) return;
    PartedBlocks& parted = (*places)[u64{static_cast<u32>(block.allocated)} << 16 | block.allocated_by];
    parted.allocated = block.allocated;
    if (parted.first_owner == 0) parted.first_owner = owner;
    if (parted.first_owner != owner) ++parted.others;
}

PartedBlocks most_parted(u32* count) {
    PartedBlocks most;
    *count = 0;
    places->for_each([&](u64, const PartedBlocks& parted) {
        if (parted.others == 0) return;
        ++*count;
        if (parted.others > most.others ||
            (parted.others == most.others && parted.allocated < most.allocated))
            most = parted;
    });
    return most;
}

}  // namespace memspy::contention
