// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/stack/stack_window.h"

#include <algorithm>
#include <new>

#include "heap/heap.h"
#include "instrument/core/policy.h"
#include "instrument/core/state_call.h"
#include "instrument/stack/stack_floor.h"
#include "rt/global.h"
#include "rt/vector.h"

// Declared by the core for itself only: a greater move of the stack pointer is a switch to another stack.
extern "C" Word VG_(clo_max_stackframe);

namespace memspy::instrument {
namespace {

using shadow::State;

constexpr Address kLeaf = Address{1} << shadow::kLeafBits;
constexpr Address down(Address a) { return a & ~(kLeaf - 1); }
constexpr Address up(Address a) { return down(a + kLeaf - 1); }
// Assumed reach of a stack whose bounds are not known.
constexpr Address kUnknownReach = Address{1} << 20;
// Stacks below the first size share areas of the second one.
constexpr Address kSmallStack = 4 * kLeaf, kSmallStacks = 16 * kLeaf;

// A group of eight bytes with an entry in the side table, and the lowest stack pointer with which its frame
// is gone.
struct Poison {
    Address group, dies_at;
    // The first of the heap is the one that dies first.
    bool operator<(const Poison& other) const { return dies_at > other.dies_at; }
};

// A stack in use. Small ones share a shadow area with their neighbours.
struct StackMemory {
    Address begin, end;
    shadow::Area area;
    Address owned_low, owned_high;  // leaves of the area in use
    bool known;                     // all memory below the stack pointer is stack, and belongs to one thread
    bool switched;                  // the stack pointer moved down inside it in an unknown way
    rt::Vector<Poison>* poison;     // a heap

    bool has(Address a) const { return a - begin < end - begin; }
};
rt::Global<rt::Vector<StackMemory*>> stacks;

u64& word(u8* state, Int offset) { return *reinterpret_cast<u64*>(state + offset); }

StackMemory* stack_at(Address a) {
    for (StackMemory* stack : *stacks)
        if (stack->has(a)) return stack;
    return nullptr;
}

// The mapping around the stack pointer: how far the stack can reach, and whether it holds nothing but a
// stack.
struct Bounds {
    Address begin, end;
    bool known;
};
Bounds bounds_of(Address sp) {
    const Bounds unknown{down(sp) - kUnknownReach, up(sp) + kUnknownReach, false};
    const NSegment* segment = VG_(am_find_nsegment)(sp);
    if (segment == nullptr || heap::is_heap_memory(sp)) return unknown;
    const Address begin = segment->start, end = segment->end + 1;
    const NSegment* below = begin == 0 ? nullptr : VG_(am_find_nsegment)(begin - 1);
    // The first thread's stack has a reservation below it, to grow into; other stacks have a guard page.
    if (below != nullptr && below->kind == SkResvn) return {below->start, end, true};
    const bool guarded = below != nullptr && below->kind == SkAnonC && !below->hasR && !below->hasW;
    if (end - begin < (Address{64} << 20) && segment->kind == SkAnonC) return {begin, end, guarded};
    return {unknown.begin < begin ? begin : unknown.begin, unknown.end > end ? end : unknown.end, false};
}

// The area for a stack that has none yet at its stack pointer.
shadow::Area make_area(const Bounds& bounds, Address sp) {
    // The lowest piece of a large stack is left to its neighbour, which needs it as its highest: a window
    // reaches kReach above the stack pointer.
    Address begin = up(bounds.begin + kReach), end = up(bounds.end + kReach);
    if (bounds.end - bounds.begin < kSmallStack) {
        begin = bounds.begin & ~(kSmallStacks - 1);
        end = begin + 2 * kSmallStacks;
    }
    for (const shadow::Area& other : shadow::areas()) {
        if (other.end <= sp && other.end > begin) begin = other.end;
        if (other.begin > sp && other.begin < end) end = other.begin;
    }
    const Address most = Address{1} << shadow::kAddressBits;
    return shadow::make_area(begin, end > most ? most : end);
}

StackMemory* make_stack(Address sp) {
    if (sp >> shadow::kAddressBits != 0) return nullptr;
    Bounds bounds = bounds_of(sp);
    if (sp - bounds.begin >= bounds.end - bounds.begin) return nullptr;
    const shadow::Area* found = shadow::area_at(sp);
    const shadow::Area area = found != nullptr ? *found : make_area(bounds, sp);
    if (bounds.begin < area.begin) bounds.begin = area.begin;
    if (bounds.end > area.end) bounds.end = area.end;
    for (const StackMemory* other : *stacks) {
        if (other->end <= sp && other->end > bounds.begin) bounds.begin = other->end;
        if (other->begin > sp && other->begin < bounds.end) bounds.end = other->begin;
    }
    auto* stack = static_cast<StackMemory*>(rt::allocate(sizeof(StackMemory), "memspy.stack"));
    auto* poison = static_cast<rt::Vector<Poison>*>(rt::allocate(sizeof(rt::Vector<Poison>), "memspy.stack"));
    *stack = StackMemory{.begin = bounds.begin,
                         .end = bounds.end,
                         .area = area,
                         .owned_low = 0,
                         .owned_high = 0,
                         .known = bounds.known,
                         .switched = false,
                         .poison = new (poison) rt::Vector<Poison>()};
    stacks->push_back(stack);
    return stack;
}

void fill(StackMemory& stack, Address begin, Address end, State state) {
    if (begin < stack.begin) begin = stack.begin;
    if (end > stack.end) end = stack.end;
    if (begin < end) shadow::set_range(begin, end - begin, state);
}

// Allocates the leaves around the stack pointer. On a known stack nothing below the stack pointer is alive.
void own_around(StackMemory& stack, Address sp) {
    Address low = down(sp - kReach - kRedZone) - kLeaf, high = up(sp + kReach) + kLeaf;
    if (low < stack.area.begin) low = stack.area.begin;
    if (high > stack.area.end) high = stack.area.end;
    const bool first = stack.owned_low == stack.owned_high;
    if (first) stack.owned_low = stack.owned_high = high;
    if (high > stack.owned_high) {
        shadow::own_leaves(stack.owned_high, high);
        stack.owned_high = high;
    }
    if (low >= stack.owned_low) return;
    shadow::own_leaves(low, stack.owned_low);
    const Address live = sp - kRedZone;
    if (stack.known) fill(stack, low, stack.owned_low < live ? stack.owned_low : live, State::Unaddressable);
    stack.owned_low = low;
}

// The stack in use at `sp`, from its first use on; null if there is none.
StackMemory* stack_in_use(Address sp) {
    if (StackMemory* stack = stack_at(sp)) return stack;
    StackMemory* const stack = make_stack(sp);
    if (stack != nullptr) own_around(*stack, sp);
    return stack;
}

bool may_forget(const StackMemory& stack) { return stack.known && !stack.switched; }

void forget_dead_poison(StackMemory& stack, Address sp) {
    rt::Vector<Poison>& poison = *stack.poison;
    while (!poison.empty() && poison[0].dies_at <= sp) {
        const Poison first = poison[0];
        std::pop_heap(poison.begin(), poison.end());
        poison.pop_back();
        // Another frame may have stored to the same place since.
        const shadow::SideEntry* entry = shadow::side_find(first.group);
        if (entry != nullptr && first.group + entry->dies_at == first.dies_at)
            shadow::side_forget_range(first.group, 8);
    }
}

State fresh_state() { return policy().undefined ? State::Uninitialised : State::Fine; }
u64 pattern(State state) { return 0x5555'5555'5555'5555u * static_cast<u64>(state); }

// The lowest stack pointer that may be used with the window, and the first one above.
Address window_begin(const StackMemory& stack) {
    const Address begin = stack.owned_low + kReach + kRedZone;
    return begin < stack.begin ? stack.begin : begin;
}
Address window_end(const StackMemory& stack) {
    Address end = stack.owned_high - kReach;
    if (end > stack.end) end = stack.end;
    if (may_forget(stack) && !stack.poison->empty() && (*stack.poison)[0].dies_at < end)
        end = (*stack.poison)[0].dies_at;
    return end;
}

}  // namespace

bool enter_stack_window(u8* state) {
    const Address sp = word(state, guest_layout().stack_pointer);
    if (sp % kStateGroup != 0) return false;
    StackMemory* stack = stack_in_use(sp);
    if (stack == nullptr) return false;
    if (may_forget(*stack)) forget_dead_poison(*stack, sp);
    own_around(*stack, sp);
    const StackWords words = stack_words();
    Address low = window_begin(*stack);
    const Address end = window_end(*stack);
    if (sp < low || sp >= end) return false;
    if (!stack->known) low = std::max(low, lower_stack_floor(VG_(get_running_tid)(), sp));
    word(state, words.low) = low;
    word(state, words.size) = end - low;
    word(state, words.bias) = stack->area.bias;
    word(state, words.dead) = pattern(State::Unaddressable);
    word(state, words.fresh) = pattern(fresh_state());
    return true;
}

extern "C" [[gnu::used]] void memspy_stack_moved(Addr old, Addr now, ULong how, u8* state);
void memspy_stack_moved(Addr old, Addr now, ULong how, u8* state) {
    if (now % kStateGroup != 0) word(state, stack_words().size) = 0;
    const State fresh = (how & kWritten) != 0 ? State::Fine : fresh_state();
    // A thread may begin in tracking translations, which enter no window.
    StackMemory* stack = stack_in_use(now);
    if (stack == nullptr) return;
    const bool same = stack->has(old);
    const u64 distance = now < old ? old - now : now - old;
    if (same && distance <= static_cast<u64>(VG_(clo_max_stackframe))) {
        if ((how & kSwitched) != 0) {
            // A move up ends frames, as longjmp and arrays of variable length do, unless it leaves a
            // coroutine on the same stack: there was a move down before then, after which frames below a
            // stack pointer may be alive.
            if (now < old) stack->switched = true;
            if (now > old && may_forget(*stack))
                fill(*stack, old - kRedZone, now - kRedZone, State::Unaddressable);
            // Dead memory may be used from now on.
            if (now < old && stack->known)
                for (Address a = now - kRedZone; a < old - kRedZone; ++a)
                    if (shadow::get(a) == State::Unaddressable) shadow::set(a, fresh);
        } else if (now < old) {
            fill(*stack, now - kRedZone, old - kRedZone, fresh);
        } else {
            fill(*stack, old - kRedZone, now - kRedZone, State::Unaddressable);
        }
    }
    if (!stack->known) {
        const ThreadId thread = VG_(get_running_tid)();
        if ((how & kSwitched) != 0) {
            come_to_stack(thread, now);
            word(state, stack_words().size) = 0;
        } else if (same && now < old) {
            lower_stack_floor(thread, now);
        }
    }
    if ((how & kHint) != 0) fill(*stack, now - kRedZone, now, fresh);
}
MEMSPY_STATE_HELPER(memspy_stack_moved, 3);

u64 stack_move_by(Address first) { return policy().settled_frames.has(first) ? kWritten : kDerived; }

void emit_stack_moved(Emitter& emit, IRExpr* old, IRExpr* now, u64 how) {
#if defined(VGA_arm64)
    IRExpr** arguments = mkIRExprVec_3(old, now, Emitter::u64c(how));
#else
    IRExpr** arguments = mkIRExprVec_4(old, now, Emitter::u64c(how), IRExpr_GSPTR());
#endif
    IRDirty* call = unsafeIRDirty_0_N(
        0, "memspy_stack_moved", VG_(fnptr_to_fnentry)(MEMSPY_STATE_ENTRY(memspy_stack_moved)), arguments);
    declare_effect(call, guest_layout().stack_pointer);
    emit.add(IRStmt_Dirty(call));
}

bool is_below_stack(ThreadId thread, Address a) {
    const Address sp = VG_(get_SP)(thread);
    const StackMemory* stack = stack_at(sp);
    if (stack == nullptr || a < stack->begin || a >= sp - kRedZone) return false;
    return stack->known || a >= stack_floor(thread, sp);
}

bool is_on_stack(ThreadId thread, Address a) {
    const Address sp = VG_(get_SP)(thread);
    const StackMemory* stack = stack_at(sp);
    return stack != nullptr && a >= sp - kRedZone && a < stack->end && !is_in_other_block(a, sp);
}

void note_poison(ThreadId thread, Address a, shadow::SideEntry& entry) {
    const Address sp = VG_(get_SP)(thread);
    StackMemory* stack = stack_at(a);
    if (stack == nullptr || !may_forget(*stack) || stack != stack_at(sp)) return;
    a &= ~Address{7};
    // A leaf function's store below its stack pointer ends when that moves up.
    const Address dies_at = a + 8 > sp || sp - a > kRedZone + 8 ? a + 8 : sp + 1;
    if (a + entry.dies_at == dies_at) return;
    entry.dies_at = static_cast<u8>(dies_at - a);
    stack->poison->push_back({a, dies_at});
    std::push_heap(stack->poison->begin(), stack->poison->end());
    const StackWords words = stack_words();
    const Address low = get_word(thread, words.low), end = window_end(*stack);
    if (stack->has(low) && end - low < get_word(thread, words.size))
        set_word(thread, words.size, end > low ? end - low : 0);
}

void forget_stacks() {
    for (StackMemory* stack : *stacks) {
        fill(*stack, stack->owned_low, stack->owned_high, State::Fine);
        stack->poison->clear();
    }
}

void forget_stack_of(ThreadId thread) {
    const Address sp = VG_(get_SP)(thread);
    StackMemory* stack = stack_at(sp);
    if (stack == nullptr || !stack->known) return;
    fill(*stack, stack->owned_low, sp, State::Fine);
    *std::find(stacks->begin(), stacks->end(), stack) = (*stacks)[stacks->size() - 1];
    stacks->pop_back();
    stack->poison->~Vector();
    rt::release(stack->poison);
    rt::release(stack);
}

}  // namespace memspy::instrument
