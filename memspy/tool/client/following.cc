// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/following.h"

#include "client/replacement.h"
#include "heap/heap.h"
#include "instrument/core/policy.h"
#include "memspy.h"
#include "requests/block_kinds.h"
#include "threads/registry.h"
#include "vg/known_stacks.h"
#include "vg/redirections.h"
#include "vg/static_program.h"
#include "vg/vg.h"

namespace memspy::client {
namespace {

using heap::AllocKind;
static_assert(kBlockMalloc == static_cast<int>(AllocKind::Malloc) &&
              kBlockNew == static_cast<int>(AllocKind::New) &&
              kBlockNewArray == static_cast<int>(AllocKind::NewArray));

bool replacement_wanted = false;

void taken(ThreadId thread, Address payload, usize bytes, AllocKind kind) {
    if (bytes != 0) tell_acquired(payload, bytes);
    tell_allocated(*heap::follow(payload, bytes, kind, vg::record_stack(thread),
                                 threads::thread_of_guest(thread).serial));
}

u64 released(Address payload) {
    heap::Block* const block = heap::find_live(payload);
    if (block == nullptr || heap::is_foreign(*block)) return 0;
    const u64 bytes = block->size;
    tell_released(*block);
    heap::forget_followed(*block);
    return bytes + 1;
}

}  // namespace

void want_replacement() { replacement_wanted = true; }

void start_heap() {
    if (instrument::policy().check_accesses || replacement_wanted) return start_replacement();
    vg::wrap_allocator();
    vg::load_into_static_program();
    threads::listen({.unmapped = heap::forget_heap_memory});
}

bool handle_request(u32 thread, const u64* arguments, u64* result) {
    switch (arguments[0]) {
        case MEMSPY_REQ_BLOCK_TAKEN:
            taken(thread, arguments[1], arguments[2], static_cast<AllocKind>(arguments[3]));
            *result = 0;
            return true;
        case MEMSPY_REQ_BLOCK_RELEASED: *result = released(arguments[1]); return true;
        default: return false;
    }
}

}  // namespace memspy::client
