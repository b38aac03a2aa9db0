// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/grown_parts.h"

#include <algorithm>
#include <new>
#include <utility>

#include "dwarf/allocations.h"
#include "places/debug_sections.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/system_paths.h"
#include "rt/vector.h"
#include "threads/frame_slots.h"
#include "threads/registry.h"
#include "vg/vg.h"

namespace memspy::places {

namespace {

rt::Global<rt::HashMap<GrowingCode*>> known_code;
rt::Global<rt::Vector<GrowingCode*>> named_code;  // that has a variable
rt::Global<rt::HashMap<u32>> codes_of_lines;      // by function and line: how many were met
rt::Global<GrownParts> present;
constexpr u32 kMostReaders = 2;
GrownPartsOfLog* readers[kMostReaders];
u32 reader_count = 0;
void (*listener)(const GrownPart& part) = nullptr;

void read(Address address, GrowingCode& code) {
    const vg::ModuleId id = vg::module_of_code(address);
    const HChar* function = nullptr;
    UInt line = 0;
    const DiEpoch now = VG_(current_DiEpoch)();
    if (id == vg::ModuleId::None || rt::is_system_path(vg::module(id).path) ||
        !VG_(get_fnname)(now, address, &function))
        return;
    code.function = vg::intern(function);
    if (!VG_(get_linenum)(now, address, &line)) return;
    const vg::Module& module = vg::module(id);
    // The arrays of a line get their memory in order.
    const u64 key = reinterpret_cast<u64>(code.function) * 0x9E37'79B9'7F4A'7C15u + line;
    const u32 number = (*codes_of_lines)[key]++;
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        dwarf::ListedVariable found;
        if (!dwarf::find_grown_at(sections, address - module.bias, line, number, &found, &code.element))
            return false;
        rt::Text name;
        found.name = name.add(found.is_address ? "*" : "").add(found.name).c_str();
        code.variable = variable_as_told(found, id);
        named_code->push_back(&code);
        return true;
    });
}

GrowingCode& code_at(Address address) {
    GrowingCode*& code = (*known_code)[address];
    if (code == nullptr) {
        code = new (rt::allocate(sizeof(GrowingCode), "memspy.growth")) GrowingCode;
        code->address = address;
        read(address, *code);
    }
    return *code;
}

GrownPart part_of(const threads::Growth& growth) {
    constexpr Address kAlignment = 16;  // of the stack pointer, to which compilers round up
    return {(growth.begin + kAlignment - 1) & ~(kAlignment - 1), growth.end, &code_at(growth.code)};
}

void took(const threads::Growth& growth) {
    const GrownPart part = part_of(growth);
    if (part.code->variable.name == nullptr || part.begin >= part.end) return;
    if (listener != nullptr) listener(part);
    if (present->has(part)) return;
    present->put(part);
    const u32 thread = threads::thread_of_guest(VG_(get_running_tid)()).serial;
    for (u32 i = 0; i < reader_count; ++i) readers[i]->foresee(thread, part, growth.record);
}

}  // namespace

const GrownPart* GrownParts::first_behind(Address a) const {
    return std::lower_bound(parts_.begin(), parts_.end(), a,
                            [](const GrownPart& part, Address at) { return part.end <= at; });
}

namespace {

bool is_same_variable(const GrowingCode* a, const GrowingCode* b) {
    const StackVariable &one = a->variable, &other = b->variable;
    return one.name == other.name && one.line == other.line && one.entry == other.entry &&
           one.module == other.module;
}

}  // namespace

bool GrownParts::has(const GrownPart& part) const {
    const GrownPart* const first = first_behind(part.begin);
    return first != parts_.end() && first->begin <= part.begin && first->end >= part.end &&
           is_same_variable(first->code, part.code);
}

void GrownParts::put(GrownPart part) {
    constexpr usize kMost = 4096;  // some programs run on thousands of stacks
    rt::Vector<GrownPart> all;
    for (GrownPart each : parts_) {
        // Pages that code takes one by one are one array.
        if (each.begin == part.end && is_same_variable(each.code, part.code)) {
            part.end = each.end;
            continue;
        }
        // What lies above it may still be what it was.
        if (each.begin < part.end && each.end > part.begin) each.begin = part.end;
        if (each.begin < each.end) all.push_back(each);
    }
    if (all.size() >= kMost) return;
    all.push_back(part);
    std::sort(all.begin(), all.end(),
              [](const GrownPart& a, const GrownPart& b) { return a.begin < b.begin; });
    parts_ = std::move(all);
}

bool GrownParts::find(const char* function, Address a, StackVariable* found) const {
    const GrownPart* const at = first_behind(a);
    if (at != parts_.begin() && at[-1].end > found->begin) found->begin = at[-1].end;
    if (at == parts_.end()) return false;
    if (a < at->begin) {
        found->end = std::min(found->end, at->begin);
        return false;
    }
    // What another function took, and has left, says nothing of this one's frame.
    if (at->code->function != function || at->begin < found->begin || at->end > found->end) return false;
    *found = at->code->variable;
    found->begin = at->begin;
    found->end = at->end;
    return true;
}

void GrownPartsOfLog::start() {
    CHECK(reader_count < kMostReaders);
    readers[reader_count++] = this;
}

void GrownPartsOfLog::foresee(u32 thread, const GrownPart& part, const u64* record) {
    while (waiting_.size() <= thread) waiting_.push_back(nullptr);
    ThreadQueue*& queue = waiting_[thread];
    if (queue == nullptr) queue = new (rt::allocate(sizeof(ThreadQueue), "memspy.growth")) ThreadQueue;
    queue->all.push_back({part, record});
    ++left_;
}

bool GrownPartsOfLog::take_until(u32 thread, const u64* first, const u64* record) {
    if (thread >= waiting_.size() || waiting_[thread] == nullptr) return false;
    ThreadQueue& queue = *waiting_[thread];
    bool any = false;
    for (; queue.taken < queue.all.size(); ++queue.taken, --left_) {
        const WaitingPart& next = queue.all[queue.taken];
        if (next.record < first || next.record > record) break;
        parts_.put(next.part);
        any = true;
    }
    if (any && queue.taken == queue.all.size()) {
        queue.all.resize(0);
        queue.taken = 0;
    }
    if (any) ++age_;
    return any;
}

void GrownPartsOfLog::advance_to_end() {
    for (ThreadQueue* const queue : waiting_) {
        if (queue == nullptr) continue;
        for (; queue->taken < queue->all.size(); ++queue->taken) parts_.put(queue->all[queue->taken].part);
        queue->all.resize(0);
        queue->taken = 0;
    }
    left_ = 0;
    ++age_;
}

void follow_grown_parts() {
    threads::listen_to_growth(
        {.takes = [](Address code) { return code_at(code).variable.name != nullptr; }, .took = took});
}

const GrownParts& present_grown_parts() { return *present; }

void listen_to_grown_parts(void (*took)(const GrownPart& part)) { listener = took; }

dwarf::ElementPart* find_grown_element(const Object& owner) {
    for (GrowingCode* const code : *named_code) {
        const StackVariable& variable = code->variable;
        if (owner.variable == variable.name && owner.line == variable.line &&
            owner.loaded_from == variable.module && owner.module_offset == variable.entry)
            return code->element.bytes == 0 ? nullptr : &code->element;
    }
    return nullptr;
}

}  // namespace memspy::places
