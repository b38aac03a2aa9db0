// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/unchecked.h"

#include "heap/heap.h"
#include "instrument/core/policy.h"
#include "instrument/core/registers.h"
#include "rt/global.h"
#include "rt/vector.h"
#include "threads/registry.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

rt::Global<rt::Vector<Address>> blocks;
bool passed = false;  // needs_no_check() was true of an access of this superblock, by policy
bool discards = false;

// The policy leaves out the check of such an access.
bool is_passed(const Origin& origin) {
    switch (origin.kind) {
        case Origin::AddressRoot::Stack: return !policy().check_stack && !policy().follow_stack;
        case Origin::AddressRoot::Static:
            return !policy().check_static && origin.offset >= kNullBytes &&
                   !heap::is_heap_memory(origin.offset);
        case Origin::AddressRoot::Frame:
        case Origin::AddressRoot::Unknown: break;
    }
    return false;
}

}  // namespace

bool needs_no_check(const Origin& origin) {
    if (!policy().check_accesses) return true;
    if (!is_passed(origin)) return false;
    passed = true;
    return true;
}

void begin_unchecked() { passed = false; }

void note_unchecked(Address first) {
    if (passed) blocks->push_back(first);
}

void initialise_unchecked() {
    threads::listen({.stopped = [](threads::Thread, u32) {
        if (!discards) return;
        discards = false;
        for (const Address first : *blocks) vg::discard_translation(first);
        blocks->clear();
    }});
}

void request_flush() {
    ThreadId thread = VG_(get_running_tid)();
    if (thread == VG_INVALID_THREADID) return;  // no thread has run yet
    const PtrdiffT home = mask_offset() - guest_layout().state_bytes;
    RegisterMask mask = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&mask), 1, home, sizeof(mask));
    mask |= kFlush;
    VG_(set_shadow_regs_area)(thread, 1, home, sizeof(mask), reinterpret_cast<const UChar*>(&mask));
}

void discard_unchecked() { discards = true; }

}  // namespace memspy::instrument
