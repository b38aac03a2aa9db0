// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/inlined_calls.h"

#include "dwarf/functions_at.h"

namespace memspy::dwarf {

namespace {

class InlinedLister {
public:
    InlinedLister(const InfoUnit& unit, void (*f)(const InlinedPiece& piece, void*), void* argument)
        : unit_(unit), types_(unit), f_(f), argument_(argument) {}

    // Returns the offset behind the children.
    u64 visit(const Entry& parent, u32 level) {
        if (!parent.has_children) return parent.next;
        if (level == kMostSteps) return unit_.after(parent);
        Entry child;
        for (u64 at = parent.next; unit_.read(at, &child);) {
            switch (child.tag) {
                case 0: return child.next;
                case kInlined: tell(child, level); [[fallthrough]];
                case kNamespace:
                case kSubprogram:
                case kLexicalBlock: at = visit(child, level + 1); break;
                default: at = unit_.after(child); break;
            }
        }
        return unit_.end();
    }

private:
    void tell(const Entry& call, u32 level) {
        folder_.reset();
        file_.reset();
        unit_.add_file(file_, call[AttributeName::CallFile].number, &folder_);
        piece_.function = unit_.text(types_.inherited(call, AttributeName::Name));
        piece_.folder = folder_.c_str();
        piece_.file = file_.c_str();
        piece_.line = call[AttributeName::CallLine].number;
        piece_.level = level;
        const auto tell_piece = [](u64 begin, u64 end, void* lister) {
            auto& self = *static_cast<InlinedLister*>(lister);
            self.piece_.begin = begin;
            self.piece_.end = end;
            if (begin < end) self.f_(self.piece_, self.argument_);
        };
        unit_.for_each_piece(call, tell_piece, this);
    }

    const InfoUnit& unit_;
    TypeReader types_;
    void (*f_)(const InlinedPiece& piece, void*);
    void* argument_;
    rt::Text folder_, file_;
    InlinedPiece piece_;
};

}  // namespace

void list_inlined_calls(const Sections& sections, void (*f)(const InlinedPiece& piece, void*),
                        void* argument) {
    any_unit(sections, [&](const InfoUnit& unit) {
        InlinedLister(unit, f, argument).visit(unit.root(), 0);
        return false;
    });
}

bool find_own_call(const Sections& sections, u64 pc, bool (*is_foreign)(const char* folder),
                   InlinedCall* call) {
    return with_near_unit(sections, pc, [&](const InfoUnit& unit) {
        FunctionsAt functions(unit, pc);
        u32 depth = call->depth < functions.count() ? call->depth : functions.count();
        while (depth-- > 0 && functions.choose(depth)) {
            if (functions.call_line() == 0) continue;
            call->folder.reset();
            call->file.reset();
            unit.add_file(call->file, functions.call_file(), &call->folder);
            if (call->file.empty() || is_foreign(call->folder.c_str())) continue;
            const Attribute name = functions.types().inherited(functions.function(), AttributeName::Name);
            const char* const text = unit.text(name);
            call->function.reset();
            if (text != nullptr) call->function.add(text);
            call->line = functions.call_line();
            call->depth = depth;
            return true;
        }
        return false;
    });
}

}  // namespace memspy::dwarf
