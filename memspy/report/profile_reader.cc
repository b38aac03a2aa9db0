// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace memspy::report {

// Where in the document: one for each element.
enum class ProfileReader::In : u8 {
    Nothing,
    Profile,
    Run,
    Command,
    Options,
    Exe,
    Argument,
    Modules,
    Module,
    Stacks,
    Stack,
    Frame,
    Objects,
    Object,
    Threads,
    Thread,
    Contention,
    Model,
    Quality,
    Total,
    ThreadCounts,
    Row,
    Pair,
    Line,
    Observed,
    Modelled,
    Extent,
    Range,
    Group,
    Member,
    Side,
    What,
    Figures,
    GroupAdvice,
    Zeros,
    ZeroTotal,
    ZeroCounts,
    ZeroRow,
    Redmap,
    ZeroObject,
    ZeroBlocks,
    ZeroRows,
    ZeroColumns,
    Map,
    Advice
};

namespace {

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    return "\"" + std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "…\"" : "\"");
}

u64 number(std::string_view text, int base, u64 largest) {
    u64 value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || value > largest)
        throw BadElement(quoted(text) + " is no number that can stand there");
    return value;
}

// Calls f(word) for each word of a list.
template <typename F>
void for_each_word(std::string_view list, F&& f) {
    constexpr std::string_view kBlank = " \t\r\n";
    for (;;) {
        const std::size_t first = list.find_first_not_of(kBlank);
        if (first == list.npos) return;
        list.remove_prefix(first);
        const std::size_t end = std::min(list.find_first_of(kBlank), list.size());
        f(list.substr(0, end));
        list.remove_prefix(end);
    }
}

constexpr u64 kLargest = std::numeric_limits<u64>::max();

std::vector<u64> numbers(std::string_view list) {
    std::vector<u64> result;
    for_each_word(list, [&](std::string_view word) { result.push_back(number(word, 10, kLargest)); });
    return result;
}

// A list such as `8/7 8/8`.
template <typename P>
std::vector<P> number_pairs(std::string_view list, char between) {
    std::vector<P> result;
    for_each_word(list, [&](std::string_view word) {
        const std::size_t at = std::min(word.find(between), word.size());
        result.push_back(P{number(word.substr(0, at), 10, kLargest),
                           number(at < word.size() ? word.substr(at + 1) : "", 10, kLargest)});
    });
    return result;
}

void assign(u64& value, std::string_view text, StringPool&) { value = number(text, 10, kLargest); }
void assign(Address& value, std::string_view text, StringPool&) {
    if (!text.starts_with("0x")) throw BadElement(quoted(text) + " is no hexadecimal number");
    value.value = number(text.substr(2), 16, kLargest);
}
void assign(bool& value, std::string_view text, StringPool&) {
    if (text != "yes" && text != "no") throw BadElement(quoted(text) + " is neither yes nor no");
    value = text == "yes";
}
void assign(Text& value, std::string_view text, StringPool& strings) { value = strings.intern(text); }
template <Reference T>
void assign(T& value, std::string_view text, StringPool&) {
    value = static_cast<T>(number(text, 10, std::numeric_limits<u32>::max()));
}

}  // namespace

template <typename R>
void ProfileReader::read(R& record, std::string_view name, std::span<const XmlAttribute> attributes) {
    for_each_field<R>([&](const auto& field) {
        if (const std::string_view* value = find_attribute(attributes, field.name)) {
            assign(record.*field.member, *value, strings_);
        } else if (field.required) {
            throw BadElement("<" + std::string(name) + "> without " + std::string(field.name));
        }
    });
}

ProfileReader::In ProfileReader::child(std::string_view name) const {
    struct Rule {
        In parent;
        std::string_view name;
        In child;
    };
    static constexpr Rule kRules[] = {
        {In::Nothing, "memspy-profile", In::Profile},
        {In::Profile, "run", In::Run},
        {In::Run, "command", In::Command},
        {In::Command, "exe", In::Exe},
        {In::Command, "arg", In::Argument},
        {In::Run, "options", In::Options},
        {In::Options, "arg", In::Argument},
        {In::Profile, "modules", In::Modules},
        {In::Modules, "module", In::Module},
        {In::Profile, "stacks", In::Stacks},
        {In::Stacks, "stack", In::Stack},
        {In::Stack, "frame", In::Frame},
        {In::Profile, "objects", In::Objects},
        {In::Objects, "heap", In::Object},
        {In::Objects, "static", In::Object},
        {In::Objects, "frames", In::Object},
        {In::Objects, "unknown", In::Object},
        {In::Profile, "threads", In::Threads},
        {In::Threads, "thread", In::Thread},
        {In::Profile, "contention", In::Contention},
        {In::Contention, "model", In::Model},
        {In::Contention, "quality", In::Quality},
        {In::Contention, "total", In::Total},
        {In::Contention, "thread-counts", In::ThreadCounts},
        {In::Contention, "row", In::Row},
        {In::Contention, "pair", In::Pair},
        {In::Contention, "line", In::Line},
        {In::Total, "observed", In::Observed},
        {In::Total, "modelled", In::Modelled},
        {In::ThreadCounts, "observed", In::Observed},
        {In::ThreadCounts, "modelled", In::Modelled},
        {In::Row, "observed", In::Observed},
        {In::Row, "modelled", In::Modelled},
        {In::Pair, "observed", In::Observed},
        {In::Pair, "modelled", In::Modelled},
        {In::Line, "observed", In::Observed},
        {In::Line, "modelled", In::Modelled},
        {In::Line, "extent", In::Extent},
        {In::Line, "range", In::Range},
        {In::Contention, "group", In::Group},
        {In::Group, "member", In::Member},
        {In::Group, "side", In::Side},
        {In::Group, "what", In::What},
        {In::Group, "figures", In::Figures},
        {In::Group, "advice", In::GroupAdvice},
        {In::Profile, "zeros", In::Zeros},
        {In::Zeros, "total", In::ZeroTotal},
        {In::Zeros, "thread-counts", In::ZeroTotal},
        {In::ZeroTotal, "integer", In::ZeroCounts},
        {In::ZeroTotal, "float", In::ZeroCounts},
        {In::Zeros, "row", In::ZeroRow},
        {In::ZeroRow, "redmap", In::Redmap},
        {In::ZeroRow, "advice", In::Advice},
        {In::Zeros, "object-counts", In::ZeroObject},
        {In::ZeroObject, "zero-blocks", In::ZeroBlocks},
        {In::ZeroObject, "zero-rows", In::ZeroRows},
        {In::ZeroObject, "zero-columns", In::ZeroColumns},
        {In::ZeroObject, "map", In::Map},
        {In::ZeroObject, "advice", In::Advice},
    };
    const In parent = path_.empty() ? In::Nothing : path_.back();
    for (const Rule& rule : kRules)
        if (rule.parent == parent && rule.name == name) return rule.child;
    return In::Nothing;
}

void ProfileReader::views(bool modelled, std::string_view name, std::span<const XmlAttribute> attributes) {
    auto into = [&](auto& views) { read(modelled ? views.modelled : views.observed, name, attributes); };
    switch (path_.back()) {
        case In::Total: into(total_.views); break;
        case In::ThreadCounts: into(thread_counts_.views); break;
        case In::Row: into(row_.views); break;
        case In::Pair: into(pair_.views); break;
        default: into(line_.views); break;
    }
}

void ProfileReader::start(std::string_view name, std::span<const XmlAttribute> attributes) {
    if (skipping_ > 0) {
        ++skipping_;
        return;
    }
    const In in = child(name);
    // What a section says means nothing without the model that it was counted by.
    if (!path_.empty() && path_.back() == In::Contention && in != In::Model && in != In::Nothing &&
        !has_model_)
        throw BadElement("<contention> has <" + std::string(name) + "> where <model> must come first");
    auto fresh = [&](auto& record) {
        record = {};
        read(record, name, attributes);
    };
    auto whole = [&]<typename R>(void (ProfileHandler::*take)(const R&)) {
        R record;
        read(record, name, attributes);
        (handler_.*take)(record);
    };
    switch (in) {
        case In::Nothing:
            if (path_.empty()) throw BadElement("<" + std::string(name) + "> is no profile");
            skipped_.emplace(name);
            skipping_ = 1;
            return;
        case In::Profile: {
            Header header;
            read(header, name, attributes);
            if (header.format != kProfileFormat)
                throw BadElement("format " + std::to_string(header.format) + " is not known here, only " +
                                 std::to_string(kProfileFormat) +
                                 ": read it with the memspy-report of memspy " + std::string(header.version));
            handler_.header(header);
            break;
        }
        case In::Run: fresh(run_); break;
        case In::Module: whole(&ProfileHandler::module); break;
        case In::Stack: fresh(stack_); break;
        case In::Frame: read(stack_.frames.emplace_back(), name, attributes); break;
        case In::Object: {
            Object object;
            object.kind = name == "heap"     ? ObjectKind::Heap
                          : name == "static" ? ObjectKind::Static
                          : name == "frames" ? ObjectKind::Frames
                                             : ObjectKind::Unknown;
            read(object, name, attributes);
            handler_.object(object);
            break;
        }
        case In::Thread: whole(&ProfileHandler::thread); break;
        case In::Model:
            fresh(model_);
            has_model_ = true;
            break;
        case In::Quality: whole(&ProfileHandler::quality); break;
        case In::Total: fresh(total_); break;
        case In::ThreadCounts: fresh(thread_counts_); break;
        case In::Row: fresh(row_); break;
        case In::Pair: fresh(pair_); break;
        case In::Line: fresh(line_); break;
        case In::Observed:
        case In::Modelled: views(in == In::Modelled, name, attributes); break;
        case In::Extent: read(line_.extents.emplace_back(), name, attributes); break;
        case In::Range: read(line_.ranges.emplace_back(), name, attributes); break;
        case In::Group: fresh(group_); break;
        case In::Member: read(group_.members.emplace_back(), name, attributes); break;
        case In::Side: read(group_.sides.emplace_back(), name, attributes); break;
        case In::Zeros: whole(&ProfileHandler::zeros_model); break;
        case In::ZeroTotal: fresh(zero_total_); break;
        case In::ZeroCounts:
            read(name == "float" ? zero_total_.floating : zero_total_.integer, name, attributes);
            break;
        case In::ZeroRow: fresh(zero_row_); break;
        case In::ZeroObject: fresh(zero_object_); break;
        case In::ZeroBlocks: read(zero_object_.zero_blocks.emplace_back(), name, attributes); break;
        case In::ZeroRows: read(zero_object_.rows, name, attributes); break;
        case In::ZeroColumns: read(zero_object_.columns, name, attributes); break;
        case In::Map: read(zero_object_.map, name, attributes); break;
        case In::Advice: fresh(advice_); break;
        case In::What:
        case In::Figures:
        case In::GroupAdvice:
        case In::Redmap:
        case In::Command:
        case In::Options:
        case In::Exe:
        case In::Argument:
        case In::Modules:
        case In::Stacks:
        case In::Objects:
        case In::Threads: break;
        case In::Contention: has_model_ = false; break;
    }
    text_.clear();
    path_.push_back(in);
}

void ProfileReader::end(std::string_view) {
    if (skipping_ > 0) {
        --skipping_;
        return;
    }
    const In in = path_.back();
    path_.pop_back();
    switch (in) {
        case In::Exe: run_.exe = strings_.intern(text_); break;
        case In::Argument:
            (path_.back() == In::Command ? run_.arguments : run_.options).push_back(strings_.intern(text_));
            break;
        case In::Run: handler_.run(run_); break;
        case In::Stack: handler_.stack(stack_); break;
        case In::Model:
            model_.assumptions = strings_.intern(text_);
            handler_.contention_model(model_);
            break;
        case In::Total: handler_.total(total_); break;
        case In::ThreadCounts: handler_.thread_counts(thread_counts_); break;
        case In::Row: handler_.row(row_); break;
        case In::Pair: handler_.pair(pair_); break;
        case In::Line: handler_.line(line_); break;
        case In::What: group_.what = strings_.intern(text_); break;
        case In::Figures: group_.figures = strings_.intern(text_); break;
        case In::GroupAdvice: group_.advice = strings_.intern(text_); break;
        case In::Group: handler_.group(group_); break;
        case In::ZeroTotal: handler_.zero_total(zero_total_); break;
        case In::Redmap: zero_row_.redmap = numbers(text_); break;
        case In::ZeroRow: handler_.zero_row(zero_row_); break;
        case In::ZeroColumns: zero_object_.columns.ranges = number_pairs<ByteRange>(text_, '-'); break;
        case In::Map: zero_object_.map.cells = number_pairs<MapCell>(text_, '/'); break;
        case In::ZeroObject: handler_.zero_object(zero_object_); break;
        case In::Advice:
            advice_.text = strings_.intern(text_);
            (path_.back() == In::ZeroRow ? zero_row_.advice : zero_object_.advice).push_back(advice_);
            break;
        default: break;
    }
    text_.clear();
}

}  // namespace memspy::report
