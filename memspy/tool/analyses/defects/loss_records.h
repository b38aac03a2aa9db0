// SPDX-License-Identifier: GPL-2.0-or-later
//
// LossRecords: the blocks of a search, grouped by kind and place of allocation.
//
// --leak-resolution sets how many frames distinguish places. Records are kept for the next search, so that it
// can show changes, including records that became empty.
#pragma once

#include "analyses/defects/leak_graph.h"
#include "analyses/defects/leak_request.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::defects {

struct LossRecord {
    Reach reach;
    ContextId allocated;
    u64 bytes = 0, indirect_bytes = 0, blocks = 0;
    u64 old_bytes = 0, old_indirect_bytes = 0, old_blocks = 0;  // in the search before

    u64 total() const { return bytes + indirect_bytes; }
    u64 old_total() const { return old_bytes + old_indirect_bytes; }
    // Whether a search that only shows `delta` shows this record.
    bool shows_in(LeakDelta delta) const;
};

class LossRecords {
public:
    // Replaces the records of the last search by those of a new one. The largest come last, so that they are
    // at the end of a long output.
    void update(const LeakGraph& graph);
    void clear();

    usize size() const { return records_.size(); }
    const LossRecord& operator[](usize index) const { return records_[index]; }
    // For a block of the last search.
    usize index_of(const LeakGraph::GraphBlock& block);

private:
    ContextId representative(ContextId context);

    rt::Vector<LossRecord> records_;
    rt::HashMap<u32> index_;  // (context, kind) -> index in records_
    // Contexts that are equal at this resolution share the first of them.
    rt::HashMap<ContextId> representative_;
    rt::Vector<ContextId> representatives_;
};

}  // namespace memspy::defects
