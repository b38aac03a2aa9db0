// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/known_stacks.h"

#include "vg/unwind.h"

// Declared by the core for itself only.
extern "C" Addr* VG_(get_ExeContext_StackTrace)(ExeContext* context);

namespace memspy::vg {
namespace {

// A return address and a frame pointer of each frame, and more of some.
constexpr UInt kMostWords = 2 * kDefaultFrames + 16;
// Frames are searched for saved words: no larger ones.
constexpr Addr kLargestFrame = Addr{16} << 10;

class KnownStack {
public:
    // False if the stack `context` cannot be found from a few words.
    bool learn(const UnwindRegisters& start, ExeContext* context);
    bool is_same(const UnwindRegisters& now) const;
    ContextId context() const { return context_; }

private:
    bool add(Addr at);

    UnwindRegisters start_;
    bool needs_frame_pointer_, needs_link_;
    u8 count_;
    UInt epoch_;
    Addr end_;            // of the highest frame that was read
    ContextId context_;   // none: nothing is known
    u16 at_[kMostWords];  // in words from the stack pointer
    Addr value_[kMostWords];
};

Addr word_at(Addr address) { return *reinterpret_cast<const Addr*>(address); }

// The memory around a stack pointer, or null if it is none that can be read.
const NSegment* segment_of(Addr stack_pointer) {
    const NSegment* segment = VG_(am_find_nsegment)(stack_pointer);
    return segment != nullptr && segment->hasR ? segment : nullptr;
}

bool KnownStack::is_same(const UnwindRegisters& now) const {
    if (context_ == ContextId::None || now.code != start_.code || now.stack_pointer != start_.stack_pointer)
        return false;
    if (needs_frame_pointer_ && now.frame_pointer != start_.frame_pointer) return false;
#if defined(VGA_arm64)
    if (needs_link_ && now.link != start_.link) return false;
#endif
    const NSegment* segment = segment_of(now.stack_pointer);
    if (segment == nullptr || segment->end < end_ - 1) return false;
    const auto* words = reinterpret_cast<const Addr*>(now.stack_pointer);
    // From the innermost frame on, which differs most often.
    for (u8 i = count_; i-- > 0;)
        if (words[at_[i]] != value_[i]) return false;
    return epoch_ == VG_(current_DiEpoch)().n;
}

bool KnownStack::add(Addr at) {
    const Addr distance = (at - start_.stack_pointer) / sizeof(Addr);
    if (count_ == kMostWords || distance > 0xFFFF) return false;
    at_[count_] = static_cast<u16>(distance);
    value_[count_++] = word_at(at);
    return true;
}

// Where the core has a frame's caller from. Without call frame information it takes what may be a saved frame
// pointer, or else the next word of the stack, for what it looks like.
enum class Source { Nothing, Table, FramePointer, NextWord };

Source unwind_as_core(UnwindRegisters* at, Addr low, Addr high) {
    if (unwind_once(at, low, high)) return Source::Table;
#if defined(VGA_amd64)
    const Addr fp = at->frame_pointer, sp = at->stack_pointer;
    if (low <= fp && fp <= high - sizeof(Addr)) {
        *at = {.code = word_at(fp + sizeof(Addr)),
               .stack_pointer = fp + 2 * sizeof(Addr),
               .frame_pointer = word_at(fp)};
        return Source::FramePointer;
    }
    if (low <= sp && sp < high) {
        *at = {.code = word_at(sp), .stack_pointer = sp + sizeof(Addr), .frame_pointer = fp};
        return Source::NextWord;
    }
#endif
    return Source::Nothing;
}

// How a frame was unwound.
struct FrameStep {
    Addr begin, end, frame_pointer;  // the caller's frame pointer
    bool uses_frame_pointer, keeps_frame_pointer;
};

bool KnownStack::learn(const UnwindRegisters& start, ExeContext* context) {
    context_ = ContextId::None;
    start_ = start;
    needs_link_ = false;
    count_ = 0;
    epoch_ = VG_(current_DiEpoch)().n;
    const Addr* codes = VG_(get_ExeContext_StackTrace)(context);
    const UInt frames = static_cast<UInt>(VG_(get_ExeContext_n_ips)(context));
    const NSegment* segment = segment_of(start.stack_pointer);
    if (frames > kMostFrames || start.stack_pointer % sizeof(Addr) != 0 || segment == nullptr) return false;
    const Addr low = start.stack_pointer - VG_STACK_REDZONE_SZB, high = segment->end + 1 - sizeof(Addr);

    // Each frame is unwound twice, with the frame pointer and without it.
    FrameStep steps[kMostFrames];
    UnwindRegisters at = start;
    for (UInt i = 0; i + 1 < frames; ++i) {
        UnwindRegisters caller = at, other = at;
        const Source source = unwind_as_core(&caller, low, high);
        if (source == Source::Nothing || caller.code - 1 != codes[i + 1] ||
            caller.stack_pointer <= at.stack_pointer ||
            caller.stack_pointer - at.stack_pointer > kLargestFrame || caller.stack_pointer > high ||
            (source == Source::FramePointer && at.frame_pointer < at.stack_pointer))
            return false;
        other.frame_pointer = ~at.frame_pointer;
        const bool same = source == Source::Table && unwind_once(&other, low, high) &&
                          other.code == caller.code && other.stack_pointer == caller.stack_pointer;
        steps[i] = {.begin = at.stack_pointer,
                    .end = caller.stack_pointer,
                    .frame_pointer = caller.frame_pointer,
                    .uses_frame_pointer = !same,
                    .keeps_frame_pointer =
                        source == Source::NextWord || (same && other.frame_pointer != caller.frame_pointer)};
#if defined(VGA_arm64)
        other = at;
        other.link = ~at.link;
        if (!unwind_once(&other, low, high) || other.code != caller.code) {
            if (i > 0) return false;
            needs_link_ = true;
        }
#endif
        at = caller;
        --at.code;
    }
    end_ = at.stack_pointer + sizeof(Addr);

    // Above the last of less frames than are wanted there is nothing that the core takes for another one.
    const bool is_whole = frames < static_cast<UInt>(VG_(clo_backtrace_size));
    if (is_whole) {
        UnwindRegisters none = at;
        switch (unwind_as_core(&none, low, high)) {
            case Source::Nothing: break;
            case Source::NextWord:
                if (!add(at.stack_pointer)) return false;
                break;
            default: return false;
        }
    }
    bool needed = is_whole;
    for (UInt i = frames - 1; i-- > 0;) {
        const FrameStep& step = steps[i];
        const Addr code = codes[i + 1] + 1;
        bool has_code = i == 0 && needs_link_;
        bool has_frame_pointer = step.keeps_frame_pointer || !needed;
        for (Addr a = step.begin; a < step.end; a += sizeof(Addr)) {
            const Addr value = word_at(a);
            const bool is_code = value == code;
            const bool is_frame_pointer = needed && !step.keeps_frame_pointer && value == step.frame_pointer;
            // A frame whose end was aligned has saved it.
            if (!is_code && !is_frame_pointer && value != step.end) continue;
            if (!add(a)) return false;
            has_code |= is_code;
            has_frame_pointer |= is_frame_pointer;
        }
        if (!has_code || !has_frame_pointer) return false;
        needed = step.uses_frame_pointer || (step.keeps_frame_pointer && needed);
    }
    needs_frame_pointer_ = needed;
    context_ = id_of(context);
    return true;
}

constexpr UInt kSets = 64, kWays = 4, kSeen = 1024;
KnownStack known_stacks[kSets][kWays];
u8 next_way[kSets];
// Stacks that were recorded once, by what they began with; most programs have many that never come again.
u32 seen[kSeen];

bool was_seen(u64 key, ContextId context) {
    const u64 mixed = (key ^ static_cast<u32>(context)) * 0xD6E8'FEB8'6659'FD93u;
    u32& place = seen[mixed >> 54];
    static_assert(kSeen == 1 << (64 - 54));
    const u32 tag = static_cast<u32>(mixed);
    const bool same = place == tag;
    place = tag;
    return same;
}

}  // namespace

ContextId record_stack(ThreadId thread) {
    const UnwindRegisters now = registers_of(thread);
    const u64 key = (now.code ^ now.stack_pointer << 20) * 0x9E37'79B9'7F4A'7C15u;
    const UInt set = static_cast<UInt>(key >> 32) % kSets;
    for (const KnownStack& known : known_stacks[set])
        if (known.is_same(now)) {
            DCHECK_EQ(known.context(), id_of(VG_(record_ExeContext)(thread, 0)));
            return known.context();
        }
    ExeContext* recorded = VG_(record_ExeContext)(thread, 0);
    const ContextId context = id_of(recorded);
    if (was_seen(key, context) && known_stacks[set][next_way[set]].learn(now, recorded))
        next_way[set] = static_cast<u8>((next_way[set] + 1) % kWays);
    return context;
}

}  // namespace memspy::vg
