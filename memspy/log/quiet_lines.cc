// SPDX-License-Identifier: GPL-2.0-or-later
#include "log/quiet_lines.h"

#include <bit>

#include "rt/global.h"

namespace memspy::log {
namespace {

rt::Global<QuietLines> table;

}  // namespace

QuietLines& quiet_lines() { return *table; }

void QuietLines::initialise(u32 line_bytes) {
    line_bits_ = static_cast<unsigned>(std::countr_zero(line_bytes));
    nothing_ = make_leaf();
    for (u32*& leaf : leaves_) leaf = nothing_;
}

u32* QuietLines::make_leaf() {
    auto* leaf = static_cast<u32*>(rt::allocate(leaf_lines() * sizeof(u32), "memspy.quiet_lines"));
    for (u32 i = 0; i < leaf_lines(); ++i) leaf[i] = ~u32{0};
    return leaf;
}

void QuietLines::forget(Address begin, Address end) {
    if (!is_on()) return;
    const u64 last = (end - 1) >> line_bits_;
    for (u64 line = begin >> line_bits_; line <= last;) {
        const u64 leaf = line >> (kLeafAddressBits - line_bits_);
        if (leaves_[leaf & (kLeaves - 1)] == nothing_) {
            line = (leaf + 1) << (kLeafAddressBits - line_bits_);
            continue;
        }
        if (u32& word = word_of(line << line_bits_); (word & kMayBeQuiet) == 0) word |= kMayBeQuiet;
        ++line;
    }
}

void QuietLines::forget_threads(u32 bits) {
    for (u32* leaf : leaves_) {
        if (leaf == nothing_) continue;
        // Pairs stay valid or become too strict.
        for (u32 i = 0; i < leaf_lines(); ++i) {
            if ((~leaf[i] & bits) == 0) continue;
            leaf[i] |= bits | kStores;
        }
    }
}

}  // namespace memspy::log
