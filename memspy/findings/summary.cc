// SPDX-License-Identifier: GPL-2.0-or-later

#include "findings/summary.h"

#include "findings/record.h"
#include "findings/summary_text.h"

namespace memspy::findings {
namespace {

// "worker (file.c:12)": of the functions that are inlined there, the innermost, as the first line of a stack
// has it, or the one that the others are inlined in, whose name is the symbol's and so has its namespace.
enum class Inlined : u8 { Innermost, Outermost };
void describe(rt::Text& text, DiEpoch epoch, Addr a, Inlined which) {
    InlIPCursor* cursor = VG_(new_IIPC)(epoch, a);
    do {
        const HChar* line = VG_(describe_IP)(epoch, a, cursor);
        const HChar* from = VG_(strstr)(line, ": ");
        text.reset();
        text.add(from == nullptr ? line : from + 2);
    } while (which == Inlined::Outermost && VG_(next_IIPC)(cursor));
    VG_(delete_IIPC)(cursor);
}

void add_shortened(rt::Text& text, const char* description) {
    constexpr usize kLongestName = 26, kLongestPlace = 22;
    rt::Text name;
    name.add(description);
    usize open = name.size();
    while (open > 0 && !(description[open] == '(' && description[open - 1] == ' ')) --open;
    if (open == 0) return void(text.add_short(description, kLongestName));
    name.cut(open - 1);
    text.add_short(name.c_str(), kLongestName).add(' ').add_short(description + open, kLongestPlace);
}

// Behind the type that a template's name begins with, which is what it returns.
const char* own_name(const char* name) {
    const char* own = name;
    int depth = 0;
    for (const char* c = name; *c != '\0' && !(*c == '(' && depth == 0); ++c) {
        if (*c == '<') ++depth;
        if (*c == '>') --depth;
        const bool of_operator = c - own >= 8 && VG_(strncmp)(c - 8, "operator", 8) == 0;
        if (*c == ' ' && depth == 0 && c[1] != '(' && !of_operator) own = c + 1;
    }
    return own;
}

// The C++ library's templates are compiled into the program.
bool is_of_library(const char* own) {
    return VG_(strncmp)(own, "std::", 5) == 0 || VG_(strncmp)(own, "__gnu_cxx::", 11) == 0;
}

void print_line(const char* line) { VG_(umsg)("%s\n", line); }

}  // namespace

void describe_instruction(rt::Text& text, Address instruction) {
    rt::Text name;
    describe(name, VG_(current_DiEpoch)(), instruction, Inlined::Innermost);
    add_shortened(text, name.c_str());
}

// Who in the program asked for the block: what stands in the preloaded library says nothing, and the C++
// library's containers little.
void describe_allocation(rt::Text& text, ContextId allocated) {
    ExeContext* context = context_of(allocated);
    if (context == nullptr) return;
    const DiEpoch epoch = VG_(get_ExeContext_epoch)(context);
    const Frames frames = frames_of(context);
    const auto is_preloaded = [&](Addr a) {
        const HChar* module = nullptr;
        return VG_(get_objname)(epoch, a, &module) && VG_(strstr)(module, "vgpreload_") != nullptr;
    };
    u32 first = 0;
    while (first + 1 < frames.count && is_preloaded(frames.addresses[first])) ++first;
    rt::Text name;
    for (u32 i = first; i < frames.count; ++i) {
        describe(name, epoch, frames.addresses[i], Inlined::Outermost);
        const char* own = own_name(name.c_str());
        if (!is_of_library(own)) return add_shortened(text, own);
    }
    if (first == frames.count) return;
    describe(name, epoch, frames.addresses[first], Inlined::Innermost);
    add_shortened(text, name.c_str());
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
