// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/profile_reader.h"

#include <algorithm>

#include "fields/common.h"
#include "report/parse.h"
#include "report/record_ops.h"

namespace memspy::report {

namespace common = fields::common;

// The present part of the document. Inside a record, `open_` has the details.
enum class ProfileReader::In : u8 { Profile, Modules, Stacks, Objects, Threads, Section, Record };

void ProfileReader::want(Value::Kind kind, u32 id) const {
    auto check = [&](const KnownIds& known, const char* what) {
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
        // The section's parameters are reported before any figure.
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
    if (opened.element == &ReaderOf<Frame>::kReader) {
        const std::string_view* const number = find_attribute(attributes, common::Frame::number);
        held_numbers_.push_back(number == nullptr ? 0 : parse_number(*number));
    }
    open_.push_back(opened);
    return true;
}

void ProfileReader::gather_frames() {
    std::vector<Frame>& held = stack_.frames;
    for (const Frame& frame : held) want(Value::Kind::Module, static_cast<u32>(frame.module));
    if (!frame_numbers_.empty()) {
        for (std::size_t i = 0; i < held.size(); ++i) frames_[held_numbers_[i]] = held[i];
        held.clear();
        for (const u64 number : frame_numbers_) {
            const auto frame = frames_.find(number);
            if (frame == frames_.end())
                throw BadElement("<" + std::string(element_) + "> refers to frame " + std::to_string(number) +
                                 ", which is not in the file");
            held.push_back(frame->second);
        }
    }
    held_numbers_.clear();
}

void ProfileReader::leave_record() {
    const OpenElement closed = open_.back();
    open_.pop_back();
    closed.element->text(closed.record, text_, strings_);
    if (!open_.empty()) return;
    if (take_ != nullptr)
        take_(*this);
    else
        hand_over(*type_, closed.record);
    take_ = nullptr;
}

template <typename R>
void ProfileReader::open(R& record, std::string_view name, std::span<const XmlAttribute> attributes,
                         void (*take)(ProfileReader&)) {
    element_ = name;
    ReaderOf<R>::attributes(&record, name, attributes, strings_);
    open_.push_back({&ReaderOf<R>::kReader, &record});
    take_ = take;
}

bool ProfileReader::enter_in_profile(std::string_view name, std::span<const XmlAttribute> attributes) {
    static constexpr std::pair<std::string_view, In> kContainers[] = {{common::kModules, In::Modules},
                                                                      {common::kStacks, In::Stacks},
                                                                      {common::kObjects, In::Objects},
                                                                      {common::kThreads, In::Threads}};
    for (const auto& [container, in] : kContainers) {
        if (container != name) continue;
        path_.push_back(in);
        return true;
    }
    if (name == common::kRun) {
        run_ = {};
        open(run_, name, attributes, [](ProfileReader& self) { self.handler_.run(self.run_); });
        path_.push_back(In::Record);
        return true;
    }
    const Section* const section = find_section(name);
    if (section == nullptr) return false;
    enter_section(*section, attributes);
    path_.push_back(In::Section);
    return true;
}

bool ProfileReader::enter_in_container(std::string_view name, std::span<const XmlAttribute> attributes) {
    switch (path_.back()) {
        case In::Modules:
            if (name != common::kModule) return false;
            module_ = {};
            open(module_, name, attributes, [](ProfileReader& self) {
                self.modules_.add(static_cast<u32>(self.module_.id));
                self.handler_.module(self.module_);
            });
            break;
        case In::Stacks:
            if (name != common::kStack) return false;
            stack_ = {};
            frame_numbers_.clear();
            if (const std::string_view* numbers = find_attribute(attributes, common::Stack::numbers))
                frame_numbers_ = parse_numbers(*numbers);
            open(stack_, name, attributes, [](ProfileReader& self) {
                self.gather_frames();
                self.stacks_.add(static_cast<u32>(self.stack_.id));
                self.handler_.stack(self.stack_);
            });
            break;
        case In::Objects: {
            const auto kind = std::find(std::begin(Object::kKinds), std::end(Object::kKinds), name);
            if (kind == std::end(Object::kKinds)) return false;
            object_ = {};
            object_.kind = static_cast<ObjectKind>(kind - std::begin(Object::kKinds));
            // Threads come later in the file, so their ids are checked then.
            open(object_, name, attributes, [](ProfileReader& self) {
                self.want(Value::Kind::Stack, static_cast<u32>(self.object_.stack));
                self.want(Value::Kind::Module, static_cast<u32>(self.object_.module));
                if (self.object_.thread != ThreadId{})
                    self.object_threads_.push_back(static_cast<u32>(self.object_.thread));
                self.objects_.add(static_cast<u32>(self.object_.id));
                self.handler_.object(self.object_);
            });
            break;
        }
        case In::Threads:
            if (name != common::kThread) return false;
            thread_ = {};
            open(thread_, name, attributes, [](ProfileReader& self) {
                if (self.thread_.parent != ThreadId{})
                    self.want(Value::Kind::Thread, static_cast<u32>(self.thread_.parent));
                self.threads_.add(static_cast<u32>(self.thread_.id));
                self.handler_.thread(self.thread_);
            });
            break;
        case In::Profile:
        case In::Section:
        case In::Record: return false;
    }
    path_.push_back(In::Record);
    return true;
}

void ProfileReader::start(std::string_view name, std::span<const XmlAttribute> attributes) {
    if (skipping_ > 0) {
        ++skipping_;
        return;
    }
    bool known = true;
    if (path_.empty()) {
        if (name != common::kHeader) throw BadElement("<" + std::string(name) + "> is not a profile");
        Header header;
        read_attributes(header, name, attributes, strings_);
        if (header.format < kOldestProfileFormat || header.format > kProfileFormat)
            throw BadElement("format " + std::to_string(header.format) + " is not known here, only " +
                             std::to_string(kOldestProfileFormat) + " to " + std::to_string(kProfileFormat) +
                             ": read it with the memspy-report of memspy " + std::string(header.version));
        header.format = kProfileFormat;  // handlers see no difference
        handler_.header(header);
        path_.push_back(In::Profile);
    } else if (path_.back() == In::Profile) {
        known = enter_in_profile(name, attributes);
    } else if (path_.back() == In::Section || path_.back() == In::Record) {
        known = enter_record(name, attributes);
        if (known) path_.push_back(In::Record);
    } else {
        known = enter_in_container(name, attributes);
    }
    if (!known) {
        skipped_.emplace(name);
        skipping_ = 1;
        return;
    }
    text_.clear();
}

void ProfileReader::end(std::string_view) {
    if (skipping_ > 0) {
        --skipping_;
        return;
    }
    const In in = path_.back();
    path_.pop_back();
    if (in == In::Record) leave_record();
    if (in == In::Threads) {
        element_ = common::kObjects;
        for (const u32 thread : object_threads_) want(Value::Kind::Thread, thread);
        object_threads_.clear();
    }
    text_.clear();
}

}  // namespace memspy::report
