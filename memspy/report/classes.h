// SPDX-License-Identifier: GPL-2.0-or-later
//
// Known classes of programs: a table of characteristics of kernels, and the distances of a program to them. The
// table (classes.inc, or a file of the user's) says also how each characteristic comes from a profile, so nothing
// here knows an analysis. docs/classes.md describes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record_type.h"

namespace memspy::report {

// A sum of fields of records: `section.list.field`, or `section.list[field=text].field` for some of them.
struct FieldSum {
    struct Term {
        std::string section, list, field;
        std::string filter_field, filter_text;  // empty: all records
    };
    std::vector<Term> terms;
};

struct Characteristic {
    std::string name;
    bool logarithmic = false;  // its power of two counts
    FieldSum part, whole;      // no terms in `whole`: the part itself
};

using ProgramVector =
    std::vector<std::optional<double>>;  // in the order of the characteristics; none: not measured

struct KnownKernel {
    std::string program_class, variant;
    ProgramVector values;
};
struct ProgramClass {
    std::string name, advice;
};

struct ClassTable {
    std::vector<Characteristic> characteristics;
    std::vector<ProgramClass> classes;
    std::vector<KnownKernel> kernels;

    // Throws std::runtime_error with the line.
    static ClassTable read(std::string_view text, std::string_view name);
    static ClassTable installed();
};

struct ClassDistance {
    const ProgramClass* program_class;
    double distance;      // of its nearest kernel: root mean square over characteristics that both have
    std::string kernel;   // that one's variant
    ProgramVector parts;  // by characteristic, signed, in spreads
};
// The nearest first.
std::vector<ClassDistance> nearest_classes(const ClassTable& table, const ProgramVector& program);

// Adds up what the characteristics need.
class CharacteristicSums {
public:
    explicit CharacteristicSums(const ClassTable& table);
    void record(const AnyRecord& record);
    ProgramVector vector() const;

private:
    const ClassTable& table_;
    struct TermSum {
        const FieldSum::Term* term;
        double sum = 0;
        bool any = false;
    };
    std::vector<TermSum> sums_;
    std::optional<double> sum_of(const FieldSum& sum) const;
};

}  // namespace memspy::report
