// SPDX-License-Identifier: GPL-2.0-or-later
//
// The profile file as records, in the order of docs/profile.md, which says what each means. A reader hands
// them to a ProfileHandler one by one; nothing here keeps a whole file.
//
// All text is a std::string_view into the StringPool that the reader was given, so records are cheap to copy
// and stay valid as long as the pool.
#pragma once

#include <span>
#include <vector>

#include "report/fields.h"
#include "report/record_type.h"

namespace memspy::report {

inline constexpr u64 kProfileFormat = 1;

struct Header {
    u64 format = 0;
    Text version, valgrind;
    bool finished = false;
    Text made_by;
    static constexpr auto fields() {
        return std::tuple{required_key("format", &Header::format),
                          required_field("version", &Header::version, Role::Most),
                          required_field("valgrind", &Header::valgrind, Role::Most),
                          required_field("finished", &Header::finished, Role::All),
                          required_field("made-by", &Header::made_by, Role::Least)};
    }
};

// A process. A profile has one, a merged profile one for each process.
struct Run {
    u64 pid = 0, ppid = 0;
    Text start, end, arch;
    Text exe;
    std::vector<Text> arguments;
    std::vector<Text> options;
    static constexpr auto fields() {
        return std::tuple{required_key("pid", &Run::pid), required_key("ppid", &Run::ppid),
                          required_key("start", &Run::start), required_key("end", &Run::end),
                          required_key("arch", &Run::arch)};
    }
};

struct Module {
    ModuleId id{};
    Text path, build_id;
    Address bias, begin, end;
    u64 processes = 1;
    static constexpr auto fields() {
        return std::tuple{own_number(&Module::id),
                          required_field("path", &Module::path, Role::Least),
                          key("build-id", &Module::build_id),
                          required_field("bias", &Module::bias, Role::Least),
                          required_field("begin", &Module::begin, Role::Least),
                          required_field("end", &Module::end, Role::Least),
                          in_processes(&Module::processes)};
    }
};

struct Frame {
    Address ip;
    ModuleId module{};
    Address offset = kNoAddress;  // in a module only
    Text fn, dir, file;
    u64 line = 0;
    bool inlined = false;  // into the function of the next frame
    bool operator==(const Frame&) const = default;
    static constexpr auto fields() {
        return std::tuple{required_field("ip", &Frame::ip, Role::Least),
                          key("module", &Frame::module),
                          key("offset", &Frame::offset, kNoAddress),
                          key("fn", &Frame::fn),
                          key("dir", &Frame::dir),
                          key("file", &Frame::file),
                          key("line", &Frame::line),
                          key("inlined", &Frame::inlined)};
    }
};

struct Stack {
    StackId id{};
    u64 processes = 1;
    std::vector<Frame> frames;  // innermost first
    static constexpr auto fields() {
        return std::tuple{own_number(&Stack::id), in_processes(&Stack::processes)};
    }
};

enum class ObjectKind : u8 { Heap, Static, Frames, Unknown };

// An object of any kind; attributes that its kind does not have are absent.
struct Object {
    static constexpr u64 kNobody = ~u64{0};
    ObjectKind kind = ObjectKind::Unknown;
    ObjectId id{};
    StackId stack{};
    Text by;
    u64 guest_thread = kNobody;
    u64 blocks = 0;
    ModuleId module{};
    Address offset = kNoAddress;
    Text symbol;
    ThreadId thread{};
    Text path, name;
    Address start;
    u64 size = 0;
    u64 processes = 1;
    static constexpr auto fields() {
        return std::tuple{own_number(&Object::id),
                          key("stack", &Object::stack),
                          key("by", &Object::by),
                          field("guest-thread", &Object::guest_thread, Role::Least, kNobody),
                          count("blocks", &Object::blocks),
                          key("module", &Object::module),
                          key("offset", &Object::offset, kNoAddress),
                          key("symbol", &Object::symbol),
                          key("thread", &Object::thread),
                          key("path", &Object::path),
                          key("name", &Object::name),
                          required_field("start", &Object::start, Role::Least),
                          field("size", &Object::size, Role::Most),
                          in_processes(&Object::processes)};
    }
};

struct Thread {
    ThreadId id{};
    ThreadId parent{};
    u64 guest_thread = 0;
    u64 processes = 1;
    static constexpr auto fields() {
        return std::tuple{own_number(&Thread::id), field("parent", &Thread::parent, Role::Least),
                          required_field("guest-thread", &Thread::guest_thread, Role::Least),
                          in_processes(&Thread::processes)};
    }
};

// Called in the order of the file. What a record refers to has come before it.
class ProfileHandler {
public:
    virtual ~ProfileHandler() = default;
    virtual void header(const Header&) {}
    virtual void run(const Run&) {}
    virtual void module(const Module&) {}
    virtual void stack(const Stack&) {}
    virtual void object(const Object&) {}
    virtual void thread(const Thread&) {}
    virtual void record(const AnyRecord&) {}  // of a section; see record_type.h
};

}  // namespace memspy::report
