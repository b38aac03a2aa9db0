// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/variables.h"

#include <dwarf.h>

#include <algorithm>

namespace memspy::report::names {

Variables::Variables(Units& units, Types& types, u64 (*symbol_size)(void*, u64), void* module)
    : units_(units), types_(types) {
    for (Unit& unit : units_.all())
        if (const Dwarf_Die* die = units_.die(unit)) add_below(unit, *die, 0);
    for (VariableEntry& entry : entries_) {
        if (auto type = units_.type(entry.die)) entry.size = types_.size(*type);
        if (entry.size == 0) entry.size = symbol_size(module, entry.address);
    }
    // Several units may describe an inline variable, some without its type's members. The largest description
    // comes first.
    std::stable_sort(entries_.begin(), entries_.end(), [](const VariableEntry& a, const VariableEntry& b) {
        return a.address != b.address ? a.address < b.address : a.size > b.size;
    });
    std::vector<VariableEntry> apart;
    for (const VariableEntry& entry : entries_)
        if (apart.empty() || entry.address >= apart.back().address + std::max<u64>(apart.back().size, 1))
            apart.push_back(entry);
    entries_ = std::move(apart);
}

void Variables::add_below(Unit& unit, Dwarf_Die die, int depth) {
    constexpr int kDeepest = 256;
    if (depth > kDeepest) return;
    for_each_child(die, [&](Dwarf_Die child) {
        switch (dwarf_tag(&child)) {
            case DW_TAG_variable:
                if (auto address = units_.static_address(unit, child))
                    entries_.push_back({*address, 0, child, &unit});
                break;
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_common_block:
            case DW_TAG_subprogram:
            case DW_TAG_lexical_block:
            case DW_TAG_inlined_subroutine:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type: add_below(unit, child, depth + 1); break;
            default: break;
        }
        return true;
    });
}

std::vector<const Variables::VariableEntry*> Variables::in(CodeExtent range) const {
    std::vector<const VariableEntry*> found;
    auto at =
        std::upper_bound(entries_.begin(), entries_.end(), range.begin,
                         [](u64 address, const VariableEntry& entry) { return address < entry.address; });
    if (at != entries_.begin()) --at;
    for (; at != entries_.end() && at->address < range.end; ++at)
        if (at->address + at->size > range.begin) found.push_back(&*at);
    return found;
}

}  // namespace memspy::report::names
