// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/output/remedies.h"

#include "fields/contention.h"

namespace memspy::contention {
namespace {

using profile::XmlWriter;
namespace names = fields::contention;

void write_text(XmlWriter& xml, const char* name, const char* value) {
    if (value[0] != '\0') xml.attribute(name, value);
}
void write_yes(XmlWriter& xml, const char* name, bool value) {
    if (value) xml.yes_or_no(name, true);
}

void write_item(XmlWriter& xml, const advice::AdviceItem& item) {
    xml.open(names::Remedy::items);
    xml.attribute(names::Item::role, word(item.role));
    xml.attribute_unless_zero(names::Item::object, item.object);
    xml.attribute_unless_zero(names::Item::first, item.first);
    xml.attribute_unless_zero(names::Item::bytes, item.bytes);
    write_text(xml, names::Item::content, item.fields);
    write_text(xml, names::Item::name, item.name);
    write_yes(xml, names::Item::block, item.block);
    write_yes(xml, names::Item::several, item.several);
    write_yes(xml, names::Item::each, item.each);
    write_yes(xml, names::Item::more, item.more);
    write_text(xml, names::Item::type, item.type);
    write_text(xml, names::Item::variable, item.variable);
    write_text(xml, names::Item::origin, item.origin);
    write_text(xml, names::Item::place, item.place);
    xml.attribute_unless_zero(names::Item::thread, item.thread);
    write_text(xml, names::Item::users, word(item.users));
    xml.close();
}

}  // namespace

void write_headline(XmlWriter& xml, const SharingReport& report, const ReportGroup& group) {
    xml.open(names::Group::headline);
    xml.attribute(names::Headline::meeting, word(group.meeting));
    write_yes(xml, names::Headline::more, group.more_named);
    const u32 end = group.named.end + (group.hindered ? 1 : 0);
    for (u32 i = group.named.begin; i < end; ++i) write_item(xml, report.items[i]);
    xml.close();
}

void write_remedies(XmlWriter& xml, const SharingReport& report, const ReportGroup& group) {
    for (u32 i = group.remedies.begin; i < group.remedies.end; ++i) {
        const advice::Advice& advice = report.remedies[i];
        xml.open(names::Group::remedies);
        xml.attribute(names::Remedy::kind, word(advice.remedy));
        if (advice::is_layout(advice.remedy)) {
            xml.attribute(names::Remedy::means, word(advice.means));
            xml.attribute(names::Remedy::line, advice.line);
        }
        xml.attribute_unless_zero(names::Remedy::stride, advice.stride);
        xml.attribute_unless_zero(names::Remedy::bytes, advice.bytes);
        xml.attribute_unless_zero(names::Remedy::width, advice.width);
        xml.attribute_unless_zero(names::Remedy::count, advice.count);
        write_text(xml, names::Remedy::array, advice.array);
        write_text(xml, names::Remedy::type, advice.type);
        write_text(xml, names::Remedy::element, advice.element);
        write_yes(xml, names::Remedy::openmp, advice.openmp);
        write_yes(xml, names::Remedy::more, advice.more);
        xml.attribute_unless_zero(names::Remedy::removes, advice.removes);
        xml.attribute_unless_zero(names::Remedy::events, advice.events);
        write_yes(xml, names::Remedy::about, advice.about);
        write_yes(xml, names::Remedy::observed, advice.observed);
        rt::Text gain;
        if (i + 1 == group.remedies.end && add_gain(gain, report, group)) {
            gain.reset();
            gain.add_ratio(report.settings.end.costly.full, group.end_without);
            xml.attribute(names::Remedy::gain, gain.c_str());
        }
        for (u32 k = 0; k < advice.item_count; ++k) write_item(xml, report.items[advice.first_item + k]);
        xml.close();
    }
}

}  // namespace memspy::contention
