// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile_reader.h"

#include "report/parse.h"

namespace memspy::report {

// Where in the document. Inside a section, `open_` says more.
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
    Section,
    Record
};

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
    };
    const In parent = path_.empty() ? In::Nothing : path_.back();
    for (const Rule& rule : kRules)
        if (rule.parent == parent && rule.name == name) return rule.child;
    if (parent == In::Profile && find_section(name) != nullptr) return In::Section;
    return In::Nothing;
}

void ProfileReader::want(Value::Kind kind, u32 id) const {
    auto check = [&](const Known& known, const char* what) {
        if (!known.has(id))
            throw BadElement("<" + std::string(element_) + "> refers to " + what + " " + std::to_string(id) +
                             ", which is not in the file");
    };
    switch (kind) {
        case Value::Kind::Module: check(modules_, "module"); break;
        case Value::Kind::Stack: check(stacks_, "stack"); break;
        case Value::Kind::Object: check(objects_, "object"); break;
        case Value::Kind::Thread: check(threads_, "thread"); break;
        default: break;
    }
}

void ProfileReader::hand_over(const RecordType& type, const void* record) {
    type.references(
        record,
        [](Value::Kind kind, u32 id, void* self) { static_cast<ProfileReader*>(self)->want(kind, id); },
        this);
    handler_.record({*section_, type, record});
}

void ProfileReader::enter_section(const Section& section, std::span<const XmlAttribute> attributes) {
    section_ = &section;
    begun_ = false;
    element_ = section.name;
    const RecordType* const own = section.own();
    if (own == nullptr) return;
    const std::shared_ptr<void> record = own->make();
    own->reader->attributes(record.get(), section.name, attributes, strings_);
    hand_over(*own, record.get());
}

bool ProfileReader::enter_record(std::string_view name, std::span<const XmlAttribute> attributes) {
    OpenElement opened;
    if (open_.empty()) {
        const RecordType* const type = section_->find(name);
        if (type == nullptr) return false;
        // What the section was measured with is told before any figure.
        if (const RecordType& first = section_->records.front();
            !begun_ && first.multiplicity == Multiplicity::One && type != &first)
            throw BadElement("<" + std::string(section_->name) + "> has <" + std::string(name) + "> where <" +
                             std::string(first.element) + "> must come first");
        begun_ = true;
        type_ = type;
        element_ = type_->element;
        std::shared_ptr<void>& record = records_[type_];
        if (!record) record = type_->make();
        type_->clear(record.get());
        opened = {type_->reader, record.get()};
    } else {
        opened = open_.back().element->child(open_.back().record, name);
        if (opened.element == nullptr) return false;
    }
    opened.element->attributes(opened.record, name, attributes, strings_);
    open_.push_back(opened);
    return true;
}

void ProfileReader::leave_record() {
    const OpenElement closed = open_.back();
    open_.pop_back();
    closed.element->text(closed.record, text_, strings_);
    if (open_.empty()) hand_over(*type_, closed.record);
}

void ProfileReader::object(std::string_view name, std::span<const XmlAttribute> attributes) {
    Object object;
    object.kind = name == "heap"     ? ObjectKind::Heap
                  : name == "static" ? ObjectKind::Static
                  : name == "frames" ? ObjectKind::Frames
                                     : ObjectKind::Unknown;
    read_attributes(object, name, attributes, strings_);
    want(Value::Kind::Stack, static_cast<u32>(object.stack));
    want(Value::Kind::Module, static_cast<u32>(object.module));
    objects_.add(static_cast<u32>(object.id));
    handler_.object(object);
}

void ProfileReader::start(std::string_view name, std::span<const XmlAttribute> attributes) {
    if (skipping_ > 0) {
        ++skipping_;
        return;
    }
    auto pass_over = [&] {
        skipped_.emplace(name);
        skipping_ = 1;
    };
    if (!path_.empty() && (path_.back() == In::Section || path_.back() == In::Record)) {
        if (!enter_record(name, attributes)) return pass_over();
        path_.push_back(In::Record);
        text_.clear();
        return;
    }
    const In in = child(name);
    element_ = name;
    switch (in) {
        case In::Nothing:
            if (path_.empty()) throw BadElement("<" + std::string(name) + "> is no profile");
            return pass_over();
        case In::Profile: {
            Header header;
            read_attributes(header, name, attributes, strings_);
            if (header.format != kProfileFormat)
                throw BadElement("format " + std::to_string(header.format) + " is not known here, only " +
                                 std::to_string(kProfileFormat) +
                                 ": read it with the memspy-report of memspy " + std::string(header.version));
            handler_.header(header);
            break;
        }
        case In::Run:
            run_ = {};
            read_attributes(run_, name, attributes, strings_);
            break;
        case In::Module: {
            Module module;
            read_attributes(module, name, attributes, strings_);
            modules_.add(static_cast<u32>(module.id));
            handler_.module(module);
            break;
        }
        case In::Stack:
            stack_ = {};
            read_attributes(stack_, name, attributes, strings_);
            break;
        case In::Frame:
            read_attributes(stack_.frames.emplace_back(), name, attributes, strings_);
            want(Value::Kind::Module, static_cast<u32>(stack_.frames.back().module));
            break;
        case In::Object: object(name, attributes); break;
        case In::Thread: {
            Thread thread;
            read_attributes(thread, name, attributes, strings_);
            threads_.add(static_cast<u32>(thread.id));
            handler_.thread(thread);
            break;
        }
        case In::Section: enter_section(*find_section(name), attributes); break;
        case In::Command:
        case In::Options:
        case In::Exe:
        case In::Argument:
        case In::Modules:
        case In::Stacks:
        case In::Objects:
        case In::Threads:
        case In::Record: break;
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
        case In::Stack:
            stacks_.add(static_cast<u32>(stack_.id));
            handler_.stack(stack_);
            break;
        case In::Record: leave_record(); break;
        default: break;
    }
    text_.clear();
}

}  // namespace memspy::report
