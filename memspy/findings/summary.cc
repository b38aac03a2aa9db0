// SPDX-License-Identifier: GPL-2.0-or-later

#include "findings/summary.h"

#include "findings/record.h"
#include "findings/summary_text.h"

namespace memspy::findings {
namespace {

void add_place(rt::Text& text, DiEpoch epoch, Addr a) {
    const HChar* name = nullptr;
    if (VG_(get_fnname)(epoch, a, &name))
        text.add_short(name, 48);
    else
        text.add_hex(a);
    UInt line = 0;
    const HChar* file = nullptr;
    const HChar* folder = nullptr;
    if (VG_(get_filename_linenum)(epoch, a, &file, &folder, &line)) {
        text.add(" (").add_short(file, 32).add(':');
        char number[16];
        VG_(snprintf)(number, sizeof number, "%u", line);
        text.add(number).add(')');
    } else if (VG_(get_objname)(epoch, a, &name)) {
        const char* base = name;
        for (const char* c = name; *c != '\0'; ++c)
            if (*c == '/') base = c + 1;
        text.add(" (in ").add_short(base, 32).add(')');
    }
}

void describe_instruction(rt::Text& text, Address instruction) {
    add_place(text, VG_(current_DiEpoch)(), instruction);
}

// The caller of the first allocation function: what stands in the preloaded library says nothing.
void describe_allocation(rt::Text& text, ContextId allocated) {
    ExeContext* context = context_of(allocated);
    if (context == nullptr) return;
    const DiEpoch epoch = VG_(get_ExeContext_epoch)(context);
    const Frames frames = frames_of(context);
    for (u32 i = 0; i < frames.count; ++i) {
        const Addr a = frames.addresses[i];
        const HChar* module = nullptr;
        const bool ours = VG_(get_objname)(epoch, a, &module) && VG_(strstr)(module, "vgpreload_") != nullptr;
        if (ours && i + 1 < frames.count) continue;
        return add_place(text, epoch, a);
    }
}

void print_line(const char* line) { VG_(umsg)("%s\n", line); }

}  // namespace

void print_summary(const contention::SharingReport& report, const contention::Status& status, u32 top,
                   u64 coherence_latency) {
    if (!status.several_threads || VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    SummaryOptions options;
    options.top = top;
    options.coherence_latency = coherence_latency;
    options.describe_instruction = describe_instruction;
    options.describe_allocation = describe_allocation;
    options.line = print_line;
    lay_out_summary(report, status, options);
}

}  // namespace memspy::findings
