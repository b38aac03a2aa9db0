// SPDX-License-Identifier: GPL-2.0-or-later

#include "findings/summary.h"

#include "findings/record.h"
#include "findings/summary_text.h"

namespace memspy::findings {
namespace {

// "worker (file.c:12)", of the innermost function where several are inlined, as the first line of a stack has
// it.
void add_place(rt::Text& text, DiEpoch epoch, Addr a) {
    constexpr usize kLongestName = 26, kLongestPlace = 22;
    InlIPCursor* cursor = VG_(new_IIPC)(epoch, a);
    const HChar* line = VG_(describe_IP)(epoch, a, cursor);
    rt::Text name;
    const HChar* from = VG_(strstr)(line, ": ");
    name.add(from == nullptr ? line : from + 2);
    VG_(delete_IIPC)(cursor);

    usize open = name.size();
    while (open > 0 && !(name.c_str()[open] == '(' && name.c_str()[open - 1] == ' ')) --open;
    if (open == 0) return void(text.add_short(name.c_str(), kLongestName));
    rt::Text place;
    place.add(name.c_str() + open);
    name.cut(open - 1);
    text.add_short(name.c_str(), kLongestName).add(' ').add_short(place.c_str(), kLongestPlace);
}

void print_line(const char* line) { VG_(umsg)("%s\n", line); }

}  // namespace

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
