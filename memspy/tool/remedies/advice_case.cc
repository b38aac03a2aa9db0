// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/advice_case.h"

#include <algorithm>

#include "rt/prefix.h"

namespace memspy::remedies {

using advice::Advice;
using advice::AdviceItem;
using advice::ItemRole;
using advice::Means;
using advice::Remedy;
using dwarf::Language;

namespace {

constexpr u32 kMostNames = 8;
constexpr u32 kMostPlaces = 4;

ObjectKinds kinds_of(const SharingReport& report, const ReportGroup& group) {
    ObjectKinds kinds;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind == Object::StorageKind::Heap) {
            ++kinds.heap;
            kinds.several_blocks |= owner.on_lines > 1;
        } else if (is_variable(owner)) {
            ++kinds.variables;
        }
    }
    kinds.several_blocks |= kinds.heap > 1;
    return kinds;
}

}  // namespace

AdviceCase::AdviceCase(SharingReport& from, const ReportGroup& about, advice::AdvicePlan& to)
    : report(from),
      group(about),
      plan(to),
      kinds(kinds_of(from, about)),
      line_bytes(from.settings.line_bytes) {
    collect_parts(parts, report, group);
}

bool AdviceCase::has_one_line() const {
    constexpr u64 kAll = 10;  // but for a tenth
    return has_lines() &&
           report.lines[group.lines.begin].figures.peak() * kAll >= group.figures.peak() * (kAll - 1);
}

Address AdviceCase::code() const {
    return group.sides[0] < report.rows.size() ? report.rows[group.sides[0]].place.instruction : 0;
}

Language AdviceCase::language() const {
    if (report.settings.language_of == nullptr || group.sides[0] >= report.rows.size())
        return Language::Other;
    const Place& place = report.rows[group.sides[0]].place;
    const bool known = report.settings.own_place != nullptr;
    return report.settings.language_of((known ? report.settings.own_place(place) : place).instruction);
}

Advice& AdviceCase::advise(Remedy remedy) {
    Advice& made = plan.add(remedy);
    made.line = line_bytes;
    switch (language()) {
        case Language::C: made.means = Means::FirstMember; break;
        case Language::Fortran: made.means = Means::Padding; break;
        case Language::Rust: made.means = Means::Repr; break;
        case Language::Other: made.means = Means::Alignas; break;
    }
    return made;
}

AdviceItem AdviceCase::item(ItemRole role, ObjectId id) const {
    const Object& owner = object(id);
    AdviceItem made{.role = role, .object = static_cast<u32>(id)};
    if (owner.kind == Object::StorageKind::Heap) {
        made.block = true;
        made.several = owner.on_lines > 1;
        made.each = kinds.several_blocks;
        rt::Text variable;
        if (report.settings.add_owner != nullptr && report.settings.add_owner(variable, owner.allocated))
            made.variable = report.keep(variable);
        return made;
    }
    rt::Text name;
    add_object_name(name, owner);
    made.name = report.keep(name);
    return made;
}

AdviceItem AdviceCase::item(const UsedPart& part, u64 first, u64 last, ItemRole role) {
    AdviceItem made = item(role, part.object);
    made.first = first;
    made.bytes = last - first + 1;
    rt::Text fields;
    if (add_fields(fields, part, first, last)) made.fields = report.keep(fields);
    return made;
}

AdviceItem AdviceCase::item(const UsedPart& part, ItemRole role) {
    return item(part, part.begin - part.start, part.end - part.start - 1, role);
}

// What one thread has of several blocks, another one has of the next.
AdviceItem AdviceCase::used(const UsedPart& part) {
    AdviceItem made = item(part);
    if (part.thread == kSeveral)
        made.users = advice::Users::Several;
    else if (kinds.several_blocks)
        made.users = advice::Users::One;
    else
        made.thread = part.thread;
    return made;
}

bool AdviceCase::add_fields(rt::Text& text, const UsedPart& part, u64 first, u64 last) const {
    return report.settings.add_fields != nullptr &&
           report.settings.add_fields(text, part.object, code(), first, last - first + 1);
}
bool AdviceCase::add_fields(rt::Text& text, const UsedPart& part) const {
    return add_fields(text, part, part.begin - part.start, part.end - part.start - 1);
}

bool AdviceCase::is_inside_library(const UsedPart& part) const {
    rt::Text fields;
    return add_fields(fields, part) &&
           (rt::contains(fields.c_str(), "._M_") || rt::contains(fields.c_str(), ".__"));
}

void AdviceCase::add_origin(rt::Text& text, const ReportObject& reported) const {
    const u64 offset = reported.address == 0 ? 0 : reported.address - reported.start;
    report.settings.add_origin(text, reported.id, code(), offset);
}

// All blocks of the group have one name: the allocation of the block with most events, and the variable that
// is declared there; where others have another, "and others".
AdviceItem AdviceCase::blocks() const {
    AdviceItem made{.block = true, .several = kinds.several_blocks, .each = kinds.several_blocks};
    rt::Text first, one, first_variable, one_variable;
    bool several_first = false;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind != Object::StorageKind::Heap) continue;
        if (made.object == 0) made.object = static_cast<u32>(report.objects[i].id);
        if (report.settings.add_origin == nullptr) break;
        rt::Text& origin = first.empty() ? first : one;
        origin.reset();
        add_origin(origin, report.objects[i]);
        if (&origin == &first) several_first = owner.on_lines > 1;
        rt::Text& variable = &origin == &first ? first_variable : one_variable;
        variable.reset();
        if (report.settings.add_owner != nullptr) report.settings.add_owner(variable, owner.allocated);
        if (&origin == &one && !(one.equals(first) && one_variable.equals(first_variable))) made.more = true;
    }
    if (made.more) made.several = several_first;
    if (first.empty()) return made;
    made.origin = report.keep(first);
    if (!first_variable.empty()) made.variable = report.keep(first_variable);
    return made;
}

void AdviceCase::add_objects(bool (*wanted)(const Object&)) {
    rt::Vector<u32> order;
    for (u32 i = group.objects.begin; i < group.objects.end; ++i) {
        const Object& owner = object(report.objects[i].id);
        if (owner.kind == Object::StorageKind::Heap || !wanted(owner)) continue;
        if (order.size() < kMostNames)
            order.push_back(i);
        else
            plan.advice.back().more = true;
    }
    std::sort(order.begin(), order.end(), [&](u32 a, u32 b) {
        const Address left = report.objects[a].address - 1, right = report.objects[b].address - 1;
        return left != right ? left < right : a < b;
    });
    for (const u32 i : order) plan.add(item(ItemRole::Subject, report.objects[i].id));
    if (kinds.heap > 0) plan.add(blocks());
}

void AdviceCase::add_places() {
    if (report.settings.describe_place == nullptr) return;
    const char* known = nullptr;
    for (const u32 side : group.sides) {
        if (side >= report.rows.size()) continue;
        rt::Text place;
        report.settings.describe_place(place, report.rows[side].place);
        if (known != nullptr && rt::contains(known, place.c_str())) continue;
        known = report.keep(place);
        plan.add({.role = ItemRole::Place, .place = known});
    }
}

void AdviceCase::add_change(ObjectId id, u64 offset) {
    if (report.settings.add_origin == nullptr) return;
    if (id != ObjectId::None) {
        rt::Text place;
        report.settings.add_origin(place, id, code(), offset);
        if (!place.empty())
            plan.add({.role = ItemRole::Change,
                      .object = static_cast<u32>(id),
                      .first = offset,
                      .place = report.keep(place)});
        return;
    }
    const usize from = plan.items.size();
    for (u32 i = group.objects.begin; i < group.objects.end && plan.items.size() < from + kMostPlaces; ++i) {
        rt::Text place;
        add_origin(place, report.objects[i]);
        const bool known =
            std::any_of(plan.items.begin() + from, plan.items.end(),
                        [&](const AdviceItem& other) { return rt::contains(other.place, place.c_str()); });
        if (place.empty() || known) continue;
        plan.add({.role = ItemRole::Change,
                  .object = static_cast<u32>(report.objects[i].id),
                  .place = report.keep(place)});
    }
}

}  // namespace memspy::remedies
