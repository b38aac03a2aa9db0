// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/contention/words.h"

#include <algorithm>

#include "advice/sentence.h"

namespace memspy::report::contention {
namespace {

// Texts end with a zero in the pool of strings; an attribute that is left out has none.
const char* c_str(Text text) { return text.empty() ? "" : text.data(); }

// Of files that other versions have written, unknown words are taken for the first.
template <typename E>
E known(E value) {
    return value == E::Count ? E{} : value;
}

advice::AdviceItem item_of(const Item& item) {
    return {.role = known(advice::role_of(c_str(item.role))),
            .object = static_cast<u32>(item.object),
            .first = item.first,
            .bytes = item.bytes,
            .fields = c_str(item.content),
            .name = c_str(item.name),
            .block = item.block,
            .several = item.several,
            .each = item.each,
            .more = item.more,
            .type = c_str(item.type),
            .variable = c_str(item.variable),
            .origin = c_str(item.origin),
            .place = c_str(item.place),
            .thread = static_cast<u32>(item.thread),
            .users = known(advice::users_of(c_str(item.users)))};
}

advice::Advice advice_data(const Remedy& remedy) {
    return {.remedy = known(advice::remedy_of(c_str(remedy.kind))),
            .means = known(advice::means_of(c_str(remedy.means))),
            .line = remedy.line,
            .stride = std::max<u64>(1, remedy.stride),
            .bytes = remedy.bytes,
            .width = remedy.width,
            .count = remedy.count,
            .array = c_str(remedy.array),
            .type = c_str(remedy.type),
            .element = c_str(remedy.element),
            .openmp = remedy.openmp,
            .more = remedy.more,
            .removes = remedy.removes,
            .events = remedy.events,
            .about = remedy.about,
            .observed = remedy.observed};
}

}  // namespace

std::string what_of(const Group& group) {
    rt::Text text;
    for (const Headline& headline : group.headline) {
        rt::Vector<advice::AdviceItem> items;
        for (const Item& item : headline.items) items.push_back(item_of(item));
        const bool beside = !items.empty() && items.back().role == advice::ItemRole::Other;
        advice::add_what(text, known(advice::meeting_of(c_str(headline.meeting))), items.data(),
                         items.size() - (beside ? 1 : 0), headline.more, beside ? &items.back() : nullptr);
    }
    return text.c_str();
}

std::string advice_of(const Group& group) {
    advice::AdvicePlan plan;
    for (const Remedy& remedy : group.remedies) {
        if (advice::remedy_of(c_str(remedy.kind)) == advice::Remedy::Count) return std::string(group.advice);
        advice::Advice made = advice_data(remedy);
        made.first_item = static_cast<u32>(plan.items.size());
        plan.advice.push_back(made);
        for (const Item& item : remedy.items) plan.add(item_of(item));
    }
    rt::Text text;
    if (!plan.advice.empty()) advice::add_sentence(text, plan);
    return text.c_str();
}

std::vector<ErrorRemedy> remedies_of(const Group& group) {
    std::vector<ErrorRemedy> remedies;
    for (const Remedy& remedy : group.remedies) {
        rt::Vector<advice::AdviceItem> subjects;
        for (const Item& item : remedy.items)
            if (item.role == word(advice::ItemRole::Subject)) subjects.push_back(item_of(item));
        rt::Text object;
        advice::add_names(object, subjects.data(), subjects.size(), remedy.more);
        remedies.push_back({std::string(remedy.kind), object.c_str(), std::string(remedy.means), remedy.bytes,
                            remedy.stride, remedy.removes, remedy.events, remedy.gain});
    }
    return remedies;
}

}  // namespace memspy::report::contention
