// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/latent/sample_replay.h"

#include <algorithm>

#include "lines/ownership.h"
#include "rt/hash_map.h"

namespace memspy::contention {
namespace {

constexpr u32 kWords = lines::kMostLineBytes / 64;
// A load that misses brings the line for a store that follows so soon, as in the replay of the run
// (order/rules.def, kTogether).
constexpr lines::Time kTogether = 16;

struct ByteSet {
    u64 words[kWords] = {};

    static ByteSet of(u64 first, u64 bytes) {
        ByteSet set;
        for (u64 at = first; at < first + bytes; ++at) set.words[at / 64] |= u64{1} << at % 64;
        return set;
    }
    bool meets(const ByteSet& other) const {
        for (u32 i = 0; i < kWords; ++i)
            if ((words[i] & other.words[i]) != 0) return true;
        return false;
    }
    void add(const ByteSet& other) {
        for (u32 i = 0; i < kWords; ++i) words[i] |= other.words[i];
    }
};

// A thread's copy of a line.
struct Copy {
    u32 thread, next;  // number + 1; 0: none
    bool valid;
    ByteSet used;     // since it is valid
    ByteSet foreign;  // stored by others since it is not
};

struct ReplayedLine {
    u32 copies = 0;    // number + 1 of the first
    u32 taken_by = 0;  // object of the last store that took copies
};

class Replay {
public:
    Replay(const rt::Vector<OwnedAccess>& accesses, const OtherLayout& layout)
        : accesses_(accesses), layout_(layout) {
        done_.resize(accesses.size());
    }

    void run() {
        for (usize i = 0; i < accesses_.size(); ++i) {
            const OwnedAccess& owned = accesses_[i];
            if (layout_.alone && !owned.can_move) continue;
            if (done_[i] == 0) apply_parts(i);
        }
    }
    void take(rt::Vector<LatentPair>& pairs) {
        counts_.for_each([&](u64 key, const LatentCounts& counts) {
            pairs.push_back({static_cast<u32>(key >> 32), static_cast<u32>(key), counts});
        });
        std::sort(pairs.begin(), pairs.end(), [](const LatentPair& a, const LatentPair& b) {
            return a.object != b.object ? a.object < b.object : a.other < b.other;
        });
    }

private:
    u64 place_of(const OwnedAccess& owned) const { return owned.access.begin + layout_.moved; }
    u64 key_of(const OwnedAccess& owned, u64 line) const {
        return layout_.alone ? line << 24 ^ owned.object : line;
    }
    void apply_parts(usize number);
    void apply(usize number, u64 line, u64 first, u64 bytes);
    bool stores_soon(usize number, u64 line);
    Copy& copy_of(ReplayedLine& line, u32 thread, bool* is_new);

    const rt::Vector<OwnedAccess>& accesses_;
    const OtherLayout layout_;
    rt::Vector<u8> done_;  // 1: was applied with an earlier one
    rt::HashMap<ReplayedLine> lines_;
    rt::Vector<Copy> copies_;
    rt::HashMap<LatentCounts> counts_;
};

void Replay::apply_parts(usize number) {
    const u64 begin = place_of(accesses_[number]), end = begin + accesses_[number].access.bytes;
    for (u64 at = begin; at < end;) {
        const u64 line = at / layout_.line_bytes, next = std::min((line + 1) * layout_.line_bytes, end);
        apply(number, line, at % layout_.line_bytes, next - at);
        at = next;
    }
}

// Whether the thread's next access to the line is a store of one line within reach, which then has been made.
bool Replay::stores_soon(usize number, u64 line) {
    const lines::SampledAccess& load = accesses_[number].access;
    for (usize i = number + 1; i < accesses_.size() && accesses_[i].access.time <= load.time + kTogether;
         ++i) {
        const OwnedAccess& next = accesses_[i];
        const u64 begin = place_of(next), last = begin + next.access.bytes - 1;
        if (next.access.thread != load.thread || done_[i] != 0 || begin / layout_.line_bytes > line ||
            last / layout_.line_bytes < line || (layout_.alone && next.object != accesses_[number].object))
            continue;
        if (!next.access.stores || begin / layout_.line_bytes != last / layout_.line_bytes) return false;
        done_[i] = 1;
        apply(i, line, begin % layout_.line_bytes, next.access.bytes);
        return true;
    }
    return false;
}

Copy& Replay::copy_of(ReplayedLine& line, u32 thread, bool* is_new) {
    for (u32 at = line.copies; at != 0; at = copies_[at - 1].next)
        if (copies_[at - 1].thread == thread) return copies_[at - 1];
    *is_new = true;
    copies_.push_back({.thread = thread, .next = line.copies, .valid = false, .used = {}, .foreign = {}});
    line.copies = static_cast<u32>(copies_.size());
    return copies_.back();
}

void Replay::apply(usize number, u64 line_number, u64 first, u64 bytes) {
    const OwnedAccess& owned = accesses_[number];
    ReplayedLine& line = lines_[key_of(owned, line_number)];
    const ByteSet set = ByteSet::of(first, bytes);
    bool is_new = false;
    Copy& mine = copy_of(line, owned.access.thread, &is_new);
    const u32 other = line.taken_by != 0 ? line.taken_by : owned.object;
    LatentCounts& counts = counts_[u64{owned.object} << 32 | other];
    ++counts.accesses;
    const bool missed = !mine.valid && !is_new;
    if (missed) {
        ++counts.misses;
        ++(mine.foreign.meets(set) ? counts.true_events : counts.false_events);
    }
    if (!mine.valid) mine.used = mine.foreign = ByteSet{};
    mine.valid = true;
    mine.used.add(set);
    if (owned.access.stores) {
        bool takes = false, is_true = false;
        for (u32 at = line.copies; at != 0; at = copies_[at - 1].next) {
            Copy& copy = copies_[at - 1];
            if (&copy == &mine) continue;
            takes |= copy.valid;
            is_true |= copy.valid && copy.used.meets(set);
            copy.valid = false;
            copy.foreign.add(set);
        }
        if (takes) {
            ++counts.invalidations;
            ++(is_true ? counts.true_events : counts.false_events);
            mine.used = set;
            line.taken_by = owned.object;
        }
    } else if (missed) {
        stores_soon(number, line_number);
    }
}

}  // namespace

void LatentCounts::add(const LatentCounts& other, u64 times, u64 parts) {
    const auto scale = [=](u64 count) { return parts == 0 ? 0 : count * times / parts; };
    accesses += scale(other.accesses);
    misses += scale(other.misses);
    invalidations += scale(other.invalidations);
    false_events += scale(other.false_events);
    true_events += scale(other.true_events);
}

u64 LatentCounts::repeated_falsely() const {
    const u64 kinds = false_events + true_events;
    return kinds == 0 ? 0 : repeated() * false_events / kinds;
}

void replay(const rt::Vector<OwnedAccess>& accesses, const OtherLayout& layout,
            rt::Vector<LatentPair>& pairs) {
    Replay whole(accesses, layout);
    whole.run();
    whole.take(pairs);
}

}  // namespace memspy::contention
