// SPDX-License-Identifier: GPL-2.0-or-later
//
// LossRecords: the blocks of a search, folded by kind and place of allocation.
//
// Places are as fine as --leak-resolution. Records live on to the next search, so that it
// can show changes, also of a record that became empty.
#pragma once

#include "analyses/defects/leak_check.h"
#include "analyses/defects/leak_graph.h"
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
    // Does a search that shows `delta` only show this record?
    bool shows_in(LeakDelta delta) const;
};

class LossRecords {
public:
    // Records of a new search take the place of those of the search before. Largest last, so that they stand
    // at the end of a long output.
    void update(const LeakGraph& graph);
    void clear();

    usize size() const { return records_.size(); }
    const LossRecord& operator[](usize index) const { return records_[index]; }
    // Of a block that was in the last search.
    usize index_of(const LeakGraph::GraphBlock& block);

private:
    ContextId representative(ContextId context);

    rt::Vector<LossRecord> records_;
    rt::HashMap<u32> index_;  // (context, kind) -> index in records_
    // Contexts that the resolution does not tell apart share the first of them.
    rt::HashMap<ContextId> representative_;
    rt::Vector<ContextId> representatives_;
};

}  // namespace memspy::defects
