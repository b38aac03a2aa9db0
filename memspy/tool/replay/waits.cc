// SPDX-License-Identifier: GPL-2.0-or-later
#include "replay/waits.h"

namespace memspy::replay {

u32 Waits::row_of(Address word, WaitKind kind, const Place& place) {
    if (rows_.size() >= kMostRows - 1 && first_row_.find(word) == nullptr) word = 0;
    u32& first = first_row_[word];
    for (u32 number = first; number != 0; number = rows_[number - 1].next)
        if (const WaitRow& row = rows_[number - 1];
            (row.kind == WaitKind::Lock) == (kind == WaitKind::Lock) && row.place == place)
            return number - 1;
    if (rows_.size() >= kMostRows && first != 0) return first - 1;
    rows_.push_back({.word = word, .place = place, .kind = kind, .next = first, .figures = {}});
    first = static_cast<u32>(rows_.size());
    return first - 1;
}

void Waits::add(Address word, WaitKind kind, const Place& place, u32 thread, u32 whom, Time from,
                Time until) {
    const u32 row = row_of(word, kind, place);
    const Time time = until - from;
    times_.add(thread, row, whom, from, until);
    rows_[row].figures.add(time);
    if (thread > kNamedThreads) thread = 0;
    if (whom > kNamedThreads) whom = 0;
    constexpr u32 kShift = 8;
    static_assert(kNamedThreads < 1u << kShift);
    u32& part = part_[(u64{row} << kShift | thread) << kShift | whom];
    if (part == 0) {
        parts_.push_back({.row = row, .thread = thread, .whom = whom, .figures = {}});
        part = static_cast<u32>(parts_.size());
    }
    parts_[part - 1].figures.add(time);
}

void Waits::clear() {
    rows_.clear();
    parts_.clear();
    first_row_.clear();
    part_.clear();
    times_.clear();
}

}  // namespace memspy::replay
