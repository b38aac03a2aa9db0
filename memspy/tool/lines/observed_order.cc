// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines/observed_order.h"

#include <new>

namespace memspy::lines {

ObservedOrder::Known& ObservedOrder::known_by(u32 slot) {
    while (known_.size() <= slot) {
        known_.push_back(new (rt::allocate(sizeof(Known), "memspy.observed_order")) Known);
        ends_.push_back(new (rt::allocate(sizeof(Ends), "memspy.observed_order")) Ends);
    }
    Known& known = *known_[slot];
    if (known.size() <= slot) known.resize(slot + 1);
    return known;
}

void ObservedOrder::join(Known& into, const Known& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (usize i = 0; i < from.size(); ++i)
        if (into[i] < from[i]) into[i] = from[i];
}

void ObservedOrder::begin(u32 slot) {
    Known& known = known_by(slot);
    const u32 ended = known[slot];
    known.resize(0);
    known.resize(slot + 1);
    known[slot] = ended;
}

void ObservedOrder::end_part(u32 slot, Time until) {
    Known& own = known_by(slot);
    ++own[slot];
    ++parts_ended_;
    Ends& ends = *ends_[slot];
    const u32 at = ends.next++ % kKept;
    ends.until[at] = until;
    if (ends.of_parts.size() <= own[slot] && ends.of_parts.size() < kTimes)
        ends.of_parts.resize(own[slot] < kTimes ? own[slot] + 1 : kTimes);
    ends.of_parts[own[slot] % kTimes] = until;
    ends.known[at].resize(0);
    join(ends.known[at], own);
}

u32 ObservedOrder::part_at(u32 slot, Time time) {
    const u32 ended = known_by(slot)[slot];
    const rt::Vector<Time>& times = ends_[slot]->of_parts;
    // The first part that ended later.
    u32 low = ended < kTimes ? 1 : ended - kTimes + 1, high = ended + 1;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (times[middle % kTimes] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void ObservedOrder::release(u32 slot, Address word, Time until) {
    end_part(slot, until);
    if (words_.size() >= kMostWords && words_.find(word) == nullptr) {
        words_.for_each([&](u64, Known* known) {
            join(together_, *known);
            rt::destroy(known);
        });
        words_.clear();
    }
    released_[filter_word(word)] |= filter_bit(word);
    Known*& known = words_[word];
    if (known == nullptr) known = new (rt::allocate(sizeof(Known), "memspy.observed_order")) Known;
    join(*known, *known_[slot]);
}

void ObservedOrder::acquire_known(u32 slot, Address word) {
    Known* const* known = words_.find(word);
    join(known_by(slot), known != nullptr ? **known : together_);
}

void ObservedOrder::go_on_after(u32 slot, u32 other, Time time, bool nothing_later) {
    known_by(slot);
    known_by(other);
    if (nothing_later) {
        end_part(other, time);
        return join(*known_[slot], *known_[other]);
    }
    const Ends& ends = *ends_[other];
    for (u32 i = ends.next; i > 0 && i + kKept > ends.next; --i)
        if (const u32 at = (i - 1) % kKept; ends.until[at] <= time + 1)
            return join(*known_[slot], ends.known[at]);
}

void ObservedOrder::go_on_after_part(u32 slot, u32 other, u32 part, Time now) {
    known_by(slot);
    if (known_by(other)[other] < part) end_part(other, now);
    // What the other knew at the end of that part, or of the next one that is kept.
    const Ends& ends = *ends_[other];
    const u32 oldest = ends.next > kKept ? ends.next - kKept : 0;
    for (u32 i = oldest; i < ends.next; ++i)
        if (const Known& known = ends.known[i % kKept]; known[other] >= part)
            return join(*known_[slot], known);
}

void ObservedOrder::forget(Address a, usize bytes) {
    if (bytes == 0 || words_.empty()) return;
    constexpr usize kAlignment = 4;
    for (const Address at : words_.keys_in(a, bytes, kAlignment)) {
        rt::destroy(*words_.find(at));
        words_.erase(at);
    }
}

void ObservedOrder::clear() {
    words_.for_each([](u64, Known* known) { rt::destroy(known); });
    words_.clear();
    together_.clear();
    for (Known* known : known_) rt::destroy(known);
    known_.clear();
    for (Ends* ends : ends_) rt::destroy(ends);
    ends_.clear();
}

}  // namespace memspy::lines
