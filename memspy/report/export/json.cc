// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/json.h"

#include <algorithm>

#include "report/error_facts.h"
#include "report/flat_record.h"
#include "report/section.h"
#include "report/suppression.h"
#include "report/xml_stream.h"

namespace memspy::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(u64 value) { return value; }
Json json_of(bool value) { return value; }
Json json_of(Text value) { return value; }
Json json_of(Address value) { return hexadecimal(value); }
template <Reference T>
Json json_of(T value) {
    return static_cast<u32>(value);
}

Json json_of(const std::vector<Text>& texts) {
    Json list = Json::array();
    for (const Text each : texts) list.push_back(each);
    return list;
}

template <typename R>
void add_fields(Json& to, const R& record) {
    for_each_field<R>([&](const auto& field) {
        const auto& value = record.*field.member;
        if (field.required || value != field.absent) to[std::string(field.name)] = json_of(value);
    });
}

template <typename R>
Json object_of(const R& record) {
    Json object = Json::object();
    add_fields(object, record);
    return object;
}

// Behind "fn": the function's name as its author knows it, where that is another one.
void add_bare_function(Json& frame, Text function) {
    if (const std::string bare = bare_function(function); bare != function) frame["name"] = bare;
}

Json json_of(const Value& value) {
    switch (value.kind) {
        case Value::Kind::Real: return value.real;
        case Value::Kind::YesNo: return value.number != 0;
        case Value::Kind::Hexadecimal: return hexadecimal(Address{value.number});
        case Value::Kind::String: return value.text;
        default: return value.number;
    }
}

// A record of a section.
class Build : public RecordVisitor {
public:
    explicit Build(Json& into) { open_.push_back({&into, false}); }

    void value(std::string_view name, Role, const Value& value, bool present) override {
        if (present) add(name, json_of(value));
    }
    void begin_part(std::string_view element, JsonForm form, bool present) override {
        // Parts that are left out are built and then dropped.
        open_.push_back(
            {present ? &(*open_.back().into)[std::string(element)] : &left_out_, form == JsonForm::Bare});
        *open_.back().into = Json::object();
    }
    void end_part() override { open_.pop_back(); }
    void begin_list(std::string_view json) override {
        Json& list = (*open_.back().into)[std::string(json)] = Json::array();
        open_.push_back({&list, false});
    }
    void begin_item(std::string_view, JsonForm form) override {
        open_.push_back({&open_.back().into->emplace_back(Json::object()), form == JsonForm::Bare});
    }
    void end_item() override { open_.pop_back(); }
    void end_list() override { open_.pop_back(); }
    void words(std::string_view element, Text text) override {
        if (!text.empty()) add(element, text);
    }
    void text(std::string_view json, Text text) override { add(json, text); }
    void numbers(std::string_view json, std::span<const u64> numbers) override {
        add(json, Json(std::vector<u64>(numbers.begin(), numbers.end())));
    }
    void pairs(std::string_view json, char, std::span<const NumberPair> pairs) override {
        Json list = Json::array();
        for (const NumberPair& each : pairs) list.push_back({each.first, each.second});
        add(json, std::move(list));
    }

private:
    struct Open {
        Json* into;
        bool bare;
    };
    void add(std::string_view name, Json value) {
        const Open& open = open_.back();
        if (open.bare) {
            *open.into = std::move(value);
        } else {
            (*open.into)[std::string(name)] = std::move(value);
        }
    }

    std::vector<Open> open_;
    Json left_out_;
};

void add_source(Json& to, const names::SourceLine& source) {
    if (source.file.empty()) return;
    to["dir"] = source.dir;
    to["file"] = source.file;
    to["line"] = source.line;
}

std::string_view word(const FlatValue& field) {
    switch (field.value.kind) {
        case Value::Kind::Number: return field.role == Role::Count ? "count" : "number";
        case Value::Kind::Real: return "real";
        case Value::Kind::YesNo: return "flag";
        case Value::Kind::Hexadecimal: return "address";
        case Value::Kind::String: return "text";
        case Value::Kind::Module: return "module";
        case Value::Kind::Stack: return "stack";
        case Value::Kind::Object: return "object";
        case Value::Kind::Thread: return "thread";
    }
    return "text";
}

class FieldsOf : public Flatten {
public:
    std::vector<std::string> pair_lists, number_lists;

    void numbers(std::string_view json, std::span<const u64>) override {
        if (in_record()) number_lists.push_back(path(json));
    }
    void pairs(std::string_view json, char, std::span<const NumberPair>) override {
        if (in_record()) pair_lists.push_back(path(json));
    }
};

// The kinds of the values in each section's lists, for readers that have no code for the section.
Json fields_of_sections() {
    Json sections = Json::object();
    for (const Section* section : all_sections()) {
        Json& lists = sections[std::string(section->name)] = Json::object();
        for (const RecordType& type : section->records) {
            if (type.multiplicity != Multiplicity::Many) continue;
            FieldsOf flat;
            type.visit(type.make().get(), flat);
            Json& fields = lists[std::string(type.json)] = Json::object();
            // A record made by default has exactly the values that are left out.
            for (const FlatValue& field : flat.values) {
                const Json kind = word(field), absent = json_of(field.value);
                const bool nothing = absent == Json(0) || absent == Json(false) || absent == Json("") ||
                                     field.value.kind == Value::Kind::Hexadecimal;
                fields[field.name] = nothing ? kind : Json::array({kind, absent});
            }
            for (const std::string& name : flat.pair_lists) fields[name] = "pairs";
            for (const std::string& name : flat.number_lists) fields[name] = "numbers";
        }
        if (section->conclusion == nullptr) continue;
        for (const ConclusionList& list : section->conclusion->lists)
            for (const ConclusionField& field : list.fields)
                lists[std::string(list.json)][std::string(field.name)] = field.kind;
    }
    return sections;
}

Json stack_of(const std::vector<ErrorFrame>& stack) {
    Json list = Json::array();
    for (const ErrorFrame& frame : stack) {
        Json& object = list.emplace_back(Json::object());
        auto say = [&](const char* name, Text value) {
            if (!value.empty()) object[name] = value;
        };
        say("ip", frame.ip);
        say("object", frame.object);
        say("fn", frame.fn);
        add_bare_function(object, frame.fn);
        say("dir", frame.dir);
        say("file", frame.file);
        if (frame.line != 0) object["line"] = frame.line;
    }
    return list;
}

// The place of the stack's first frame of the program's own code.
std::size_t own_place(const std::vector<ErrorFrame>& stack) {
    const ErrorFrame* const own = own_frame(stack);
    return own == nullptr ? 0 : static_cast<std::size_t>(own - stack.data());
}

Json error_of(const Error& error, u64 count) {
    Json object{{"unique", error.unique}, {"kind", error.kind}, {"what", error.what}, {"count", count}};
    object["thread"] = error.thread;
    if (!error.thread_name.empty()) object["thread-name"] = error.thread_name;
    if (error.leaked_blocks != 0) {
        object["leaked-bytes"] = error.leaked_bytes;
        object["leaked-blocks"] = error.leaked_blocks;
    }
    object["stack"] = stack_of(error.parts.front().stack);
    if (const std::size_t own = own_place(error.parts.front().stack); own != 0) object["own"] = own;
    Json details = Json::array();
    for (std::size_t i = 1; i < error.parts.size(); ++i) {
        Json& detail = details.emplace_back(
            Json{{"text", error.parts[i].text}, {"stack", stack_of(error.parts[i].stack)}});
        if (const std::size_t own = own_place(error.parts[i].stack); own != 0) detail["own"] = own;
    }
    object["details"] = std::move(details);
    if (const std::string body = suppression_of(error, kSuppressedFrames); !body.empty())
        object["suppression"] = whole_suppression("memspy-report", error, body);
    return object;
}

Json error_file_of(const ErrorFile& file) {
    Json object{{"file", file.path},
                {"tool", file.run.tool},
                {"pid", file.run.pid},
                {"ppid", file.run.ppid},
                {"exe", file.run.exe},
                {"arguments", json_of(file.run.arguments)},
                {"options", json_of(file.run.options)},
                {"finished", file.finished}};
    Json list = Json::array();
    for (std::size_t i = 0; i < file.errors.size(); ++i)
        list.push_back(error_of(file.errors[i], file.counts[i]));
    object["errors"] = std::move(list);
    Json signals = Json::array();
    for (const FatalSignal& signal : file.signals) {
        signals.push_back({{"thread", signal.thread},
                           {"name", signal.name},
                           {"address", signal.address},
                           {"stack", stack_of(signal.stack)}});
    }
    object["signals"] = std::move(signals);
    Json suppressed = Json::array();
    for (const ErrorFile::Suppressed& each : file.suppressed)
        suppressed.push_back({{"name", each.name}, {"count", each.count}});
    object["suppressed"] = std::move(suppressed);
    return object;
}

}  // namespace

JsonExport::JsonExport(std::ostream& out, SourceNames* names) : out_(out), names_(names) {
    parts_.emplace_back().lists = {"runs", "modules", "stacks", "objects", "threads"};
    for (const Section* section : all_sections()) {
        DocumentPart& part = parts_.emplace_back();
        part.name = section->name;
        for (const RecordType& type : section->records)
            if (type.multiplicity == Multiplicity::Many) part.lists.push_back(type.json);
        if (section->conclusion == nullptr) continue;
        part.conclusion = section->conclusion;
        part.concluded = section->conclusion->make();
        for (const ConclusionList& list : section->conclusion->lists) part.lists.push_back(list.json);
    }
    out_ << "{\"generator\": \"memspy-report " MEMSPY_VERSION "\"";
}

// Names of files may be invalid UTF-8; all other text is valid, because the XML parser accepted it.
void JsonExport::put(const Json& value) {
    out_ << value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Written text cannot be changed, and the format has one order. All checks come before the first character,
// so that the output stays valid JSON if an element is refused.
void JsonExport::enter(std::size_t part) {
    if (open_ == part) return;
    if (!has_profile_ || parts_[part].begun || (open_ != kNone && part < open_))
        throw BadElement("elements are not in the order of the format");
    leave();
    for (std::size_t i = 0; i < part; ++i) say_missing(parts_[i]);
    open_ = part;
    parts_[part].begun = true;
    if (!parts_[part].name.empty()) out_ << ",\n\"" << parts_[part].name << "\": {";
}

void JsonExport::conclude(const DocumentPart& part) {
    for (std::size_t number = 0; number < part.conclusion->lists.size(); ++number) {
        const ConclusionList& list = part.conclusion->lists[number];
        for (const ConclusionRow& row : part.concluded->rows(number, *this, names_)) {
            Json object = Json::object();
            for (std::size_t i = 0; i < row.size(); ++i)
                std::visit([&](const auto& value) { object[std::string(list.fields[i].name)] = value; },
                           row[i]);
            element(open_, list.json, object);
        }
    }
}

void JsonExport::leave() {
    if (open_ == kNone) return;
    DocumentPart& part = parts_[open_];
    if (part.concluded != nullptr) conclude(part);
    if (part.next > 0) out_ << "]";
    while (part.next < part.lists.size()) {
        begin_list(part);
        out_ << "]";
    }
    if (!part.name.empty()) out_ << "}";
    open_ = kNone;
}

void JsonExport::say_missing(DocumentPart& part) {
    if (!part.begun) out_ << ",\n\"" << part.name << "\": null";
    part.begun = true;
}

void JsonExport::begin_member(std::string_view name) {
    DocumentPart& part = parts_[open_];
    const bool first = part.empty && !part.name.empty();
    part.empty = false;
    out_ << (first ? "\n\"" : ",\n\"") << name << "\": ";
}

void JsonExport::begin_list(DocumentPart& part) {
    begin_member(part.lists[part.next++]);
    out_ << "[";
}

void JsonExport::member(std::size_t part, std::string_view name, const Json& value) {
    enter(part);
    if (parts_[part].next > 0) throw BadElement("elements are not in the order of the format");
    begin_member(name);
    put(value);
}

// Lists that are skipped are empty.
void JsonExport::element(std::size_t number, std::string_view list, const Json& value) {
    enter(number);
    DocumentPart& part = parts_[number];
    if (part.next > 0 && part.lists[part.next - 1] == list) {
        out_ << ",\n";
    } else {
        const auto rest = part.lists.begin() + static_cast<std::ptrdiff_t>(part.next);
        if (std::find(rest, part.lists.end(), list) == part.lists.end())
            throw BadElement("elements are not in the order of the format");
        bool arrived = false;
        while (!arrived) {
            if (part.next > 0) out_ << "]";
            arrived = part.lists[part.next] == list;
            begin_list(part);
        }
        out_ << "\n";
    }
    put(value);
}

void JsonExport::header(const Header& record) {
    if (has_profile_) throw BadElement("a second profile in one file");
    has_profile_ = true;
    std::string text = object_of(record).dump();
    text.pop_back();  // removes the brace: the sections are members of the same object
    out_ << ",\n\"profile\": " << text;
    out_ << ",\n\"fields\": ";
    put(fields_of_sections());
    enter(0);
}

void JsonExport::run(const Run& record) {
    Json object = object_of(record);
    object["exe"] = record.command.exe;
    object["arguments"] = json_of(texts_of(record.command.arguments));
    object["options"] = json_of(texts_of(record.options.arguments));
    element(0, "runs", object);
}

void JsonExport::module(const Module& record) {
    Catalog::module(record);
    Json object = object_of(record);
    if (names_ != nullptr) object["status"] = names_->status(record.id);
    element(0, "modules", object);
}

void JsonExport::stack(const Stack& record) {
    Catalog::stack(record);
    Json object = object_of(record);
    const std::span<const FrameIndex> frames = frames_of(record.id);
    const auto own = std::find(frames.begin(), frames.end(), own_frame(record.id)) - frames.begin();
    if (own != 0) object["own"] = own;
    if (std::none_of(frames.begin(), frames.end(), [&](FrameIndex i) { return is_own(frame(i)); }))
        object["foreign"] = true;
    Json& list = object["frames"] = Json::array();
    const std::vector<std::size_t> shown = program_frames(record.id);
    for (std::size_t i = 0; i < record.frames.size(); ++i) {
        Json& each = list.emplace_back(object_of(record.frames[i]));
        add_bare_function(each, record.frames[i].fn);
        if (!std::binary_search(shown.begin(), shown.end(), i)) each["foreign"] = true;
    }
    element(0, "stacks", object);
}

void JsonExport::object(const Object& record) {
    Catalog::object(record);
    Json object{{"kind", Object::kKinds[static_cast<u8>(record.kind)]}};
    add_fields(object, record);
    object["label"] = label(record);
    if (const Text from = names_ != nullptr ? names_->type_from(record) : Text(); !from.empty())
        object["type-from"] = from;
    if (names_ != nullptr && record.kind != ObjectKind::Unknown) {
        named_objects_.emplace(static_cast<u32>(record.id), record);
        if (const auto variable = names_->variable(record)) {
            object["variable"] = variable->name;
            object["type"] = variable->type;
            add_source(object, variable->declared);
        }
    }
    element(0, "objects", object);
}

void JsonExport::thread(const Thread& record) { element(0, "threads", object_of(record)); }

// Adds the fields to each item of a list that stands for bytes of an object.
void JsonExport::add_fields_of_bytes(Json& record) {
    if (names_ == nullptr) return;
    for (Json& list : record) {
        if (!list.is_array() || list.empty() || !list.front().is_object() ||
            !list.front().contains("object") || !list.front().contains("offset"))
            continue;
        for (Json& item : list) {
            const auto known = named_objects_.find(item["object"]);
            if (known == named_objects_.end()) continue;
            const u64 offset = item["offset"], first = item["first"];
            Json fields = Json::array();
            for (const names::MemberPath& field : names_->fields(known->second, offset, item["bytes"])) {
                Json& each = fields.emplace_back(Json{{"first", first + (field.address - offset)},
                                                      {"bytes", field.size},
                                                      {"name", field.path},
                                                      {"type", field.type}});
                if (field.bits != 0) {
                    each["bit"] = field.bit;
                    each["bits"] = field.bits;
                }
                add_source(each, field.declared);
            }
            if (!fields.empty()) item["fields"] = std::move(fields);
        }
    }
}

void JsonExport::record(const AnyRecord& record) {
    const auto sections = all_sections();
    const std::size_t part = static_cast<std::size_t>(
        std::find(sections.begin(), sections.end(), &record.section) - sections.begin() + 1);
    Json object = Json::object();
    Build build(object);
    record.visit(build);
    if (record.section.is_for_user != nullptr && !record.section.is_for_user(record, *this)) {
        // The record is advice itself, or has some.
        if (!object.contains("advice")) return;
        object["advice"] = Json::array();
    }
    if (parts_[part].concluded != nullptr) parts_[part].concluded->record(record);
    switch (record.type.multiplicity) {
        case Multiplicity::Own:
            for (const auto& [name, value] : object.items()) member(part, name, value);
            break;
        case Multiplicity::One: member(part, record.type.json, object); break;
        case Multiplicity::Many:
            add_fields_of_bytes(object);
            element(part, record.type.json, object);
            break;
    }
}

void JsonExport::finish(const std::vector<ErrorFile>& errors, const std::vector<std::string>& problems) {
    if (has_profile_) {
        leave();
        for (DocumentPart& part : parts_) say_missing(part);
        out_ << "}";
    } else {
        out_ << ",\n\"profile\": null";
    }
    Json list = Json::array();
    for (const ErrorFile& file : errors) list.push_back(error_file_of(file));
    out_ << ",\n\"errors\": ";
    put(list);
    out_ << ",\n\"incomplete\": ";
    put(names_ == nullptr ? Json::array() : Json(names_->incomplete()));
    out_ << ",\n\"problems\": ";
    put(problems);
    out_ << "}\n";
}

}  // namespace memspy::report
