// SPDX-License-Identifier: GPL-2.0-or-later
//
// A section's figures that `memspy-report diff` compares, and names under which things are known again in the
// next build: functions, files, variables; never line numbers and addresses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/catalog.h"
#include "report/differences.h"

namespace memspy::report {

class Comparison {
public:
    virtual ~Comparison() = default;
    // Of all sections; `catalog` has what records refer to.
    virtual void record(const AnyRecord& record, const Catalog& catalog) = 0;
    // The same tables for every profile, empty ones included.
    virtual std::vector<Figures> figures() const = 0;
};

// A function and its file, `search (tree.c)`; the label has no arguments of templates.
LastingName lasting_name(const Frame& frame);
LastingName lasting_name(const Catalog& catalog, ObjectId object);
// Of the program's own code in a stack.
LastingName lasting_name(const Catalog& catalog, StackId stack);
// Where that code is.
FigurePlace place_of(const Catalog& catalog, StackId stack);

}  // namespace memspy::report
