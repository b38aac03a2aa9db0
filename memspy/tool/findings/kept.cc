// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/kept.h"

#include "rt/global.h"

namespace memspy::findings {
namespace {
rt::Global<KeptFindings> errors, leaks;
}

KeptFindings& kept_errors() { return *errors; }
KeptFindings& kept_leaks() { return *leaks; }

void KeptFindings::begin(FindingKind kind, u32 thread, const Error* error) {
    if (error != nullptr) {
        u32& number = numbers_[reinterpret_cast<Addr>(error)];
        if (number != 0) return;
        number = static_cast<u32>(findings_.size()) + 1;
    }
    open_ = true;
    findings_.push_back({.kind = kind,
                         .thread = thread,
                         .times = 1,
                         .leaked_bytes = 0,
                         .leaked_indirectly = 0,
                         .leaked_blocks = 0,
                         .first_part = static_cast<u32>(parts_.size()),
                         .part_count = 0});
}

void KeptFindings::begin_leak(u32 thread, const LeakRecord& leak) {
    begin(leak.kind, thread, nullptr);
    KeptFinding& finding = findings_.back();
    finding.leaked_bytes = leak.direct_bytes + leak.indirect_bytes;
    finding.leaked_indirectly = leak.indirect_bytes;
    finding.leaked_blocks = leak.blocks;
}

void KeptFindings::add_text(const char* text) {
    if (!open_) return;
    ++findings_.back().part_count;
    parts_.push_back({static_cast<u32>(texts_.size()), ContextId::None});
    for (; *text != '\0'; ++text) texts_.push_back(*text);
    texts_.push_back('\0');
}

void KeptFindings::add_stack(ContextId stack) {
    if (!open_ || findings_.back().part_count == 0 || parts_.back().stack != ContextId::None) return;
    parts_.back().stack = stack;
}

void KeptFindings::happened_again(const Error* error) {
    if (const u32* number = numbers_.find(reinterpret_cast<Addr>(error))) ++findings_[*number - 1].times;
}

void KeptFindings::forget_times() {
    for (KeptFinding& finding : findings_) finding.times = 0;
}

void KeptFindings::begin_search() {
    findings_.clear();
    parts_.clear();
    texts_.clear();
    numbers_.clear();
    open_ = false;
    searched_ = true;
}

}  // namespace memspy::findings
