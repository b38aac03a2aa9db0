// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/waste/line_sums.h"

#include <algorithm>

namespace memspy::report::waste {
namespace {

// Names of functions, as far as they tell the purpose: libraries have variants of each (`__memset_avx2`).
struct CalleePart {
    const char* part;
    CalleeKind kind;
};
constexpr CalleePart kParts[] = {
    {"printf", CalleeKind::Format},       {"to_string", CalleeKind::Format},
    {"std::ostream", CalleeKind::Format}, {"std::basic_ostream", CalleeKind::Format},
    {"std::format", CalleeKind::Format},  {"strftime", CalleeKind::Format},
    {"st_write", CalleeKind::Format},     {"memset", CalleeKind::Clear},
    {"bzero", CalleeKind::Clear},         {"std::fill", CalleeKind::Clear},
    {"calloc", CalleeKind::Clear},        {"uninitialized_default", CalleeKind::Start},
    {"memcpy", CalleeKind::Copy},         {"memmove", CalleeKind::Copy},
    {"mempcpy", CalleeKind::Copy},        {"strcpy", CalleeKind::Copy},
    {"strncpy", CalleeKind::Copy},        {"strcat", CalleeKind::Copy},
    {"std::copy", CalleeKind::Copy},      {"uninitialized_copy", CalleeKind::Copy},
    {"strlen", CalleeKind::Length},       {"strnlen", CalleeKind::Length},
    {"wcslen", CalleeKind::Length},       {"strcmp", CalleeKind::Compare},
    {"strncmp", CalleeKind::Compare},     {"strcasecmp", CalleeKind::Compare},
    {"memcmp", CalleeKind::Compare},
};

}  // namespace

Callee callee_of(const Catalog& catalog, StackId stack) {
    const Frame* const own = catalog.site(stack);
    Callee found;
    for (const FrameIndex index : catalog.frames_of(stack)) {
        const Frame& frame = catalog.frame(index);
        if (&frame == own || (own != nullptr && frame == *own)) break;
        const std::string name = catalog.function_of(frame);
        CalleeKind kind = CalleeKind::Other;
        for (const CalleePart& each : kParts)
            if (name.find(each.part) != name.npos) {
                kind = each.kind;
                break;
            }
        if (kind != CalleeKind::Other || found.kind == CalleeKind::None) found = {kind, name};
    }
    return found;
}

namespace {

// What a library function does with it is its own affair: its frames, variables and thread-local storage. A
// stream's lock is stored to at each call of printf.
bool is_of_library(const Catalog& catalog, ObjectId id) {
    const Object* const object = catalog.find_object(id);
    if (object == nullptr) return false;
    switch (object->kind) {
        case ObjectKind::Frames: return object->variable.empty();
        case ObjectKind::Unknown: return object->thread != ThreadId{};
        default: return !catalog.may_change(id);
    }
}

// `entries[].key`, `last of struct State state (x.c:29)`.
template <typename T>
std::string object_words(const Catalog& catalog, SourceNames* names, const T& record) {
    const std::string label = catalog.label(record.object), field = field_of(record, names);
    const Object* const object = catalog.find_object(record.object);
    if (field.empty()) return label;
    return object != nullptr && object->kind != ObjectKind::Heap ? field : field + " of " + label;
}

bool is_section(const Catalog& catalog, ObjectId id) {
    const Object* const object = catalog.find_object(id);
    return object != nullptr && object->kind == ObjectKind::Static && object->name.starts_with('.');
}

// More bytes than a register has: a struct or an array.
constexpr u64 kLargest = 32;
bool is_large_variable(const Catalog& catalog, ObjectId id) {
    const Object* const object = catalog.find_object(id);
    return object != nullptr && object->kind == ObjectKind::Frames && !object->variable.empty() &&
           object->size > kLargest;
}
// Of the frames of functions that are inlined there, that of the function that has the variable.
const Frame* frame_of_variable(const Catalog& catalog, StackId stack, ObjectId id) {
    const std::string function = bare_function(catalog.find_object(id)->name);
    for (const FrameIndex index : catalog.frames_of(stack))
        if (catalog.function_of(catalog.frame(index)) == function) return &catalog.frame(index);
    return nullptr;
}

template <typename T>
LineSum* add(LineSums& sums, const Catalog& catalog, SourceNames* names, const T& record, u32 kind) {
    const bool variable = record.direct && kind == kDead && is_large_variable(catalog, record.object);
    if (record.direct && !variable) return nullptr;
    const Frame* const own =
        variable ? frame_of_variable(catalog, record.stack, record.object) : catalog.site(record.stack);
    if (own == nullptr || !catalog.may_change(*own)) return nullptr;
    LineKey key{.kind = kind,
                .function = catalog.function_of(*own),
                .line = source_place(*own),
                .callee = variable ? Callee{} : callee_of(catalog, record.stack),
                .object = {},
                .variable = variable};
    if (key.callee.kind != CalleeKind::None && is_of_library(catalog, record.object)) return nullptr;
    std::string object = object_words(catalog, names, record);
    if (kind != kDead || variable) key.object = variable ? catalog.label(record.object) : object;
    LineSum& sum = sums[key];
    sum.bytes += record.bytes;
    if (!sum.places.contains(record.stack)) sum.all += record.all;
    sum.places[record.stack] += record.bytes;
    sum.looked += record.looked;
    sum.in_place += record.in_place;
    sum.near += record.near;
    sum.decides |= record.decides;
    sum.holds_known &= record.held != 0;
    sum.unnamed &= is_section(catalog, record.object);
    sum.objects[object] += record.bytes;
    sum.held[record.object] = record.held;
    return &sum;
}

}  // namespace

LineSums sums_of_lines(const Catalog& catalog, const WasteRecords& records, SourceNames* names) {
    LineSums sums;
    for (const Dead& record : records.dead()) {
        LineSum* const sum = add(sums, catalog, names, record, kDead);
        if (sum == nullptr) continue;
        std::string function, line;
        if (const Frame* const at = record.direct ? frame_of_variable(catalog, record.killer, record.object)
                                                  : catalog.site(record.killer)) {
            function = catalog.function_of(*at);
            line = source_place(*at);
        }
        KillerSum& killer = sum->killers[{std::string(record.end), function, line}];
        killer.bytes += record.bytes;
        killer.stack = record.killer;
    }
    for (const Silent& record : records.silent()) add(sums, catalog, names, record, kSilent);
    for (const Again& record : records.again()) add(sums, catalog, names, record, kLoad);
    return sums;
}

bool is_optimised(const Catalog& catalog, const WasteRecords& records) {
    u64 direct = 0, all = 0;
    for (const Again& record : records.again()) {
        if (callee_of(catalog, record.stack).kind != CalleeKind::None) continue;
        const Frame* const own = catalog.site(record.stack);
        if (own == nullptr || !catalog.may_change(*own)) continue;
        all += record.bytes;
        if (record.direct) direct += record.bytes;
    }
    constexpr u64 kPart = 5;  // a fifth of all that the program loads
    return direct * 2 <= all || direct * kPart < records.total().loaded;
}

u64 LineSum::held_in_all() const {
    u64 sum = 0;
    for (const auto& each : held) sum += each.second;
    return sum;
}

StackId LineSum::place() const {
    const auto most = std::ranges::max_element(places, {}, [](const auto& each) { return each.second; });
    return most == places.end() ? StackId{} : most->first;
}

std::string LineSum::main_objects() const {
    constexpr u64 kPart = 10;  // a tenth of the bytes
    constexpr std::size_t kMost = 4;
    std::vector<std::string> names;
    for (const auto& [name, of] : objects)
        if (of * kPart >= bytes) names.push_back(name);
    if (names.empty() || names.size() > kMost) return object();
    std::string text = names[0];
    for (std::size_t i = 1; i < names.size(); ++i)
        text += (i + 1 == names.size() ? " and " : ", ") + names[i];
    return text;
}

const std::string& LineSum::object() const {
    static const std::string none;
    const auto most = std::ranges::max_element(objects, {}, [](const auto& each) { return each.second; });
    return most == objects.end() ? none : most->first;
}

}  // namespace memspy::report::waste
