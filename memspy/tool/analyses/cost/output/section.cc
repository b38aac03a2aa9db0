// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <cost> of the profile file.
#include "analyses/cost/cost.h"
#include "log/consumer.h"
#include "options.h"
#include "profile/profile.h"

namespace memspy::fields::cost {
#define MEMSPY_FIELDS "fields/cost.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::cost

namespace memspy::cost {
namespace {

using places::ObjectId;
using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::cost;

bool has_data() { return !report().objects.empty(); }

void collect(ProfileNeeds& needs) {
    for (const ObjectCost& object : report().objects) {
        if (object.object != ObjectId::None) needs.object(object.object);
        needs.stack(places::stack_of(object.first_touch), object.first_touch);
    }
    for (const CostRow& row : report().rows) needs.stack(places::stack_of(row.place), row.place);
    for (const ThreadUse& use : report().uses)
        if (use.object != ObjectId::None) needs.object(use.object);
    for (const ObjectPlacement& placement : report().placements) needs.object(placement.object);
}

// `Names`: the attributes' names for the element.
template <typename Names>
void write_figures(XmlWriter& xml, const CostFigures& figures) {
    xml.attribute_unless_zero(Names::loads, figures.loads);
    xml.attribute_unless_zero(Names::stores, figures.stores);
    xml.attribute_unless_zero(Names::cycles, figures.cycles);
    xml.attribute_unless_zero(Names::l1_misses, figures.l1_misses);
    xml.attribute_unless_zero(Names::l2_misses, figures.l2_misses);
    xml.attribute_unless_zero(Names::llc_misses, figures.llc_misses);
    xml.attribute_unless_zero(Names::tlb_misses, figures.tlb_misses);
    xml.attribute_unless_zero(Names::local, figures.local);
    xml.attribute_unless_zero(Names::remote, figures.remote);
    xml.attribute_unless_zero(Names::transfers, figures.transfers);
}

const char* word_of(PlacementAdvice advice) {
    switch (advice) {
        case PlacementAdvice::TouchByUsers: return "touch-by-users";
        case PlacementAdvice::Replicate: return "replicate";
        case PlacementAdvice::Interleave: return "interleave";
        case PlacementAdvice::None: break;
    }
    return "none";
}

void write_placement(XmlWriter& xml, const ObjectPlacement& placement) {
    using Fields = names::Placement;
    const PlacementStudy& study = placement.study;
    xml.open(names::kPlacement);
    xml.attribute(Fields::object, static_cast<u64>(placement.object));
    xml.attribute(Fields::advice, word_of(placement.advice));
    xml.attribute_unless_zero(Fields::lines, study.lines);
    xml.attribute_unless_zero(Fields::remote, study.remote);
    xml.attribute_unless_zero(Fields::remote_touched, study.remote_touched);
    xml.attribute_unless_zero(Fields::remote_interleaved, study.remote_interleaved);
    xml.attribute_unless_zero(Fields::copied, study.copied);
    xml.attribute_unless_zero(Fields::busiest, study.busiest);
    xml.attribute_unless_zero(Fields::busiest_interleaved, study.busiest_interleaved);
    xml.attribute_unless_zero(Fields::late_stores, study.late_stores);
    xml.attribute_unless_zero(Fields::touched_saves, placement.touched_saves);
    xml.attribute_unless_zero(Fields::interleaved_saves, placement.interleaved_saves);
    xml.attribute_unless_zero(Fields::replicated_saves, placement.replicated_saves);
    xml.close();
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    xml.attribute(names::Model::machine, machine_name());
    xml.attribute(names::Model::nodes, static_cast<u64>(options().numa_nodes));
    xml.attribute(names::Model::min_block, static_cast<u64>(options().cost_min_block));
    xml.attribute(names::Model::assumptions, assumptions());
    xml.attribute_unless_zero(names::Model::rows_left_out, report().rows_left_out);
    xml.attribute_unless_zero(names::Model::forced, log::times_forced());
    for (const ObjectCost& object : report().objects) {
        xml.open(names::kObjectCost);
        if (object.object != ObjectId::None)
            xml.attribute(names::ObjectCost::object, static_cast<u64>(object.object));
        xml.attribute(names::ObjectCost::first_touch, static_cast<u64>(places::stack_of(object.first_touch)));
        xml.attribute(names::ObjectCost::first_thread, object.first_thread);
        write_figures<names::ObjectCost>(xml, object.figures);
        xml.close();
    }
    for (const CostRow& row : report().rows) {
        xml.open(names::kRow);
        if (row.object != ObjectId::None) xml.attribute(names::Row::object, static_cast<u64>(row.object));
        xml.attribute_unless_zero(names::Row::stack, static_cast<u64>(places::stack_of(row.place)));
        write_figures<names::Row>(xml, row.figures);
        xml.close();
    }
    for (const ThreadUse& use : report().uses) {
        xml.open(names::kUse);
        if (use.object != ObjectId::None) xml.attribute(names::Use::object, static_cast<u64>(use.object));
        xml.attribute(names::Use::thread, use.thread);
        write_figures<names::Use>(xml, use.figures);
        xml.close();
    }
    for (const ObjectPlacement& placement : report().placements) write_placement(xml, placement);
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::cost
