// SPDX-License-Identifier: GPL-2.0-or-later
#include "log/watched_lines.h"

#include "rt/global.h"

namespace memspy::log {
namespace {

rt::Global<WatchedLines> table;

}  // namespace

WatchedLines& watched_lines() { return *table; }

void WatchedLines::watch(Address a, u32 accesses) {
    u32& left = lines_[a >> kLineBits];
    if (left == 0) {
        ++lines_in_[slot_of(a)];
        slots_[slot_of(a)] = kWatched;
    }
    if (left < accesses) left = accesses;
}

void WatchedLines::unwatch(Address a) {
    if (lines_.find(a >> kLineBits) == nullptr) return;
    lines_.erase(a >> kLineBits);
    if (--lines_in_[slot_of(a)] == 0) slots_[slot_of(a)] = 0;
}

void WatchedLines::count_down(Address a) {
    u32* const left = lines_.find(a >> kLineBits);
    if (left == nullptr || *left == kForGood) return;
    if (--*left == 0) unwatch(a);
}

void WatchedLines::forget(Address begin, Address end) {
    if (lines_.empty() || begin >= end) return;
    constexpr u64 kLineBytes = u64{1} << kLineBits;
    if ((end - begin) >> kLineBits < lines_.size()) {
        for (Address line = begin & ~(kLineBytes - 1); line < end; line += kLineBytes) unwatch(line);
        return;
    }
    rt::Vector<u64> gone;
    lines_.for_each([&](u64 line, u32) {
        if (line << kLineBits < end && (line + 1) << kLineBits > begin) gone.push_back(line);
    });
    for (const u64 line : gone) unwatch(line << kLineBits);
}

}  // namespace memspy::log
