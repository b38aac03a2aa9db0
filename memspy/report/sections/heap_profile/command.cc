// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report heap: who holds how much of the heap, by the line that allocates.
#include "report/sections/heap_profile/command.h"

#include <algorithm>

#include "report/profile_command.h"
#include "report/sections/heap_profile/advice.h"
#include "report/sections/heap_profile/heap_lines.h"
#include "report/source_names.h"

namespace memspy::report::heap_profile {
namespace {

constexpr OptionSpec kOptions[] = {
    {"timeline", "", "live bytes at each hundredth of the run"},
    {"fields", "",
     "bytes loaded and stored of each member of blocks whose type is known (--heap-profile=accesses)"},
    {"advice", "", "what can be changed, where counts prove it"},
    {"sort", "peak|end|bytes|blocks|temporary", "the order of rows [peak]"},
    {"top", "N", "rows [20, in TSV all]; 0: all"},
    kFormatOption,
    kNamesOption,
    kOwnOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

using HeapFigure = u64 (*)(const Context&);
HeapFigure figure_of(std::string_view sort) {
    if (sort == "end") return [](const Context& row) { return row.end_bytes; };
    if (sort == "bytes") return [](const Context& row) { return row.bytes; };
    if (sort == "blocks") return [](const Context& row) { return row.blocks; };
    if (sort == "temporary") return [](const Context& row) { return row.temporary; };
    return [](const Context& row) { return row.peak_bytes; };
}
u64 figure(const Context& row, std::string_view sort) { return figure_of(sort)(row); }

// Rounded.
u64 mean(u64 sum, u64 count) { return count == 0 ? 0 : (sum + count / 2) / count; }

class HeapTables : public HeapReader {
public:
    Table rows(std::string_view sort, u64 top, bool plain) const {
        std::vector<HeapLine> order = heap_lines(*this, *this);
        std::ranges::stable_sort(order, [&](const HeapLine& left, const HeapLine& right) {
            const u64 a = figure(left.sum, sort), b = figure(right.sum, sort);
            return a != b ? a > b : left.sum.bytes > right.sum.bytes;
        });
        if (order.size() > top) order.resize(top);
        const bool accesses = has_accesses();
        std::vector<Table::Column> columns{
            {"function", true, "function"},   {"line", true, "line"},
            {"blocks", false, "blocks"},      {"bytes", false, "bytes"},
            {"at peak", false, "peak_bytes"}, {"at end", false, "end_bytes"},
            {"most", false, "max_bytes"},     {"temporary", false, "temporary"},
            {"lifetime", false, "lifetime"}};
        if (accesses || !plain) {
            columns.push_back({"never read", false, "never_read"});
            columns.push_back({"never written", false, "never_written"});
        }
        Table table("heap", std::move(columns));
        u64 all = 0;
        for (const HeapLine& each : order) all += figure(each.sum, sort);
        for (const HeapLine& each : order) {
            table.add(cells_of(each, "", plain));
            if (plain && 2 * figure(each.sum, sort) > all) add_callers(each, sort, table);
        }
        return table;
    }

    std::vector<Cell> cells_of(const HeapLine& line, const char* indent, bool plain) const {
        const Context& row = line.sum;
        std::vector<Cell> cells{
            indent + line.function, indent + line.line,     number(row.blocks),
            number(row.bytes),      number(row.peak_bytes), number(row.end_bytes),
            number(row.max_bytes),  number(row.temporary),  number(mean(row.lifetimes, row.blocks))};
        if (has_accesses()) {
            cells.push_back(number(row.never_read));
            cells.push_back(number(row.never_written));
        } else if (!plain) {
            cells.emplace_back("");
            cells.emplace_back("");
        }
        return cells;
    }
    // Where most comes from one line, an allocating function of the program's own, its callers say more.
    void add_callers(const HeapLine& line, std::string_view sort, Table& table) const {
        constexpr std::size_t kMost = 10;
        std::vector<HeapLine> callers = callers_of(line, figure_of(sort), *this, *this);
        if (callers.size() > kMost) callers.resize(kMost);
        for (const HeapLine& each : callers) table.add(cells_of(each, "  ", true));
    }

    Table timeline() const {
        Table table("heap.timeline", {{"instructions", false, "time"},
                                      {"bytes", false, "bytes"},
                                      {"blocks", false, "blocks"},
                                      {"mapped", false, "mapped"}});
        for (const Moment& moment : moments())
            table.add(
                {number(moment.time), number(moment.bytes), number(moment.blocks), number(moment.mapped)});
        return table;
    }

    // What was done to each member of the types of blocks.
    Table fields(SourceNames* names, u64 top) const {
        Table table("heap.fields", {{"function", true, "function"},
                                    {"line", true, "line"},
                                    {"type", true, "type"},
                                    {"field", true, "field"},
                                    {"at", false, "offset"},
                                    {"size", false, "size"},
                                    {"loaded", false, "loaded"},
                                    {"stored", false, "stored"}});
        for (const StructUse& of : struct_uses(*this, *this, names)) {
            if (top-- == 0) break;
            for (const FieldUse& field : of.fields)
                table.add({of.function, of.line, of.type, field.path, number(field.place), number(field.size),
                           number(field.loaded), number(field.stored)});
        }
        return table;
    }
};

void print_head(const HeapReader& reader, std::ostream& out) {
    const Total& all = reader.total();
    out << "Heap: " << with_commas(all.blocks) << " blocks of " << with_commas(all.bytes)
        << " bytes allocated in " << with_commas(all.end_time)
        << " instructions\nPeak: " << with_commas(all.peak_bytes) << " bytes in "
        << with_commas(all.peak_blocks) << " blocks, after " << with_commas(all.peak_time)
        << " instructions; at the end " << with_commas(all.end_bytes) << " bytes in "
        << with_commas(all.end_blocks) << " blocks\n";
    if (all.mapped_peak != 0)
        out << "Mapped: at most " << with_commas(all.mapped_peak) << " bytes, at the end "
            << with_commas(all.mapped_end) << "\n";
    out << '\n';
}

void print_advice(std::ostream& out, const HeapReader& reader, SourceNames* names, u64 top,
                  TableFormat format) {
    std::vector<HeapAdvice> all = heap_advice(reader, reader, names);
    if (all.size() > top) all.resize(top);
    if (format == TableFormat::Plain) {
        for (const HeapAdvice& each : all) out << each.text << '\n';
        if (all.empty())
            out << "No line of the program's own allocates in a way that a change would be felt.\n";
        return;
    }
    Table table("heap.advice", {{"kind", true, "kind"},
                                {"figure", false, "figure"},
                                {"function", true, "function"},
                                {"line", true, "line"},
                                {"advice", true, "advice"}});
    for (const HeapAdvice& each : all)
        table.add({kAdviceWords[static_cast<u32>(each.kind)], number(each.figure), each.function, each.line,
                   each.text});
    table.print(out, format);
}

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const bool plain = format == TableFormat::Plain;
    const u64 top = most_rows(arguments);
    HeapTables reader;
    reader.set_own(OwnCode(words_of_list(arguments.value("own"))));
    return show_profiles(arguments, reader, [&](std::ostream& out, SourceNames* names) {
        if (plain && reader.empty()) {
            out << "no heap profile in this profile; run with --heap-profile=yes\n";
        } else if (arguments.has("timeline")) {
            reader.timeline().print(out, format);
        } else if (arguments.has("fields")) {
            reader.fields(names, top).print(out, format);
        } else if (arguments.has("advice")) {
            print_advice(out, reader, names, top, format);
        } else {
            if (plain) print_head(reader, out);
            reader.rows(arguments.value("sort", "peak"), top, plain).print(out, format);
        }
    });
}

}  // namespace

const Command kHeapCommand{"heap",
                           "PROFILE...",
                           "who holds how much of the heap, and how long (--heap-profile=yes)",
                           "A row for each line that allocates; below one that has most, the callers that "
                           "share it. Lifetimes are means, in instructions. `max_bytes` is the "
                           "sum of the most that\neach of its call stacks held.",
                           kOptions,
                           run};

}  // namespace memspy::report::heap_profile
