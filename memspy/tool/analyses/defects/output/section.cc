// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/output/section.h"

#include "findings/kept.h"
#include "threads/registry.h"

namespace memspy::fields::defects {
#define MEMSPY_FIELDS "fields/defects.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::defects

namespace memspy::defects {

namespace {

using findings::KeptFindings;
using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::defects;

bool has_some(const KeptFindings& kept) {
    for (const KeptFindings::KeptFinding& finding : kept.all())
        if (finding.times != 0) return true;
    return false;
}

// The thread that had the number last.
u32 serial_of(u32 guest_id) {
    const rt::Vector<threads::KnownThread>& all = threads::all_threads();
    for (usize i = all.size(); i > 0; --i)
        if (all[i - 1].guest_id == guest_id) return all[i - 1].serial;
    return 0;
}

void collect_from(const KeptFindings& kept, ProfileNeeds& needs) {
    for (const KeptFindings::KeptFinding& finding : kept.all())
        for (u32 i = 0; i < finding.part_count; ++i) needs.stack(kept.parts(finding)[i].stack);
}

void collect(ProfileNeeds& needs) {
    collect_from(findings::kept_errors(), needs);
    collect_from(findings::kept_leaks(), needs);
}

void write_from(const KeptFindings& kept, XmlWriter& xml) {
    for (const KeptFindings::KeptFinding& finding : kept.all()) {
        if (finding.times == 0) continue;
        const KeptFindings::KeptPart* const parts = kept.parts(finding);
        xml.open(names::kDefect);
        xml.attribute(names::Defect::kind, findings::kind_name(finding.kind));
        xml.attribute_unless_zero(names::Defect::stack, static_cast<u64>(parts[0].stack));
        xml.attribute_unless_zero(names::Defect::thread, u64{serial_of(finding.thread)});
        xml.attribute(names::Defect::times, finding.times);
        xml.attribute_unless_zero(names::Defect::leaked_bytes, finding.leaked_bytes);
        xml.attribute_unless_zero(names::Defect::leaked_indirectly, finding.leaked_indirectly);
        xml.attribute_unless_zero(names::Defect::leaked_blocks, finding.leaked_blocks);
        for (u32 i = 1; i < finding.part_count; ++i) {
            xml.open(names::Defect::remarks);
            xml.attribute(names::DefectRemark::text, kept.text(parts[i]));
            xml.attribute_unless_zero(names::DefectRemark::stack, static_cast<u64>(parts[i].stack));
            xml.close();
        }
        xml.open(names::Defect::what);
        xml.text(kept.text(parts[0]));
        xml.close();
        xml.close();
    }
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    xml.yes_or_no(names::Search::leaks, findings::kept_leaks().searched());
    write_from(findings::kept_errors(), xml);
    write_from(findings::kept_leaks(), xml);
    xml.close();
}

}  // namespace

bool has_findings() { return has_some(findings::kept_errors()) || has_some(findings::kept_leaks()); }

extern const profile::ProfileSection kSection = {[] { return true; }, collect, write};

}  // namespace memspy::defects
