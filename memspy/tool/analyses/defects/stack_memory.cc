// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/stack_memory.h"

#include "analyses/defects/mappings.h"
#include "heap/heap.h"
#include "instrument/core/policy.h"
#include "instrument/stack/stack_floor.h"
#include "instrument/stack/stack_window.h"
#include "places/origins.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "shadow/shadow_map.h"
#include "vg/unwind.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

using shadow::State;

struct StackRange {
    Address begin, end;
};
rt::Global<rt::Vector<StackRange>> requested;

bool was_requested(Address a) {
    const ThreadId thread = VG_(get_running_tid)();
    for (usize i = 0; i < requested->size();) {
        StackRange& range = (*requested)[i];
        // The frame has ended, and the request with it.
        if (thread != VG_INVALID_THREADID && instrument::is_below_stack(thread, range.end - 1)) {
            range = requested->back();
            requested->pop_back();
            continue;
        }
        if (a >= range.begin && a < range.end) return true;
        ++i;
    }
    return false;
}

// The entry of the function that contains `code`, or 0. The core gives the distance only as a name's "+123".
Address entry_of(Address code) {
    const HChar* name = nullptr;
    if (!VG_(get_fnname_w_offset)(VG_(current_DiEpoch)(), code, &name)) return 0;
    const HChar* plus = VG_(strrchr)(name, '+');
    if (plus == nullptr || plus[1] < '0' || plus[1] > '9') return code;
    HChar* end = nullptr;
    const Long distance = VG_(strtoll10)(plus + 1, &end);
    return *end == 0 ? code - static_cast<Address>(distance) : code;
}

#if defined(VGA_amd64)
// The target of a direct call instruction that ends at `end`, or 0.
Address called_before(Address end) {
    if (!VG_(am_is_valid_for_client)(end - 8, 8, VKI_PROT_READ | VKI_PROT_EXEC)) return 0;
    const auto* code = reinterpret_cast<const u8*>(end - 5);
    i32 distance;
    if (code[0] != 0xE8) return 0;
    VG_(memcpy)(&distance, code + 1, sizeof distance);
    return end + static_cast<Address>(static_cast<i64>(distance));
}
#endif

// The pointers to `a` in its frame [sp, end). `thread`: its registers are the frame's; 0: they are not known.
dwarf::FramePointers pointers_to(Address a, Address sp, Address end, ThreadId thread) {
    constexpr Address kMostSearched = 4096;  // fixed variables are close to the frame's end
    dwarf::FramePointers pointers;
    Address best = 0;
    const auto is_better = [&](Address value) { return value >= sp && value <= a && value > best; };
    const Address low = end - sp < kMostSearched ? sp : end - kMostSearched;
    for (Address slot = end - 8; slot >= low; slot -= 8) {
        if (shadow::get_bits(slot, 8) != 0) continue;
        const Address value = *reinterpret_cast<const Address*>(slot);
        if (is_better(value)) {
            best = value;
            pointers.count = 0;
        }
        if (best != 0 && value == best && pointers.count < dwarf::FramePointers::kMostSlots)
            pointers.slots[pointers.count++] = static_cast<i64>(slot - end);
    }
    if (best != 0) pointers.beyond_slots = a - best;
    best = 0;
    for (u32 number = 0; thread != 0 && number < instrument::kDwarfRegisters; ++number) {
        const Address value = instrument::dwarf_register(thread, number);
        if (is_better(value)) {
            best = value;
            pointers.registers = 0;
        }
        if (best != 0 && value == best) pointers.registers |= u32{1} << number;
    }
    if (best != 0) pointers.beyond_registers = a - best;
    return pointers;
}

// A frame that was found for an address at some distance from the stack and frame pointers of some code. It
// is the same frame again if it is the code's own, or if the call out of the frame and the call that made it
// left the same return addresses in the same places.
struct KnownFrame {
    struct ReturnSlot {
        i64 offset;  // from the stack pointer; 0: nothing to compare
        Address returns_to;
        bool is_same(Address sp) const {
            return offset == 0 ||
                   *reinterpret_cast<const Address*>(sp + static_cast<Address>(offset)) == returns_to;
        }
    };
    ContextId origin;
    ReturnSlot call, own;
};
rt::Global<rt::HashMap<KnownFrame>> known_frames;

// A frame that has returned.
struct DeadFrame {
    Address function = 0;  // its entry; 0: not known
    Address end = 0;       // where it ended (DWARF's CFA)

    // Only variables that have their place in the whole function are known: where the function was when it had
    // the bytes is not.
    ContextId origin_of(Address a, usize bytes) const {
        return places::frame_origin(function, {.pc = function,
                                               .from_end = static_cast<i64>(a - end),
                                               .from_stack_pointer = dwarf::FrameByte::kUnknownSize,
                                               .from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer,
                                               .end = end % dwarf::FrameByte::kPage,
                                               .bytes = bytes,
                                               .pointers = {}});
    }
    // "variable `buffer[12]`"; null if nothing is certain.
    const char* variable_at(Address a) const { return places::origin_variable(origin_of(a, 1)); }
};

#if defined(VGA_amd64)
Address word(Address slot) { return *reinterpret_cast<const Address*>(slot); }

// What is left of calls shows whose frame the bytes from `low` on are in: each left a return address at its
// frame's end. Those below the running function's frame are followed from caller to callee, because a frame's
// uninitialised bytes have return addresses of older calls.
DeadFrame called_frame(Address low, ThreadId thread) {
    DeadFrame frame;
    Address caller = 0;
    for (Address slot = (VG_(get_SP)(thread) & ~Address{7}) - 8; slot >= low; slot -= 8) {
        const Address callee = called_before(word(slot));
        if (callee == 0) continue;
        if (caller == 0) caller = entry_of(VG_(get_IP)(thread));
        if (entry_of(word(slot) - 1) != caller) continue;
        caller = entry_of(callee);
        frame = {.function = caller, .end = slot + 8};
    }
    return frame;
}

DeadFrame dead_frame(Address a, ThreadId thread) {
    const Address sp = VG_(get_SP)(thread), mapped = VG_(am_find_nsegment)(sp)->start;
    const Address low = ((a < mapped ? mapped : a) + 7) & ~Address{7};  // a stack grows into its reservation
    constexpr Address kMostSearched = Address{256} << 10;
    if (sp - low > kMostSearched) return {};
    const DeadFrame frame = called_frame(low, thread);
    if (frame.function != 0) return frame;
    // Another function's frame is there now: the byte's own frame is known if it has a variable there.
    for (Address slot = low; slot < sp; slot += 8) {
        const Address callee = called_before(word(slot));
        if (callee == 0) continue;
        const DeadFrame other{.function = entry_of(callee), .end = slot + 8};
        if (other.function != 0 && other.variable_at(a) != nullptr) return other;
    }
    return frame;
}
#else
// A return address is anywhere in a frame.
DeadFrame called_frame(Address, ThreadId) { return {}; }
DeadFrame dead_frame(Address, ThreadId) { return {}; }
#endif

}  // namespace

bool is_invalid_for_good(Address a) {
    if (!instrument::policy().follow_stack) return true;
    const bool on_heap = heap::is_heap_memory(a);
    if (on_heap && !instrument::is_in_stack_block(a)) return true;
    const ThreadId thread = VG_(get_running_tid)();
    if (thread == VG_INVALID_THREADID || instrument::is_below_stack(thread, a)) return true;
    if (was_requested(a) || is_unmapped(a)) return true;
    if (!on_heap && heap::find_near(a) != nullptr) return true;
    shadow::set(a, State::Fine);
    return false;
}

void settle_stack(Address begin, usize bytes) {
    if (!instrument::policy().follow_stack) return;
    for (usize at = shadow::find_first(begin, bytes, shadow::kInvalidBit); at < bytes;) {
        if (shadow::get(begin + at) == State::Unaddressable && is_invalid_for_good(begin + at)) return;
        const usize next = at + 1;
        at = next + shadow::find_first(begin + next, bytes - next, shadow::kInvalidBit);
        if (shadow::get(begin + next - 1) == State::Freed) return;
    }
}

void note_request(Address begin, usize bytes) {
    if (!instrument::policy().follow_stack || bytes == 0) return;
    requested->push_back(StackRange{begin, begin + bytes});
}

findings::AddressOwner below_stack(Address a) {
    findings::AddressOwner owner;
    const ThreadId thread = VG_(get_running_tid)();
    if (!instrument::policy().follow_stack || thread == VG_INVALID_THREADID ||
        !instrument::is_below_stack(thread, a))
        return owner;
    const Address sp = VG_(get_SP)(thread);
    owner.what = findings::AddressOwner::OwnerKind::DeadFrame;
    owner.offset = static_cast<i64>(sp - a);
    if (const DeadFrame frame = dead_frame(a, thread); frame.function != 0) {
        owner.function = frame.function;
        owner.name = frame.variable_at(a);
    }
    return owner;
}

ContextId frame_origin(Address a, usize bytes) {
    const ThreadId thread = VG_(get_running_tid)();
    if (!instrument::policy().follow_stack || thread == VG_INVALID_THREADID ||
        !instrument::is_on_stack(thread, a))
        return ContextId::None;
    const Address sp = VG_(get_SP)(thread), code = VG_(get_IP)(thread);
    // The red zone is a leaf function's own. Where the function has called another one, it was that one's frame.
    if (a < sp)
        if (const DeadFrame frame = called_frame((a + 7) & ~Address{7}, thread); frame.function != 0)
            return frame.origin_of(a, bytes);
    Address fp = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&fp), 0,
                              instrument::guest_layout().frame_pointer, sizeof fp);
    // Most code uses the register for any value, which must not make it another frame.
    const u64 above = fp - sp < instrument::kLargestFrame ? fp - sp : instrument::kLargestFrame;
    const u64 key = (code * 0x9E37'79B9'7F4A'7C15u ^ (a - sp) ^ bytes << 48) * 0xD6E8'FEB8'6659'FD93u ^ above;
    if (const KnownFrame* known = known_frames->find(key))
        if (known->call.is_same(sp) && known->own.is_same(sp)) return known->origin;

    vg::UnwoundFrames frames;
    vg::unwind(thread, &frames);
    UInt i = 0;
    while (i + 1 < frames.count && a >= frames.stack_pointers[i + 1]) ++i;
    if (i + 1 == frames.count) return ContextId::None;
    const Address entry = entry_of(frames.codes[i]), end = frames.stack_pointers[i + 1];
    const Address begin = frames.stack_pointers[i], frame_pointer = frames.frame_pointers[i];
    const auto distance = [a](Address from) { return static_cast<i64>(a - from); };
    const ContextId origin = places::frame_origin(
        entry == 0 ? frames.codes[i] : entry,
        {.pc = frames.codes[i],
         .from_end = distance(end),
         .from_stack_pointer = distance(begin),
         .from_frame_pointer = frame_pointer - begin < end - begin ? distance(frame_pointer)
                                                                   : dwarf::FrameByte::kNoFramePointer,
         .end = end % dwarf::FrameByte::kPage,
         .bytes = bytes,
         .pointers = pointers_to(a, begin, end, i == 0 ? thread : 0)});
    KnownFrame found{.origin = origin, .call = {}, .own = {}};
#if defined(VGA_amd64)
    if (i > 0) {
        const auto slot_below = [sp](Address top) {
            return KnownFrame::ReturnSlot{static_cast<i64>(top - 8 - sp),
                                          *reinterpret_cast<const Address*>(top - 8)};
        };
        found.call = slot_below(begin);
        found.own = slot_below(end);
    }
    (*known_frames)[key] = found;
#else
    if (i == 0) (*known_frames)[key] = found;
#endif
    return origin;
}

}  // namespace memspy::defects
