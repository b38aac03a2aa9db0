// SPDX-License-Identifier: GPL-2.0-or-later
#include "log/quiet_lines.h"

#include <bit>

#include "rt/global.h"

namespace memspy::log {
namespace {

rt::Global<QuietLines> table;

}  // namespace

QuietLines& quiet_lines() { return *table; }

bool QuietLines::initialise(u32 line_bytes) {
    line_bits_ = static_cast<unsigned>(std::countr_zero(line_bytes));
    words_ = static_cast<u64*>(rt::map_zeroed_or_null((lines() + 1) * sizeof(u64)));
    for (u32 part : used_) is_used_[part] = false;
    used_.resize(0);
    return is_on();
}

void QuietLines::forget(Address begin, Address end) {
    if (!is_on()) return;
    for (Address a = begin; a < end;) {
        const Address next = ((a >> kPartBits) + 1) << kPartBits, last = next < end ? next : end;
        if (is_used_[(a >> kPartBits) & (kParts - 1)])
            for (u64 line = line_of(a); line <= line_of(last - 1); ++line)
                if ((words_[line] & kFollowed) != 0) words_[line] &= ~kFollowed;
        a = next;
    }
}

void QuietLines::join_ages(u64 bits, u64 present) {
    for_each_word([=](u64& word) {
        if ((word & bits) != 0) word = (word & ~bits) | present;
    });
}

void QuietLines::forget_threads(u64 bits) {
    for_each_word([=](u64& word) {
        if ((word & bits) != 0) word &= ~(bits | kStores);
    });
}

}  // namespace memspy::log
