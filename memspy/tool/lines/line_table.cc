// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines/line_table.h"

#include <bit>

namespace memspy::lines {

void LineTable::initialise(u32 line_bytes) {
    line_bits_ = static_cast<u32>(std::countr_zero(line_bytes));
    leaf_bits_ = kLeafAddressBits - line_bits_;
    leaf_mask_ = (u64{1} << leaf_bits_) - 1;
    leaves_ = static_cast<LineState**>(rt::map_zeroed(kLeaves * sizeof(LineState*), "memspy.line_table"));
    untouched_ = make_leaf();
    for (u32 i = 0; i < kLeaves; ++i) leaves_[i] = untouched_;
}

LineState* LineTable::make_leaf() {
    return static_cast<LineState*>(rt::map_zeroed(sizeof(LineState) << leaf_bits_, "memspy.line_table.leaf"));
}

u32 LineTable::make_shared(u64 line) {
    CHECK_LE(shared_.size(), LineState::kMostNumber);
    SharedLine shared;
    shared.line = line;
    return shared_.push_back(shared);
}

}  // namespace memspy::lines
