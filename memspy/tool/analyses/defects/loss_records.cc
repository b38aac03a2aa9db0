// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/loss_records.h"

#include <algorithm>

#include "vg/vg.h"

namespace memspy::defects {

namespace {

u64 key_of(Reach reach, ContextId context) {
    return static_cast<u64>(context) << 2 | static_cast<u64>(reach);
}

// The comparisons after the size make the order unique.
bool prints_before(const LossRecord& a, const LossRecord& b) {
    if (a.total() != b.total()) return a.total() < b.total();
    if (a.reach != b.reach) return a.reach < b.reach;
    if (a.blocks != b.blocks) return a.blocks < b.blocks;
    return a.allocated < b.allocated;
}

}  // namespace

bool LossRecord::shows_in(LeakDelta delta) const {
    switch (delta) {
        case LeakDelta::Any: return blocks > 0;
        case LeakDelta::Increased:
            return bytes > old_bytes || indirect_bytes > old_indirect_bytes || blocks > old_blocks;
        case LeakDelta::Changed:
            return bytes != old_bytes || indirect_bytes != old_indirect_bytes || blocks != old_blocks;
        case LeakDelta::New: return blocks > 0 && old_blocks == 0;
    }
    return false;
}

void LossRecords::clear() {
    records_.clear();
    index_.clear();
}

ContextId LossRecords::representative(ContextId context) {
    if (options().leak_resolution == LeakResolution::High) return context;  // the core keeps each once
    u64 key = static_cast<u64>(context);
    if (const ContextId* known = representative_.find(key)) return *known;
    VgRes resolution = options().leak_resolution == LeakResolution::Low ? Vg_LowRes : Vg_MedRes;
    ContextId result = context;
    for (ContextId other : representatives_) {
        if (context == ContextId::None || other == ContextId::None) continue;
        if (!VG_(eq_ExeContext)(resolution, context_of(context), context_of(other))) continue;
        result = other;
        break;
    }
    if (result == context) representatives_.push_back(context);
    representative_[key] = result;
    return result;
}

void LossRecords::update(const LeakGraph& graph) {
    // Records of the search before are kept even if nothing is left of them, because that is a change, too.
    usize kept = 0;
    index_.clear();
    for (const LossRecord& old : records_) {
        if (old.blocks == 0) continue;
        index_[key_of(old.reach, old.allocated)] = static_cast<u32>(kept);
        LossRecord record = {.reach = old.reach,
                             .allocated = old.allocated,
                             .bytes = 0,
                             .indirect_bytes = 0,
                             .blocks = 0,
                             .old_bytes = old.bytes,
                             .old_indirect_bytes = old.indirect_bytes,
                             .old_blocks = old.blocks};
        records_[kept++] = record;
    }
    records_.resize(kept);

    for (const LeakGraph::GraphBlock& block : graph.blocks()) {
        ContextId context = representative(static_cast<ContextId>(block.tag));
        u64 key = key_of(block.reach, context);
        u32* index = index_.find(key);
        if (index == nullptr) {
            records_.push_back({.reach = block.reach, .allocated = context});
            index = &index_[key];
            *index = static_cast<u32>(records_.size() - 1);
        }
        LossRecord& record = records_[*index];
        record.bytes += block.size;
        record.indirect_bytes += block.indirect_bytes;
        ++record.blocks;
    }
    std::sort(records_.begin(), records_.end(), prints_before);
    for (usize i = 0; i < records_.size(); ++i)
        index_[key_of(records_[i].reach, records_[i].allocated)] = static_cast<u32>(i);
}

usize LossRecords::index_of(const LeakGraph::GraphBlock& block) {
    const u32* index = index_.find(key_of(block.reach, representative(static_cast<ContextId>(block.tag))));
    CHECK(index != nullptr);
    return *index;
}

}  // namespace memspy::defects
