// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report locality: the scores of streams, or the readers and writers of objects.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

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
    kOwnOption,
    kNamesOption,
    kDebugDirOption,
    kDebuginfodOption,
    kOutputOption,
    kHelpOption,
};

constexpr std::string_view kKinds[] = {"all",          "variables",       "thread",         "object",
                                       "block",        "function",        "line",           "object-thread",
                                       "block-thread", "object-function", "function-thread"};

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

// The streams of what is not the program's own come behind the others, or are left out.
enum class OfOthers : u8 { Behind, LeftOut };
// Kinds in their order, for each kind the streams with most accesses.
std::vector<const Stream*> chosen(const LocalityReport& report, std::string_view kinds, u64 top,
                                  OfOthers others) {
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
        if ((wanted.empty() || wanted.contains(stream.kind)) &&
            (others == OfOthers::Behind || report.is_own(stream)))
            rows.push_back(&stream);
    std::stable_sort(rows.begin(), rows.end(), [&](const Stream* a, const Stream* b) {
        if (a->kind != b->kind) return rank(a->kind) < rank(b->kind);
        if (report.place(*a) != report.place(*b)) return report.place(*a) < report.place(*b);
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

// Where the source declares the object, or allocates the block.
struct DeclaredAt {
    std::string file = "-", function = "-", scope = "-";
};
DeclaredAt declared_at(const LocalityReport& report, const Stream& stream, const Object* object) {
    DeclaredAt at;
    const auto put = [](std::string& to, std::string text) {
        if (!text.empty()) to = std::move(text);
    };
    const Frame* const allocation = object == nullptr || object->kind != ObjectKind::Heap
                                        ? nullptr
                                        : report.site(object->stack, Catalog::SiteOf::Allocation);
    if (allocation != nullptr) {
        put(at.file, std::string(base_name(allocation->file)));
        put(at.function, bare_function(allocation->fn));
    }
    put(at.file, std::string(stream.declared_file));
    put(at.function, std::string(stream.declared_in));
    put(at.scope, std::string(stream.scope));
    return at;
}

class AccessTable {
public:
    explicit AccessTable(const LocalityReport& report) : report_(report) {
        for (const Stream& stream : report.streams()) {
            if (stream.kind == "thread") threads_.insert(stream.thread);
            if (stream.kind == "object-thread" || stream.kind == "block-thread")
                by_thread_[{stream.object, stream.block, stream.thread}] = &stream;
            if (stream.kind == "block") blocks_[stream.object].push_back(&stream);
        }
    }

    // The blocks of an object are behind it.
    void print(TableFormat format, OfOthers others, std::ostream& out) const {
        std::vector<Table::Column> columns = {{"object", true},  {"size"},       {"kind", true},
                                              {"creator", true}, {"file", true}, {"function", true},
                                              {"block", true}};
        for (const ThreadId thread : threads_) columns.push_back({thread_name(thread), true});
        Table table("locality.access", columns);
        for (const Stream* stream : chosen(report_, "object", 0, others)) {
            add(table, *stream);
            const auto blocks = blocks_.find(stream->object);
            if (blocks == blocks_.end()) continue;
            for (const Stream* block : blocks->second) add(table, *block);
        }
        table.print(out, format);
    }

private:
    void add(Table& table, const Stream& stream) const {
        // A sample may have passed the accesses of a thread that has only a few.
        const bool is_sample = report_.model().bursts > 1 || report_.model().words > 1;
        const Object* const object = report_.find_object(stream.object);
        StreamOrigin origin = origin_of(object);
        if (stream.kind == "block") origin.kind = "block";
        // Of mappings' variables only those of a thread have names.
        if (origin.kind == "unknown" && stream.named) origin.kind = "thread-local";
        const DeclaredAt at = declared_at(report_, stream, object);
        const u64 size = stream.kind == "block" ? stream.bytes : object == nullptr ? 0 : object->size;
        std::vector<Cell> cells = {stream.name, size == 0 ? Cell("-") : number(size),
                                   origin.kind, origin.creator,
                                   at.file,     at.function,
                                   at.scope};
        for (const ThreadId thread : threads_) {
            const auto found = by_thread_.find({stream.object, stream.block, thread});
            const Stream none;
            const Stream& is = found == by_thread_.end() ? none : *found->second;
            cells.emplace_back(is.loads != 0    ? is.stores != 0 ? "R/W" : "R"
                               : is.stores != 0 ? "W"
                               : is_sample      ? "not followed"
                                                : "-");
        }
        table.add(cells);
    }

    const LocalityReport& report_;
    std::set<ThreadId> threads_;
    std::map<std::tuple<ObjectId, u64, ThreadId>, const Stream*> by_thread_;
    std::map<ObjectId, std::vector<const Stream*>> blocks_;
};

// `0-64 128-192`.
std::string text_of(const Ranges& ranges) {
    std::string text;
    for (const NumberPair& each : ranges.ranges)
        text += (text.empty() ? "" : " ") + std::to_string(each.first) + "-" + std::to_string(each.second);
    return text.empty() ? "-" : text;
}

void print_zones(const LocalityReport& report, TableFormat format, OfOthers others, std::ostream& out) {
    Table table("locality.zones",
                {{"object", true}, {"thread", true}, {"function", true}, {"reads", true}, {"writes", true}});
    for (const Stream* stream : chosen(report, "object", 0, others))
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
    if (arguments.has("own")) report.set_own(OwnCode(words_of_list(arguments.value("own"))));
    // Patterns choose what is shown.
    const OfOthers others = arguments.has("own") ? OfOthers::LeftOut : OfOthers::Behind;
    const bool whole = report.read(inputs, files);
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    const std::vector<const Stream*> streams =
        chosen(report, arguments.value("stream"), arguments.number("top", tsv ? 0 : 20), others);
    if (!tsv) {
        const Model& model = report.model();
        out << "Locality of " << with_commas(model.accesses) << " accesses to words of 8 bytes";
        if (model.bursts > 1)
            out << ", sampled: bursts of one in " << model.bursts << ", one word in " << model.words;
        out << "\n\n";
    }
    if (table == "access")
        AccessTable(report).print(format, others, out);
    else if (table == "zones")
        print_zones(report, format, others, out);
    else if (table == "misses")
        print_misses(streams, format, out);
    else
        print_scores(report, streams, format, out);
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kLocalityCommand{
    "locality",
    "PROFILE...",
    "strides and reuse distances of accesses",
    "Of runs with --locality=yes or exact; several are merged. A row is a stream "
    "of accesses: of all, of all\n"
    "variables, or of one thread, object, function, source line, or pair of these. Scores go from 0 to "
    "1: spatial is 1 if each access is\n"
    "next to an earlier one, temporal if words are used again at once. ± is a "
    "sampled score's standard error. `sampled`\n"
    "is the share of the stream's accesses in the scores; 0: only counted.",
    kOptions,
    run};

}  // namespace memspy::report::locality
