// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/sharing_report.h"

namespace memspy::remedies {

const CoherenceCounts& kinds_counted(const ReportGroup& group) {
    const View leading = group.figures.leading();
    const CoherenceCounts& own = group.figures.in(leading);
    return group.all_lines > 0 && own.first_touches > own.events() / 10 ? group.contended_lines.in(leading)
                                                                        : own;
}

bool add_gain(rt::Text& text, const SharingReport& report, const ReportGroup& group) {
    const lines::Time full = report.settings.end.costly.full;
    if ((group.kind != findings::FindingKind::FalseSharing && !group.has_gain) || group.end_without == 0 ||
        !is_gain(full, group.end_without))
        return false;
    text.add_times(full, group.end_without);
    if (group.varies != 0) {
        const lines::Time more = scaled(full - group.end_without, group.varies, 1'000);
        text.add(" (").add_factor(full - more, group.end_without).add(" to ");
        text.add_factor(full + more, group.end_without).add(" in other runs)");
    }
    text.add(" on these ").add_number(report.thread_count);
    text.add(" threads");
    return true;
}

void SharingFigures::add(const SharingFigures& other) {
    accesses.loads += other.accesses.loads;
    accesses.stores += other.accesses.stores;
    uncounted += other.uncounted;
    for (u32 view = 0; view < kViews; ++view) counts[view].add(other.counts[view]);
}

u32 SharingReport::group_of(ObjectId id) {
    const u32* number = object_numbers.find(static_cast<u32>(id));
    return number == nullptr ? ~u32{0} : objects[*number - 1].group;
}

SharingReport::~SharingReport() {
    for (char* string : strings_) rt::release(string);
}

const char* SharingReport::keep(rt::Text& text) {
    const usize bytes = text.size() + 1;
    char* copy = static_cast<char*>(rt::allocate(bytes, "memspy.contention.report"));
    const char* from = text.c_str();
    for (usize i = 0; i < bytes; ++i) copy[i] = from[i];
    strings_.push_back(copy);
    return copy;
}

}  // namespace memspy::remedies
