// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/contention/names.h"

#include "report/sections/contention/records.h"
#include "report/sections/contention/words.h"
#include "report/source_names.h"

namespace memspy::report::contention {
namespace {

void complete(Item& item, SourceNames& names) {
    if (item.object == ObjectId{}) return;
    if (const auto block = names.block_name(item.object); block && item.block) {
        item.type = block->label;
        if (!block->variable.empty()) item.variable = block->variable;
    }
    if (item.bytes != 0 && item.content.empty())
        item.content = names.interned(names.field_words(item.object, item.first, item.bytes));
    item.origin = names.moved(item.object, item.origin);
    item.place = names.moved(item.object, item.place);
}

void complete(Remedy& remedy, SourceNames& names) {
    for (Item& item : remedy.items) {
        complete(item, names);
        if (const auto block = names.block_name(item.object); block && block->element_size == remedy.stride)
            remedy.element = names.interned(std::string(block->element));
    }
}

}  // namespace

void pass_with_names(const AnyRecord& record, SourceNames& names, ProfileHandler& to) {
    const auto* const group = record.as<Group>();
    if (group == nullptr || group->headline.empty()) {
        to.record(record);
        return;
    }
    Group named = *group;
    for (Headline& headline : named.headline)
        for (Item& item : headline.items) complete(item, names);
    for (Remedy& remedy : named.remedies) complete(remedy, names);
    named.what = names.interned(what_of(named));
    named.advice = names.interned(advice_of(named));
    constexpr std::size_t kShown = 8;  // objects of an error
    KnownFinding finding{named.kind, {}, {}, named.what, named.advice, remedies_of(named)};
    for (const Side& side : named.sides) finding.sides.push_back(side.stack);
    for (const Member& member : named.members)
        if (const StackId allocated = names.allocation(member.object);
            allocated != StackId{} && named.members.size() <= kShown)
            finding.allocations.push_back(allocated);
    names.note_finding(std::move(finding));
    to.record({record.section, record.type, &named});
}

}  // namespace memspy::report::contention
