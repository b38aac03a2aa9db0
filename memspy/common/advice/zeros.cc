// SPDX-License-Identifier: GPL-2.0-or-later
#include "advice/zeros.h"

#include "rt/prefix.h"

namespace memspy::advice {
namespace {

using rt::Text;

constexpr const char* kRemedies[] = {"constant", "narrow", "skip", "sparse"};
constexpr const char* kParts[] = {"values",  "object", "rows",   "blocks",
                                  "columns", "tail",   "planes", "stripes"};

void add_narrow(Text& text, const ZeroAdvice& advice) {
    if (advice.part == ZeroPart::Columns) {
        text.add("of each ").add_number(advice.bytes).add(" bytes these are always redundant: ");
        text.add(advice.columns);
    } else if (advice.part == ZeroPart::Tail) {
        text.add("the last ").add_number(advice.zero).add(" of the ").add_number(advice.bytes);
        text.add(" bytes of every ").add(advice.name).add(" are zero");
    } else if (rt::starts_with(advice.type, "float")) {
        text.add("the mantissa of every ").add(advice.name).add(" fits a float; it is a double");
    } else {
        text.add("every ").add(advice.name).add(" fits ").add(advice.type);
        text.add(", it has ").add_number(advice.bytes).add(" bytes");
    }
}

}  // namespace

const char* word(ZeroRemedy remedy) { return kRemedies[static_cast<usize>(remedy)]; }
const char* word(ZeroPart part) { return kParts[static_cast<usize>(part)]; }

void add_sentence(Text& text, const ZeroAdvice& advice) {
    switch (advice.remedy) {
        case ZeroRemedy::Constant:
            if (advice.part == ZeroPart::Object)
                text.add("nothing but zeros is ever loaded from it");
            else
                text.add("every ").add(advice.name).add(" is zero");
            return;
        case ZeroRemedy::Narrow: return add_narrow(text, advice);
        case ZeroRemedy::Skip:
            text.add_percent(advice.zero, advice.all);
            text.add(" of the values are zero: test for zero and skip the calculation");
            return;
        case ZeroRemedy::Sparse:
        case ZeroRemedy::Count:
            if (advice.part == ZeroPart::Planes || advice.part == ZeroPart::Stripes) {
                text.add_number(advice.zero)
                    .add(" of ")
                    .add_number(advice.all)
                    .add(' ')
                    .add(word(advice.part));
                text.add(' ').add(advice.columns).add(" are zero: keep the others by index");
                return;
            }
            text.add_percent(advice.zero, advice.all).add(" of its ").add(word(advice.part));
            text.add(" of ").add_number(advice.bytes).add(" bytes are zero: keep only the others");
            return;
    }
}

}  // namespace memspy::advice
