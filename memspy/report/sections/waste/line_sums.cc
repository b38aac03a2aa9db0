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

Callee callee_of(const WasteReader& reader, StackId stack) {
    const Frame* const own = reader.site(stack);
    Callee found;
    for (const FrameIndex index : reader.frames_of(stack)) {
        const Frame& frame = reader.frame(index);
        if (&frame == own || (own != nullptr && frame == *own)) break;
        const std::string name = reader.function_of(frame);
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

bool is_unnamed_frame(const WasteReader& reader, ObjectId id) {
    const Object* const object = reader.find_object(id);
    return object != nullptr && object->kind == ObjectKind::Frames && object->variable.empty();
}

// `entries[].key`, `last of struct State state (x.c:29)`.
template <typename T>
std::string object_words(const WasteReader& reader, SourceNames* names, const T& record) {
    const std::string label = reader.label(record.object), field = field_of(record, names);
    const Object* const object = reader.find_object(record.object);
    if (field.empty()) return label;
    return object != nullptr && object->kind != ObjectKind::Heap ? field : field + " of " + label;
}

template <typename T>
LineSum* add(LineSums& sums, const WasteReader& reader, SourceNames* names, const T& record, u32 kind) {
    if (record.direct) return nullptr;
    LineKey key{
        .kind = kind, .function = {}, .line = {}, .callee = callee_of(reader, record.stack), .object = {}};
    reader.set_place(record.stack, key.function, key.line);
    const Frame* const own = reader.site(record.stack);
    if (own == nullptr || !reader.may_change(*own)) return nullptr;
    if (key.callee.kind != CalleeKind::None && is_unnamed_frame(reader, record.object)) return nullptr;
    std::string object = object_words(reader, names, record);
    if (kind != kDead) key.object = object;
    LineSum& sum = sums[key];
    sum.bytes += record.bytes;
    if (sum.places.insert(record.stack).second) sum.all += record.all;
    sum.looked += record.looked;
    sum.in_place += record.in_place;
    sum.near += record.near;
    sum.decides |= record.decides;
    sum.holds_known &= record.held != 0;
    sum.objects[object] += record.bytes;
    sum.held[record.object] = record.held;
    return &sum;
}

}  // namespace

LineSums sums_of_lines(const WasteReader& reader, SourceNames* names) {
    LineSums sums;
    for (const Dead& record : reader.dead()) {
        LineSum* const sum = add(sums, reader, names, record, kDead);
        if (sum == nullptr) continue;
        std::string function, line;
        reader.set_place(record.killer, function, line);
        sum->killers[{std::string(record.end), function, line}] += record.bytes;
    }
    for (const Silent& record : reader.silent()) add(sums, reader, names, record, kSilent);
    for (const Again& record : reader.again()) add(sums, reader, names, record, kLoad);
    return sums;
}

bool is_optimised(const WasteReader& reader) {
    u64 direct = 0, all = 0;
    for (const Again& record : reader.again()) {
        if (callee_of(reader, record.stack).kind != CalleeKind::None) continue;
        const Frame* const own = reader.site(record.stack);
        if (own == nullptr || !reader.may_change(*own)) continue;
        all += record.bytes;
        if (record.direct) direct += record.bytes;
    }
    constexpr u64 kPart = 5;  // a fifth of all that the program loads
    return direct * 2 <= all || direct * kPart < reader.total().loaded;
}

u64 LineSum::held_in_all() const {
    u64 sum = 0;
    for (const auto& each : held) sum += each.second;
    return sum;
}

const std::string& LineSum::object() const {
    static const std::string none;
    const auto most = std::ranges::max_element(objects, {}, [](const auto& each) { return each.second; });
    return most == objects.end() ? none : most->first;
}

}  // namespace memspy::report::waste
