// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_report.h"

#include <fnmatch.h>

#include "report/folding.h"
#include "report/table.h"

namespace memspy::report {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

constexpr u64 sums_key(ObjectId object, u32 code) { return u64{static_cast<u32>(object)} << 32 | code; }

std::string number_of(ThreadId thread) { return std::to_string(static_cast<u32>(thread)); }

std::string plural(u64 count, const char* what) {
    return with_commas(count) + " " + what +
           (count == 1                                              ? ""
            : what[std::char_traits<char>::length(what) - 1] == 's' ? "es"
                                                                    : "s");
}

}  // namespace

// Reading

void TextReport::EventSums::add(const contention::Counts& counts) {
    misses += contention::misses(counts);
    invalidations += counts.invalidations;
    false_events += contention::false_events(counts);
}

void TextReport::Sums::add(const contention::Row& row) {
    modelled.add(row.modelled);
    observed.add(row.observed);
    accesses += row.loads + row.stores;
    processes = std::max(processes, row.processes);
}

bool TextReport::passes(const Stack& stack) const {
    const RowFilter& filter = options_.filter;
    auto any = [&](auto&& of_frame) {
        return std::any_of(stack.frames.begin(), stack.frames.end(), of_frame);
    };
    if (!filter.function.empty() &&
        !any([&](const Frame& frame) { return matches(filter.function, std::string(frame.fn)); }))
        return false;
    return filter.file.empty() || any([&](const Frame& frame) {
               return matches(filter.file, std::string(base_name(frame.file))) ||
                      matches(filter.file, std::string(frame.dir) + "/" + std::string(frame.file));
           });
}

TextReport::CodeKey TextReport::code_at(FrameIndex frame_index) {
    const auto [at, added] = code_of_frame_.emplace(frame_index, frame_index);
    if (added) at->second = code_of_label_.emplace(label(frame(frame_index)), frame_index).first->second;
    return at->second;
}

void TextReport::stack(const Stack& record) {
    Catalog::stack(record);
    if (!passes(record)) return;
    if (const FrameIndex own = own_frame(record.id); own != ~FrameIndex{0})
        codes_.set(static_cast<u32>(record.id), code_at(own));
}

void TextReport::object(const Object& record) {
    Catalog::object(record);
    const std::string& pattern = options_.filter.object;
    if (pattern.empty() || matches(pattern, std::string(record.name)) || matches(pattern, label(record)))
        wanted_.set(static_cast<u32>(record.id), 1);
}

bool TextReport::wants(StackId stack) const {
    const bool all = options_.filter.function.empty() && options_.filter.file.empty();
    return all || codes_.find(static_cast<u32>(stack)) != IdIndex::kNone;
}
bool TextReport::wants(ObjectId object) const {
    return options_.filter.object.empty() || wanted_.find(static_cast<u32>(object)) != IdIndex::kNone;
}
bool TextReport::wants(ThreadId thread) const {
    return options_.filter.thread == 0 || options_.filter.thread == static_cast<u32>(thread);
}

TextReport::CodeKey TextReport::code_of(StackId id) const { return codes_.find(static_cast<u32>(id)); }

std::string TextReport::code_label(CodeKey code) const {
    return code == kNoCode ? "(not known)" : label(frame(code));
}

void TextReport::record(const AnyRecord& record) {
    auto keep = [&](auto& into) {
        using R = typename std::remove_cvref_t<decltype(into)>::value_type;
        if (const R* of_type = record.as<R>()) into = *of_type;
    };
    keep(model_);
    keep(quality_);
    keep(total_);
    keep(zeros_model_);
    keep(zeros_total_);
    if (const auto* counts = record.as<contention::ThreadCounts>()) thread_counts_.push_back(*counts);
    if (const auto* row = record.as<contention::Row>()) add(*row);
    if (const auto* line = record.as<contention::Line>()) add(*line);
    if (const auto* group = record.as<contention::Group>()) add(*group);
    if (const auto* row = record.as<zeros::Row>()) add(*row);
    if (const auto* object = record.as<zeros::ObjectCounts>()) add(*object);
}

void TextReport::add(const contention::Row& record) {
    if (!wants(record.stack) || !wants(record.object) || !wants(record.thread)) return;
    by_object_[sums_key(record.object, kNoCode)].add(record);
    by_code_[sums_key(record.object, code_of(record.stack))].add(record);
}

void TextReport::add(const contention::Line& record) {
    const bool wanted = std::any_of(record.extents.begin(), record.extents.end(),
                                    [&](const contention::Extent& extent) { return wants(extent.object); }) &&
                        std::any_of(record.ranges.begin(), record.ranges.end(),
                                    [&](const contention::Range& range) { return wants(range.thread); });
    if (!wanted || most_events(record) == 0) return;
    const auto place = std::find_if(lines_.begin(), lines_.end(), [&](const contention::Line& line) {
        return most_events(line) < most_events(record);
    });
    if (place == lines_.end() && lines_.size() == kLines) return;
    lines_.insert(place, record);
    if (lines_.size() > kLines) lines_.pop_back();
}

void TextReport::add(const contention::Group& record) {
    const bool wanted = std::any_of(record.members.begin(), record.members.end(),
                                    [&](const contention::Member& member) { return wants(member.object); });
    if (wanted && !record.what.empty() && groups_.size() < options_.top) groups_.push_back(record);
}

// Adds the texts that are not in the list yet.
static void add_texts(std::vector<std::string>& texts, const std::vector<zeros::Advice>& list) {
    for (const zeros::Advice& each : list)
        if (std::string text(each.text); std::find(texts.begin(), texts.end(), text) == texts.end())
            texts.push_back(std::move(text));
}

static std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
    return all;
}

void TextReport::add(const zeros::Row& record) {
    if (!wants(record.stack)) return;
    std::string type =
        (record.known ? "" : "unknown ") + std::string(record.type) + " of " + std::to_string(record.bytes);
    ZeroSums& sums = zeros_by_code_[{code_of(record.stack), std::move(type)}];
    sums.loads += record.loads;
    sums.elements += record.elements;
    sums.bytes += record.elements * record.redmap.cells.size();
    sums.redundant += record.redundant;
    sums.zero += record.zero;
    add_texts(sums.advice, record.advice);
}

void TextReport::add(const zeros::ObjectCounts& record) {
    if (!wants(record.object)) return;
    zero_objects_.push_back(record);
    zero_objects_.back().map = {};  // not shown
}

// Printing

u64 TextReport::sort_key(const Sums& sums) const {
    switch (options_.sort) {
        case SortBy::Events: return sums.larger().all();
        case SortBy::Modelled: return sums.modelled.all();
        case SortBy::Observed: return sums.observed.all();
        case SortBy::Misses: return sums.larger().misses;
        case SortBy::Invalidations: return sums.larger().invalidations;
        case SortBy::False: return sums.larger().false_events;
        case SortBy::Accesses: return sums.accesses;
        case SortBy::Name: return 0;
    }
    return 0;
}

void TextReport::print_head(const std::string& file, std::ostream& out) const {
    out << file;
    if (!runs().empty()) {
        const Run& run = runs().front();
        out << ": " << run.command.exe;
        for (const Argument& each : run.command.arguments) out << " " << each.text;
        if (runs().size() > 1) {
            out << " and " << plural(runs().size() - 1, "process") << " more\n";
        } else {
            out << " (process " << run.pid << ", " << run.arch << ", " << run.start << ")\n";
        }
    } else {
        out << '\n';
    }
    if (!header_record().finished) out << "not of a whole run: counts are those up to then\n";
}

void TextReport::print_contention(std::ostream& out) const {
    out << "\nContention: " << with_commas(total_ ? most_events(*total_) : 0) << " events in "
        << with_commas(total_ ? total_->loads + total_->stores : 0) << " accesses of "
        << plural(threads(), "thread") << '\n';
    out << "Model: " << model_->assumptions << '\n';
    if (quality_ && !quality_->exact)
        out << "The modelled counts are not exact: " << plural(quality_->lifted, "thread")
            << " had the clock put forward\n";
    if (quality_ && !quality_->several_threads) out << "There was one thread only\n";

    print_groups(out);
    print_sums("By object", by_object_, false, out);
    print_sums("By object and code", by_code_, true, out);
    print_threads(out);
    print_lines(out);
}

void TextReport::print_sums(const char* title, const SumsTable<Sums>& sums, bool with_code,
                            std::ostream& out) const {
    auto object_of = [](u64 key) { return static_cast<ObjectId>(key >> 32); };
    auto code_in = [](u64 key) { return static_cast<CodeKey>(key); };
    std::vector<const std::pair<u64, Sums>*> rows;
    for (const auto& each : sums) rows.push_back(&each);
    // Names are expensive, so they are only compared if the figures are equal.
    std::sort(rows.begin(), rows.end(), [&](auto* a, auto* b) {
        const u64 left = sort_key(a->second), right = sort_key(b->second);
        if (left != right) return left > right;
        if (object_of(a->first) != object_of(b->first)) {
            const int order = label(object_of(a->first)).compare(label(object_of(b->first)));
            if (order != 0) return order < 0;
        }
        return std::pair(code_label(code_in(a->first)), a->first) <
               std::pair(code_label(code_in(b->first)), b->first);
    });
    if (rows.size() > options_.top) rows.resize(options_.top);

    if (title != nullptr) out << "\n" << title << ", " << rows.size() << " of " << sums.size() << '\n';
    const bool merged = runs().size() > 1;
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
        cells.push_back(label(object_of(key)));
        if (with_code) cells.push_back(code_label(code_in(key)));
        table.add(std::move(cells));
    }
    table.print(out, options_.format);
}

void TextReport::print_threads(std::ostream& out) const {
    Table table("contention.by-thread",
                {{"thread"}, {"instructions"}, {"loads"}, {"stores"}, {"modelled"}, {"observed"}});
    std::vector<contention::ThreadCounts> threads;
    for (const contention::ThreadCounts& each : thread_counts_)
        if (wants(each.thread)) threads.push_back(each);
    std::stable_sort(threads.begin(), threads.end(),
                     [](const contention::ThreadCounts& a, const contention::ThreadCounts& b) {
                         return most_events(a) > most_events(b);
                     });
    const std::size_t all = threads.size();
    if (threads.size() > options_.top) threads.resize(options_.top);
    for (const contention::ThreadCounts& each : threads) {
        table.add({number_of(each.thread), number(each.instructions), number(each.loads), number(each.stores),
                   number(events(each.modelled)), number(events(each.observed))});
    }
    if (options_.format == TableFormat::Plain)
        out << "\nBy thread, " << threads.size() << " of " << all << '\n';
    table.print(out, options_.format);
}

void TextReport::print_groups(std::ostream& out) const {
    for (const contention::Group& group : groups_) {
        out << '\n' << (group.finding ? "" : "(too little to be a finding) ") << group.what << '\n';
        out << "  " << group.figures << '\n';
        if (!group.advice.empty()) out << "  " << group.advice << '\n';
    }
}

void TextReport::print_lines(std::ostream& out) const {
    if (lines_.empty()) return;
    out << "\nThe worst lines (r read, w written, + both)\n";
    for (const contention::Line& line : lines_) print_line(line, out);
}

void TextReport::print_fields(const contention::Extent& extent, std::ostream& out) const {
    const Object* const object = find_object(extent.object);
    if (names_ == nullptr || object == nullptr) return;
    const std::vector<names::MemberPath> fields = names_->fields(*object, extent.offset, extent.bytes);
    // A variable without parts has already been named.
    if (fields.size() == 1 && fields.front().path == object->name) return;
    for (std::size_t i = 0; i < fields.size() && i < kFields; ++i) {
        const u64 first = extent.first + (fields[i].address - extent.offset);
        out << "    " << first << " to " << first + fields[i].size - 1 << ": " << fields[i].path << " ("
            << fields[i].type << ")\n";
    }
    if (fields.size() > kFields) out << "    and " << plural(fields.size() - kFields, "field") << " more\n";
}

void TextReport::print_line(const contention::Line& line, std::ostream& out) const {
    out << "\nline " << hexadecimal(line.address) << ", " << plural(most_events(line), "event") << '\n';
    for (const contention::Extent& extent : line.extents) {
        out << "  bytes " << extent.first << " to " << extent.first + extent.bytes - 1 << ": "
            << label(extent.object) << " from " << extent.offset << " on\n";
        print_fields(extent, out);
    }
    const std::size_t width = static_cast<std::size_t>(std::min<u64>(model_->line_size, 256));
    std::map<ThreadId, std::string> maps;
    std::map<ThreadId, std::pair<u64, u64>> counts;
    for (const contention::Range& range : line.ranges) {
        std::string& map = maps.emplace(range.thread, std::string(width, '.')).first->second;
        const char mark = range.loads != 0 && range.stores != 0 ? '+' : range.stores != 0 ? 'w' : 'r';
        for (u64 at = range.first; at < std::min<u64>(range.first + range.bytes, width); ++at) {
            char& cell = map[at];
            cell = cell == '.' || cell == mark ? mark : '+';
        }
        counts[range.thread].first += range.loads;
        counts[range.thread].second += range.stores;
    }
    constexpr std::size_t kThreads = 16;
    Table table("contention.line", {{"thread"}, {"bytes", true}, {"loads"}, {"stores"}});
    std::size_t shown = 0;
    for (const auto& [thread, map] : maps) {
        if (shown++ == kThreads) break;
        table.add({number_of(thread), map, number(counts[thread].first), number(counts[thread].second)});
    }
    table.print(out, options_.format);
    if (maps.size() > kThreads) out << "and " << plural(maps.size() - kThreads, "thread") << " more\n";
}

void TextReport::print_zeros(std::ostream& out) const {
    const bool plain = options_.format == TableFormat::Plain;
    if (plain) out << "\nRedundant zeros (--zeros=" << zeros_model_->mode << ")\n";
    if (zeros_total_ && plain) {
        auto say = [&](const char* what, const auto& counts) {
            if (counts.loads == 0) return;
            out << what << ": " << with_commas(counts.loads) << " loads, "
                << percent(counts.redundant, counts.cells) << " redundant, "
                << percent(counts.zero, counts.elements) << " zero\n";
        };
        say("integers", zeros_total_->integer);
        say("floats", zeros_total_->floating);
    }
    if (!zeros_by_code_.empty()) {
        std::vector<const decltype(zeros_by_code_)::value_type*> rows;
        for (const auto& each : zeros_by_code_) rows.push_back(&each);
        std::stable_sort(rows.begin(), rows.end(),
                         [](auto* a, auto* b) { return a->second.redundant > b->second.redundant; });
        const std::size_t all = rows.size();
        if (rows.size() > options_.top) rows.resize(options_.top);
        if (plain) out << "\nBy code, " << rows.size() << " of " << all << '\n';
        Table table("zeros.by-code", {{"redundant"},
                                      {"of its cells", false, "redundant-percent"},
                                      {"zero", false, "zero-percent"},
                                      {"loads"},
                                      {"type", true},
                                      {"code", true},
                                      {"advice", true}});
        for (const auto* row : rows) {
            const ZeroSums& sums = row->second;
            table.add({number(sums.redundant), share(sums.redundant, sums.bytes),
                       share(sums.zero, sums.elements), number(sums.loads), row->first.second,
                       code_label(row->first.first), joined(sums.advice)});
        }
        table.print(out, options_.format);
    }
    if (!zero_objects_.empty()) {
        std::vector<zeros::ObjectCounts> objects = zero_objects_;
        std::stable_sort(objects.begin(), objects.end(),
                         [](const zeros::ObjectCounts& a, const zeros::ObjectCounts& b) {
                             return a.redundant > b.redundant;
                         });
        const std::size_t all = objects.size();
        if (objects.size() > options_.top) objects.resize(options_.top);
        if (plain) out << "\nBy object, " << objects.size() << " of " << all << '\n';
        Table table("zeros.by-object", {{"redundant"},
                                        {"of accessed", false, "redundant-percent"},
                                        {"accessed"},
                                        {"bytes"},
                                        {"object", true},
                                        {"advice", true}});
        for (const zeros::ObjectCounts& each : objects) {
            std::vector<std::string> texts;
            add_texts(texts, each.advice);
            table.add({number(each.redundant), share(each.redundant, each.accessed), number(each.accessed),
                       number(each.size), label(each.object), joined(texts)});
        }
        table.print(out, options_.format);
    }
}

// All tables and nothing between them. Titles are printed to a stream that is discarded.
void TextReport::print_tsv(std::ostream& out) const {
    if (model_) {
        print_groups_tsv(out);
        print_sums(nullptr, by_object_, false, out);
        print_sums(nullptr, by_code_, true, out);
        print_threads(out);
    }
    if (zeros_model_) print_zeros(out);
}

void TextReport::print_groups_tsv(std::ostream& out) const {
    Table table("contention.findings", {{"kind", true},
                                        {"finding", true},
                                        {"removable"},
                                        {"object", true},
                                        {"what", true},
                                        {"figures", true},
                                        {"advice", true}});
    for (const contention::Group& group : groups_) {
        const ObjectId object = group.members.empty() ? ObjectId{} : group.members.front().object;
        table.add({group.kind, group.finding ? "yes" : "no", number(group.removable), label(object),
                   group.what, group.figures, group.advice});
    }
    table.print(out, options_.format);
}

void TextReport::print(const std::string& file, std::ostream& out) const {
    if (options_.format == TableFormat::Tsv) {
        print_tsv(out);
        return;
    }
    print_head(file, out);
    if (model_) print_contention(out);
    if (zeros_model_) print_zeros(out);
    if (!model_ && !zeros_model_)
        out << "\nNothing was measured: the program had one thread, and redundant zeros were not looked "
               "for.\n";
}

}  // namespace memspy::report
