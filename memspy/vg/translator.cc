// SPDX-License-Identifier: GPL-2.0-or-later
//
// The linker redirects calls of these functions here (--wrap, flags.mk).
#include "vg/translator.h"

#include "vg/vg.h"

// Declared by VEX for itself only.
extern "C" VexControl vex_control;

namespace memspy::vg {
namespace {

bool (*chase)(Address first) = nullptr;

}  // namespace

void chase_only_if(bool (*may_chase)(Address first)) { chase = may_chase; }

}  // namespace memspy::vg

extern "C" {
decltype(LibVEX_Translate) __real_LibVEX_Translate, __wrap_LibVEX_Translate;
decltype(sanityCheckIRSB) __real_sanityCheckIRSB, __wrap_sanityCheckIRSB;

// The tool may learn from the superblock that it wants the longer one.
VexTranslateResult __wrap_LibVEX_Translate(VexTranslateArgs* arguments) {
    const Bool asked = vex_control.guest_chase;
    for (;;) {
        const bool chases = memspy::vg::chase == nullptr || memspy::vg::chase(arguments->guest_bytes_addr);
        if (!chases) vex_control.guest_chase = False;
        const VexTranslateResult result = __real_LibVEX_Translate(arguments);
        vex_control.guest_chase = asked;
        if (chases || !memspy::vg::chase(arguments->guest_bytes_addr)) return result;
    }
}

// VEX checks each superblock four times on its way: 7 % of all samples of gcc under memspy.
void __wrap_sanityCheckIRSB(const IRSB* block, const HChar* caller, Bool is_flat, IRType guest_word) {
#if defined(MEMSPY_DEBUG) && MEMSPY_DEBUG
    __real_sanityCheckIRSB(block, caller, is_flat, guest_word);
#else
    (void)block, (void)caller, (void)is_flat, (void)guest_word;
#endif
}
}
