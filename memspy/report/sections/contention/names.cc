// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/contention/names.h"

#include "report/sections/contention/records.h"
#include "report/source_names.h"

namespace memspy::report::contention {

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to) {
    const auto* const group = record.as<Group>();
    if (group == nullptr || group->members.size() != 1) {
        to.record(record);
        return;
    }
    Group named = *group;
    names.note_finding(group->what, group->members.front().object);
    named.what = names.in_words(group->what, group->members.front().object);
    named.advice = names.in_words(group->advice, group->members.front().object);
    to.record({record.section, record.type, &named});
}

}  // namespace memspy::report::contention
