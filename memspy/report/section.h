// SPDX-License-Identifier: GPL-2.0-or-later
//
// An analysis as memspy-report knows it: the records of its element in the profile, and its additions to the
// program. A section is a folder in report/sections/ and a line in sections/all.def. With its table of fields
// alone (profile/fields/NAME.def) it is read, written, merged, checked, exported as JSON, and printed by
// `memspy-report table`. All other members may be empty.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "report/command_line.h"
#include "report/errors.h"
#include "report/record_type.h"

namespace memspy::report {

class Catalog;
class SourceNames;

// What is computed from all records of a section. JSON has it in lists behind the records.
struct ConclusionField {
    std::string_view name, kind;  // docs/report-json.md has the kinds
};
struct ConclusionList {
    std::string_view json;
    std::span<const ConclusionField> fields;  // of each row
};
using ConclusionRow = std::vector<std::variant<u64, std::string>>;
class Conclusion {
public:
    virtual ~Conclusion() = default;
    virtual void record(const AnyRecord& record) = 0;
    // All records have been read. `list`: by its number; `names` may be null.
    virtual std::vector<ConclusionRow> rows(std::size_t list, const Catalog& catalog,
                                            SourceNames* names) const = 0;
};
struct ConclusionKind {
    std::span<const ConclusionList> lists;
    std::unique_ptr<Conclusion> (*make)();
};

// Something that users act on, in one process: a merge says which ranks have it, and how its value is spread
// over them.
struct RankFinding {
    std::string_view kind, unit;  // what it is, and what the value counts
    StackId stack{};
    std::vector<ObjectId> objects{};
    std::string_view what{};
    u64 value = 0;
};
// The same with the places where it happens, as the error that the run reports.
struct PlacedFinding {
    std::string_view kind;
    std::string what;
    StackId stack{};
    u64 thread = 0;
    u64 times = 1;
    u64 leaked_bytes = 0, leaked_blocks = 0;
    struct FindingRemark {
        std::string text;
        StackId stack{};  // none: it is on the whole
    };
    std::vector<FindingRemark> remarks{};
    std::vector<ErrorRemedy> remedies{};
};
class FindingSink {
public:
    virtual ~FindingSink() = default;
    virtual void finding(const RankFinding& finding) = 0;
};

class Comparison;     // comparison.h
struct ExportFormat;  // export/export.h
struct StackMetrics;  // code_figures.h
struct LineColumns;
class ProfileHandler;
class TextPart;  // text_part.h
class TextView;

struct Section {
    std::string_view name;  // of the element
    std::span<const RecordType> records;
    // The section's commands: `memspy-report NAME ...`.
    std::span<const Command* const> commands;
    const ConclusionKind* conclusion = nullptr;
    // What `memspy-report diff` compares; null: nothing. `metric` is the option's word.
    std::unique_ptr<Comparison> (*comparison)(std::string_view metric) = nullptr;
    // Its tables in `memspy-report text`; null: none. The view lives longer.
    std::unique_ptr<TextPart> (*text)(const TextView& view) = nullptr;
    // Its text comes before those of the others.
    bool comes_first = false;
    // Passes a record on, with what debug information adds to it; null: as it is.
    void (*pass_with_names)(const AnyRecord& record, SourceNames& names, ProfileHandler& to) = nullptr;
    // Whether the record's advice is for the user, who cannot change libraries (--own); null: always.
    bool (*is_for_user)(const AnyRecord& record, const Catalog& catalog) = nullptr;
    // Passes on the findings that a record holds; null: none.
    void (*findings)(const AnyRecord& record, FindingSink& sink) = nullptr;
    // The record as a finding that the run reports as an error, if it is one; null: none is.
    std::optional<PlacedFinding> (*placed_finding)(const AnyRecord& record, const Catalog& catalog) = nullptr;
    // Formats of other programs that are made of its records alone (`memspy-report export`).
    std::span<const ExportFormat> exports = {};
    const StackMetrics* stack_metrics = nullptr;
    const LineColumns* line_columns = nullptr;

    const RecordType* find(std::string_view element) const {
        for (const RecordType& type : records)
            if (type.multiplicity != Multiplicity::Own && type.element == element) return &type;
        return nullptr;
    }
    // The type of the attributes of the section's own element; null if it has none.
    const RecordType* own() const {
        return !records.empty() && records.front().multiplicity == Multiplicity::Own ? &records.front()
                                                                                     : nullptr;
    }
};

// In the order of the file.
std::span<const Section* const> all_sections();
const Section* find_section(std::string_view name);

}  // namespace memspy::report
