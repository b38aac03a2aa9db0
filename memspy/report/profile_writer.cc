// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile_writer.h"

#include <charconv>
#include <string>

#include "fields/common.h"
#include "report/record_ops.h"

namespace memspy::report {
namespace {

namespace common = fields::common;

// Without an exponent: "0.00001".
std::string shortest(double value) {
    char text[400];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed).ptr};
}

// Texts come from a StringPool or are literals, so they are zero-terminated; an empty one may have no data.
const char* text_of(Text text) { return text.empty() ? "" : text.data(); }

// Writes a record. Names of elements and attributes are literals.
class Write : public RecordVisitor {
public:
    explicit Write(profile::XmlWriter& xml) : xml_(xml) {}

    void value(std::string_view name, Role, const Value& value, bool present) override {
        if (!present || passing_ > 0) return;
        const char* const attribute = name.data();
        switch (value.kind) {
            case Value::Kind::Real: xml_.attribute(attribute, shortest(value.real).c_str()); break;
            case Value::Kind::YesNo: xml_.yes_or_no(attribute, value.number != 0); break;
            case Value::Kind::Hexadecimal: xml_.hexadecimal(attribute, value.number); break;
            case Value::Kind::String: xml_.attribute(attribute, text_of(value.text)); break;
            default: xml_.attribute(attribute, value.number); break;
        }
    }
    void begin_part(std::string_view element, JsonForm, bool present) override {
        if (passing_ > 0 || !present) {
            ++passing_;
        } else {
            xml_.open(element.data());
        }
    }
    void end_part() override {
        if (passing_ > 0) {
            --passing_;
        } else {
            xml_.close();
        }
    }
    void begin_list(std::string_view) override {}
    void begin_item(std::string_view element, JsonForm form) override { begin_part(element, form, true); }
    void end_item() override { end_part(); }
    void end_list() override {}
    void words(std::string_view element, Text text) override {
        if (text.empty() || passing_ > 0) return;
        xml_.open(element.data());
        xml_.text(text.data());
        xml_.close();
    }
    void text(std::string_view, Text text) override { content(std::string(text)); }
    void numbers(std::string_view, std::span<const u64> numbers) override {
        std::string words;
        for (const u64 each : numbers) words += (words.empty() ? "" : " ") + std::to_string(each);
        content(words);
    }
    void pairs(std::string_view, char between, std::span<const NumberPair> pairs) override {
        std::string words;
        for (const NumberPair& each : pairs) {
            words += (words.empty() ? "" : " ") + std::to_string(each.first);
            words += between;
            words += std::to_string(each.second);
        }
        content(words);
    }

private:
    void content(const std::string& text) {
        if (passing_ == 0) xml_.text(text.c_str());
    }

    profile::XmlWriter& xml_;
    int passing_ = 0;  // depth inside a part that is left out
};

}  // namespace

ProfileWriter::ProfileWriter(std::ostream& out) : xml_(out) {}

void ProfileWriter::enter(Container container) {
    while (at_ != container) {
        if (open_) xml_.close();
        at_ = static_cast<Container>(static_cast<u8>(at_) + 1);
        static constexpr const char* kNames[] = {"", common::kModules, common::kStacks, common::kObjects,
                                                 common::kThreads};
        open_ = at_ <= Container::Threads;
        if (open_) xml_.open(kNames[static_cast<u8>(at_)]);
    }
}

template <typename R>
void ProfileWriter::element(const char* name, const R& record) {
    xml_.open(name);
    Write write(xml_);
    visit_record(record, write);
    xml_.close();
}

void ProfileWriter::header(const Header& record) {
    xml_.open(common::kHeader);
    Write write(xml_);
    visit_record(record, write);
}

void ProfileWriter::run(const Run& record) { element(common::kRun, record); }

void ProfileWriter::module(const Module& record) {
    enter(Container::Modules);
    element(common::kModule, record);
}

void ProfileWriter::stack(const Stack& record) {
    enter(Container::Stacks);
    xml_.open(common::kStack);
    Write write(xml_);
    Stack bare = record;
    bare.frames.clear();
    visit_record(bare, write);
    std::vector<std::pair<u64, const Frame*>> held;
    std::string numbers;
    for (const Frame& frame : record.frames) {
        const auto [known, is_new] = frame_numbers_.try_emplace(frame, frame_numbers_.size() + 1);
        if (is_new) held.emplace_back(known->second, &frame);
        numbers += (numbers.empty() ? "" : " ") + std::to_string(known->second);
    }
    xml_.attribute(common::Stack::numbers, numbers.c_str());
    for (const auto& [number, frame] : held) {
        xml_.open(common::Stack::frames);
        xml_.attribute(common::Frame::number, number);
        visit_record(*frame, write);
        xml_.close();
    }
    xml_.close();
}

void ProfileWriter::object(const Object& record) {
    enter(Container::Objects);
    element(Object::kKinds[static_cast<u8>(record.kind)], record);
}

void ProfileWriter::thread(const Thread& record) {
    enter(Container::Threads);
    element(common::kThread, record);
}

void ProfileWriter::leave_section() {
    if (section_ != nullptr) xml_.close();
    section_ = nullptr;
}

void ProfileWriter::record(const AnyRecord& record) {
    enter(Container::Sections);
    if (section_ != &record.section) {
        leave_section();
        section_ = &record.section;
        xml_.open(section_->name.data());
    }
    Write write(xml_);
    const bool own = record.type.multiplicity == Multiplicity::Own;
    if (!own) xml_.open(record.type.element.data());
    record.visit(write);
    if (!own) xml_.close();
}

void ProfileWriter::finish() {
    enter(Container::Sections);
    leave_section();
    xml_.close();
    xml_.finish();
}

}  // namespace memspy::report
