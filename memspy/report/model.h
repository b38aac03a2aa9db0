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

namespace memspy::report {

inline constexpr u64 kProfileFormat = 1;

using Text = std::string_view;

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

// Contention and sharing.

struct Counts {
    u64 cold = 0, first_touches = 0, coherence_misses = 0, invalidations = 0;
    u64 true_misses = 0, false_misses = 0, true_invalidations = 0, false_invalidations = 0;
    bool operator==(const Counts&) const = default;
    static constexpr auto fields() {
        return std::tuple{count("cold", &Counts::cold),
                          count("first-touches", &Counts::first_touches),
                          count("coherence-misses", &Counts::coherence_misses),
                          count("invalidations", &Counts::invalidations),
                          count("true-misses", &Counts::true_misses),
                          count("false-misses", &Counts::false_misses),
                          count("true-invalidations", &Counts::true_invalidations),
                          count("false-invalidations", &Counts::false_invalidations)};
    }
    u64 misses() const { return first_touches + coherence_misses; }
    u64 events() const { return misses() + invalidations; }
    u64 false_events() const { return false_misses + false_invalidations; }
};

struct PairCounts {
    u64 events = 0, false_events = 0;
    bool operator==(const PairCounts&) const = default;
    static constexpr auto fields() {
        return std::tuple{required_count("events", &PairCounts::events),
                          count("false-events", &PairCounts::false_events)};
    }
};

// What really happened, and what happens in virtual time.
template <typename C>
struct Views {
    C observed, modelled;
};

struct ContentionModel {
    u64 line_size = 0;
    bool sharing = false;
    u64 coherence_latency = 0, interleave = 0, access_log_bytes = 0;
    Text assumptions;  // the element's text
    static constexpr auto fields() {
        return std::tuple{
            required_key("line-size", &ContentionModel::line_size),
            required_key("sharing", &ContentionModel::sharing),
            required_key("coherence-latency", &ContentionModel::coherence_latency),
            required_key("interleave", &ContentionModel::interleave),
            required_field("access-log-bytes", &ContentionModel::access_log_bytes, Role::Least)};
    }
};

struct Quality {
    bool exact = false, several_threads = false;
    u64 threads = 0, merged = 0, forced = 0, lifted = 0;
    static constexpr auto fields() {
        return std::tuple{required_field("exact", &Quality::exact, Role::All),
                          required_field("several-threads", &Quality::several_threads, Role::Any),
                          required_count("threads", &Quality::threads),
                          required_count("merged", &Quality::merged),
                          required_count("forced", &Quality::forced),
                          required_count("lifted", &Quality::lifted)};
    }
};

struct Total {
    u64 loads = 0, stores = 0;
    Views<Counts> views;
    static constexpr auto fields() {
        return std::tuple{count("loads", &Total::loads), count("stores", &Total::stores)};
    }
};

struct ThreadCounts {
    ThreadId thread{};
    u64 instructions = 0, loads = 0, stores = 0;
    u64 processes = 1;
    Views<Counts> views;
    static constexpr auto fields() {
        return std::tuple{required_key("thread", &ThreadCounts::thread),
                          count("instructions", &ThreadCounts::instructions),
                          count("loads", &ThreadCounts::loads), count("stores", &ThreadCounts::stores),
                          in_processes(&ThreadCounts::processes)};
    }
};

struct Row {
    ObjectId object{};
    StackId stack{};
    ThreadId thread{};
    u64 loads = 0, stores = 0;
    u64 processes = 1;
    Views<Counts> views;
    static constexpr auto fields() {
        return std::tuple{key("object", &Row::object),          key("stack", &Row::stack),
                          required_key("thread", &Row::thread), count("loads", &Row::loads),
                          count("stores", &Row::stores),        in_processes(&Row::processes)};
    }
};

struct Pair {
    ObjectId object{};
    ThreadId thread{}, other{};
    u64 processes = 1;
    Views<PairCounts> views;
    static constexpr auto fields() {
        return std::tuple{key("object", &Pair::object), required_key("thread", &Pair::thread),
                          key("other", &Pair::other), in_processes(&Pair::processes)};
    }
};

struct Extent {
    ObjectId object{};
    u64 first = 0, bytes = 0, offset = 0;
    Address start;
    static constexpr auto fields() {
        return std::tuple{required_key("object", &Extent::object), required_key("first", &Extent::first),
                          required_key("bytes", &Extent::bytes), required_key("offset", &Extent::offset),
                          required_field("start", &Extent::start, Role::Least)};
    }
};

struct Range {
    ThreadId thread{};
    u64 first = 0, bytes = 0, loads = 0, stores = 0;
    static constexpr auto fields() {
        return std::tuple{required_key("thread", &Range::thread), required_key("first", &Range::first),
                          required_key("bytes", &Range::bytes), count("loads", &Range::loads),
                          count("stores", &Range::stores)};
    }
};

struct Line {
    Address address;
    u64 processes = 1;
    Views<Counts> views;
    std::vector<Extent> extents;
    std::vector<Range> ranges;
    static constexpr auto fields() {
        return std::tuple{required_field("address", &Line::address, Role::Least),
                          in_processes(&Line::processes)};
    }
};

struct Member {
    ObjectId object{};
    static constexpr auto fields() { return std::tuple{required_key("object", &Member::object)}; }
};

struct Side {
    StackId stack{};
    ThreadId thread{};
    bool loads = false, stores = false;
    static constexpr auto fields() {
        return std::tuple{required_key("stack", &Side::stack), required_key("thread", &Side::thread),
                          required_key("loads", &Side::loads), required_key("stores", &Side::stores)};
    }
};

// Objects that are in each other's way, and what to do about it.
struct Group {
    Text kind;
    bool finding = false;
    u64 removable = 0;
    u64 processes = 1;
    std::vector<Member> members;
    std::vector<Side> sides;
    Text what, figures, advice;
    static constexpr auto fields() {
        return std::tuple{required_key("kind", &Group::kind),
                          required_field("finding", &Group::finding, Role::Any),
                          count("removable", &Group::removable), in_processes(&Group::processes)};
    }
};

// Redundant zeros.

struct ZerosModel {
    Text mode;  // code, data or all
    u64 context = 0;
    static constexpr auto fields() {
        return std::tuple{required_key("mode", &ZerosModel::mode),
                          required_key("context", &ZerosModel::context)};
    }
};

struct ZeroCounts {
    u64 loads = 0, elements = 0, cells = 0, redundant = 0, zero = 0, unknown_loads = 0;
    static constexpr auto fields() {
        return std::tuple{
            count("loads", &ZeroCounts::loads), count("elements", &ZeroCounts::elements),
            count("cells", &ZeroCounts::cells), count("redundant", &ZeroCounts::redundant),
            count("zero", &ZeroCounts::zero),   count("unknown-loads", &ZeroCounts::unknown_loads)};
    }
};

// Of a thread; of the whole program where no thread is named.
struct ZeroTotal {
    ThreadId thread{};
    u64 rows_left_out = 0, late_contexts = 0;
    u64 processes = 1;
    ZeroCounts integer, floating;
    static constexpr auto fields() {
        return std::tuple{
            key("thread", &ZeroTotal::thread), count("rows-left-out", &ZeroTotal::rows_left_out),
            count("late-contexts", &ZeroTotal::late_contexts), in_processes(&ZeroTotal::processes)};
    }
};

struct Advice {
    Text kind, type;
    Text text;  // the element's
    static constexpr auto fields() {
        return std::tuple{required_key("kind", &Advice::kind), key("type", &Advice::type)};
    }
};

struct ZeroRow {
    StackId stack{};
    Text type;
    bool known = true, arithmetic = false;
    u64 bytes = 0, lanes = 0, loads = 0, elements = 0, redundant = 0, zero = 0, threads = 0;
    u64 processes = 1;
    std::vector<u64> redmap;  // by cell, from the least significant
    std::vector<Advice> advice;
    static constexpr auto fields() {
        return std::tuple{key("stack", &ZeroRow::stack),
                          required_key("type", &ZeroRow::type),
                          key("known", &ZeroRow::known, true),
                          key("arithmetic", &ZeroRow::arithmetic),
                          required_key("bytes", &ZeroRow::bytes),
                          required_key("lanes", &ZeroRow::lanes),
                          required_count("loads", &ZeroRow::loads),
                          required_count("elements", &ZeroRow::elements),
                          count("redundant", &ZeroRow::redundant),
                          count("zero", &ZeroRow::zero),
                          required_count("threads", &ZeroRow::threads),
                          in_processes(&ZeroRow::processes)};
    }
};

struct ZeroBlocks {
    u64 bytes = 0, accessed = 0, zero = 0;
    static constexpr auto fields() {
        return std::tuple{required_key("bytes", &ZeroBlocks::bytes), count("accessed", &ZeroBlocks::accessed),
                          count("zero", &ZeroBlocks::zero)};
    }
};

struct ZeroStride {
    u64 stride = 0, accessed = 0, zero = 0;  // stride 0: there is none
    static constexpr auto fields() {
        return std::tuple{required_key("stride", &ZeroStride::stride),
                          count("accessed", &ZeroStride::accessed), count("zero", &ZeroStride::zero)};
    }
};

struct ByteRange {
    u64 first = 0, last = 0;
    bool operator==(const ByteRange&) const = default;
};

struct ZeroColumns {
    u64 stride = 0;  // 0: there are none
    std::vector<ByteRange> ranges;
    static constexpr auto fields() { return std::tuple{required_key("stride", &ZeroColumns::stride)}; }
};

struct MapCell {
    u64 accessed = 0, redundant = 0;
    bool operator==(const MapCell&) const = default;
};

struct ZeroMap {
    u64 cell = 0;  // bytes of the object to each cell
    std::vector<MapCell> cells;
    static constexpr auto fields() { return std::tuple{required_key("cell", &ZeroMap::cell)}; }
};

struct ZeroObject {
    ObjectId object{};
    u64 blocks = 0, size = 0, accessed = 0, redundant = 0;
    u64 processes = 1;
    std::vector<ZeroBlocks> zero_blocks;
    ZeroStride rows;
    ZeroColumns columns;
    ZeroMap map;
    std::vector<Advice> advice;
    static constexpr auto fields() {
        return std::tuple{required_key("object", &ZeroObject::object),
                          count("blocks", &ZeroObject::blocks),
                          count("size", &ZeroObject::size),
                          required_count("accessed", &ZeroObject::accessed),
                          count("redundant", &ZeroObject::redundant),
                          in_processes(&ZeroObject::processes)};
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
    virtual void contention_model(const ContentionModel&) {}
    virtual void quality(const Quality&) {}
    virtual void total(const Total&) {}
    virtual void thread_counts(const ThreadCounts&) {}
    virtual void row(const Row&) {}
    virtual void pair(const Pair&) {}
    virtual void line(const Line&) {}
    virtual void group(const Group&) {}
    virtual void zeros_model(const ZerosModel&) {}
    virtual void zero_total(const ZeroTotal&) {}  // of the program first, then of each thread
    virtual void zero_row(const ZeroRow&) {}
    virtual void zero_object(const ZeroObject&) {}
};

}  // namespace memspy::report
