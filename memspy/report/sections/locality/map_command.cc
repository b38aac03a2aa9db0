// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report map: when which bytes of objects were read and written.
#include "report/sections/locality/map_command.h"

#include <algorithm>
#include <bit>
#include <map>

#include "report/commands.h"
#include "report/output.h"
#include "report/sections/locality/map_image.h"
#include "report/sections/locality/report.h"
#include "report/source_names.h"
#include "report/table.h"

namespace memspy::report::locality {
namespace {

constexpr OptionSpec kOptions[] = {
    {"object", "NAME", "objects with this in their names [the one with most accesses]"},
    {"thread", "N", "only this thread's accesses"},
    {"function", "NAME", "only accesses of functions with this in their names"},
    {"by", "object|thread|function", "a picture of each object, or for each thread or function [object]"},
    {"format", "text|png|tsv", "png: one image; tsv: a row for each cell [text]"},
    {"top", "N", "pictures at most, those with most accesses first [4]"},
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

std::string thread_name(ThreadId id) { return "thread " + std::to_string(static_cast<u32>(id)); }

// Pictures by their titles, those with most accesses first.
std::vector<TitledPicture> chosen(const LocalityReport& report, const Arguments& arguments) {
    std::map<ObjectId, const Stream*> streams;
    const Stream* busiest = nullptr;
    for (const Stream& stream : report.streams()) {
        if (stream.kind != "object") continue;
        streams[stream.object] = &stream;
        const bool has_map = std::any_of(report.maps().begin(), report.maps().end(),
                                         [&](const AccessMap& map) { return map.object == stream.object; });
        if (has_map && (busiest == nullptr || stream.accesses > busiest->accesses)) busiest = &stream;
    }
    const std::string_view object = arguments.value("object"), function = arguments.value("function"),
                           by = arguments.value("by", "object");
    std::map<std::pair<ObjectId, std::string>, std::vector<const AccessMap*>> groups;
    for (const AccessMap& map : report.maps()) {
        const auto stream = streams.find(map.object);
        if (stream == streams.end()) continue;
        const bool wanted =
            object.empty() ? stream->second == busiest : stream->second->name.find(object) != Text::npos;
        if (!wanted || map.function.find(function) == Text::npos) continue;
        if (arguments.has("thread") && static_cast<u32>(map.thread) != arguments.number("thread", 0))
            continue;
        const std::string name(stream->second->name);
        groups[{map.object, by == "thread"     ? name + ", " + thread_name(map.thread)
                            : by == "function" ? name + ", " + std::string(map.function)
                                               : name}]
            .push_back(&map);
    }
    std::vector<TitledPicture> pictures;
    for (const auto& [name, maps] : groups)
        if (Picture picture(maps); picture.columns() != 0)
            pictures.push_back({name.second, std::move(picture)});
    const auto accesses = [](const TitledPicture& each) {
        return each.picture.accesses(Use::Read) + each.picture.accesses(Use::Write);
    };
    std::stable_sort(pictures.begin(), pictures.end(), [&](const TitledPicture& a, const TitledPicture& b) {
        return accesses(a) > accesses(b);
    });
    if (const u64 top = arguments.number("top", 4); pictures.size() > top)
        pictures.erase(pictures.begin() + static_cast<std::ptrdiff_t>(top), pictures.end());
    return pictures;
}

constexpr std::string_view kShades = ".:-=+*#%@";
constexpr u32 kTextColumns = 96, kTextRows = 32;
constexpr std::size_t kMargin = 8;

void print_panel(const Picture& picture, Use use, std::ostream& out) {
    const u32 top = std::max(static_cast<u32>(std::bit_width(picture.most())), 2u) - 1;
    out << std::string(kMargin + 2, ' ') << (use == Use::Read ? "reads" : "writes") << '\n';
    for (u32 row = 0; row < picture.rows(); ++row) {
        const std::string label = brief_bytes(picture.first_byte() + row * picture.row_bytes());
        std::string line(kMargin - std::min(kMargin, label.size()), ' ');
        line += label + " |";
        for (u32 column = 0; column < picture.columns(); ++column) {
            const u64 count = picture.at(use, column, row);
            const u32 power = static_cast<u32>(std::bit_width(count));
            line += count == 0 ? ' ' : kShades[(power - 1) * (kShades.size() - 1) / top];
        }
        out << line << "|\n";
    }
}

void print_text(const TitledPicture& titled, std::ostream& out) {
    const Picture picture = titled.picture.smaller(kTextColumns, kTextRows);
    out << titled.title << ": about " << with_commas(titled.picture.accesses(Use::Read)) << " reads and "
        << with_commas(titled.picture.accesses(Use::Write)) << " writes; down: bytes, "
        << brief_bytes(picture.row_bytes()) << " a line; right: instructions, " << brief_count(picture.step())
        << " a character\n\n";
    for (const Use use : {Use::Read, Use::Write})
        if (picture.accesses(use) != 0) print_panel(picture, use, out);
    const std::string begin = brief_count(picture.begin()),
                      end = brief_count(picture.begin() + picture.columns() * picture.step());
    const std::size_t width = std::max<std::size_t>(picture.columns(), begin.size() + 1 + end.size());
    out << std::string(kMargin + 2, ' ') << begin << std::string(width - begin.size() - end.size(), ' ')
        << end << "\n\n";
}

void print_cells(const std::vector<TitledPicture>& pictures, std::ostream& out) {
    Table table("locality.map", {{"picture", true},
                                 {"use", true},
                                 {"first-byte"},
                                 {"bytes"},
                                 {"begin"},
                                 {"instructions"},
                                 {"accesses"}});
    for (const auto& [title, picture] : pictures)
        for (const Use use : {Use::Read, Use::Write})
            for (u32 row = 0; row < picture.rows(); ++row)
                for (u32 column = 0; column < picture.columns(); ++column)
                    if (const u64 count = picture.at(use, column, row); count != 0)
                        table.add({title, use == Use::Read ? "read" : "write",
                                   number(picture.first_byte() + row * picture.row_bytes()),
                                   number(picture.row_bytes()),
                                   number(picture.begin() + column * picture.step()), number(picture.step()),
                                   number(count)});
    table.print(out, TableFormat::Tsv);
}

int run(const Arguments& arguments) {
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    LocalityReport report;
    const bool whole = report.read(inputs, arguments.some_files());
    const std::vector<TitledPicture> pictures = chosen(report, arguments);
    if (pictures.empty())
        throw UsageError(
            "there is no map of such an object, thread and function; memspy-report locality "
            "--stream=object lists objects; those with a thousandth of all accesses have maps");
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    const std::string_view format = arguments.value("format", "text");
    if (format == "png") {
        out << png_of(pictures);
    } else if (format == "tsv") {
        print_cells(pictures, out);
    } else {
        for (const TitledPicture& each : pictures) print_text(each, out);
        out << "fewest to most accesses of a picture, by powers of two: " << kShades << '\n';
    }
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kMapCommand{
    "map",
    "PROFILE...",
    "when which bytes of objects were read and written",
    "Of runs with --locality=yes or exact. Pictures of the bytes of an object, from top "
    "to bottom, and of time in\n"
    "instructions of the program, from left to right: reads and writes apart.",
    kOptions,
    run};

}  // namespace memspy::report::locality
