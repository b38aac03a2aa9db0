// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <heap-profile> of the profile file.
#include <algorithm>

#include "analyses/heap_profile/heap_profile.h"
#include "options.h"
#include "profile/profile.h"
#include "rt/text.h"

namespace memspy::fields::heap_profile {
#define MEMSPY_FIELDS "fields/heap_profile.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::heap_profile

namespace memspy::heap_profile {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::heap_profile;

// Moments in the file: each hundredth of the run, so that those of several processes can be added.
constexpr u32 kMoments = 100;

// A row has a line of its own in the timeline if it had at least one part in this many of the peak, or of a
// moment.
constexpr u64 kPartsWorthALine = 200;

// The last moment at or before the i-th hundredth of the run.
const HeapTimeline::HeapMoment& moment(u32 i) {
    const u64 time = report().total.end_time / kMoments * i;
    u32 low = 0, high = timeline().size();
    while (high - low > 1) {
        const u32 middle = (low + high) / 2;
        (timeline()[middle].time <= time ? low : high) = middle;
    }
    return timeline()[low];
}

bool has_data() { return report().total.end_time != 0; }

void collect(ProfileNeeds& needs) {
    for (usize i = 0; i < report().rows.size(); ++i) {
        if (report().rows[i].context != ContextId::None) needs.stack(report().rows[i].context);
        if (report().objects[i] != places::ObjectId::None) needs.object(report().objects[i]);
    }
}

void write_history(XmlWriter& xml, u32 row, const HeapRow& of) {
    u64 most = of.peak_bytes;
    for (u32 i = 0; i < timeline().size(); ++i) most = std::max(most, timeline()[i].of_row(row));
    if (of.custom || most == 0 || most < report().total.peak_bytes / kPartsWorthALine) return;
    rt::Text text;
    for (u32 i = 0; i < kMoments; ++i) {
        if (i != 0) text.add(' ');
        text.add_plain(moment(i).of_row(row));
    }
    xml.open(names::Context::history);
    xml.text(text.c_str());
    xml.close();
}

// Stretches of places with the same counts, of the rows whose blocks have most accesses.
void write_uses(XmlWriter& xml, u32 i) {
    const HeapRow& row = report().rows[i];
    rt::Vector<BlockBytes::PlaceCounts> places;
    places_of_row(report().numbers[i], places);
    const usize size = std::min<usize>(places.size(), row.most);
    for (usize at = 0, end = 0; at < size; at = end) {
        for (end = at + 1; end < size && places[end] == places[at];) ++end;
        xml.open(names::kUse);
        xml.attribute(names::Use::object, static_cast<u64>(report().objects[i]));
        xml.attribute(names::Use::place, u64{at});
        xml.attribute(names::Use::bytes, u64{end - at});
        xml.attribute_unless_zero(names::Use::loads, places[at].loads);
        xml.attribute_unless_zero(names::Use::stores, places[at].stores);
        xml.close();
    }
}

void write_all_uses(XmlWriter& xml) {
    constexpr usize kMostRows = 40;
    rt::Vector<u32> order;
    const auto accessed = [](u32 i) { return report().rows[i].use.loaded + report().rows[i].use.stored; };
    for (u32 i = 0; i < report().rows.size(); ++i)
        if (!report().rows[i].custom && report().objects[i] != places::ObjectId::None) order.push_back(i);
    std::sort(order.begin(), order.end(),
              [&](u32 a, u32 b) { return accessed(a) != accessed(b) ? accessed(a) > accessed(b) : a < b; });
    for (usize i = 0; i < std::min(order.size(), kMostRows); ++i) write_uses(xml, order[i]);
}

void write_row(XmlWriter& xml, u32 i) {
    const HeapRow& row = report().rows[i];
    const u32 number = report().numbers[i];
    xml.open(names::kContext);
    if (row.context != ContextId::None) xml.attribute(names::Context::stack, static_cast<u64>(row.context));
    if (report().objects[i] != places::ObjectId::None)
        xml.attribute(names::Context::object, static_cast<u64>(report().objects[i]));
    if (row.custom) xml.yes_or_no(names::Context::custom, true);
    xml.attribute(names::Context::blocks, row.blocks);
    xml.attribute(names::Context::bytes, row.bytes);
    const auto write = [&](const auto& name, u64 value) { xml.attribute_unless_zero(name, value); };
    write(names::Context::peak_blocks, row.peak_blocks);
    write(names::Context::peak_bytes, row.peak_bytes);
    write(names::Context::end_blocks, row.live_blocks);
    write(names::Context::end_bytes, row.live_bytes);
    write(names::Context::max_bytes, row.max_bytes);
    write(names::Context::least, row.least);
    write(names::Context::most, row.most);
    write(names::Context::temporary, row.temporary);
    write(names::Context::lifetimes, row.lifetimes);
    write(names::Context::resized, row.resized);
    write(names::Context::copied, row.copied);
    write(names::Context::grown, row.grown);
    write(names::Context::grown_bytes, row.grown_bytes);
    write(names::Context::loaded, row.use.loaded);
    write(names::Context::stored, row.use.stored);
    write(names::Context::never_read, row.use.never_read);
    write(names::Context::never_written, row.use.never_written);
    write(names::Context::used_once, row.use.used_once);
    write(names::Context::unused_end, row.use.unused_end);
    write_history(xml, number, row);
    xml.close();
}

void write(XmlWriter& xml) {
    const HeapReport& all = report();
    xml.open(names::kSection);
    xml.attribute(names::Model::mode, follows_accesses() ? "accesses" : "yes");
    xml.attribute(names::Model::temporary, static_cast<u64>(options().heap_temporary));
    if (follows_accesses()) xml.attribute(names::Model::period, u64{kPlacePeriod});
    xml.open(names::kTotal);
    xml.attribute(names::Total::blocks, all.total.blocks);
    xml.attribute(names::Total::bytes, all.total.bytes);
    xml.attribute(names::Total::peak_blocks, all.total.peak_blocks);
    xml.attribute(names::Total::peak_bytes, all.total.peak_bytes);
    xml.attribute(names::Total::peak_time, all.total.peak_time);
    xml.attribute(names::Total::end_blocks, all.total.live_blocks);
    xml.attribute(names::Total::end_bytes, all.total.live_bytes);
    xml.attribute(names::Total::end_time, all.total.end_time);
    xml.attribute_unless_zero(names::Total::mapped_peak, all.mapped_peak);
    xml.attribute_unless_zero(names::Total::mapped_end, all.mapped_end);
    xml.close();
    for (u32 i = 0; i < all.rows.size(); ++i) write_row(xml, i);
    if (follows_accesses()) write_all_uses(xml);
    for (u32 i = 0; timeline().size() != 0 && i < kMoments; ++i) {
        const HeapTimeline::HeapMoment& at = moment(i);
        xml.open(names::kMoment);
        xml.attribute(names::Moment::number, i);
        xml.attribute(names::Moment::time, all.total.end_time / kMoments * i);
        xml.attribute_unless_zero(names::Moment::blocks, at.blocks);
        xml.attribute_unless_zero(names::Moment::bytes, at.bytes);
        xml.attribute_unless_zero(names::Moment::mapped, at.mapped);
        xml.close();
    }
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::heap_profile
