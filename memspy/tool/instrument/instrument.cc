// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/instrument.h"

#include "heap/heap.h"
#include "instrument/call_stacks.h"
#include "instrument/rare.h"
#include "instrument/registers.h"
#include "instrument/unchecked.h"
#include "instrument/zero_layout.h"
#include "vg/faults.h"

namespace memspy::instrument {
namespace {

Policy current_policy;
void (*at_first_code)() = nullptr;
bool passed_unchecked = false;  // needs_no_check() was true of an access of this superblock, by policy

IRSB* translate(const IRSB* in, Address first) {
    begin_translation(0, false);
    if (!sites_left() || level_of(first) == Level::Track) return translate_tracking(in);
    begin_translation(first, (current_policy.zero_counts && !zero_hooks().contexts) ||
                                 current_policy.recording == AccessRecording::Touch);
    IRSB* out = translate_fast(in);
    if (out != nullptr) return out;
    begin_translation(0, false);
    return translate_tracking(in);
}

}  // namespace

Policy& policy() { return current_policy; }

void call_at_first_code(void (*call)()) { at_first_code = call; }

int preamble_end(const IRSB* block) {
    int i = 0;
    while (i < block->stmts_used && block->stmts[i]->tag != Ist_IMark) ++i;
    return i;
}

bool needs_no_check(const Origin& origin) {
    if (!current_policy.check_accesses) return true;
    bool passed = false;
    switch (origin.kind) {
        case Origin::AddressRoot::Stack:
            passed = !current_policy.check_stack && !current_policy.follow_stack;
            break;
        case Origin::AddressRoot::Static:
            passed = !current_policy.check_static && origin.offset >= kNullBytes &&
                     !heap::is_heap_memory(origin.offset);
            break;
        case Origin::AddressRoot::Frame:
        case Origin::AddressRoot::Unknown: break;
    }
    passed_unchecked |= passed;
    return passed;
}

bool may_chase(Address first) { return !sites_left() || level_of(first) == Level::Track; }

bool frame_pointer_is_one() {
    const ThreadId thread = VG_(get_running_tid)();
    if (thread == VG_INVALID_THREADID) return false;
    return get_word(thread, guest_layout().frame_pointer) - VG_(get_SP)(thread) < kLargestFrame;
}

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout*, const VexGuestExtents*,
                 const VexArchInfo*, IRType, IRType) {
    if (vg::is_only_looked_at(in)) return in;
    if (is_site(closure->readdr)) return emit_site(closure->readdr);
    if (at_first_code != nullptr) {
        void (*call)() = at_first_code;
        at_first_code = nullptr;
        call();
    }
    if (!current_policy.enabled || !current_policy.looks_at_anything()) return in;
    int begin = preamble_end(in);
    if (begin == in->stmts_used) return in;
    const Address first = instruction_address(in->stmts[begin]);
    passed_unchecked = false;
    IRSB* out = translate(in, first);
    if (passed_unchecked) note_unchecked(first);
    return out;
}

}  // namespace memspy::instrument
