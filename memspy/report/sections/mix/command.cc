// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report mix: instructions by class, branches, intensity, by function or thread; I/O.
#include <algorithm>
#include <cstdio>
#include <map>

#include "report/catalog.h"
#include "report/profile_command.h"
#include "report/sections/mix/command.h"
#include "report/sections/mix/records.h"
#include "report/table.h"

namespace memspy::report::mix {
namespace {

constexpr OptionSpec kOptions[] = {
    {"by", "all|function|thread|function-thread", "a row for each [function]"},
    {"io", "", "calls that read and wrote files and sockets"},
    {"top", "N", "rows [20, in TSV all]; 0: all"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

struct MixColumn {
    const char* title;
    const char* name;
    u64 Code::*count;
};
constexpr MixColumn kColumns[] = {
    {"instructions", "instructions", &Code::instructions},
    {"integer", "integer", &Code::integer},
    {"vector", "vector", &Code::vector},
    {"conv.", "conversions", &Code::conversions},
    {"f32", "f32", &Code::f32},
    {"f32x2", "f32x2", &Code::f32x2},
    {"f32x4", "f32x4", &Code::f32x4},
    {"f32x8", "f32x8", &Code::f32x8},
    {"f64", "f64", &Code::f64},
    {"f64x2", "f64x2", &Code::f64x2},
    {"f64x4", "f64x4", &Code::f64x4},
    {"branches", "branches", &Code::branches},
    {"taken", "taken", &Code::taken},
    {"mispredicted", "mispredicted", &Code::mispredicted},
    {"jumps", "jumps", &Code::jumps},
    {"calls", "calls", &Code::calls},
    {"returns", "returns", &Code::returns},
    {"sys. calls", "system_calls", &Code::system_calls},
    {"loads", "loads", &Code::loads},
    {"stores", "stores", &Code::stores},
    {"loaded", "loaded", &Code::loaded},
    {"stored", "stored", &Code::stored},
    {"f32 op.", "f32_operations", &Code::f32_operations},
    {"f64 op.", "f64_operations", &Code::f64_operations},
    {"mult.", "multiplications", &Code::multiplications},
    {"div.", "divisions", &Code::divisions},
    {"from int.", "from_integers", &Code::from_integers},
    {"loaded addr.", "loaded_addresses", &Code::loaded_addresses},
    {"fetched", "fetched", &Code::fetched},
    {"written", "written", &Code::written},
    {"pages", "pages", &Code::pages},
};

void add(Code& sum, const Code& code) {
    for (const MixColumn& column : kColumns) sum.*column.count += code.*column.count;
}

std::string ratio(u64 part, u64 whole) {
    if (whole == 0) return "";
    char text[32];
    std::snprintf(text, sizeof text, "%.4f", static_cast<double>(part) / static_cast<double>(whole));
    return text;
}

class MixReader : public Catalog {
public:
    void record(const AnyRecord& record) override {
        if (const auto* model = record.as<Model>()) model_ = *model;
        if (const auto* code = record.as<Code>()) code_.push_back(*code);
        if (const auto* io = record.as<Io>()) io_.push_back(*io);
    }
    bool empty() const { return code_.empty(); }
    const Model& model() const { return model_; }
    Code total() const {
        Code sum{};
        for (const Code& code : code_) add(sum, code);
        return sum;
    }

    Table mix(std::string_view by, u64 top, bool plain) const {
        const bool functions = by.starts_with("function"), threads = by.ends_with("thread");
        std::map<std::pair<std::string, u64>, Code> sums;
        for (const Code& code : code_)
            add(sums[{functions ? function_of(code) : "", threads ? static_cast<u64>(code.thread) : 0}],
                code);
        std::vector<decltype(sums)::const_iterator> order;
        for (auto it = sums.cbegin(); it != sums.cend(); ++it) order.push_back(it);
        std::ranges::stable_sort(
            order, [](auto a, auto b) { return a->second.instructions > b->second.instructions; });
        if (order.size() > top) order.resize(top);

        std::vector<const MixColumn*> shown;
        for (const MixColumn& column : kColumns)
            if (!plain ||
                std::ranges::any_of(order, [&](auto row) { return row->second.*column.count != 0; }))
                shown.push_back(&column);
        std::vector<Table::Column> columns;
        if (functions || !plain) columns.push_back({"function", true, "function"});
        if (threads || !plain) columns.push_back({"thread", false, "thread"});
        for (const MixColumn* column : shown) columns.push_back({column->title, false, column->name});
        columns.push_back({"intensity", false, "intensity"});
        Table table("mix", std::move(columns));
        for (const auto& row : order) {
            std::vector<Cell> cells;
            if (functions || !plain) cells.emplace_back(row->first.first);
            if (threads || !plain)
                cells.emplace_back(row->first.second == 0 ? "" : std::to_string(row->first.second));
            for (const MixColumn* column : shown) cells.push_back(number(row->second.*column->count));
            cells.emplace_back(intensity(row->second));
            table.add(std::move(cells));
        }
        return table;
    }

    Table io(u64 top) const {
        std::vector<Io> rows(io_);
        std::ranges::stable_sort(rows, std::ranges::greater{},
                                 [](const Io& row) { return row.read + row.written; });
        if (rows.size() > top) rows.resize(top);
        Table table("mix.io", {{"call", true, "call"},
                               {"thread", false, "thread"},
                               {"calls", false, "calls"},
                               {"read", false, "read"},
                               {"written", false, "written"},
                               {"microseconds", false, "microseconds"},
                               {"function", true, "function"}});
        for (const Io& row : rows) {
            const Frame* const at = site(row.stack);
            table.add({std::string(row.call), std::to_string(static_cast<u64>(row.thread)), number(row.calls),
                       number(row.read), number(row.written), number(row.microseconds),
                       at == nullptr ? "" : label(*at)});
        }
        return table;
    }

    // By what left the last cache, if that was modelled; else by what was accessed.
    std::string intensity(const Code& code) const {
        const u64 bytes = model_.cache != 0 ? code.fetched + code.written : code.loaded + code.stored;
        return ratio(code.f32_operations + code.f64_operations, bytes);
    }

private:
    std::string function_of(const Code& code) const {
        if (code.stack == StackId{}) return "(other functions)";
        const Frame* const at = site(code.stack);
        if (at == nullptr) return "(not known)";
        const Module* const module = find_module(at->module);
        if (!at->fn.empty() || module == nullptr) return label(*at);
        return "(no symbol, in " + std::string(module->path.substr(module->path.rfind('/') + 1)) + ")";
    }

    Model model_;
    std::vector<Code> code_;
    std::vector<Io> io_;
};

void print_head(const MixReader& reader, std::ostream& out) {
    const Code all = reader.total();
    out << "Instruction mix of " << with_commas(all.instructions) << " instructions; "
        << ratio(100 * all.mispredicted, all.branches) << " % of the branches mispredicted ("
        << reader.model().predictor << ")\nIntensity: " << reader.intensity(all)
        << " floating operations for each byte ";
    if (reader.model().cache != 0)
        out << "that left a last cache of " << with_commas(reader.model().cache) << " bytes\n";
    else
        out << "accessed (--mix=memory models the last cache)\n";
    if (reader.model().incomplete) out << "There was more code than counters: the last of it is missing.\n";
    out << '\n';
}

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const bool plain = format == TableFormat::Plain;
    const u64 top = most_rows(arguments);
    MixReader reader;
    return show_profiles(arguments, reader, [&](std::ostream& out, SourceNames*) {
        if (plain && reader.empty()) {
            out << "no instruction mix in this profile; run with --mix=yes\n";
        } else if (arguments.has("io")) {
            reader.io(top).print(out, format);
        } else {
            if (plain) print_head(reader, out);
            reader.mix(arguments.value("by", "function"), top, plain).print(out, format);
        }
    });
}

}  // namespace

const Command kMixCommand{"mix",
                          "PROFILE...",
                          "instructions by class, branches, intensity and I/O (--mix=yes)",
                          "Intensity is floating operations for each byte that left the last cache "
                          "(--mix=memory), else for each byte\naccessed.",
                          kOptions,
                          run};

}  // namespace memspy::report::mix
