// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report locality: the scores of streams, or the readers and writers of objects.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include "report/commands.h"
#include "report/output.h"
#include "report/sections/locality/command.h"
#include "report/sections/locality/report.h"
#include "report/source_names.h"
#include "report/table.h"

namespace memspy::report::locality {
namespace {

constexpr OptionSpec kOptions[] = {
    kFormatOption,
    {"table", "scores|access|zones|misses",
     "scores of streams; readers and writers of objects; the bytes that they access, by function; "
     "the share of misses in caches of 8 bytes, 16 bytes… [scores]"},
    {"stream", "KINDS", "only streams of these kinds, as all,object,line [all kinds]"},
    {"top", "N", "rows of each kind [text: 20, tsv: all]"},
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

constexpr std::string_view kKinds[] = {"all",  "thread",        "object",          "function",
                                       "line", "object-thread", "object-function", "function-thread"};

std::size_t rank(std::string_view kind) {
    return static_cast<std::size_t>(std::find(std::begin(kKinds), std::end(kKinds), kind) -
                                    std::begin(kKinds));
}

std::string decimal(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.5f", value);
    return text;
}
// `0.715 ±0.045`. A stream that was only counted has no scores.
Cell score(const Stream& stream, double value, u64 variance) {
    if (!has_scores(stream)) return "-";
    if (variance == 0) return decimal(value);
    return {with_error(value, score_error(stream, variance), 3), decimal(value)};
}

std::string thread_name(ThreadId id) { return "thread " + std::to_string(static_cast<u32>(id)); }

// Kinds in their order, for each kind the streams with most accesses.
std::vector<const Stream*> chosen(const LocalityReport& report, std::string_view kinds, u64 top) {
    std::set<std::string, std::less<>> wanted;
    while (!kinds.empty()) {
        const std::size_t comma = std::min(kinds.find(','), kinds.size());
        const std::string_view kind = kinds.substr(0, comma);
        if (rank(kind) == std::size(kKinds))
            throw UsageError("there is no kind of stream " + std::string(kind));
        wanted.emplace(kind);
        kinds.remove_prefix(std::min(comma + 1, kinds.size()));
    }
    std::vector<const Stream*> rows;
    for (const Stream& stream : report.streams())
        if (wanted.empty() || wanted.contains(stream.kind)) rows.push_back(&stream);
    std::stable_sort(rows.begin(), rows.end(), [](const Stream* a, const Stream* b) {
        if (a->kind != b->kind) return rank(a->kind) < rank(b->kind);
        return a->accesses > b->accesses;
    });
    std::map<std::string_view, u64> shown;
    std::erase_if(rows, [&](const Stream* stream) { return top != 0 && ++shown[stream->kind] > top; });
    return rows;
}

std::string error_of_score(const Stream& stream, u64 variance) {
    return variance == 0 ? "0" : decimal(score_error(stream, variance));
}

void print_scores(const LocalityReport& report, std::span<const Stream* const> streams, TableFormat format,
                  std::ostream& out) {
    std::vector<Table::Column> columns = {{"stream", true}, {"name", true}, {"accesses"}, {"spatial"},
                                          {"temporal"},     {"sampled"},    {"error"}};
    // A person reads them beside the scores.
    const bool has_errors = format == TableFormat::Tsv;
    if (has_errors) columns.insert(columns.end(), {{"spatial_error"}, {"temporal_error"}});
    Table table("locality", columns);
    const u64 bursts = report.model().bursts;
    for (const Stream* stream : streams) {
        const double sampled = bursts > 1 ? 1 / static_cast<double>(bursts) : stream->followed;
        std::vector<Cell> cells = {stream->kind,
                                   stream->name,
                                   number(stream->accesses),
                                   score(*stream, stream->spatial, stream->spatial_variance),
                                   score(*stream, stream->temporal, stream->temporal_variance),
                                   has_scores(*stream) ? decimal(sampled) : "0",
                                   stream->variance == 0
                                       ? "0"
                                       : decimal(std::sqrt(static_cast<double>(stream->variance)) /
                                                 static_cast<double>(stream->accesses))};
        if (has_errors)
            cells.insert(cells.end(), {error_of_score(*stream, stream->spatial_variance),
                                       error_of_score(*stream, stream->temporal_variance)});
        table.add(cells);
    }
    table.print(out, format);
}

void print_misses(std::span<const Stream* const> streams, TableFormat format, std::ostream& out) {
    std::size_t sizes = 0;
    for (const Stream* stream : streams) sizes = std::max(sizes, stream->reuses.buckets.size());
    std::vector<Table::Column> columns = {{"stream", true}, {"name", true}};
    for (std::size_t i = 0; i < sizes; ++i) {
        const u64 bytes = u64{8} << i;
        columns.push_back({bytes < 1024          ? std::to_string(bytes)
                           : bytes < 1024 * 1024 ? std::to_string(bytes / 1024) + "k"
                                                 : std::to_string(bytes / 1024 / 1024) + "M"});
    }
    Table table("locality.misses", columns);
    for (const Stream* stream : streams) {
        const Reuses& reuses = stream->reuses;
        if (reuses == Reuses{}) continue;
        u64 misses = reuses.far;
        for (const u64 each : reuses.buckets) misses += each;
        const u64 all = misses;
        std::vector<Cell> cells = {stream->kind, stream->name};
        for (std::size_t i = 0; i < sizes; ++i) {
            if (i < reuses.buckets.size()) misses -= reuses.buckets[i];
            cells.push_back(decimal(static_cast<double>(misses) / static_cast<double>(all)));
        }
        table.add(cells);
    }
    table.print(out, format);
}

// `heap`, or the thread that created it and the place where it did.
struct StreamOrigin {
    std::string kind, creator = "-";
};
StreamOrigin origin_of(const Object* object) {
    if (object == nullptr) return {"unknown"};
    switch (object->kind) {
        case ObjectKind::Heap:
            if (object->guest_thread == 0 || object->guest_thread == kNobody) return {"heap"};
            return {"heap", "thread " + std::to_string(object->guest_thread)};
        case ObjectKind::Frames:
            return {"stack", object->thread == ThreadId{} ? "-" : thread_name(object->thread)};
        case ObjectKind::Static: return {"static"};
        case ObjectKind::Unknown: break;
    }
    return {"unknown"};
}

void print_access(const LocalityReport& report, TableFormat format, std::ostream& out) {
    std::set<ThreadId> threads;
    std::map<std::pair<ObjectId, ThreadId>, const Stream*> by_thread;
    for (const Stream& stream : report.streams()) {
        if (stream.kind == "thread") threads.insert(stream.thread);
        if (stream.kind == "object-thread") by_thread[{stream.object, stream.thread}] = &stream;
    }
    std::vector<Table::Column> columns = {{"object", true}, {"size"}, {"kind", true}, {"creator", true}};
    for (const ThreadId thread : threads) columns.push_back({thread_name(thread), true});
    // A sample may have passed the accesses of a thread that has only a few.
    const bool is_sample = report.model().bursts > 1 || report.model().words > 1;
    const char* const none_seen = is_sample ? "not followed" : "-";
    Table table("locality.access", columns);
    for (const Stream* stream : chosen(report, "object", 0)) {
        const Object* const object = report.find_object(stream->object);
        const StreamOrigin origin = origin_of(object);
        std::vector<Cell> cells = {stream->name,
                                   object == nullptr || object->size == 0 ? Cell("-") : number(object->size),
                                   origin.kind, origin.creator};
        for (const ThreadId thread : threads) {
            const auto found = by_thread.find({stream->object, thread});
            const Stream none;
            const Stream& is = found == by_thread.end() ? none : *found->second;
            cells.emplace_back(is.loads != 0    ? is.stores != 0 ? "R/W" : "R"
                               : is.stores != 0 ? "W"
                                                : none_seen);
        }
        table.add(cells);
    }
    table.print(out, format);
}

// `0-64 128-192`.
std::string text_of(const Ranges& ranges) {
    std::string text;
    for (const NumberPair& each : ranges.ranges)
        text += (text.empty() ? "" : " ") + std::to_string(each.first) + "-" + std::to_string(each.second);
    return text.empty() ? "-" : text;
}

void print_zones(const LocalityReport& report, TableFormat format, std::ostream& out) {
    Table table("locality.zones",
                {{"object", true}, {"thread", true}, {"function", true}, {"reads", true}, {"writes", true}});
    for (const Stream* stream : chosen(report, "object", 0))
        for (const Zone& zone : report.zones())
            if (zone.object == stream->object)
                table.add({stream->name, thread_name(zone.thread), zone.function, text_of(zone.read),
                           text_of(zone.written)});
    table.print(out, format);
}

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const bool tsv = format == TableFormat::Tsv;
    const std::string_view table = arguments.value("table", "scores");
    const std::vector<std::string>& files = arguments.some_files();
    Inputs inputs;
    const std::unique_ptr<SourceNames> names = make_source_names(arguments, inputs);
    LocalityReport report;
    const bool whole = report.read(inputs, files);
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    const std::vector<const Stream*> streams =
        chosen(report, arguments.value("stream"), arguments.number("top", tsv ? 0 : 20));
    if (!tsv) {
        const Model& model = report.model();
        out << "Locality of " << with_commas(model.accesses) << " accesses to words of 8 bytes";
        if (model.bursts > 1)
            out << ", sampled: bursts of one in " << model.bursts << ", one word in " << model.words;
        out << "\n\n";
    }
    if (table == "access")
        print_access(report, format, out);
    else if (table == "zones")
        print_zones(report, format, out);
    else if (table == "misses")
        print_misses(streams, format, out);
    else
        print_scores(report, streams, format, out);
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kLocalityCommand{"locality",
                               "PROFILE...",
                               "strides and reuse distances of accesses",
                               "Of runs with --locality=yes or exact; several are merged. A row is a stream "
                               "of accesses: of all, or of one\n"
                               "thread, object, function, source line, or pair of these. Scores go from 0 to "
                               "1: spatial is 1 if each access is\n"
                               "next to an earlier one, temporal if words are used again at once. ± is a "
                               "sampled score's standard error. `sampled`\n"
                               "is the share of the stream's accesses in the scores; 0: only counted.",
                               kOptions,
                               run};

}  // namespace memspy::report::locality
