// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linker redirects calls of these functions here (--wrap, flags.mk).
#include "vg/translator.h"

#include "rt/prefix.h"
#include "vg/vg.h"

// Declared by VEX for itself only. A version that has one no longer is linked without it, and does then what
// the tool would have spared it.
extern "C" {
[[gnu::weak]] extern VexControl vex_control;
[[gnu::weak]] extern void do_deadcode_BB(IRSB* block);
[[gnu::weak]] extern IRSB* cprop_BB(IRSB* block);
}
// Declared by the core for itself only: --smc-check, and its value all-non-file.
extern "C" Int VG_(clo_smc_check);
constexpr Int kCheckAllButFiles = 3;

namespace memspy::vg {
namespace {

bool (*chase)(Address first) = nullptr;
struct Replaced {
    Address begin = 0;
    usize bytes = 0;
    const u8* code = nullptr;
    Address (*stands_for)(Address) = nullptr;
} instead;
bool cleanup = true;

// The core asks here for a check at each run that code has not changed: a bit for each extent. It wants one for code
// outside of files.
using ChangeCheck = decltype(VexTranslateArgs::needs_self_check);
UInt check_nothing(void*, VexRegisterUpdates*, const VexGuestExtents*) { return 0; }

// Compilers at run time map a file without a name twice, once to write and once to run (memfd_create, or one that was
// removed at once).
bool is_in_nameless_file(Address code) {
    const NSegment* segment = VG_(am_find_nsegment)(code);
    if (segment == nullptr || segment->kind != SkFileC) return false;
    static Int last = -1;
    static bool result = false;
    if (segment->fnIdx != last) {
        const HChar* name = VG_(am_get_filename)(segment);
        result = name != nullptr && rt::contains(name, " (deleted)");
        last = segment->fnIdx;
    }
    return result;
}

ChangeCheck cores_check = nullptr;
UInt check_changes(void* closure, VexRegisterUpdates* registers, const VexGuestExtents* extents) {
    UInt checked = cores_check(closure, registers, extents);
    if (VG_(clo_smc_check) != kCheckAllButFiles) return checked;
    for (u32 i = 0; i < extents->n_used; ++i)
        if (is_in_nameless_file(extents->base[i])) checked |= 1u << i;
    return checked;
}

}  // namespace

void chase_only_if(bool (*may_chase)(Address first)) { chase = may_chase; }
void decode_instead(Address begin, usize bytes, const u8* code, Address (*stands_for)(Address)) {
    instead = {begin, bytes, code, stands_for};
}
void needs_no_cleanup() { cleanup = false; }

}  // namespace memspy::vg

extern "C" {
decltype(LibVEX_Translate) __real_LibVEX_Translate, __wrap_LibVEX_Translate;
[[gnu::weak]] decltype(do_deadcode_BB) __real_do_deadcode_BB;
[[gnu::weak]] decltype(cprop_BB) __real_cprop_BB;
decltype(do_deadcode_BB) __wrap_do_deadcode_BB;
decltype(cprop_BB) __wrap_cprop_BB;
decltype(sanityCheckIRSB) __real_sanityCheckIRSB, __wrap_sanityCheckIRSB;

// The tool may learn from the superblock that it wants the longer one.
VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments) {
    const memspy::vg::Replaced& instead = memspy::vg::instead;
    if (arguments->guest_bytes_addr - instead.begin < instead.bytes) {
        if (const memspy::Address other = instead.stands_for(arguments->guest_bytes_addr); other != 0) {
            arguments->guest_bytes = reinterpret_cast<const UChar*>(other);
            arguments->guest_bytes_addr = other;
        } else {
            arguments->guest_bytes = instead.code;
            arguments->needs_self_check = memspy::vg::check_nothing;
        }
    }
    if (arguments->needs_self_check != memspy::vg::check_nothing) {
        memspy::vg::cores_check = arguments->needs_self_check;
        arguments->needs_self_check = memspy::vg::check_changes;
    }
    if (&vex_control == nullptr) return __real_LibVEX_Translate(arguments);
    const Bool asked = vex_control.guest_chase;
    for (;;) {
        const bool chases = memspy::vg::chase == nullptr || memspy::vg::chase(arguments->guest_bytes_addr);
        if (!chases) vex_control.guest_chase = False;
        memspy::vg::cleanup = true;
        const VexTranslateResult result = __real_LibVEX_Translate(arguments);
        vex_control.guest_chase = asked;
        if (chases || !memspy::vg::chase(arguments->guest_bytes_addr)) return result;
    }
}

// Behind the instrumentation VEX removes dead statements, propagates constants and copies, and removes dead
// statements again. Its other calls of these functions are not redirected.
void __wrap_do_deadcode_BB(IRSB* block) {
    if (memspy::vg::cleanup) __real_do_deadcode_BB(block);
}
IRSB* __wrap_cprop_BB(IRSB* block) { return memspy::vg::cleanup ? __real_cprop_BB(block) : block; }

// VEX checks each superblock four times on its way: 7 % of all samples of gcc under memspy.
void __wrap_sanityCheckIRSB(const IRSB* block, const HChar* caller, Bool is_flat, IRType guest_word) {
#if defined(MEMSPY_DEBUG) && MEMSPY_DEBUG
    __real_sanityCheckIRSB(block, caller, is_flat, guest_word);
#else
    (void)block, (void)caller, (void)is_flat, (void)guest_word;
#endif
}
}
