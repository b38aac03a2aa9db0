// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile/profile.h"

#include <algorithm>

#include "fields/common.h"
#include "places/block_types.h"
#include "places/objects.h"
#include "profile/frame_texts.h"
#include "profile/rank.h"
#include "rt/global.h"
#include "rt/gzip.h"
#include "rt/hash_map.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "threads/call_tree.h"
#include "threads/registry.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::profile {
namespace {

namespace names = fields::common;
using places::Object;
using places::ObjectId;
using places::Place;

struct ListedSection {
    const ProfileSection* section;
    bool wanted;
    bool is_written() const { return wanted && section->has_data(); }
};
rt::Global<rt::Vector<ListedSection>> sections;

// Frames

// While a profile is written. A frame's number in the file is its index + 1.
rt::Global<FrameTexts> frame_texts;

void write_frame(XmlWriter& xml, u32 index) {
    const FrameTexts::FrameOfCode& frame = frame_texts->frame(index);
    const vg::ModuleId module = vg::module_of_code(frame.ip);
    auto say = [&](const char* name, u32 text) {
        if (*frame_texts->text(text) != '\0') xml.attribute(name, frame_texts->text(text));
    };
    xml.open(names::Stack::frames);
    xml.attribute(names::Frame::number, u64{index} + 1);
    xml.hexadecimal(names::Frame::ip, frame.ip);
    if (module != vg::ModuleId::None) {
        xml.attribute(names::Frame::module, static_cast<u64>(module));
        xml.hexadecimal(names::Frame::offset, frame.ip - vg::module(module).bias);
    }
    say(names::Frame::fn, frame.function);
    say(names::Frame::dir, frame.folder);
    say(names::Frame::file, frame.file);
    say(names::Frame::line, frame.line);
    if (frame.is_inlined) xml.attribute(names::Frame::inlined, "yes");
    xml.close();
}

void add_numbers(UInt, DiEpoch epoch, Addr ip, void* argument) {
    rt::Text& numbers = *static_cast<rt::Text*>(argument);
    frame_texts->for_each(epoch, ip, [&](u32 index) {
        if (!numbers.empty()) numbers.add(' ');
        numbers.add_plain(u64{index} + 1);
    });
}

void write_stack(XmlWriter& xml, ContextId id, const Place& place) {
    rt::Text numbers;
    const u32 known = frame_texts->count();
    if (place.instruction == 0) {
        // Slow: the core has no index of its contexts.
        if (ExeContext* context = context_of(id)) VG_(apply_ExeContext)(add_numbers, &numbers, context);
    } else {
        rt::Vector<Addr> ips;
        ips.resize(static_cast<usize>(VG_(clo_backtrace_size)));
        ips[0] = place.instruction;
        const u32 calls =
            threads::return_addresses(place.path, ips.data() + 1, static_cast<u32>(ips.size() - 1));
        // The core has the last byte of a call rather than its return address.
        for (u32 i = 1; i <= calls; ++i) --ips[i];
        VG_(apply_StackTrace)(add_numbers, &numbers, VG_(current_DiEpoch)(), ips.data(), calls + 1);
    }
    xml.open(names::kStack);
    xml.attribute(names::Stack::id, static_cast<u64>(id));
    xml.attribute(names::Stack::numbers, numbers.c_str());
    for (u32 index = known; index < frame_texts->count(); ++index) write_frame(xml, index);
    xml.close();
}

// The parts that all analyses share

// Converts days since 1970 to a date, with years from March on, so that a leap day ends its year.
void format_time(u64 milliseconds, char (&text)[32]) {
    const u64 seconds = milliseconds / 1000, of_day = seconds % 86'400;
    const u64 days = seconds / 86'400 + 719'468;  // since 0000-03-01
    const u64 era = days / 146'097, of_era = days % 146'097;
    const u64 year_of_era = (of_era - of_era / 1'460 + of_era / 36'524 - of_era / 146'096) / 365;
    const u64 of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const u64 march_month = (5 * of_year + 2) / 153;
    const u64 day = of_year - (153 * march_month + 2) / 5 + 1;
    const u64 month = march_month < 10 ? march_month + 3 : march_month - 9;
    const u64 year = era * 400 + year_of_era + (month <= 2 ? 1 : 0);
    VG_(snprintf)(text, sizeof text, "%04llu-%02llu-%02lluT%02llu:%02llu:%02llu.%03lluZ",
                  static_cast<ULong>(year), static_cast<ULong>(month), static_cast<ULong>(day),
                  static_cast<ULong>(of_day / 3600), static_cast<ULong>(of_day / 60 % 60),
                  static_cast<ULong>(of_day % 60), static_cast<ULong>(milliseconds % 1000));
}

void write_arguments(XmlWriter& xml, const char* element, XArray* arguments) {
    for (Word i = 0; arguments != nullptr && i < VG_(sizeXA)(arguments); ++i) {
        xml.open(element);
        xml.text(*static_cast<HChar**>(VG_(indexXA)(arguments, i)));
        xml.close();
    }
}

const char* architecture() {
#if defined(VGA_amd64)
    return "amd64";
#elif defined(VGA_arm64)
    return "arm64";
#else
#error "name this architecture"
#endif
}

void write_run(XmlWriter& xml, const ProfileInfo& info) {
    char time[32];
    xml.open(names::kRun);
    xml.attribute(names::Run::pid, static_cast<u64>(VG_(getpid)()));
    xml.attribute(names::Run::ppid, static_cast<u64>(VG_(getppid)()));
    format_time(info.started, time);
    xml.attribute(names::Run::start, time);
    format_time(wall_clock(), time);
    xml.attribute(names::Run::end, time);
    xml.attribute(names::Run::arch, architecture());
    if (const ProcessRank own = rank(); own.number >= 0) {
        xml.attribute(names::Run::rank, static_cast<u64>(own.number));
        if (own.size >= 0) xml.attribute(names::Run::ranks, static_cast<u64>(own.size));
        HChar host[64];
        xml.attribute(names::Run::host, host_name(host, sizeof host));
        if (const HChar* node = VG_(getenv)("SLURMD_NODENAME"); node != nullptr)
            xml.attribute(names::Run::node, node);
    }
    xml.open(names::Run::command);
    if (VG_(args_the_exename) != nullptr) {
        xml.open(names::RunCommand::exe);
        xml.text(VG_(args_the_exename));
        xml.close();
    }
    write_arguments(xml, names::RunCommand::arguments, VG_(args_for_client));
    xml.close();
    xml.open(names::Run::options);
    write_arguments(xml, names::RunOptions::arguments, VG_(args_for_valgrind));
    xml.close();
    xml.close();
}

void write_modules(XmlWriter& xml) {
    vg::know_modules();
    xml.open(names::kModules);
    for (u32 i = 1; i <= vg::module_count(); ++i) {
        const vg::Module& module = vg::module(static_cast<vg::ModuleId>(i));
        xml.open(names::kModule);
        xml.attribute(names::Module::id, i);
        xml.attribute(names::Module::path, module.path);
        if (module.build_id != nullptr) xml.attribute(names::Module::build_id, module.build_id);
        xml.hexadecimal(names::Module::bias, module.bias);
        xml.hexadecimal(names::Module::begin, module.begin);
        xml.hexadecimal(names::Module::end, module.end);
        xml.close();
    }
    xml.close();
}

const char* word(heap::AllocKind kind) {
    switch (kind) {
        case heap::AllocKind::Malloc: return "malloc";
        case heap::AllocKind::New: return "new";
        case heap::AllocKind::NewArray: return "new[]";
        case heap::AllocKind::Foreign: return "described";
        case heap::AllocKind::Pool: return "pool";
    }
    return "malloc";
}

u64 guest_of(u32 serial) { return serial == 0 ? 0 : threads::all_threads()[serial - 1].guest_id; }

void write_object(XmlWriter& xml, ObjectId id) {
    const Object& object = places::object(id);
    auto name_and_size = [&] {
        if (object.name != nullptr) xml.attribute(names::Object::name, object.name);
        xml.hexadecimal(names::Object::start, object.start);
        xml.attribute_unless_zero(names::Object::size, object.size);
    };
    xml.open(names::Object::kKinds[static_cast<u32>(object.kind)]);
    xml.attribute(names::Object::id, static_cast<u64>(id));
    switch (object.kind) {
        case Object::StorageKind::Heap:
            if (object.allocated != ContextId::None)
                xml.attribute(names::Object::stack, static_cast<u64>(object.allocated));
            xml.attribute(names::Object::by, word(object.alloc_kind));
            xml.attribute(names::Object::guest_thread, guest_of(object.allocated_by));
            xml.attribute_unless_zero(names::Object::blocks, object.blocks);
            if (rt::Text holder; places::add_owner(holder, object.allocated))
                xml.attribute(names::Object::holder, holder.c_str());
            name_and_size();
            break;
        case Object::StorageKind::Static:
            xml.attribute(names::Object::module, static_cast<u64>(object.loaded_from));
            xml.hexadecimal(names::Object::offset, object.module_offset);
            if (object.symbol != nullptr) xml.attribute(names::Object::symbol, object.symbol);
            name_and_size();
            break;
        case Object::StorageKind::Stack:
            if (!object.of_all_threads) xml.attribute(names::Object::thread, object.thread);
            if (object.variable != nullptr) {
                xml.attribute(names::Object::module, static_cast<u64>(object.loaded_from));
                xml.hexadecimal(names::Object::offset, object.module_offset);
                xml.attribute(names::Object::variable, object.variable);
                xml.attribute_unless_zero(names::Object::line, object.line);
            }
            name_and_size();
            break;
        case Object::StorageKind::Unknown:
            if (object.thread != 0) xml.attribute(names::Object::thread, object.thread);
            if (object.module != nullptr) xml.attribute(names::Object::path, object.module);
            name_and_size();
            break;
    }
    xml.close();
}

void write_threads(XmlWriter& xml) {
    xml.open(names::kThreads);
    for (const threads::KnownThread& thread : threads::all_threads()) {
        xml.open(names::kThread);
        xml.attribute(names::Thread::id, thread.serial);
        if (thread.parent != 0) xml.attribute(names::Thread::parent, thread.parent);
        xml.attribute(names::Thread::guest_thread, thread.guest_id);
        if (const threads::ThreadName name = threads::name_of(thread.serial); name.text[0] != '\0')
            xml.attribute(names::Thread::name, name.text);
        xml.close();
    }
    xml.close();
}

const char* word(MadeBy made_by) {
    switch (made_by) {
        case MadeBy::Exit: return "exit";
        case MadeBy::Signal: return "signal";
        case MadeBy::Dump: return "dump";
        case MadeBy::Exec: return "exec";
    }
    return "exit";
}

}  // namespace

template <typename F>
void ProfileNeeds::for_each_stack(F f) {
    rt::Vector<u64> ids;
    ids.reserve(stacks_.size());
    stacks_.for_each([&](u64 id, const Place&) { ids.push_back(id); });
    VG_(ssort)(ids.data(), ids.size(), sizeof(u64), [](const void* a, const void* b) -> Int {
        const u64 left = *static_cast<const u64*>(a), right = *static_cast<const u64*>(b);
        return left < right ? -1 : left > right;
    });
    for (const u64 id : ids) f(static_cast<ContextId>(id), *stacks_.find(id));
}

template <typename F>
void ProfileNeeds::for_each_object(F f) {
    for (usize i = 1; i < objects_.size(); ++i)
        if (objects_[i] != 0) f(static_cast<ObjectId>(i));
}

namespace {

void write_document(XmlWriter& xml, const ProfileInfo& info, bool finished) {
    ProfileNeeds needs;
    for (const ListedSection& each : *sections)
        if (each.is_written()) each.section->collect(needs);

    char version[32];
    VG_(snprintf)(version, sizeof version, "%d.%d", __VALGRIND_MAJOR__, __VALGRIND_MINOR__);
    xml.open(names::kHeader);
    xml.attribute(names::Header::format, kProfileFormat);
    xml.attribute(names::Header::version, info.tool_version);
    xml.attribute(names::Header::valgrind, version);
    xml.yes_or_no(names::Header::finished, finished);
    xml.attribute(names::Header::made_by, word(info.made_by));

    write_run(xml, info);
    write_modules(xml);
    xml.open(names::kStacks);
    needs.for_each_stack([&](ContextId id, const Place& place) { write_stack(xml, id, place); });
    frame_texts->forget();
    xml.close();
    xml.open(names::kObjects);
    needs.for_each_object([&](ObjectId id) { write_object(xml, id); });
    xml.close();
    write_threads(xml);
    for (const ListedSection& each : *sections)
        if (each.is_written()) each.section->write(xml);
    xml.close();
}

// The file

bool write_bytes(const char* bytes, usize count, void* argument) {
    const Int descriptor = *static_cast<const Int*>(argument);
    while (count > 0) {
        const auto written = VG_(write)(descriptor, bytes, static_cast<Int>(count));
        if (written <= 0) return false;
        bytes += written;
        count -= static_cast<usize>(written);
    }
    return true;
}

void say_failure(const char* path, const char* why) {
    VG_(umsg)("memspy: the profile %s could not be written (%s); give another place with --memspy-out-file\n",
              path, why);
}

// A terminal, pipe, or /dev/null, which must not be replaced.
bool is_special(const char* path) {
    vg_stat state;
    return !sr_isError(VG_(stat)(path, &state)) && !VKI_S_ISREG(state.mode);
}

// A profile is first written under this name, so that the old file stays until the new one is complete.
rt::Vector<char> part_of(const char* path) {
    constexpr usize kSuffix = 32;
    rt::Vector<char> part;
    part.resize(VG_(strlen)(path) + kSuffix);
    VG_(snprintf)(part.data(), static_cast<Int>(part.size()), "%s.part%d", path, VG_(getpid)());
    return part;
}

bool compress_bytes(const char* bytes, usize count, void* argument) {
    return static_cast<rt::GzipWriter*>(argument)->write(bytes, count);
}

bool is_compressed(const char* path) {
    constexpr char kSuffix[] = ".gz";
    const usize length = VG_(strlen)(path), suffix = sizeof kSuffix - 1;
    return length > suffix && VG_(strcmp)(path + length - suffix, kSuffix) == 0;
}

bool write_file(const char* path, Int flags, bool compressed, const ProfileInfo& info, bool finished,
                const char** why) {
    const SysRes opened = VG_(open)(path, VKI_O_WRONLY | flags, 0666);
    if (sr_isError(opened)) {
        *why = "no such folder, or no right to write there";
        return false;
    }
    Int descriptor = static_cast<Int>(sr_Res(opened));
    bool complete;
    if (compressed) {
        rt::GzipWriter gzip(write_bytes, &descriptor);
        XmlWriter xml(compress_bytes, &gzip);
        write_document(xml, info, finished);
        complete = xml.finish() && gzip.finish();
    } else {
        XmlWriter xml(write_bytes, &descriptor);
        write_document(xml, info, finished);
        complete = xml.finish();
    }
    VG_(close)(descriptor);
    if (!complete) *why = "no room for it";
    return complete;
}

}  // namespace

void ProfileNeeds::stack(ContextId id) {
    if (id != ContextId::None) stacks_[static_cast<u64>(id)];
}

void ProfileNeeds::stack(ContextId id, const Place& place) {
    if (id == ContextId::None) return;
    Place& known = stacks_[static_cast<u64>(id)];
    if (known.instruction == 0) known = place;
}

void ProfileNeeds::object(ObjectId id) {
    const usize index = static_cast<usize>(id);
    if (index >= objects_.size()) objects_.resize(index + 1);
    if (objects_[index] != 0) return;
    objects_[index] = 1;
    stack(places::object(id).allocated);
}

void list_section(const ProfileSection& section, bool wanted) { sections->push_back({&section, wanted}); }
void want_section(const ProfileSection& section) {
    for (ListedSection& each : *sections) each.wanted |= each.section == &section;
}
bool has_sections() {
    return std::any_of(sections->begin(), sections->end(),
                       [](const ListedSection& each) { return each.wanted; });
}

u64 wall_clock() {
    vki_timespec now{};
    VG_(clock_gettime)(&now, 0);  // CLOCK_REALTIME
    return static_cast<u64>(now.tv_sec) * 1000 + static_cast<u64>(now.tv_nsec) / 1'000'000;
}

bool can_write_profile(const char* path) {
    if (is_special(path)) return true;  // opening a pipe would need a reader
    const rt::Vector<char> part = part_of(path);
    const SysRes opened = VG_(open)(part.data(), VKI_O_WRONLY | VKI_O_CREAT, 0666);
    if (sr_isError(opened)) return false;
    VG_(close)(static_cast<Int>(sr_Res(opened)));
    VG_(unlink)(part.data());
    return true;
}

bool write_profile(const char* path, const ProfileInfo& info, bool finished) {
    const char* why = nullptr;
    if (is_special(path)) {
        if (write_file(path, 0, is_compressed(path), info, finished, &why)) return true;
        say_failure(path, why);
        return false;
    }
    const rt::Vector<char> part = part_of(path);
    VG_(unlink)(part.data());
    // A link of that name that somebody else has put there is not followed.
    bool complete =
        write_file(part.data(), VKI_O_CREAT | VKI_O_EXCL, is_compressed(path), info, finished, &why);
    if (complete && VG_(rename)(part.data(), path) != 0) {
        complete = false;
        why = "the file of that name cannot be replaced";
    }
    if (complete) return true;
    VG_(unlink)(part.data());
    say_failure(path, why);
    return false;
}

}  // namespace memspy::profile
