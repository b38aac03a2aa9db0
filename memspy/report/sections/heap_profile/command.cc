// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report heap: who holds how much of the heap, by the line that allocates.
#include "report/sections/heap_profile/command.h"

#include <algorithm>
#include <map>

#include "report/profile_command.h"
#include "report/sections/heap_profile/heap_reader.h"

namespace memspy::report::heap_profile {
namespace {

constexpr OptionSpec kOptions[] = {
    {"timeline", "", "live bytes at each hundredth of the run"},
    {"sort", "peak|end|bytes|blocks|temporary", "the order of rows [peak]"},
    {"top", "N", "rows [20, in TSV all]; 0: all"},
    kFormatOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

using AllocatingLine = std::pair<std::string, std::string>;  // function, file:line

void add(Context& sum, const Context& context) {
    constexpr u64 Context::*kSummed[] = {&Context::blocks,     &Context::bytes,         &Context::peak_blocks,
                                         &Context::peak_bytes, &Context::end_blocks,    &Context::end_bytes,
                                         &Context::max_bytes,  &Context::temporary,     &Context::lifetimes,
                                         &Context::never_read, &Context::never_written, &Context::resized,
                                         &Context::copied,     &Context::used_once};
    for (const auto member : kSummed) sum.*member += context.*member;
}

u64 figure(const Context& row, std::string_view sort) {
    if (sort == "end") return row.end_bytes;
    if (sort == "bytes") return row.bytes;
    if (sort == "blocks") return row.blocks;
    if (sort == "temporary") return row.temporary;
    return row.peak_bytes;
}

// Rounded.
u64 mean(u64 sum, u64 count) { return count == 0 ? 0 : (sum + count / 2) / count; }

class HeapTables : public HeapReader {
public:
    Table rows(std::string_view sort, u64 top, bool plain) const {
        std::map<AllocatingLine, Context> sums;
        for (const Context& context : contexts()) add(sums[place_of(context)], context);
        std::vector<std::map<AllocatingLine, Context>::const_iterator> order;
        for (auto it = sums.cbegin(); it != sums.cend(); ++it) order.push_back(it);
        std::ranges::stable_sort(order, [&](auto left, auto right) {
            const u64 a = figure(left->second, sort), b = figure(right->second, sort);
            return a != b ? a > b : left->second.bytes > right->second.bytes;
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
        for (const auto& each : order) {
            const Context& row = each->second;
            std::vector<Cell> cells{
                each->first.first,     each->first.second,     number(row.blocks),
                number(row.bytes),     number(row.peak_bytes), number(row.end_bytes),
                number(row.max_bytes), number(row.temporary),  number(mean(row.lifetimes, row.blocks))};
            if (accesses) {
                cells.push_back(number(row.never_read));
                cells.push_back(number(row.never_written));
            } else if (!plain) {
                cells.emplace_back("");
                cells.emplace_back("");
            }
            table.add(std::move(cells));
        }
        return table;
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

private:
    AllocatingLine place_of(const Context& context) const {
        const Frame* const at = site(context.stack, SiteOf::Allocation);
        std::string function = "(not known)", line;
        if (at != nullptr) {
            if (std::string known = function_of(*at); !known.empty()) function = std::move(known);
            line = source_place(*at);
        }
        if (context.custom) function += " (own allocator)";
        return {std::move(function), std::move(line)};
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

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const bool plain = format == TableFormat::Plain;
    const u64 top = most_rows(arguments);
    HeapTables reader;
    return show_profiles(arguments, reader, [&](std::ostream& out, SourceNames*) {
        if (plain && reader.empty()) {
            out << "no heap profile in this profile; run with --heap-profile=yes\n";
        } else if (arguments.has("timeline")) {
            reader.timeline().print(out, format);
        } else {
            if (plain) print_head(reader, out);
            reader.rows(arguments.value("sort", "peak"), top, plain).print(out, format);
        }
    });
}

}  // namespace

const Command kHeapCommand{
    "heap",
    "PROFILE...",
    "who holds how much of the heap, and how long (--heap-profile=yes)",
    "A row for each line that allocates. Lifetimes are means, in instructions. `max_bytes` is the "
    "sum of the most that\neach of its call stacks held.",
    kOptions,
    run};

}  // namespace memspy::report::heap_profile
