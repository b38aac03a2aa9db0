// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/heap_calls.h"

#include "analyses/defects/place.h"
#include "client/replacement.h"
#include "findings/findings.h"
#include "options.h"

namespace memspy::defects {
namespace {

using findings::Finding;
using findings::FindingKind;

void fishy_size(u32 thread, const char* function, const char* argument, i64 size) {
    Finding finding;
    finding.kind = FindingKind::FishyValue;
    finding.name = function;
    finding.argument = argument;
    finding.value = size;
    findings::report(thread, finding);
}

void bad_free(u32 thread, Address payload) {
    Finding finding;
    finding.kind = FindingKind::InvalidFree;
    finding.address = payload;
    if (const heap::Block* freed = heap::find_freed(payload))
        finding.place = findings::owner_in(*freed, payload);
    else
        finding.place = place_of(payload, payload);
    findings::report(thread, finding);
}

void mismatched_free(u32 thread, const heap::Block& block) {
    if (!options().show_mismatched_frees) return;
    Finding finding;
    finding.kind = FindingKind::MismatchedFree;
    finding.address = block.payload;
    finding.place = findings::owner_in(block, block.payload);
    findings::report(thread, finding);
}

void realloc_size_zero(u32 thread, const heap::Block& block) {
    if (!options().show_realloc_size_zero) return;
    Finding finding;
    finding.kind = FindingKind::ReallocSizeZero;
    finding.name = "realloc";
    finding.address = block.payload;
    finding.place = findings::owner_in(block, block.payload);
    findings::report(thread, finding);
}

}  // namespace

void judge_heap_calls() {
    client::judge({.fishy_size = fishy_size,
                   .bad_free = bad_free,
                   .mismatched_free = mismatched_free,
                   .realloc_size_zero = realloc_size_zero});
}

}  // namespace memspy::defects
