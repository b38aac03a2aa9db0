// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/json.h"

#include <algorithm>

#include "report/catalog.h"
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

template <typename R>
Json with_views(const R& record) {
    Json object = object_of(record);
    using Counted = std::remove_cvref_t<decltype(record.views.observed)>;
    if (record.views.observed != Counted{}) object["observed"] = object_of(record.views.observed);
    if (record.views.modelled != Counted{}) object["modelled"] = object_of(record.views.modelled);
    return object;
}

template <typename R>
Json list_of(const std::vector<R>& records) {
    Json list = Json::array();
    for (const R& record : records) list.push_back(object_of(record));
    return list;
}

Json advice_of(const std::vector<Advice>& advice) {
    Json list = Json::array();
    for (const Advice& each : advice) {
        Json& object = list.emplace_back(object_of(each));
        object["text"] = each.text;
    }
    return list;
}

std::string_view word(ObjectKind kind) {
    switch (kind) {
        case ObjectKind::Heap: return "heap";
        case ObjectKind::Static: return "static";
        case ObjectKind::Frames: return "frames";
        case ObjectKind::Unknown: return "unknown";
    }
    return "unknown";
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
        say("dir", frame.dir);
        say("file", frame.file);
        if (frame.line != 0) object["line"] = frame.line;
    }
    return list;
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
    Json details = Json::array();
    for (std::size_t i = 1; i < error.parts.size(); ++i)
        details.push_back({{"text", error.parts[i].text}, {"stack", stack_of(error.parts[i].stack)}});
    object["details"] = std::move(details);
    if (!error.suppression.empty()) object["suppression"] = error.suppression;
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

JsonExport::JsonExport(std::ostream& out, SourceNames* names)
    : out_(out),
      names_(names),
      profile_{.name = "", .lists = {"runs", "modules", "stacks", "objects", "threads"}},
      contention_{.name = "contention", .lists = {"thread-counts", "rows", "pairs", "lines", "groups"}},
      zeros_{.name = "zeros", .lists = {"thread-counts", "rows", "objects"}} {
    out_ << "{\"generator\": \"memspy-report " MEMSPY_VERSION "\"";
}

// Names of files may be no text; all else is, since the XML parser let it pass.
void JsonExport::put(const Json& value) {
    out_ << value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What is written cannot be gone back to, and the format has one order. All checks come before the first
// character, so that what was written stays JSON when an element is refused.
void JsonExport::enter(Section& section) {
    if (open_ == &section) return;
    if (!has_profile_ || section.begun) throw BadElement("elements are not in the order of the format");
    leave();
    if (&section == &zeros_) say_missing(contention_);
    open_ = &section;
    section.begun = true;
    if (section.name.empty()) return;
    out_ << ",\n\"" << section.name << "\": {";
}

void JsonExport::leave() {
    if (open_ == nullptr) return;
    Section& section = *open_;
    if (section.next > 0) out_ << "]";
    while (section.next < section.lists.size()) {
        begin_list(section);
        out_ << "]";
    }
    if (!section.name.empty()) out_ << "}";
    section.ended = true;
    open_ = nullptr;
}

void JsonExport::say_missing(Section& section) {
    if (!section.begun) out_ << ",\n\"" << section.name << "\": null";
    section.begun = true;
}

void JsonExport::begin_member(std::string_view name) {
    const bool first = open_->empty && !open_->name.empty();
    open_->empty = false;
    out_ << (first ? "\n\"" : ",\n\"") << name << "\": ";
}

void JsonExport::begin_list(Section& section) {
    begin_member(section.lists[section.next++]);
    out_ << "[";
}

void JsonExport::member(Section& section, std::string_view name, const Json& value) {
    enter(section);
    if (section.next > 0) throw BadElement("elements are not in the order of the format");
    begin_member(name);
    put(value);
}

// Lists that are passed over are empty.
void JsonExport::element(Section& section, std::string_view list, const Json& value) {
    enter(section);
    if (section.next > 0 && section.lists[section.next - 1] == list) {
        out_ << ",\n";
    } else {
        const auto rest = section.lists.begin() + static_cast<std::ptrdiff_t>(section.next);
        if (std::find(rest, section.lists.end(), list) == section.lists.end())
            throw BadElement("elements are not in the order of the format");
        bool arrived = false;
        while (!arrived) {
            if (section.next > 0) out_ << "]";
            arrived = section.lists[section.next] == list;
            begin_list(section);
        }
        out_ << "\n";
    }
    put(value);
}

void JsonExport::header(const Header& record) {
    if (has_profile_) throw BadElement("a second profile in one file");
    has_profile_ = true;
    std::string text = object_of(record).dump();
    text.pop_back();  // the brace: the sections are members of the same object
    out_ << ",\n\"profile\": " << text;
    enter(profile_);
}

void JsonExport::run(const Run& record) {
    Json object = object_of(record);
    object["exe"] = record.exe;
    object["arguments"] = json_of(record.arguments);
    object["options"] = json_of(record.options);
    element(profile_, "runs", object);
}

void JsonExport::module(const Module& record) {
    Json object = object_of(record);
    if (names_ != nullptr) object["status"] = names_->status(record.id);
    element(profile_, "modules", object);
}

void JsonExport::stack(const Stack& record) {
    Json object = object_of(record);
    object["frames"] = list_of(record.frames);
    element(profile_, "stacks", object);
}

void JsonExport::object(const Object& record) {
    Json object{{"kind", word(record.kind)}};
    add_fields(object, record);
    if (record.kind == ObjectKind::Static && names_ != nullptr) {
        static_objects_.emplace(static_cast<u32>(record.id), record);
        if (const auto variable = names_->variable(record)) {
            object["variable"] = variable->name;
            object["type"] = variable->type;
            if (!variable->declared.file.empty()) {
                object["dir"] = variable->declared.dir;
                object["file"] = variable->declared.file;
                object["line"] = variable->declared.line;
            }
        }
    }
    element(profile_, "objects", object);
}

void JsonExport::thread(const Thread& record) { element(profile_, "threads", object_of(record)); }

void JsonExport::contention_model(const ContentionModel& record) {
    Json object = object_of(record);
    object["assumptions"] = record.assumptions;
    member(contention_, "model", object);
}

void JsonExport::quality(const Quality& record) { member(contention_, "quality", object_of(record)); }
void JsonExport::total(const Total& record) { member(contention_, "total", with_views(record)); }

void JsonExport::thread_counts(const ThreadCounts& record) {
    element(contention_, "thread-counts", with_views(record));
}

void JsonExport::row(const Row& record) { element(contention_, "rows", with_views(record)); }
void JsonExport::pair(const Pair& record) { element(contention_, "pairs", with_views(record)); }

JsonExport::Json JsonExport::fields_of(const Extent& extent) {
    Json list = Json::array();
    const auto object = static_objects_.find(static_cast<u32>(extent.object));
    if (object == static_objects_.end()) return list;
    for (const names::Field& field : names_->fields(object->second, extent.offset, extent.bytes)) {
        Json& each = list.emplace_back(Json{{"first", extent.first + (field.address - extent.offset)},
                                            {"bytes", field.size},
                                            {"name", field.path},
                                            {"type", field.type}});
        if (field.bits != 0) {
            each["bit"] = field.bit;
            each["bits"] = field.bits;
        }
    }
    return list;
}

void JsonExport::line(const Line& record) {
    Json object = with_views(record);
    Json extents = Json::array();
    for (const Extent& extent : record.extents) {
        Json each = object_of(extent);
        if (Json fields = fields_of(extent); !fields.empty()) each["fields"] = std::move(fields);
        extents.push_back(std::move(each));
    }
    object["extents"] = std::move(extents);
    object["ranges"] = list_of(record.ranges);
    element(contention_, "lines", object);
}

void JsonExport::group(const Group& record) {
    Json object = object_of(record);
    Json& objects = object["objects"] = Json::array();
    for (const Member& member : record.members) objects.push_back(static_cast<u32>(member.object));
    object["sides"] = list_of(record.sides);
    auto say = [&](const char* name, Text text) {
        if (!text.empty()) object[name] = text;
    };
    say("what", record.what);
    say("figures", record.figures);
    say("advice", record.advice);
    element(contention_, "groups", object);
}

void JsonExport::zeros_model(const ZerosModel& record) {
    member(zeros_, "mode", record.mode);
    member(zeros_, "context", record.context);
}

void JsonExport::zero_total(const ZeroTotal& record) {
    Json object = object_of(record);
    object["integer"] = object_of(record.integer);
    object["float"] = object_of(record.floating);
    if (record.thread == ThreadId{}) {
        member(zeros_, "total", object);
    } else {
        element(zeros_, "thread-counts", object);
    }
}

void JsonExport::zero_row(const ZeroRow& record) {
    Json object = object_of(record);
    object["redmap"] = record.redmap;
    object["advice"] = advice_of(record.advice);
    element(zeros_, "rows", object);
}

void JsonExport::zero_object(const ZeroObject& record) {
    Json object = object_of(record);
    object["zero-blocks"] = list_of(record.zero_blocks);
    if (record.rows.stride != 0) object["zero-rows"] = object_of(record.rows);
    if (record.columns.stride != 0) {
        Json columns = object_of(record.columns);
        Json& ranges = columns["ranges"] = Json::array();
        for (const ByteRange& range : record.columns.ranges) ranges.push_back({range.first, range.last});
        object["zero-columns"] = std::move(columns);
    }
    Json map = object_of(record.map);
    Json& counts = map["counts"] = Json::array();
    for (const MapCell& cell : record.map.cells) counts.push_back({cell.accessed, cell.redundant});
    object["map"] = std::move(map);
    object["advice"] = advice_of(record.advice);
    element(zeros_, "objects", object);
}

void JsonExport::finish(const std::vector<ErrorFile>& errors, const std::vector<std::string>& problems) {
    if (has_profile_) {
        leave();
        say_missing(contention_);
        say_missing(zeros_);
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
