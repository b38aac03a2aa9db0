// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report waste: bytes stored and never loaded, stored though they were there, and loaded again.
#include "report/sections/waste/command.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/profile_command.h"
#include "report/sections/waste/advice.h"
#include "report/sections/waste/waste_reader.h"
#include "report/shares.h"

namespace memspy::report::waste {
namespace {

constexpr u64 kAdvices = 10;  // sentences ahead of the tables

constexpr OptionSpec kOptions[] = {
    {"kind", "dead|silent|load", "rows of this kind only"},
    {"advice", "", "what can be changed alone, where counts prove it"},
    {"threads", "", "a row for each thread"},
    {"top", "N", "rows of each kind [20, in TSV all]; 0: all"},
    kFormatOption,
    kNamesOption,
    kOwnOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

Table table_of_lines(bool with_kind, std::string name) {
    std::vector<Table::Column> columns;
    if (with_kind) columns.push_back({"kind", true, "kind"});
    for (Table::Column& column : std::vector<Table::Column>{{"bytes", false, "bytes"},
                                                            {"share", false, "share"},
                                                            {"object", true, "object"},
                                                            {"function", true, "function"},
                                                            {"line", true, "line"},
                                                            {"killer", true, "killer"},
                                                            {"killer's line", true, "killer_line"},
                                                            {"field", true, "field"}})
        columns.push_back(std::move(column));
    return {std::move(name), std::move(columns)};
}

void add(Table& table, const WasteReader& reader, const WasteLine& line, bool with_kind) {
    std::vector<Cell> cells;
    if (with_kind) cells.emplace_back(kKindWords[line.kind]);
    cells.push_back(number(line.bytes));
    cells.push_back(share(line.bytes, reader.whole(line.kind)));
    for (const std::string& text :
         {line.object, line.function, line.line, line.killer, line.killer_line, line.field})
        cells.emplace_back(text);
    table.add(std::move(cells));
}

// All rows in one table, most bytes first, and the totals.
void print_for_programs(std::ostream& out, const WasteReader& reader, std::string_view kind, u64 top) {
    Table table = table_of_lines(true, "waste");
    u64 shown[kKinds] = {};
    for (const WasteLine& line : reader.lines())
        if (kind.empty() || kind == kKindWords[line.kind])
            if (shown[line.kind]++ < top) add(table, reader, line, true);
    for (u32 i = 0; i < kKinds; ++i)
        if (kind.empty() || kind == kKindWords[i])
            table.add({std::string("total-") + kKindWords[i], number(reader.wasted(i)),
                       share(reader.wasted(i), reader.whole(i)), "", "", "", "", "", ""});
    table.print(out, TableFormat::Tsv);
}

// Where the program was compiled without optimisation, that comes first.
void print_advice(std::ostream& out, const WasteReader& reader, SourceNames* names, std::string_view kind,
                  u64 top, TableFormat format) {
    const bool optimised = is_optimised(reader, reader);
    std::vector<LineAdvice> all = advice_on(reader, reader, names, optimised);
    if (!kind.empty())
        std::erase_if(all, [&](const LineAdvice& each) { return kind != kKindWords[each.kind]; });
    if (all.size() > top) all.resize(top);
    if (format == TableFormat::Plain) {
        if (!optimised)
            out << "Most of what is loaded again lies at fixed places of the own frame: if this was not "
                   "built with -O, do that first.\n";
        for (const LineAdvice& each : all)
            out << percent(each.bytes, reader.whole(each.kind)) << " of all "
                << (each.kind == kLoad ? "loaded" : "stored") << ": " << each.text << '\n';
        if (all.empty())
            out << "No line of the program's own wastes most of what it does, and much of all.\n";
        return;
    }
    Table table("waste.advice", {{"kind", true, "kind"},
                                 {"bytes", false, "bytes"},
                                 {"share", false, "share"},
                                 {"object", true, "object"},
                                 {"function", true, "function"},
                                 {"line", true, "line"},
                                 {"advice", true, "advice"}});
    for (const LineAdvice& each : all)
        table.add({kKindWords[each.kind], number(each.bytes), share(each.bytes, reader.whole(each.kind)),
                   each.object, each.function, each.line, each.text});
    table.print(out, format);
}

void print_for_people(std::ostream& out, const WasteReader& reader, SourceNames* names, std::string_view kind,
                      u64 top) {
    constexpr const char* kHeads[kKinds] = {"stored and never loaded", "stored though it was there",
                                            "loaded again"};
    const Total& all = reader.total();
    out << "Waste: " << with_commas(all.stored) << " bytes stored, " << with_commas(all.loaded)
        << " bytes loaded\n";
    if (const Model& sample = reader.model(); sample.bursts != 0)
        out << "A sample of " << with_commas(sample.bursts) << " bursts, " << percent(sample.rate, kMillion)
            << " of the run; what no burst saw whole may be wasted, too (at most). Standard errors of the "
               "shares: dead "
            << percent(sample.dead_error, kMillion) << ", silent " << percent(sample.silent_error, kMillion)
            << ", load " << percent(sample.again_error, kMillion) << '\n';
    if (kind.empty()) {
        out << '\n';
        print_advice(out, reader, names, kind, kAdvices, TableFormat::Plain);
    }
    for (u32 i = 0; i < kKinds; ++i) {
        if (!kind.empty() && kind != kKindWords[i]) continue;
        out << '\n'
            << kHeads[i] << ": " << with_commas(reader.wasted(i)) << " bytes, "
            << percent(reader.wasted(i), reader.whole(i)) << " of all " << (i == kLoad ? "loaded" : "stored");
        if (reader.open(i) != 0)
            out << ", at most " << percent(reader.wasted(i) + reader.open(i), reader.whole(i));
        if (reader.direct(i) != 0)
            out << "; of them " << percent(reader.direct(i), reader.wasted(i))
                << " at fixed places of the own frame, which a compiler keeps in registers with -O";
        out << "\n\n";
        Table table = table_of_lines(false, "waste");
        u64 shown = 0;
        for (const WasteLine& line : reader.lines())
            if (line.kind == i && !line.direct && shown++ < top) add(table, reader, line, false);
        table.print(out, TableFormat::Plain);
    }
}

Table table_of_threads(const WasteReader& reader) {
    Table table("waste.threads", {{"thread", false, "thread"},
                                  {"stored", false, "stored"},
                                  {"loaded", false, "loaded"},
                                  {"dead", false, "dead"},
                                  {"share", false, "dead_share"},
                                  {"silent", false, "silent"},
                                  {"share", false, "silent_share"},
                                  {"loaded again", false, "again"},
                                  {"share", false, "again_share"}});
    for (const ThreadWaste& t : reader.threads())
        table.add({std::to_string(static_cast<u32>(t.thread)), number(t.stored), number(t.loaded),
                   number(t.dead), share(t.dead, t.stored), number(t.silent), share(t.silent, t.stored),
                   number(t.again), share(t.again, t.loaded)});
    return table;
}

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const u64 top = most_rows(arguments);
    const std::string_view kind = arguments.value("kind");
    WasteReader reader;
    reader.set_own(OwnCode(words_of_list(arguments.value("own"))));
    return show_profiles(arguments, reader, [&](std::ostream& out, SourceNames* names) {
        reader.make_lines(names);
        if (format == TableFormat::Plain && reader.empty())
            out << "no wasted work in this profile; run with --waste=yes\n";
        else if (arguments.has("advice"))
            print_advice(out, reader, names, kind, top, format);
        else if (arguments.has("threads"))
            table_of_threads(reader).print(out, format);
        else if (format == TableFormat::Tsv)
            print_for_programs(out, reader, kind, top);
        else
            print_for_people(out, reader, names, kind, top);
    });
}

}  // namespace

const Command kWasteCommand{
    "waste",
    "PROFILE...",
    "bytes stored and never loaded, stored or loaded again with the same value (--waste=yes)",
    "A row for each object, line that stores or loads, and line that stores again, frees or leaves the "
    "frame.",
    kOptions,
    run};

}  // namespace memspy::report::waste
