// SPDX-License-Identifier: GPL-2.0-or-later
//
// Known classes of programs: a table of characteristics of kernels, and the distances of a program to them.
// The table (classes.inc, or a file of the user's) says also how each characteristic comes from a profile, so
// nothing here knows an analysis. docs/classes.md describes it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record_type.h"

namespace memspy::report {

// A sum of fields of records: `section.list.field`, or `section.list[condition;...].field` for some of them.
// A condition is field=text or field!=text; a text that ends with * stands for all that begin so. Of a list
// of numbers, `field.from.N` is the sum of those from the N-th on, counted from 0.
struct FieldSum {
    struct Condition {
        std::string field, text;
        bool is_beginning = false, is_not = false;
        bool holds(const std::string& value) const {
            return (is_beginning ? value.starts_with(text) : value == text) != is_not;
        }
    };
    struct Term {
        std::string section, list, field;
        std::vector<Condition> conditions;
    };
    std::vector<Term> terms;
};

struct Characteristic {
    std::string name;
    bool logarithmic = false;  // its power of two counts
    double least = 0.001;      // of a logarithmic one: less is as little as nothing
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
