// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile_writer.h"

#include <string>

namespace memspy::report {
namespace {

// Texts are of a StringPool or literals, and end with a zero byte; an empty one may be nowhere.
const char* text_of(Text text) { return text.empty() ? "" : text.data(); }

void put(findings::XmlWriter& xml, const char* name, u64 value) { xml.attribute(name, value); }
void put(findings::XmlWriter& xml, const char* name, bool value) { xml.yes_or_no(name, value); }
void put(findings::XmlWriter& xml, const char* name, Address value) { xml.hexadecimal(name, value.value); }
void put(findings::XmlWriter& xml, const char* name, Text value) { xml.attribute(name, text_of(value)); }
template <Reference T>
void put(findings::XmlWriter& xml, const char* name, T value) {
    xml.attribute(name, static_cast<u64>(value));
}

// A list's words, with blanks between.
template <typename R, typename F>
std::string words(const std::vector<R>& list, F&& word) {
    std::string text;
    for (const R& each : list) {
        if (!text.empty()) text += ' ';
        text += word(each);
    }
    return text;
}

}  // namespace

ProfileWriter::ProfileWriter(std::ostream& out) : xml_(out) {}

void ProfileWriter::enter(Container container) {
    while (at_ != container) {
        if (open_) xml_.close();
        at_ = static_cast<Container>(static_cast<u8>(at_) + 1);
        static constexpr const char* kNames[] = {"", "modules", "stacks", "objects", "threads"};
        open_ = at_ <= Container::Threads;
        if (open_) xml_.open(kNames[static_cast<u8>(at_)]);
    }
}

template <typename R>
void ProfileWriter::attributes(const R& record) {
    for_each_field<R>([&](const auto& field) {
        const auto& value = record.*field.member;
        if (field.required || value != field.absent) put(xml_, field.name.data(), value);
    });
}

template <typename R>
void ProfileWriter::element(const char* name, const R& record) {
    xml_.open(name);
    attributes(record);
    xml_.close();
}

template <typename C>
void ProfileWriter::views(const Views<C>& views) {
    if (views.observed != C{}) element("observed", views.observed);
    if (views.modelled != C{}) element("modelled", views.modelled);
}

template <typename R>
void ProfileWriter::with_views(const char* name, const R& record) {
    enter(Container::Contention);
    xml_.open(name);
    attributes(record);
    views(record.views);
    xml_.close();
}

void ProfileWriter::header(const Header& record) {
    xml_.open("memspy-profile");
    attributes(record);
}

void ProfileWriter::run(const Run& record) {
    xml_.open("run");
    attributes(record);
    xml_.open("command");
    if (!record.exe.empty()) xml_.text_element("exe", std::string(record.exe));
    for (const Text each : record.arguments) xml_.text_element("arg", std::string(each));
    xml_.close();
    xml_.open("options");
    for (const Text each : record.options) xml_.text_element("arg", std::string(each));
    xml_.close();
    xml_.close();
}

void ProfileWriter::module(const Module& record) {
    enter(Container::Modules);
    element("module", record);
}

void ProfileWriter::stack(const Stack& record) {
    enter(Container::Stacks);
    xml_.open("stack");
    attributes(record);
    for (const Frame& frame : record.frames) element("frame", frame);
    xml_.close();
}

void ProfileWriter::object(const Object& record) {
    enter(Container::Objects);
    static constexpr const char* kNames[] = {"heap", "static", "frames", "unknown"};
    element(kNames[static_cast<u8>(record.kind)], record);
}

void ProfileWriter::thread(const Thread& record) {
    enter(Container::Threads);
    element("thread", record);
}

void ProfileWriter::contention_model(const ContentionModel& record) {
    enter(Container::Contention);
    xml_.open("contention");
    open_ = true;
    xml_.open("model");
    attributes(record);
    xml_.text(text_of(record.assumptions));
    xml_.close();
}

void ProfileWriter::quality(const Quality& record) { element("quality", record); }
void ProfileWriter::total(const Total& record) { with_views("total", record); }
void ProfileWriter::thread_counts(const ThreadCounts& record) { with_views("thread-counts", record); }
void ProfileWriter::row(const Row& record) { with_views("row", record); }
void ProfileWriter::pair(const Pair& record) { with_views("pair", record); }

void ProfileWriter::line(const Line& record) {
    xml_.open("line");
    attributes(record);
    views(record.views);
    for (const Extent& extent : record.extents) element("extent", extent);
    for (const Range& range : record.ranges) element("range", range);
    xml_.close();
}

void ProfileWriter::group(const Group& record) {
    xml_.open("group");
    attributes(record);
    for (const Member& member : record.members) element("member", member);
    for (const Side& side : record.sides) element("side", side);
    auto say = [&](const char* name, Text text) {
        if (!text.empty()) xml_.text_element(name, std::string(text));
    };
    say("what", record.what);
    say("figures", record.figures);
    say("advice", record.advice);
    xml_.close();
}

void ProfileWriter::zeros_model(const ZerosModel& record) {
    enter(Container::Zeros);
    xml_.open("zeros");
    open_ = true;
    attributes(record);
}

void ProfileWriter::zero_total(const ZeroTotal& record) {
    xml_.open(record.thread == ThreadId{} ? "total" : "thread-counts");
    attributes(record);
    element("integer", record.integer);
    element("float", record.floating);
    xml_.close();
}

void ProfileWriter::advice(const std::vector<Advice>& list) {
    for (const Advice& each : list) {
        xml_.open("advice");
        attributes(each);
        xml_.text(text_of(each.text));
        xml_.close();
    }
}

void ProfileWriter::zero_row(const ZeroRow& record) {
    xml_.open("row");
    attributes(record);
    xml_.open("redmap");
    xml_.text(words(record.redmap, [](u64 count) { return std::to_string(count); }).c_str());
    xml_.close();
    advice(record.advice);
    xml_.close();
}

void ProfileWriter::zero_object(const ZeroObject& record) {
    xml_.open("object-counts");
    attributes(record);
    for (const ZeroBlocks& blocks : record.zero_blocks) element("zero-blocks", blocks);
    if (record.rows.stride != 0) element("zero-rows", record.rows);
    if (record.columns.stride != 0) {
        xml_.open("zero-columns");
        attributes(record.columns);
        auto word = [](const ByteRange& range) {
            return std::to_string(range.first) + "-" + std::to_string(range.last);
        };
        xml_.text(words(record.columns.ranges, word).c_str());
        xml_.close();
    }
    xml_.open("map");
    attributes(record.map);
    auto word = [](const MapCell& cell) {
        return std::to_string(cell.accessed) + "/" + std::to_string(cell.redundant);
    };
    xml_.text(words(record.map.cells, word).c_str());
    xml_.close();
    advice(record.advice);
    xml_.close();
}

void ProfileWriter::finish() {
    enter(Container::Zeros);
    if (open_) xml_.close();
    xml_.close();
    xml_.finish();
}

}  // namespace memspy::report
