// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <waste> of the profile file.
#include "analyses/waste/contexts.h"
#include "analyses/waste/owners.h"
#include "analyses/waste/waste.h"
#include "options.h"
#include "places/stacks.h"
#include "profile/profile.h"

namespace memspy::fields::waste {
#define MEMSPY_FIELDS "fields/waste.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::waste

namespace memspy::waste {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::waste;

bool has_data() { return report().totals.stored != 0; }

void collect(ProfileNeeds& needs) {
    for (const WasteRow& row : report().rows) {
        needs.stack(places::stack_of(row.place), row.place);
        if (row.kind == WasteRowKind::Dead) needs.stack(places::stack_of(row.killer), row.killer);
        if (row.object != places::ObjectId::None) needs.object(row.object);
    }
}

const char* word_of(WasteRow::WasteEnd end) {
    switch (end) {
        case WasteRow::WasteEnd::Stored: return "stored";
        case WasteRow::WasteEnd::Freed: return "freed";
        case WasteRow::WasteEnd::FrameLeft: break;
    }
    return "frame-left";
}

template <typename Names>
void write_figures(XmlWriter& xml, const WasteRow& row) {
    if (row.object != places::ObjectId::None) xml.attribute(Names::object, static_cast<u64>(row.object));
    xml.attribute(Names::bytes, row.bytes);
    xml.attribute(Names::all, row.all);
    if (row.direct) xml.yes_or_no(Names::direct, true);
    if (row.offset != kNoOffset) xml.attribute(Names::offset, row.offset);
    xml.attribute_unless_zero(Names::width, u64{row.width});
    xml.attribute_unless_zero(Names::held, row.held);
    if (row.decides) xml.yes_or_no(Names::decides, true);
    xml.attribute_unless_zero(Names::looked, row.looked);
    xml.attribute_unless_zero(Names::in_place, row.in_place);
    xml.attribute_unless_zero(Names::near, row.near);
    xml.close();
}

void write_row(XmlWriter& xml, const WasteRow& row) {
    const auto stack = static_cast<u64>(places::stack_of(row.place));
    switch (row.kind) {
        case WasteRowKind::Dead:
            xml.open(names::kDead);
            xml.attribute(names::Dead::stack, stack);
            xml.attribute(names::Dead::killer, static_cast<u64>(places::stack_of(row.killer)));
            xml.attribute(names::Dead::end, word_of(row.end));
            return write_figures<names::Dead>(xml, row);
        case WasteRowKind::Silent:
            xml.open(names::kSilent);
            xml.attribute(names::Silent::stack, stack);
            return write_figures<names::Silent>(xml, row);
        case WasteRowKind::Load:
            xml.open(names::kAgain);
            xml.attribute(names::Again::stack, stack);
            return write_figures<names::Again>(xml, row);
    }
}

void write_total(XmlWriter& xml, const WasteReport& all) {
    const WasteTotals& totals = all.totals;
    xml.open(names::kTotal);
    xml.attribute(names::Total::stored, totals.stored);
    xml.attribute(names::Total::loaded, totals.loaded);
    xml.attribute(names::Total::dead, totals.wasted[0]);
    xml.attribute(names::Total::silent, totals.wasted[1]);
    xml.attribute(names::Total::again, totals.wasted[2]);
    xml.attribute_unless_zero(names::Total::dead_direct, all.direct[0]);
    xml.attribute_unless_zero(names::Total::silent_direct, all.direct[1]);
    xml.attribute_unless_zero(names::Total::again_direct, all.direct[2]);
    xml.attribute_unless_zero(names::Total::dead_left_out, all.left_out[0]);
    xml.attribute_unless_zero(names::Total::silent_left_out, all.left_out[1]);
    xml.attribute_unless_zero(names::Total::again_left_out, all.left_out[2]);
    if (all.sample.bursts != 0) {
        xml.attribute_unless_zero(names::Total::dead_open, totals.open(WasteRowKind::Dead));
        xml.attribute_unless_zero(names::Total::again_open, totals.open(WasteRowKind::Load));
    }
    xml.close();
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    xml.attribute_unless_zero(names::Model::tolerance, static_cast<u64>(options().waste_tolerance));
    if (!contexts_complete()) xml.yes_or_no(names::Model::incomplete, true);
    if (const WasteSample& sample = report().sample; sample.bursts != 0) {
        const auto millionths = [](double part) { return static_cast<u64>(part * 1e6); };
        xml.attribute(names::Model::bursts, sample.bursts);
        xml.attribute(names::Model::rate, millionths(sample.rate));
        xml.attribute(names::Model::dead_error, millionths(sample.errors[0]));
        xml.attribute(names::Model::silent_error, millionths(sample.errors[1]));
        xml.attribute(names::Model::again_error, millionths(sample.errors[2]));
    }
    write_total(xml, report());
    for (const WasteRow& row : report().rows) write_row(xml, row);
    for (const ThreadWaste& thread : report().threads) {
        xml.open(names::kThreadWaste);
        xml.attribute_unless_zero(names::ThreadWaste::thread, u64{thread.thread});
        xml.attribute_unless_zero(names::ThreadWaste::stored, thread.totals.stored);
        xml.attribute_unless_zero(names::ThreadWaste::loaded, thread.totals.loaded);
        xml.attribute_unless_zero(names::ThreadWaste::dead, thread.totals.wasted[0]);
        xml.attribute_unless_zero(names::ThreadWaste::silent, thread.totals.wasted[1]);
        xml.attribute_unless_zero(names::ThreadWaste::again, thread.totals.wasted[2]);
        xml.close();
    }
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::waste
