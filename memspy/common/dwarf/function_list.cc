// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/function_list.h"

#include "dwarf/forms.h"
#include "dwarf/types.h"

namespace memspy::dwarf {
namespace {

class FunctionLister {
public:
    FunctionLister(const InfoUnit& unit, void (*f)(const FunctionPiece&, void*), void* argument)
        : unit_(unit), f_(f), argument_(argument) {}

    void visit(const Entry& parent, unsigned depth) {
        if (depth == kMostSteps || !parent.has_children) return;
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child) && child.tag != 0; at = unit_.after(child)) {
            // Rust's methods are described inside their types.
            if (is_one_of(child.tag, {kNamespace, kModule, kStructure, kClass, kUnion, kEnumeration}))
                visit(child, depth + 1);
            else if (child.tag == kSubprogram && unit_.has_code(child))
                tell(child);
        }
    }

private:
    void tell(const Entry& function) {
        piece_.function = {unit_.start(), function.offset};
        unit_.for_each_piece(
            function,
            [](u64 begin, u64 end, void* argument) {
                FunctionLister& self = *static_cast<FunctionLister*>(argument);
                self.piece_.begin = begin;
                self.piece_.end = end;
                // Functions that the linker has left out begin at 0.
                if (begin != 0 && begin < end) self.f_(self.piece_, self.argument_);
            },
            this);
    }

    const InfoUnit& unit_;
    void (*f_)(const FunctionPiece&, void*);
    void* argument_;
    FunctionPiece piece_;
};

}  // namespace

void list_functions(const InfoUnit& unit, void (*f)(const FunctionPiece&, void*), void* argument) {
    FunctionLister(unit, f, argument).visit(unit.root(), 0);
}

}  // namespace memspy::dwarf
