// SPDX-License-Identifier: GPL-2.0-or-later

#include "analyses/contention/output/sharing_findings.h"

#include <algorithm>

#include "places/code.h"
#include "remedies/advice.h"

namespace memspy::contention {
namespace {

findings::SummedRecord::AccessSide side_of(const SharingRow& row) {
    return {.stack = places::stack_of(row.place),
            .thread = row.thread,
            .loads = row.accesses.loads > 0,
            .stores = row.accesses.stores > 0};
}

findings::SummedRecord::ObjectPart part_of(const ReportObject& reported) {
    using PartKind = findings::SummedRecord::ObjectPart::PartKind;
    const Object& owner = object(reported.id);
    findings::SummedRecord::ObjectPart part{.what = PartKind::Unknown,
                                            .address = reported.address != 0 ? reported.address : owner.start,
                                            .offset = reported.address - reported.start,
                                            .size = owner.of_many_sizes ? 0 : owner.size,
                                            .name = owner.name,
                                            .variable = owner.variable,
                                            .module = owner.module,
                                            .allocated = owner.allocated,
                                            .blocks = owner.on_lines,
                                            .thread = owner.thread};
    if (reported.address < reported.start) part.offset = 0;  // not known, or in the frame's red zone
    switch (owner.kind) {
        case Object::StorageKind::Heap: part.what = PartKind::HeapBlock; break;
        case Object::StorageKind::Static:
            part.what = is_section(owner) ? PartKind::Section : PartKind::Variable;
            break;
        case Object::StorageKind::Stack: part.what = PartKind::Stack; break;
        case Object::StorageKind::Unknown: break;
    }
    return part;
}

}  // namespace

findings::SummedRecord record_of(SharingReport& report, u32 index) {
    const ReportGroup& group = report.groups[index];
    findings::SummedRecord record;
    record.kind = group.kind;
    for (u32 i = 0; i < 2; ++i)
        if (group.sides[i] < report.rows.size()) record.sides[i] = side_of(report.rows[group.sides[i]]);
    // Sorted by address; objects without a known line come last.
    u32 order[findings::SummedRecord::kMostParts];
    u32 count = 0;
    for (u32 i = group.objects.begin; i < group.objects.end && count < findings::SummedRecord::kMostParts;
         ++i)
        order[count++] = i;
    std::sort(order, order + count, [&](u32 a, u32 b) {
        const Address left = report.objects[a].address - 1, right = report.objects[b].address - 1;
        return left != right ? left < right : a < b;
    });
    for (u32 i = 0; i < count; ++i) record.parts[i] = part_of(report.objects[order[i]]);
    record.part_count = count;
    record.parts_left_out = group.objects.size() - count;

    rt::Text text;
    add_what(text, report, group);
    record.what = report.keep(text);
    text.reset();
    if (add_gain(text, report, group)) record.gain = report.keep(text);
    text.reset();
    add_figures(text, report, group);
    record.figures = report.keep(text);
    record.advice = group.advice;
    return record;
}

u32 report_findings(SharingReport& report, u32 guest_thread, u32 most) {
    const u32 shown = std::min({report.findings, most, report.settings.detailed});
    for (u32 i = 0; i < shown; ++i) findings::report_summed(guest_thread, record_of(report, i));
    return report.findings - shown;
}

}  // namespace memspy::contention
