// SPDX-License-Identifier: GPL-2.0-or-later
//
// The functions at a code address: the one that holds the code, those that are inlined there, and their
// variables. `depth` says which one is meant: 0 is the one that is not inlined, 1 is inlined into that, and
// so on.
#pragma once

#include "dwarf/types.h"
#include "dwarf/unit.h"

namespace memspy::dwarf {

// Bytes of .debug_info that are searched for a unit where there is no index. These questions are asked of
// many blocks.
inline constexpr u64 kMostSearched = 16u << 20;

template <typename F>
bool with_near_unit(const Sections& sections, u64 pc, F f) {
    if (sections.info.size > kMostSearched && unit_by_aranges(sections, pc) == 0) return false;
    return with_unit_of(sections, pc, f);
}

// The function at `pc`, and the functions that are inlined there.
class FunctionsAt {
public:
    FunctionsAt(const InfoUnit& unit, u64 pc) : unit_(unit), types_(unit), pc_(pc) {
        if (unit_.root().has_children) find_functions(unit_.root(), 0);
    }

    // False if there are fewer.
    bool choose(u32 depth) {
        if (depth >= functions_.size()) return false;
        function_ = functions_[depth];
        called_ = depth + 1 < functions_.size() ? functions_[depth + 1] : Entry();
        return true;
    }
    u32 count() const { return static_cast<u32>(functions_.size()); }
    // f(child) for the parameters and variables of the function, and of its blocks at `pc`.
    template <typename F>
    void for_each_variable(F f) {
        visit_variables(function_, 0, f);
    }
    const Entry& function() const { return function_; }
    const Entry& called() const { return called_; }
    // Where it calls what is inlined at `pc`; 0: nothing is.
    u64 call_file() const { return called_[AttributeName::CallFile].number; }
    u64 call_line() const { return called_[AttributeName::CallLine].number; }
    // The column there, or of `pc`; 0: not known.
    u64 call_column() const {
        return called_.tag == 0 ? unit_.column(pc_) : called_[AttributeName::CallColumn].number;
    }
    const TypeReader& types() const { return types_; }

private:
    bool is_here(const Entry& entry) const { return unit_.has_code(entry) && unit_.covers(entry, pc_); }

    // True if the function at `pc` is in `parent`.
    bool find_functions(const Entry& parent, unsigned depth) {
        if (depth == kMostSteps) return true;
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            switch (child.tag) {
                case kNamespace:
                case kModule:
                    if (child.has_children && find_functions(child, depth + 1)) return true;
                    break;
                case kSubprogram:
                case kInlined:
                case kLexicalBlock:
                    if (!is_here(child)) break;
                    if (child.tag != kLexicalBlock) functions_.push_back(child);
                    if (child.has_children) find_functions(child, depth + 1);
                    return true;
                default: break;
            }
        }
        return false;
    }

    template <typename F>
    void visit_variables(const Entry& parent, unsigned depth, F& f) {
        if (depth == kMostSteps || !parent.has_children) return;
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            if (child.tag == kVariable || child.tag == kParameter)
                f(child);
            else if (child.tag == kLexicalBlock && is_here(child))
                visit_variables(child, depth + 1, f);
        }
    }

    const InfoUnit& unit_;
    TypeReader types_;
    const u64 pc_;
    rt::Vector<Entry> functions_;  // outermost first
    Entry function_, called_;
};

}  // namespace memspy::dwarf
