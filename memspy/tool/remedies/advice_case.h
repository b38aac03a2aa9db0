// SPDX-License-Identifier: GPL-2.0-or-later
//
// A group whose advice is being decided: what its threads do with which bytes, and items of advice about
// them, with the names that debug information has. Decisions stand in advise_*.h.
#pragma once

#include "advice/advice.h"
#include "remedies/sharing_report.h"
#include "remedies/used_parts.h"

namespace memspy::remedies {

using Parts = rt::Vector<UsedPart>;

struct ObjectKinds {
    u32 heap = 0, variables = 0;
    bool several_blocks = false;  // on the heap: more than one block
};

class AdviceCase {
public:
    // Advice is added to `to`.
    AdviceCase(SharingReport& from, const ReportGroup& about, advice::AdvicePlan& to);

    SharingReport& report;
    const ReportGroup& group;
    advice::AdvicePlan& plan;
    Parts parts;  // of the group's objects
    ObjectKinds kinds;
    const u64 line_bytes;

    bool has_lines() const { return group.lines.size() != 0; }
    u64 worst_line() const { return has_lines() ? report.lines[group.lines.begin].line : 0; }
    bool is_worst(const UsedPart& part) const { return has_lines() && part.line == worst_line(); }
    // The worst line has nearly all of the group's events.
    bool has_one_line() const;
    Address code() const;  // that uses the group's objects
    dwarf::Language language() const;
    bool is_fortran() const { return language() == dwarf::Language::Fortran; }

    advice::Advice& advise(advice::Remedy remedy);
    advice::AdviceItem item(advice::ItemRole role, ObjectId id) const;
    // Bytes from `first` to `last` of what the part is in.
    advice::AdviceItem item(const UsedPart& part, u64 first, u64 last,
                            advice::ItemRole role = advice::ItemRole::Subject);
    advice::AdviceItem item(const UsedPart& part, advice::ItemRole role = advice::ItemRole::Subject);
    // With the thread that uses it.
    advice::AdviceItem used(const UsedPart& part);
    // The fields in these bytes: "stats.hits and stats.misses".
    bool add_fields(rt::Text& text, const UsedPart& part, u64 first, u64 last) const;
    bool add_fields(rt::Text& text, const UsedPart& part) const;
    // Members of a library's class, such as counts._M_element_count, cannot be moved.
    bool is_inside_library(const UsedPart& part) const;

    // Objects of the group that are `wanted`, in the order of their addresses, at most eight.
    void add_objects(bool (*wanted)(const Object&));
    // Where threads meet: the finding's two places.
    void add_places();
    // Where the variable at an offset of the object is declared, or where the block is allocated; of each of
    // the group's objects, if there is none. Nothing if that is not known.
    void add_change(ObjectId id, u64 offset);

private:
    void add_origin(rt::Text& text, const ReportObject& reported) const;
    advice::AdviceItem blocks() const;
};

inline bool is_any(const Object&) { return true; }
// What a program can give a place: stacks, mappings and sections have an address, but nobody can align one of
// them.
inline bool is_placed(const Object& owner) {
    return owner.kind == Object::StorageKind::Heap || is_variable(owner);
}

}  // namespace memspy::remedies
