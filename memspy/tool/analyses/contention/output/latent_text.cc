// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/output/latent_text.h"

#include <algorithm>

namespace memspy::contention {
namespace {

constexpr u32 kNamed = 4;

// Two digits are known of an estimate.
u64 rounded(u64 events) {
    u64 unit = 1;
    while (events / unit >= 100) unit *= 10;
    return (events + unit / 2) / unit * unit;
}

}  // namespace

void add_latent(rt::Text& text, const SharingReport& report, const LatentFinding& finding,
                void (*describe_blocks)(rt::Text& text, ContextId allocated, bool several)) {
    if (finding.moved != 0)
        text.add("Beginning ").add_number(finding.moved).add(" bytes further in a line");
    else
        text.add("On lines of ").add_number(finding.line_bytes).add(" bytes");
    text.add(": false sharing ").add(finding.members == 1 ? "inside " : "between ");
    const u32 named = std::min(finding.members, kNamed);
    for (u32 i = 0; i < named; ++i) {
        if (i != 0) text.add(i + 1 == finding.members ? " and " : ", ");
        const Object& owner = object(report.latent_members[finding.first_member + i]);
        if (owner.kind == Object::StorageKind::Heap && describe_blocks != nullptr)
            describe_blocks(text, owner.allocated, owner.on_lines > 1);
        else
            add_object_name(text, owner);
    }
    if (named < finding.members) text.add(" and ").add_number(finding.members - named).add(" more");
    text.add(", about ").add_number(rounded(finding.events)).add(" events");
}

}  // namespace memspy::contention
