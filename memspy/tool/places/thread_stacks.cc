// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/thread_stacks.h"

#include <cstddef>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/registry.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

// glibc's thread descriptor, rounded up: 2304 bytes in 2.36. On amd64 it follows the thread pointer, on arm64
// it precedes it.
constexpr usize kDescriptor = 2304;
rt::Global<rt::Vector<ThreadStack>> stacks;

Address thread_pointer(ThreadId thread) {
#if defined(VGA_amd64)
    constexpr usize kOffset = offsetof(VexGuestArchState, guest_FS_CONST);
#elif defined(VGA_arm64)
    constexpr usize kOffset = offsetof(VexGuestArchState, guest_TPIDR_EL0);
#else
#error "where does this architecture keep the thread pointer?"
#endif
    u64 pointer = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&pointer), 0, static_cast<PtrdiffT>(kOffset),
                              sizeof pointer);
    return pointer;
}

// Whether a C library keeps thread-local storage at the thread pointer. amd64's ABI wants the pointer itself
// in the word there; Go's runtime has words of its own around it, in its static data and its heap. On arm64,
// Go leaves the register alone.
bool has_tls(Address pointer) {
#if defined(VGA_amd64)
    return VG_(am_is_valid_for_client)(pointer, sizeof(Address), VKI_PROT_READ) &&
           *reinterpret_cast<const Address*>(pointer) == pointer;
#else
    return pointer != 0;
#endif
}

usize tls_bytes_of_all_modules() {
    vg::know_modules();
    usize bytes = 0;
    for (u32 i = 1; i <= vg::module_count(); ++i) bytes += vg::module(static_cast<vg::ModuleId>(i)).tls_bytes;
    return bytes;
}

// To the core, a stack reaches down to its mapping's start. That is not so of one that was made amid other
// memory, such as Go's heap; where it ends, nobody knows. (C libraries map a stack together with thread-local
// storage on top of it.)
bool is_amid_mapping(const ThreadStack& stack) {
    const NSegment* const mapping = stack.high == 0 ? nullptr : VG_(am_find_nsegment)(stack.high - 1);
    return mapping != nullptr && mapping->end >= stack.high + VKI_PAGE_SIZE &&
           (stack.pointer < stack.high || stack.pointer > mapping->end);
}

void add_stack(ThreadId guest_id, u32 serial, bool at_first_instruction) {
    ThreadStack stack{};
    stack.serial = serial;
    stack.guest_id = guest_id;
    stack.high = VG_(thread_get_stack_max)(guest_id) + 1;
    stack.low = stack.high - VG_(thread_get_stack_size)(guest_id);
    if (stack.low >= stack.high) stack.low = stack.high = 0;

    if (const Address pointer = thread_pointer(guest_id); has_tls(pointer)) {
        const usize tls = tls_bytes_of_all_modules();
        stack.pointer = pointer;
#if defined(VGA_amd64)
        stack.tls_begin = pointer - tls;
        stack.tls_end = pointer + kDescriptor;
#else
        stack.tls_begin = pointer - kDescriptor;
        stack.tls_end = pointer + 2 * sizeof(Address) + tls;
#endif
    }
    // glibc puts thread-local storage and the thread descriptor on top of the stack that it makes for a
    // thread.
    const Address sp = VG_(get_SP)(guest_id);
    if (at_first_instruction && sp > stack.low && sp <= stack.high && stack.tls_begin >= stack.low &&
        stack.tls_begin <= stack.high)
        stack.tls_begin = stack.high = sp;
    if (is_amid_mapping(stack)) stack.low = stack.high = 0;

    // The former owner of this memory is gone.
    for (usize i = 0; i < stacks->size();) {
        const ThreadStack& other = (*stacks)[i];
        if (other.serial == serial || (other.low < stack.high && other.high > stack.low)) {
            (*stacks)[i] = stacks->back();
            stacks->pop_back();
        } else {
            ++i;
        }
    }
    stacks->push_back(stack);
}

// Asks the core only if a thread is new since it told all stacks: most addresses that are looked up are in
// none.
void find_new_stacks() {
    static u32 threads_seen = 0;
    if (threads_seen == threads::threads_ever()) return;
    threads_seen = threads::threads_ever();
    rt::HashMap<bool> known;  // by serial
    for (const ThreadStack& stack : *stacks) known[stack.serial] = true;
    ThreadId guest_id;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&guest_id);
    while (VG_(thread_stack_next)(&guest_id, &low, &high)) {
        const u32 serial = threads::thread_of_guest(guest_id).serial;
        if (serial == 0) {
            threads_seen = 0;
            continue;
        }
        if (known.find(serial) == nullptr) add_stack(guest_id, serial, false);
    }
}

const ThreadStack* known_stack_around(Address a) {
    for (const ThreadStack& stack : *stacks)
        if (in_tls(stack, a) || in_stack(stack, a)) return &stack;
    return nullptr;
}

// Where the first thread has its thread-local storage became known, and its stack is to be added anew.
constinit ThreadId first_got_tls = 0;
bool first_has_tls = false;
void add_first_tls() {
    if (first_got_tls == 0) [[likely]]
        return;
    const ThreadId guest_id = first_got_tls;
    first_got_tls = 0;
    add_stack(guest_id, 1, false);
}

}  // namespace

const rt::Vector<ThreadStack>& known_stacks() {
    add_first_tls();
    return *stacks;
}

bool is_alive(const ThreadStack& stack) {
    return threads::thread_of_guest(stack.guest_id).serial == stack.serial;
}

const ThreadStack* stack_around(Address a) {
    add_first_tls();
    const ThreadStack* stack = known_stack_around(a);
    if (stack != nullptr && is_alive(*stack)) return stack;
    find_new_stacks();
    return known_stack_around(a);
}

bool is_thread_local(Address a) {
    const ThreadStack* stack = stack_around(a);
    return stack != nullptr && in_tls(*stack, a);
}

bool first_thread_has_tls() { return first_has_tls; }

void follow_threads() {
    static bool follows = false;
    if (follows) return;
    follows = true;
    threads::ThreadListener listener;
    listener.started = [](threads::Thread t, u32 guest_id, u64) {
        // The thread-local storage of the program's first thread is elsewhere, and does not exist at its
        // first instruction.
        if (t.serial == 1 && !first_has_tls && has_tls(thread_pointer(guest_id))) {
            first_has_tls = true;
            first_got_tls = guest_id;
        }
        // Threads may begin in another order than that of their creation.
        static rt::Global<rt::Vector<bool>> has_begun;  // by serial
        if (has_begun->size() <= t.serial) has_begun->resize(t.serial + 1);
        if (!(*has_begun)[t.serial] && t.serial != 1) add_stack(guest_id, t.serial, true);
        (*has_begun)[t.serial] = true;
    };
    // The core knows a stack only while its thread lives, and the first thread's stack may not have been
    // looked up before.
    listener.exited = [](threads::Thread, u32) { find_new_stacks(); };
    threads::listen(listener);
}

}  // namespace memspy::places
