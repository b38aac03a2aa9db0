// SPDX-License-Identifier: GPL-2.0-or-later
//
// Prints records of any section, as they are or summed by the things that they refer to. It only uses the
// tables of fields, so scripts can read and compare the data of any analysis.
#include <algorithm>
#include <charconv>
#include <map>

#include "report/catalog.h"
#include "report/commands.h"
#include "report/flat_record.h"
#include "report/input.h"
#include "report/output.h"
#include "report/section.h"
#include "report/source_names.h"
#include "report/table.h"

namespace memspy::report {
namespace {

constexpr std::string_view kByWords = "record|line|function|module|object|thread";

constexpr OptionSpec kOptions[] = {
    {"by", kByWords, "sum the records by this [record: no sums]"},
    {"sort", "COLUMN", "order by this column, largest first [as in the file]"},
    {"top", "N", "rows [0: all]"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

Cell real(double value) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

class TableRows : public Catalog {
public:
    TableRows(const Section& section, const RecordType& type, std::string_view by)
        : section_(section), type_(type), by_(by) {}

    void record(const AnyRecord& record) override {
        if (&record.type != &type_) return;
        Flatten flat;
        record.visit(flat);
        if (by_ == "record") return add_row(flat.values);
        add_sums(flat.values);
    }

    void print(std::string_view sort, u64 top, TableFormat format, std::ostream& out) {
        if (by_ != "record") rows_from_sums();
        if (!sort.empty()) rank(sort);
        if (top != 0 && rows_.size() > top) rows_.resize(top);
        Table table(std::string(section_.name) + "." + std::string(type_.json), columns_);
        for (TableRow& row : rows_) table.add(std::move(row.cells));
        table.print(out, format);
    }

private:
    struct TableRow {
        std::vector<Cell> cells;
        std::vector<double> numbers;  // for each cell, for ranking
    };
    void put(TableRow& row, const std::string& name, Cell cell, bool is_text, double value = 0) {
        if (rows_.empty()) columns_.push_back({name, is_text, name});
        row.cells.push_back(std::move(cell));
        row.numbers.push_back(value);
    }

    std::string module_of(const Frame& frame) const {
        const Module* module = find_module(frame.module);
        return module == nullptr ? "" : std::string(module->path);
    }

    void add_row(const std::vector<FlatValue>& values) {
        TableRow row;
        for (const FlatValue& each : values) {
            const Value& value = each.value;
            switch (value.kind) {
                case Value::Kind::Number:
                    put(row, each.name, number(value.number), false, static_cast<double>(value.number));
                    break;
                case Value::Kind::Real: put(row, each.name, real(value.real), false, value.real); break;
                case Value::Kind::YesNo: put(row, each.name, value.number != 0 ? "yes" : "no", true); break;
                case Value::Kind::Hexadecimal:
                    put(row, each.name, hexadecimal(Address{value.number}), true);
                    break;
                case Value::Kind::String: put(row, each.name, value.text, true); break;
                case Value::Kind::Thread:
                    put(row, each.name, std::to_string(value.number), false,
                        static_cast<double>(value.number));
                    break;
                case Value::Kind::Object:
                    put(row, each.name,
                        value.number == 0 ? std::string() : label(static_cast<ObjectId>(value.number)), true);
                    break;
                case Value::Kind::Module: {
                    const Module* module = find_module(static_cast<ModuleId>(value.number));
                    put(row, each.name, module == nullptr ? Text{} : module->path, true);
                    break;
                }
                case Value::Kind::Stack: {
                    const Frame* const at = site(static_cast<StackId>(value.number));
                    put(row, each.name + ".function", at == nullptr ? Text{} : at->fn, true);
                    put(row, each.name + ".file", at == nullptr ? Text{} : at->file, true);
                    put(row, each.name + ".line", at == nullptr ? "" : std::to_string(at->line), false);
                    break;
                }
            }
        }
        rows_.push_back(std::move(row));
    }

    // The name of the thing that the record belongs to; empty if it is not known.
    std::string key_of(const std::vector<FlatValue>& values) const {
        auto find = [&](Value::Kind kind) -> const Value* {
            for (const FlatValue& each : values)
                if (each.value.kind == kind && each.value.number != 0) return &each.value;
            return nullptr;
        };
        if (by_ == "object") {
            const Value* object = find(Value::Kind::Object);
            return object == nullptr ? "" : label(static_cast<ObjectId>(object->number));
        }
        if (by_ == "thread") {
            const Value* thread = find(Value::Kind::Thread);
            return thread == nullptr ? "" : std::to_string(thread->number);
        }
        const Value* stack = find(Value::Kind::Stack);
        const Frame* const at = stack == nullptr ? nullptr : site(static_cast<StackId>(stack->number));
        if (at == nullptr) return "";
        if (by_ == "module") return module_of(*at);
        if (by_ == "function") return std::string(at->fn);
        return at->file.empty() ? "" : std::string(at->file) + ":" + std::to_string(at->line);
    }

    void add_sums(const std::vector<FlatValue>& values) {
        std::vector<Value>& sums = sums_[key_of(values)];
        std::size_t place = 0;
        for (const FlatValue& each : values) {
            if (each.role != Role::Count || each.name == "processes") continue;
            if (place == sum_names_.size()) sum_names_.push_back(each.name);
            if (place == sums.size()) sums.push_back({each.value.kind, 0, 0, {}});
            sums[place].number += each.value.number;
            sums[place].real += each.value.real;
            ++place;
        }
    }
    void rows_from_sums() {
        for (const auto& [key, sums] : sums_) {
            TableRow row;
            put(row, std::string(by_), key.empty() ? "(not known)" : key, true);
            for (std::size_t i = 0; i < sums.size(); ++i) {
                if (sums[i].kind == Value::Kind::Real)
                    put(row, sum_names_[i], real(sums[i].real), false, sums[i].real);
                else
                    put(row, sum_names_[i], number(sums[i].number), false,
                        static_cast<double>(sums[i].number));
            }
            rows_.push_back(std::move(row));
        }
    }
    void rank(std::string_view by) {
        if (rows_.empty()) return;
        const auto column = std::find_if(columns_.begin(), columns_.end(),
                                         [&](const Table::Column& each) { return each.name == by; });
        if (column == columns_.end()) {
            std::string names;
            for (const Table::Column& each : columns_) names += (names.empty() ? "" : ", ") + each.name;
            throw UsageError("--sort: there is no column " + std::string(by) + "; there are " + names);
        }
        const std::size_t place = static_cast<std::size_t>(column - columns_.begin());
        std::stable_sort(rows_.begin(), rows_.end(), [&](const TableRow& a, const TableRow& b) {
            return a.numbers[place] > b.numbers[place];
        });
    }

    const Section& section_;
    const RecordType& type_;
    std::string_view by_;
    std::vector<Table::Column> columns_;
    std::vector<TableRow> rows_;
    std::vector<std::string> sum_names_;
    std::map<std::string, std::vector<Value>> sums_;
};

std::string known_tables() {
    std::string names;
    for (const Section* section : all_sections())
        for (const RecordType& type : section->records)
            if (type.multiplicity != Multiplicity::Own)
                names +=
                    (names.empty() ? "" : ", ") + std::string(section->name) + "." + std::string(type.json);
    return names;
}

int run(const Arguments& arguments) {
    const std::vector<std::string>& words = arguments.files();
    if (words.size() < 2) throw UsageError("name a table, then profiles; tables are " + known_tables());
    const std::size_t dot = words[0].find('.');
    const Section* const section = find_section(std::string_view(words[0]).substr(0, dot));
    const RecordType* type = nullptr;
    if (section != nullptr && dot != std::string::npos)
        for (const RecordType& each : section->records)
            if (each.multiplicity != Multiplicity::Own &&
                each.json == std::string_view(words[0]).substr(dot + 1))
                type = &each;
    if (type == nullptr) throw UsageError("there is no table " + words[0] + "; tables are " + known_tables());
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    Output output(arguments.value("output"));
    TableRows rows(*section, *type, arguments.value("by", "record"));
    const std::vector<std::string> files(words.begin() + 1, words.end());
    const bool whole = inputs.read_profiles(files, rows);
    rows.print(arguments.value("sort"), arguments.number("top", 0), format_of(arguments), output.stream());
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kTableCommand{
    "table",
    "SECTION.RECORDS PROFILE...",
    "one table of a profile, for scripts: any records, as they are or summed",
    "SECTION.RECORDS is such as contention.rows: names as in the JSON export. Several profiles are merged.\n"
    "With --by counts are summed by the first source line, function… of the records' stacks.",
    kOptions,
    run};

}  // namespace memspy::report
