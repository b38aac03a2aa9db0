// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/contention/text.h"

#include <algorithm>
#include <iomanip>
#include <map>
#include <optional>
#include <sstream>

#include "report/sections/contention/records.h"
#include "report/sums_table.h"
#include "report/text_part.h"

namespace memspy::report::contention {
namespace {

constexpr std::size_t kLines = 5;     // maps that are shown
constexpr std::size_t kFields = 16;   // fields named for an extent
constexpr std::size_t kThreads = 16;  // of a map

// The part of a sum of rows that the tables show.
struct EventSums {
    u64 misses = 0, invalidations = 0, false_events = 0;
    u64 all() const { return misses + invalidations; }
    void add(const Counts& counts) {
        misses += contention::misses(counts);
        invalidations += counts.invalidations;
        false_events += contention::false_events(counts);
    }
};

struct RowSums {
    EventSums modelled, observed;
    u64 accesses = 0, processes = 0;
    void add(const Row& row) {
        modelled.add(row.modelled);
        observed.add(row.observed);
        accesses += row.loads + row.stores;
        processes = std::max(processes, row.processes);
    }
    // The view with more events, by which a row is ranked.
    const EventSums& larger() const { return observed.all() > modelled.all() ? observed : modelled; }
    // 0 for a sort by name.
    u64 figure(std::string_view word) const {
        if (word == "modelled") return modelled.all();
        if (word == "observed") return observed.all();
        if (word == "misses") return larger().misses;
        if (word == "invalidations") return larger().invalidations;
        if (word == "false") return larger().false_events;
        if (word == "accesses") return accesses;
        return word == "name" ? 0 : larger().all();
    }
};

// Of an object and code.
constexpr u64 sums_key(ObjectId object, CodeKey code) { return u64{static_cast<u32>(object)} << 32 | code; }
constexpr ObjectId object_of(u64 key) { return static_cast<ObjectId>(key >> 32); }
constexpr CodeKey code_in(u64 key) { return static_cast<CodeKey>(key); }

std::string ratio_of(u64 part, u64 whole) {
    std::ostringstream text;
    const double ratio = static_cast<double>(part) / static_cast<double>(whole);
    text << std::fixed << std::setprecision(ratio < 10 ? 2 : 1) << ratio;
    return text.str();
}
// `1.23 x`
std::string times(u64 part, u64 whole) { return whole == 0 ? "-" : ratio_of(part, whole) + " x"; }

class ContentionTables : public TextPart {
public:
    explicit ContentionTables(const TextView& view) : view_(view) {}
    void record(const AnyRecord& record) override;
    void print(std::ostream& out) const override;

private:
    void add(const Row& record);
    void add(const Line& record);
    void add(const Group& record);
    void print_head(std::ostream& out) const;
    void print_groups_tsv(std::ostream& out) const;
    void print_groups(std::ostream& out) const;
    void print_sums(std::string_view title, const SumsTable<RowSums>& sums, bool with_code,
                    std::ostream& out) const;
    void print_threads(std::ostream& out) const;
    std::string gain_of(const Group& group) const;
    void print_latent(std::ostream& out) const;
    void print_waits(std::ostream& out) const;
    void print_lines(std::ostream& out) const;
    void print_line(const Line& line, std::ostream& out) const;
    void print_fields(const Extent& extent, std::ostream& out) const;

    const TextView& view_;
    std::optional<Model> model_;
    std::optional<Quality> quality_;
    std::optional<Total> total_;
    std::optional<VirtualTime> time_;
    std::vector<ThreadCounts> thread_counts_;
    std::vector<Wait> waits_;
    SumsTable<RowSums> by_object_, by_code_;  // by sums_key()
    std::vector<Line> lines_;                 // the worst so far
    std::vector<Group> groups_;               // those with texts
    std::vector<Latent> latent_;
};

void ContentionTables::record(const AnyRecord& record) {
    if (const auto* model = record.as<Model>()) model_ = *model;
    if (const auto* quality = record.as<Quality>()) quality_ = *quality;
    if (const auto* total = record.as<Total>()) total_ = *total;
    if (const auto* counts = record.as<ThreadCounts>()) thread_counts_.push_back(*counts);
    if (const auto* time = record.as<VirtualTime>()) time_ = *time;
    if (const auto* wait = record.as<Wait>(); wait != nullptr && view_.wants(wait->object))
        waits_.push_back(*wait);
    if (const auto* row = record.as<Row>()) add(*row);
    if (const auto* line = record.as<Line>()) add(*line);
    if (const auto* group = record.as<Group>()) add(*group);
    if (const auto* latent = record.as<Latent>();
        latent != nullptr && std::any_of(latent->members.begin(), latent->members.end(),
                                         [&](const Member& member) { return view_.wants(member.object); }))
        latent_.push_back(*latent);
}

void ContentionTables::add(const Row& record) {
    if (!view_.wants(record.stack) || !view_.wants(record.object) || !view_.wants(record.thread)) return;
    by_object_[sums_key(record.object, kNoCode)].add(record);
    by_code_[sums_key(record.object, view_.code_of(record.stack))].add(record);
}

void ContentionTables::add(const Line& record) {
    const bool wanted = std::any_of(record.extents.begin(), record.extents.end(),
                                    [&](const Extent& extent) { return view_.wants(extent.object); }) &&
                        std::any_of(record.ranges.begin(), record.ranges.end(),
                                    [&](const Range& range) { return view_.wants(range.thread); });
    if (!wanted || most_events(record) == 0) return;
    const auto place = std::find_if(lines_.begin(), lines_.end(), [&](const Line& line) {
        return most_events(line) < most_events(record);
    });
    if (place == lines_.end() && lines_.size() == kLines) return;
    lines_.insert(place, record);
    if (lines_.size() > kLines) lines_.pop_back();
}

void ContentionTables::add(const Group& record) {
    const bool wanted = std::any_of(record.members.begin(), record.members.end(),
                                    [&](const Member& member) { return view_.wants(member.object); });
    if (wanted && !record.what.empty() && groups_.size() < view_.options().top) groups_.push_back(record);
}

void ContentionTables::print(std::ostream& out) const {
    if (!model_) return;
    if (view_.plain()) {
        print_head(out);
        print_groups(out);
    } else {
        print_groups_tsv(out);
    }
    print_latent(out);
    print_waits(out);
    print_sums("By object", by_object_, false, out);
    print_sums("By object and code", by_code_, true, out);
    print_threads(out);
    if (view_.plain()) print_lines(out);
}

void ContentionTables::print_head(std::ostream& out) const {
    out << "\nContention: " << with_commas(total_ ? most_events(*total_) : 0) << " events in "
        << with_commas(total_ ? total_->loads + total_->stores : 0) << " accesses of "
        << plural(view_.threads(), "thread") << '\n';
    out << "Model: " << model_->assumptions << '\n';
    if (quality_ && !quality_->exact)
        out << "The modelled counts are not exact: " << plural(quality_->lifted, "thread")
            << " had the clock put forward\n";
    if (quality_ && !quality_->several_threads) out << "There was one thread only\n";
    if (time_ && time_->costly_end > time_->end)
        out << "Virtual time: " << with_commas(time_->end) << " units; " << with_commas(time_->costly_end)
            << " if each event takes " << time_->cost << ", and " << with_commas(time_->without_false)
            << " without false sharing (" << times(time_->costly_end, time_->without_false) << ")\n";
}

void ContentionTables::print_sums(std::string_view title, const SumsTable<RowSums>& sums, bool with_code,
                                  std::ostream& out) const {
    std::vector<const std::pair<u64, RowSums>*> rows;
    for (const auto& each : sums) rows.push_back(&each);
    // Names are expensive, so they are only compared if the figures are equal.
    std::sort(rows.begin(), rows.end(), [&](auto* a, auto* b) {
        const u64 left = a->second.figure(view_.options().sort),
                  right = b->second.figure(view_.options().sort);
        if (left != right) return left > right;
        if (object_of(a->first) != object_of(b->first)) {
            const int order = view_.label(object_of(a->first)).compare(view_.label(object_of(b->first)));
            if (order != 0) return order < 0;
        }
        return std::pair(view_.code_label(code_in(a->first)), a->first) <
               std::pair(view_.code_label(code_in(b->first)), b->first);
    });
    view_.cut(rows, title, out);

    const bool merged = view_.runs().size() > 1;
    std::vector<Table::Column> columns = {
        {"modelled"}, {"observed"}, {"misses"}, {"invalidations"}, {"false", false, "false-percent"},
        {"accesses"}};
    if (merged) columns.push_back({"processes"});
    columns.push_back({"object", true});
    if (with_code) columns.push_back({"code", true});
    Table table(with_code ? "contention.by-object-and-code" : "contention.by-object", columns);
    for (const auto* row : rows) {
        const auto& [key, values] = *row;
        const EventSums& events = values.larger();
        std::vector<Cell> cells = {number(values.modelled.all()),
                                   number(values.observed.all()),
                                   number(events.misses),
                                   number(events.invalidations),
                                   model_->sharing ? share(events.false_events, events.all()) : Cell(""),
                                   number(values.accesses)};
        if (merged) cells.push_back(number(values.processes));
        cells.push_back(view_.label(object_of(key)));
        if (with_code) cells.push_back(view_.code_label(code_in(key)));
        table.add(std::move(cells));
    }
    table.print(out, view_.options().format);
}

void ContentionTables::print_threads(std::ostream& out) const {
    Table table("contention.by-thread",
                {{"thread"}, {"instructions"}, {"loads"}, {"stores"}, {"modelled"}, {"observed"}});
    std::vector<ThreadCounts> threads;
    for (const ThreadCounts& each : thread_counts_)
        if (view_.wants(each.thread)) threads.push_back(each);
    std::stable_sort(threads.begin(), threads.end(), [](const ThreadCounts& a, const ThreadCounts& b) {
        return most_events(a) > most_events(b);
    });
    view_.cut(threads, "By thread", out);
    for (const ThreadCounts& each : threads) {
        table.add({number_of(each.thread), number(each.instructions), number(each.loads), number(each.stores),
                   number(events(each.modelled)), number(events(each.observed))});
    }
    table.print(out, view_.options().format);
}

void ContentionTables::print_groups(std::ostream& out) const {
    for (const Group& group : groups_) {
        const std::string gain = gain_of(group);
        out << '\n' << (group.finding ? "" : "(too little to be a finding) ") << group.what;
        out << (gain.empty() ? "" : ": " + gain) << '\n';
        out << "  " << group.figures << '\n';
        if (!group.advice.empty()) out << "  " << group.advice << '\n';
    }
}

// How much sooner the run would have ended with the advised change, or without the group's false sharing;
// empty for less than a hundredth.
std::string ContentionTables::gain_of(const Group& group) const {
    if (!time_ || (group.kind != "FalseSharing" && group.removable == 0) || group.end_without == 0 ||
        time_->costly_end - group.end_without < time_->costly_end / 100)
        return {};
    std::string gain = times(time_->costly_end, group.end_without);
    if (group.varies != 0) {
        const std::uint64_t more = (time_->costly_end - group.end_without) * group.varies / 1000;
        gain += " (" + ratio_of(time_->costly_end - more, group.end_without) + " to " +
                ratio_of(time_->costly_end + more, group.end_without) + " in other runs)";
    }
    return gain + " on these " + plural(view_.threads(), "thread");
}

void ContentionTables::print_latent(std::ostream& out) const {
    if (latent_.empty()) return;
    std::vector<const Latent*> rows;
    for (const Latent& latent : latent_) rows.push_back(&latent);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Latent* a, const Latent* b) { return a->events > b->events; });
    view_.cut(rows, "False sharing in other layouts, estimated", out);
    Table table("contention.latent", {{"events"},
                                      {"accesses"},
                                      {"line size", false, "line-size"},
                                      {"moved"},
                                      {"object", true},
                                      {"what", true}});
    for (const Latent* latent : rows)
        table.add({number(latent->events), number(latent->accesses), number(latent->line_bytes),
                   latent->moved == 0 ? "" : number(latent->moved),
                   view_.label(latent->members.empty() ? ObjectId{} : latent->members.front().object),
                   latent->what});
    table.print(out, view_.options().format);
}

void ContentionTables::print_waits(std::ostream& out) const {
    if (waits_.empty()) return;
    std::vector<const Wait*> rows;
    for (const Wait& wait : waits_) rows.push_back(&wait);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Wait* a, const Wait* b) { return a->waited > b->waited; });
    view_.cut(rows, "Waits in virtual time", out);
    Table table("contention.waits", {{"waited"},
                                     {"times"},
                                     {"longest"},
                                     {"most by", false, "thread"},
                                     {"for", false, "whom"},
                                     {"kind", true},
                                     {"object", true},
                                     {"code", true}});
    for (const Wait* wait : rows) {
        const auto most =
            std::max_element(wait->pairs.begin(), wait->pairs.end(),
                             [](const WaitPair& a, const WaitPair& b) { return a.waited < b.waited; });
        const bool known = most != wait->pairs.end();
        table.add({number(wait->waited), number(wait->times), number(wait->longest),
                   known ? number_of(most->thread) : "", known ? number_of(most->whom) : "", wait->kind,
                   !wait->name.empty()          ? wait->name
                   : wait->object == ObjectId{} ? "(not known)"
                                                : view_.label(wait->object),
                   view_.code_label(view_.code_of(wait->stack))});
    }
    table.print(out, view_.options().format);
}

void ContentionTables::print_lines(std::ostream& out) const {
    if (lines_.empty()) return;
    out << "\nThe worst lines (r read, w written, + both)\n";
    for (const Line& line : lines_) print_line(line, out);
}

void ContentionTables::print_fields(const Extent& extent, std::ostream& out) const {
    const Object* const object = view_.find_object(extent.object);
    if (view_.names() == nullptr || object == nullptr) return;
    const std::vector<names::MemberPath> fields = view_.names()->fields(*object, extent.offset, extent.bytes);
    // A variable without parts has already been named.
    if (fields.size() == 1 && fields.front().path == object->name) return;
    for (std::size_t i = 0; i < fields.size() && i < kFields; ++i) {
        const u64 first = extent.first + (fields[i].address - extent.offset);
        out << "    " << first << " to " << first + fields[i].size - 1 << ": " << fields[i].path << " ("
            << fields[i].type << ")\n";
    }
    if (fields.size() > kFields) out << "    and " << plural(fields.size() - kFields, "field") << " more\n";
}

void ContentionTables::print_line(const Line& line, std::ostream& out) const {
    out << "\nline " << hexadecimal(line.address) << ", " << plural(most_events(line), "event") << '\n';
    for (const Extent& extent : line.extents) {
        out << "  bytes " << extent.first << " to " << extent.first + extent.bytes - 1 << ": "
            << view_.label(extent.object) << " from " << extent.offset << " on\n";
        print_fields(extent, out);
    }
    const std::size_t width = static_cast<std::size_t>(std::min<u64>(model_->line_size, 256));
    std::map<ThreadId, std::string> maps;
    std::map<ThreadId, std::pair<u64, u64>> counts;
    for (const Range& range : line.ranges) {
        std::string& map = maps.emplace(range.thread, std::string(width, '.')).first->second;
        const char mark = range.loads != 0 && range.stores != 0 ? '+' : range.stores != 0 ? 'w' : 'r';
        for (u64 at = range.first; at < std::min<u64>(range.first + range.bytes, width); ++at) {
            char& cell = map[at];
            cell = cell == '.' || cell == mark ? mark : '+';
        }
        counts[range.thread].first += range.loads;
        counts[range.thread].second += range.stores;
    }
    Table table("contention.line", {{"thread"}, {"bytes", true}, {"loads"}, {"stores"}});
    std::size_t shown = 0;
    for (const auto& [thread, map] : maps) {
        if (shown++ == kThreads) break;
        table.add({number_of(thread), map, number(counts[thread].first), number(counts[thread].second)});
    }
    table.print(out, view_.options().format);
    if (maps.size() > kThreads) out << "and " << plural(maps.size() - kThreads, "thread") << " more\n";
}

void ContentionTables::print_groups_tsv(std::ostream& out) const {
    Table table("contention.findings", {{"kind", true},
                                        {"finding", true},
                                        {"removable"},
                                        {"object", true},
                                        {"what", true},
                                        {"figures", true},
                                        {"advice", true},
                                        {"end without it", false, "end-without"}});
    for (const Group& group : groups_) {
        const ObjectId object = group.members.empty() ? ObjectId{} : group.members.front().object;
        table.add({group.kind, group.finding ? "yes" : "no", number(group.removable), view_.label(object),
                   group.what, group.figures, group.advice, number(group.end_without)});
    }
    table.print(out, view_.options().format);
}

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<ContentionTables>(view); }

}  // namespace memspy::report::contention
