// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report locality: the scores of streams, or who reads and writes which object.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <set>

#include "report/commands.h"
#include "report/output.h"
#include "report/table.h"
#include "report/xml_stream.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    kFormatOption,
    {"table", "scores|access|zones|misses",
     "scores of streams; or which thread reads and writes which object; or which bytes of it, by function; "
     "or what "
     "share of accesses misses in caches of 8 bytes, 16 bytes… [scores]"},
    {"stream", "KINDS", "only streams of these kinds, as all,object,line [all kinds]"},
    {"top", "N", "so many rows of each kind [text: 20, tsv: all]"},
    kOutputOption,
    kHelpOption,
};

struct Stream {
    std::string kind, name, spatial = "-", temporal = "-", followed = "0";
    u64 object = 0, thread = 0, accesses = 0, loads = 0, stores = 0, far = 0;
    std::vector<u64> reuses;
};
struct Object {
    std::string kind;
    u64 size = 0, creator = 0;
};
struct Zone {
    u64 object = 0, thread = 0;
    std::string function, read, written;
};

u64 number_of(std::span<const XmlAttribute> attributes, std::string_view name) {
    const std::string_view* text = find_attribute(attributes, name);
    if (text == nullptr) return 0;
    u64 value = 0;
    const bool hex = text->starts_with("0x");
    const std::string_view digits = hex ? text->substr(2) : *text;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, hex ? 16 : 10);
    if (error != std::errc{} || end != digits.end())
        throw BadElement("a " + std::string(name) + " that is no number");
    return value;
}
std::string text_of(std::span<const XmlAttribute> attributes, std::string_view name,
                    std::string_view otherwise = {}) {
    const std::string_view* text = find_attribute(attributes, name);
    return std::string(text != nullptr ? *text : otherwise);
}

// The profile's element <locality>, and what it refers to. Elements that it does not know are passed over.
class LocalityProfile : public XmlSink {
public:
    bool found = false;
    std::string mode;
    u64 accesses = 0, bursts = 1, words = 1, left_out = 0;
    std::vector<Stream> streams;
    std::vector<Zone> zones;
    std::map<u64, Object> objects;

    void start(std::string_view name, std::span<const XmlAttribute> attributes) override {
        path_.emplace_back(name);
        text_.clear();
        if (path_.size() == 3 && path_[1] == "objects") {
            Object& object = objects[number_of(attributes, "id")];
            object.kind = name == "frames" ? "stack" : name;
            object.size = number_of(attributes, "size");
            object.creator = number_of(attributes, name == "heap" ? "guest-thread" : "thread");
        }
        if (path_.size() < 2 || path_[1] != "locality") return;
        if (path_.size() == 2) {
            found = true;
            mode = text_of(attributes, "mode");
            accesses = number_of(attributes, "accesses");
            bursts = number_of(attributes, "bursts-one-in");
            words = number_of(attributes, "words-one-in");
            left_out = number_of(attributes, "streams-left-out");
        } else if (path_.size() == 3 && name == "stream") {
            Stream stream;
            stream.kind = text_of(attributes, "kind");
            stream.name = text_of(attributes, "name");
            stream.spatial = text_of(attributes, "spatial", "-");
            stream.temporal = text_of(attributes, "temporal", "-");
            stream.followed = text_of(attributes, "followed", "0");
            stream.object = number_of(attributes, "object");
            stream.thread = number_of(attributes, "thread");
            stream.accesses = number_of(attributes, "accesses");
            stream.loads = number_of(attributes, "loads");
            stream.stores = number_of(attributes, "stores");
            streams.push_back(std::move(stream));
        } else if (path_.size() == 3 && name == "zones") {
            zones.push_back({number_of(attributes, "object"),
                             number_of(attributes, "thread"),
                             text_of(attributes, "fn"),
                             {},
                             {}});
        } else if (path_.size() == 4 && name == "reuses" && path_[2] == "stream") {
            streams.back().far = number_of(attributes, "far");
        }
    }
    void text(std::string_view part) override { append_text(text_, part); }
    void end(std::string_view name) override {
        if (path_.size() == 4 && path_[1] == "locality") {
            if (path_[2] == "zones" && name == "read") zones.back().read = text_;
            if (path_[2] == "zones" && name == "written") zones.back().written = text_;
            if (path_[2] == "stream" && name == "reuses") read_numbers(streams.back().reuses);
        }
        path_.pop_back();
        text_.clear();
    }

private:
    void read_numbers(std::vector<u64>& to) const {
        for (const char *at = text_.data(), *last = at + text_.size(); at < last;) {
            u64 value = 0;
            const auto [behind, error] = std::from_chars(at, last, value);
            if (error != std::errc{}) throw BadElement("a count that is no number");
            to.push_back(value);
            at = behind;
            while (at < last && (*at == ' ' || *at == '\n')) ++at;
        }
    }

    std::vector<std::string> path_;
    std::string text_;
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

// Kinds in their order, of each kind those with most accesses first.
std::vector<const Stream*> chosen(const LocalityProfile& profile, std::string_view kinds, u64 top) {
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
    for (const Stream& stream : profile.streams)
        if (wanted.empty() || wanted.contains(stream.kind)) rows.push_back(&stream);
    std::stable_sort(rows.begin(), rows.end(), [](const Stream* a, const Stream* b) {
        if (a->kind != b->kind) return rank(a->kind) < rank(b->kind);
        return a->accesses > b->accesses;
    });
    std::map<std::string_view, u64> told;
    std::erase_if(rows, [&](const Stream* stream) { return top != 0 && ++told[stream->kind] > top; });
    return rows;
}

void print_scores(const LocalityProfile& profile, std::span<const Stream* const> streams, TableFormat format,
                  std::ostream& out) {
    Table table("locality",
                {{"stream", true}, {"name", true}, {"accesses"}, {"spatial"}, {"temporal"}, {"sampled"}});
    for (const Stream* stream : streams) {
        std::string sampled = stream->followed;
        if (profile.bursts > 1 && sampled != "0") sampled = decimal(1 / static_cast<double>(profile.bursts));
        table.add({stream->kind, stream->name, number(stream->accesses), stream->spatial, stream->temporal,
                   sampled});
    }
    table.print(out, format);
}

void print_misses(std::span<const Stream* const> streams, TableFormat format, std::ostream& out) {
    std::size_t sizes = 0;
    for (const Stream* stream : streams) sizes = std::max(sizes, stream->reuses.size());
    std::vector<Table::Column> columns = {{"stream", true}, {"name", true}};
    for (std::size_t i = 0; i < sizes; ++i) {
        const u64 bytes = u64{8} << i;
        columns.push_back({bytes < 1024          ? std::to_string(bytes)
                           : bytes < 1024 * 1024 ? std::to_string(bytes / 1024) + "k"
                                                 : std::to_string(bytes / 1024 / 1024) + "M"});
    }
    Table table("locality.misses", columns);
    for (const Stream* stream : streams) {
        if (stream->reuses.empty() && stream->far == 0) continue;
        u64 misses = stream->far;
        for (const u64 each : stream->reuses) misses += each;
        const u64 all = misses;
        std::vector<Cell> cells = {stream->kind, stream->name};
        for (std::size_t i = 0; i < sizes; ++i) {
            if (i < stream->reuses.size()) misses -= stream->reuses[i];
            cells.push_back(decimal(static_cast<double>(misses) / static_cast<double>(all)));
        }
        table.add(cells);
    }
    table.print(out, format);
}

void print_access(const LocalityProfile& profile, TableFormat format, std::ostream& out) {
    std::set<u64> threads;
    std::map<std::pair<u64, u64>, const Stream*> by_thread;
    for (const Stream& stream : profile.streams) {
        if (stream.kind == "thread") threads.insert(stream.thread);
        if (stream.kind == "object-thread") by_thread[{stream.object, stream.thread}] = &stream;
    }
    std::vector<Table::Column> columns = {{"object", true}, {"size"}, {"kind", true}, {"creator", true}};
    for (const u64 thread : threads) columns.push_back({"thread " + std::to_string(thread), true});
    Table table("locality.access", columns);
    for (const Stream* stream : chosen(profile, "object", 0)) {
        const auto known = profile.objects.find(stream->object);
        const Object object = known == profile.objects.end() ? Object{} : known->second;
        const bool made = object.kind == "heap" || object.kind == "stack";
        std::vector<Cell> cells = {
            stream->name, object.size == 0 ? Cell("-") : number(object.size),
            object.kind.empty() ? "unknown" : object.kind,
            made && object.creator != 0 ? "thread " + std::to_string(object.creator) : "-"};
        for (const u64 thread : threads) {
            const auto found = by_thread.find({stream->object, thread});
            const Stream none;
            const Stream& is = found == by_thread.end() ? none : *found->second;
            cells.emplace_back(is.loads != 0 ? is.stores != 0 ? "R/W" : "R" : is.stores != 0 ? "W" : "-");
        }
        table.add(cells);
    }
    table.print(out, format);
}

void print_zones(const LocalityProfile& profile, TableFormat format, std::ostream& out) {
    Table table("locality.zones",
                {{"object", true}, {"thread", true}, {"function", true}, {"reads", true}, {"writes", true}});
    for (const Stream* stream : chosen(profile, "object", 0))
        for (const Zone& zone : profile.zones)
            if (zone.object == stream->object)
                table.add({stream->name, "thread " + std::to_string(zone.thread), zone.function,
                           zone.read.empty() ? "-" : zone.read, zone.written.empty() ? "-" : zone.written});
    table.print(out, format);
}

int run(const Arguments& arguments) {
    const TableFormat format = format_of(arguments);
    const bool tsv = format == TableFormat::Tsv;
    const std::string_view table = arguments.value("table", "scores");
    const std::vector<std::string>& files = arguments.some_files();
    if (files.size() != 1) throw UsageError("locality takes one profile");
    LocalityProfile profile;
    read_xml(files[0], profile);
    if (!profile.found)
        throw UsageError(files[0] + " has nothing of locality: run the program with --locality=yes or exact");
    Output output(arguments.value("output"));
    std::ostream& out = output.stream();
    const std::vector<const Stream*> streams =
        chosen(profile, arguments.value("stream"), arguments.number("top", tsv ? 0 : 20));
    if (!tsv) {
        out << "Locality of " << with_commas(profile.accesses) << " accesses to words of 8 bytes";
        if (profile.bursts > 1)
            out << ", sampled: bursts of one in " << profile.bursts << ", one word in " << profile.words;
        out << "\n\n";
    }
    if (table == "access")
        print_access(profile, format, out);
    else if (table == "zones")
        print_zones(profile, format, out);
    else if (table == "misses")
        print_misses(streams, format, out);
    else
        print_scores(profile, streams, format, out);
    output.commit();
    return kDone;
}

}  // namespace

const Command kLocalityCommand{"locality",
                               "PROFILE",
                               "how near in memory and in time accesses are",
                               "PROFILE is one of a run with --locality=yes or exact. A row is a stream of "
                               "accesses: of all, or of one thread,\n"
                               "object, function, source line, or pair of these. The scores go from 0 to 1: "
                               "spatial is 1 when each access is\n"
                               "next to an earlier one, temporal when words are used again at once. "
                               "`sampled` is the share of the stream's\n"
                               "accesses that the scores are from; 0: it was counted only.",
                               kOptions,
                               run};

}  // namespace memspy::report
