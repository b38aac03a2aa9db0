// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <races> of the profile file.
#include "analyses/races/race_reports.h"
#include "profile/profile.h"

namespace memspy::fields::races {
#define MEMSPY_FIELDS "fields/races.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::races

namespace memspy::races {
namespace {

using profile::ProfileNeeds;
using profile::XmlWriter;
namespace names = fields::races;

bool has_data() { return !race_rows().empty() || !lock_cycles().empty(); }

void collect(ProfileNeeds& needs) {
    for (const RaceRow& row : race_rows()) {
        needs.stack(row.stack, row.place);
        needs.stack(row.other_stack, row.other_place);
        needs.object(row.object);
    }
    for (const LockCycle& cycle : lock_cycles())
        for (u32 i = 0; i < cycle.circle.locks; ++i)
            needs.stack(cycle.stacks[i], cycle.circle.takes[i].place);
}

void write_race(XmlWriter& xml, const RaceRow& row) {
    xml.open(names::kRace);
    xml.attribute(names::Race::stack, static_cast<u64>(row.stack));
    xml.attribute(names::Race::other_stack, static_cast<u64>(row.other_stack));
    xml.attribute(names::Race::thread, u64{row.thread});
    xml.attribute(names::Race::other_thread, u64{row.other_thread});
    xml.attribute(names::Race::access, row.stores ? "W" : "R");
    xml.attribute(names::Race::other_access, row.other_stores ? "W" : "R");
    xml.attribute(names::Race::object, static_cast<u64>(row.object));
    xml.attribute_unless_zero(names::Race::offset, row.offset);
    if (row.variable != nullptr) xml.attribute(names::Race::variable, row.variable);
    if (row.clause != nullptr) xml.attribute(names::Race::clause, row.clause);
    if (row.held != nullptr) xml.attribute(names::Race::held, row.held);
    if (row.other_held != nullptr) xml.attribute(names::Race::other_held, row.other_held);
    if (row.last != nullptr) xml.attribute(names::Race::last, row.last);
    if (row.fix != nullptr) xml.attribute(names::Race::fix, row.fix);
    xml.attribute(names::Race::bytes, u64{row.bytes});
    xml.attribute(names::Race::times, row.times);
    xml.close();
}

void write_cycle(XmlWriter& xml, const LockCycle& cycle) {
    const u32 last = cycle.circle.locks - 1;
    xml.open(names::kLockCycle);
    xml.attribute(names::LockCycle::stack, static_cast<u64>(cycle.stacks[0]));
    xml.attribute(names::LockCycle::other_stack, static_cast<u64>(cycle.stacks[last]));
    xml.attribute(names::LockCycle::thread, u64{cycle.circle.takes[0].thread});
    xml.attribute(names::LockCycle::other_thread, u64{cycle.circle.takes[last].thread});
    xml.attribute(names::LockCycle::locks, u64{cycle.circle.locks});
    xml.close();
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    for (const RaceRow& row : race_rows()) write_race(xml, row);
    for (const LockCycle& cycle : lock_cycles()) write_cycle(xml, cycle);
    xml.close();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const profile::ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::races
