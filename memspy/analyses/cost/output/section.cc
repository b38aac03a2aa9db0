// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <cost> of the profile file.
#include "analyses/cost/cost.h"
#include "options.h"
#include "profile/profile.h"

namespace memspy::cost {
namespace {

using places::ObjectId;
using profile::ProfileNeeds;
using profile::XmlWriter;

bool has_data() { return !report().objects.empty(); }

void collect(ProfileNeeds& needs) {
    for (const ObjectCost& object : report().objects) {
        if (object.object != ObjectId::None) needs.object(object.object);
        needs.stack(places::stack_of(object.first_touch), object.first_touch);
    }
    for (const Row& row : report().rows) needs.stack(places::stack_of(row.place), row.place);
}

void write_figures(XmlWriter& xml, const Figures& figures) {
    xml.attribute_unless_zero("loads", figures.loads);
    xml.attribute_unless_zero("stores", figures.stores);
    xml.attribute_unless_zero("cycles", figures.cycles);
    xml.attribute_unless_zero("l1-misses", figures.l1_misses);
    xml.attribute_unless_zero("l2-misses", figures.l2_misses);
    xml.attribute_unless_zero("llc-misses", figures.llc_misses);
    xml.attribute_unless_zero("tlb-misses", figures.tlb_misses);
    xml.attribute_unless_zero("local", figures.local);
    xml.attribute_unless_zero("remote", figures.remote);
    xml.attribute_unless_zero("transfers", figures.transfers);
}

void write(XmlWriter& xml) {
    xml.open("cost");
    xml.attribute("machine", machine_name());
    xml.attribute("nodes", static_cast<u64>(options().numa_nodes));
    xml.attribute("min-block", static_cast<u64>(options().cost_min_block));
    xml.attribute("assumptions", assumptions());
    xml.attribute_unless_zero("rows-left-out", report().rows_left_out);
    for (const ObjectCost& object : report().objects) {
        xml.open("cost-object");
        if (object.object != ObjectId::None) xml.attribute("object", static_cast<u64>(object.object));
        xml.attribute("first-touch", static_cast<u64>(places::stack_of(object.first_touch)));
        xml.attribute("first-thread", object.first_thread);
        write_figures(xml, object.figures);
        xml.close();
    }
    for (const Row& row : report().rows) {
        xml.open("cost-row");
        if (row.object != ObjectId::None) xml.attribute("object", static_cast<u64>(row.object));
        xml.attribute("stack", static_cast<u64>(places::stack_of(row.place)));
        write_figures(xml, row.figures);
        xml.close();
    }
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::cost
