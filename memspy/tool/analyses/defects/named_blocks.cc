// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/named_blocks.h"

#include "rt/global.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

struct NamedBlock {
    Address begin;
    usize size;  // 0: discarded, the place may be used again
    const char* name;
    ContextId created;
};
rt::Global<rt::Vector<NamedBlock>> blocks;  // the handle is the index

}  // namespace

u64 create_named_block(u32 thread, Address begin, usize bytes, const char* name) {
    if (begin == 0 || bytes == 0) return ~u64{0};
    usize handle = 0;
    while (handle < blocks->size() && (*blocks)[handle].size != 0) ++handle;
    if (handle == blocks->size()) blocks->push_back({});
    // Never released: reports that were made keep the name.
    (*blocks)[handle] = {begin, bytes, VG_(strdup)("memspy.named_block", name),
                         id_of(VG_(record_ExeContext)(thread, 0))};
    return handle;
}

bool discard_named_block(u64 handle) {
    if (handle >= blocks->size() || (*blocks)[handle].size == 0) return false;
    (*blocks)[handle].size = 0;
    return true;
}

findings::AddressOwner named_place(Address a) {
    findings::AddressOwner place;
    for (const NamedBlock& block : *blocks) {
        if (a - block.begin >= block.size) continue;
        place.what = findings::AddressOwner::OwnerKind::NamedBlock;
        place.name = block.name;
        place.offset = static_cast<i64>(a - block.begin);
        place.size = block.size;
        place.allocated = block.created;
        break;
    }
    return place;
}

}  // namespace memspy::defects
