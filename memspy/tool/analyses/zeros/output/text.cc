// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/output/text.h"

namespace memspy::zeros {

void add_type(rt::Text& text, ValueType type) {
    if (type.is_float())
        text.add(type.bytes() == 4 ? "float" : "double");
    else
        text.add_number(type.bytes()).add("-byte integer");
    if (type.lanes() > 1) text.add(" x ").add_number(type.lanes());
    if (!type.known()) text.add('?');
}

void add_figures(rt::Text& text, const LoadRow& row, const KindTotals& totals) {
    const LoadCounts& counts = row.counts;
    text.add_number(row.loads()).add(row.loads() == 1 ? " load; " : " loads; ");
    text.add_percent(counts.redundant, counts.elements * row.type.cells());
    text.add(row.type.is_float() ? " of the parts of their values" : " of their bytes")
        .add(" are redundant zeros, ");
    text.add_percent(counts.zero, counts.elements).add(" of the values are zero; that is ");
    text.add_percent(counts.redundant, all_redundant(totals)).add(" of all redundant zeros loaded");
}

}  // namespace memspy::zeros
