// SPDX-License-Identifier: GPL-2.0-or-later
//
// The loop over records that have blocks: all that is done for accesses to lines that are known to be of their
// objects.
#pragma once

#include <algorithm>

#include "analyses/cost/hierarchy.h"
#include "analyses/cost/owners.h"
#include "analyses/cost/record_block.h"

namespace memspy::cost {

using threads::Thread;

// Memory has other owners since the block was used last.
[[gnu::noinline]] void forget_extents(RecordBlock& block);
// A step that no hint finds as a line of its object. Charges what its uses cost beyond a hit each. Not
// inline, like all that is seldom called, so that the loop below keeps its values in registers.
[[gnu::noinline]] void charge_step(Thread t, const u64* at, RecordBlock& block, usize number, Address a,
                                   const QuickView& view);

// The size of lines that nearly all machines have, so that the loop has it as a constant.
constexpr u32 kUsualLineBits = 6;

// Counts records as some whose accesses all hit, and charges what they cost beyond that.
template <bool kHasTags, bool kIsUsual>
class RecordLoop {
public:
    RecordLoop(Thread t, const QuickView& view)
        : thread_(t),
          view_(view),
          page_stamps_(view.tlb->stamps()),
          lines_(view.lines),
          has_sets_(!view.nearest->share_a_set(0, 1)) {
        go_on();
    }
    ~RecordLoop() { pause(); }
    RecordLoop(const RecordLoop&) = delete;
    RecordLoop& operator=(const RecordLoop&) = delete;

    [[gnu::always_inline]] void charge(const u64* at, RecordBlock& block) {
        if (block.age != owner_age) [[unlikely]]
            forget_extents(block);
        u32 number = 0;
        const u32 steps = block.executed(at, number).steps;
        const QuickStep* step = block.quick_steps();
        for (const QuickStep* const end = step + steps; step != end; ++step) {
            const Address a = step->address(at);
            if (kHasTags && hits(block, *step, a)) [[likely]]
                continue;
            if (kHasTags && hits_two_lines(block, *step, a)) continue;
            pause();
            charge_step(thread_, at, block, static_cast<usize>(step - block.quick_steps()), a, view_);
            go_on();
        }
        ++block.counts[number];
    }
    // Before anything else uses the caches, and behind it.
    void pause() {
        view_.tlb->set_clock(clock_);
        view_.nearest->set_clock(clock_);
    }
    void go_on() { clock_ = std::max(view_.tlb->clock(), view_.nearest->clock()); }

private:
    u64 line_of(Address a) const { return a >> (kIsUsual ? kUsualLineBits : view_.line_bits); }
    // Whether the hints find the step's line, and it is its object's: then it has a tag, and the TLB its
    // page. If so, both are used now. All is compared at once, so that the processor has one branch to guess.
    bool hits(RecordBlock& block, const QuickStep& step, Address a) {
        if (step.on_stack && !block.steps()[&step - block.quick_steps()].contains(a)) return false;
        const u64 line = line_of(a);
        const u32 entry = lines_.hint(line);
        const u64 apart = (lines_.words[entry] | step.any_mark) ^ (step.owned + (line << 1));
        if (((line_of(a + step.reach) ^ line) | apart) != 0) return false;
        ++clock_;
        lines_.stamps[entry] = clock_;
        page_stamps_[lines_.notes[entry]] = clock_;
        return true;
    }

    // Whether the same is true of both lines of a step in two, which are of one page, and no use is in both.
    // A step that stores wants both to be stored to, though it may store to one of them only.
    bool hits_two_lines(RecordBlock& block, const QuickStep& step, Address a) {
        const u64 line = line_of(a);
        if (line_of(a + step.reach) == line || !has_sets_ || step.on_stack) return false;
        const u32 one = lines_.hint(line), two = lines_.hint(line + 1);
        const u64 owned = step.owned + (line << 1);
        const u64 apart = ((lines_.words[one] | step.any_mark) ^ owned) |
                          ((lines_.words[two] | step.any_mark) ^ (owned + (u64{1} << 1)));
        if ((apart | static_cast<u64>(lines_.notes[one] ^ lines_.notes[two])) != 0) return false;
        const u32 line_bits = kIsUsual ? kUsualLineBits : view_.line_bits;
        const u32 first_bytes = static_cast<u32>(((line + 1) << line_bits) - a);
        if (block.block_shape->steps()[static_cast<usize>(&step - block.quick_steps())].is_cut(first_bytes))
            return false;
        ++clock_;
        page_stamps_[lines_.notes[one]] = clock_;
        lines_.stamps[one] = clock_;
        ++clock_;
        lines_.stamps[two] = clock_;
        return true;
    }

    const Thread thread_;
    const QuickView& view_;
    u64* const page_stamps_;
    const SetCache::QuickLines lines_;
    const bool has_sets_;  // lines behind each other are in different ones
    u64 clock_ = 0;        // of both
};

}  // namespace memspy::cost
