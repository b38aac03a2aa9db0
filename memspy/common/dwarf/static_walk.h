// SPDX-License-Identifier: GPL-2.0-or-later
//
// The way through a compilation unit to the descriptions of its static variables, for those who look for
// different things there.
#pragma once

#include "dwarf/types.h"
#include "dwarf/unit.h"

namespace memspy::dwarf {

// `Visitor` has
//   Scope inside(scope, entry)   what it wants to know of where the children of the entry stand
//   bool meet(variable, scope)   looks at a variable; false: that is enough
// Begin with the unit's root. Returns the offset behind the children: no entry is read twice, whatever a
// damaged file says.
template <typename Scope, typename Visitor>
u64 walk_statics(const InfoUnit& unit, const Entry& parent, const Scope& scope, Visitor& visitor,
                 unsigned depth = 0) {
    if (!parent.has_children) return parent.next;
    if (depth == kMostSteps) return unit.after(parent);
    Entry child;
    u64 at = parent.next;
    while (unit.read(at, &child)) {
        switch (child.tag) {
            case 0: return child.next;
            case kNamespace:
            case kModule:
            case kSubprogram:
            case kLexicalBlock:
            case kCommonBlock:
            case kTry:
            case kCatch:
                at = walk_statics(unit, child, visitor.inside(scope, child), visitor, depth + 1);
                break;
            case kVariable:
                if (!visitor.meet(child, scope)) return unit.end();
                [[fallthrough]];
            default: at = unit.after(child); break;
        }
    }
    return unit.end();
}

}  // namespace memspy::dwarf
