// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/catalog.h"

#include <algorithm>
#include <charconv>

#include "report/folding.h"

namespace memspy::report {
namespace {

template <typename R>
const R* find_in(const std::deque<R>& records, const IdIndex& index, u32 id) {
    const u32 place = index.find(id);
    return place == IdIndex::kNone ? nullptr : &records[place];
}

}  // namespace

std::size_t Catalog::FrameHash::operator()(FrameIndex index) const {
    const Frame& frame = (*frames)[index];
    return hash_of_fields(frame, frame.ip.value);
}

void Catalog::module(const Module& record) {
    module_index_.set(static_cast<u32>(record.id), static_cast<u32>(modules_.size()));
    modules_.push_back(record);
}

void Catalog::object(const Object& record) {
    object_index_.set(static_cast<u32>(record.id), static_cast<u32>(objects_.size()));
    objects_.push_back(record);
}

FrameIndex Catalog::keep(const Frame& frame) {
    frames_.push_back(frame);
    const auto [at, added] = known_frames_.insert(static_cast<FrameIndex>(frames_.size() - 1));
    if (!added) frames_.pop_back();
    return *at;
}

StackId Catalog::stack_of(const Frame& frame) {
    // Files number their stacks from 1 on.
    constexpr u32 kFirst = u32{1} << 31;
    const auto [at, added] =
        own_stacks_.try_emplace(keep(frame), StackId{kFirst + static_cast<u32>(own_stacks_.size())});
    if (added) {
        stack_frames_.push_back(at->first);
        stack_index_.set(static_cast<u32>(at->second), static_cast<u32>(stack_ends_.size()));
        stack_ends_.push_back(static_cast<u32>(stack_frames_.size()));
    }
    return at->second;
}

void Catalog::stack(const Stack& record) {
    for (const Frame& frame : record.frames) stack_frames_.push_back(keep(frame));
    stack_index_.set(static_cast<u32>(record.id), static_cast<u32>(stack_ends_.size()));
    stack_ends_.push_back(static_cast<u32>(stack_frames_.size()));
}

const Module* Catalog::find_module(ModuleId id) const {
    return find_in(modules_, module_index_, static_cast<u32>(id));
}

const Object* Catalog::find_object(ObjectId id) const {
    return find_in(objects_, object_index_, static_cast<u32>(id));
}

std::span<const FrameIndex> Catalog::frames_of(StackId id) const {
    const u32 place = stack_index_.find(static_cast<u32>(id));
    if (place == IdIndex::kNone) return {};
    const u32 begin = place == 0 ? 0 : stack_ends_[place - 1];
    return std::span(stack_frames_).subspan(begin, stack_ends_[place] - begin);
}

std::string Catalog::label(const Frame& frame) const {
    std::string text(frame.fn.empty() ? hexadecimal(frame.offset != kNoAddress ? frame.offset : frame.ip)
                                      : std::string(bare_function(frame.fn)));
    const Module* module = find_module(frame.module);
    if (const std::string place = source_place(frame); !place.empty()) {
        text += " (" + place + ")";
    } else if (module != nullptr) {
        text += " (in " + std::string(base_name(module->path)) + ")";
    }
    return text;
}

bool Catalog::is_own(const Frame& frame) const {
    const Module* const module = find_module(frame.module);
    return own_.has(std::string(module == nullptr ? Text{} : module->path), source_file(frame));
}

bool Catalog::may_change(const Frame& frame) const {
    const Module* const module = find_module(frame.module);
    return own_.may_change(std::string(module == nullptr ? Text{} : module->path), source_file(frame));
}

// A replacement names nothing.
FrameIndex Catalog::first_frame(std::span<const FrameIndex> frames) const {
    for (const FrameIndex index : frames) {
        const Module* const module = find_module(frame(index).module);
        if (module == nullptr || module->path.find("vgpreload_") == module->path.npos) return index;
    }
    return frames.empty() ? ~FrameIndex{0} : frames.front();
}

FrameIndex Catalog::own_frame(StackId id) const {
    const std::span<const FrameIndex> frames = frames_of(id);
    for (const FrameIndex index : frames)
        if (is_own(frame(index))) return index;
    return first_frame(frames);
}

bool Catalog::may_change(StackId stack) const {
    const std::span<const FrameIndex> frames = frames_of(stack);
    for (const FrameIndex index : frames) {
        const Frame& each = frame(index);
        if (may_change(each)) return true;
        if (!each.inlined) return false;
    }
    return true;
}

// Whether variables of a program without symbols may be there. The other sections are the linker's own.
static bool holds_variables(Text section) {
    static constexpr Text kSections[] = {".data", ".bss", ".rodata", ".ldata", ".lbss", ".tdata", ".tbss"};
    return std::find(std::begin(kSections), std::end(kSections), section) != std::end(kSections);
}

bool Catalog::may_change(ObjectId id) const {
    const Object* const object = find_object(id);
    const Module* const module = object == nullptr ? nullptr : find_module(object->module);
    if (module == nullptr || object->kind != ObjectKind::Static) return true;
    if (object->symbol.empty() && !holds_variables(object->name)) return false;
    return own_.may_change(std::string(module->path), {});
}

const Frame* Catalog::site(StackId id) const {
    const std::span<const FrameIndex> frames = frames_of(id);
    for (const FrameIndex index : frames)
        if (is_own(frame(index))) return &frame(index);
    // The C library has debug information where the program may have none, and calls main.
    for (const FrameIndex index : frames) {
        const Module* const module = find_module(frame(index).module);
        const bool is_libc = module != nullptr && base_name(module->path).starts_with("libc.so");
        if (!frame(index).file.empty() && !is_libc) return &frame(index);
    }
    return frames.empty() ? nullptr : &frame(first_frame(frames));
}

std::string Catalog::label(const Object& object) const {
    switch (object.kind) {
        case ObjectKind::Heap: {
            const Frame* const at = site(object.stack);
            if (!object.name.empty()) {
                const std::string place = at != nullptr ? source_place(*at) : std::string();
                return std::string(object.name) +
                       (object.symbol.empty() ? "" : " " + std::string(object.symbol)) +
                       (place.empty() ? "" : " (" + place + ")");
            }
            std::string text = block_words(object);
            return at == nullptr ? text : text + " of " + label(*at);
        }
        case ObjectKind::Static: return std::string(object.name);
        case ObjectKind::Frames:
            if (!object.variable.empty())
                return std::string(object.variable) + " of " + std::string(bare_function(object.name)) +
                       (static_cast<u32>(object.thread) > 1
                            ? " of thread " + std::to_string(static_cast<u32>(object.thread))
                            : "");
            return "stack of thread " + std::to_string(static_cast<u32>(object.thread)) +
                   (object.name.empty() ? "" : " in " + std::string(object.name));
        case ObjectKind::Unknown: break;
    }
    std::string text(object.name);
    if (!object.path.empty()) text += " " + std::string(base_name(object.path));
    if (object.thread != ThreadId{} && text.find("of thread") == text.npos)
        text += " of thread " + std::to_string(static_cast<u32>(object.thread));
    return text;
}

std::string Catalog::label(ObjectId id) const {
    const Object* const object = find_object(id);
    return object == nullptr ? "(not known)" : label(*object);
}

std::string block_words(const Object& object) { return object.blocks > 1 ? "heap blocks" : "heap block"; }

std::string_view bare_function(std::string_view name) {
    constexpr std::string_view kOperator = "operator";
    // The name of a template's instance begins with the returned type.
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < name.size() && !(name[i] == '(' && depth == 0); ++i) {
        depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
        if (name[i] == ' ' && depth == 0 && !name.substr(begin, i - begin).ends_with(kOperator) &&
            i + 1 < name.size() && name[i + 1] != '(' && name[i + 1] != '[')
            begin = i + 1;
    }
    name.remove_prefix(begin);
    const std::string_view whole = name;
    if (name.ends_with(" const")) name.remove_suffix(6);
    if (!name.ends_with(')')) return whole;
    std::size_t open = name.size();
    depth = 0;
    do {
        --open;
        depth += name[open] == ')' ? 1 : name[open] == '(' ? -1 : 0;
    } while (open > 0 && depth > 0);
    if (open == 0 || depth != 0 || name.substr(0, open).ends_with(kOperator)) return whole;
    return name.substr(0, open);
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string hexadecimal(Address address) {
    std::array<char, 18> text{'0', 'x'};
    const auto end = std::to_chars(text.data() + 2, text.data() + text.size(), address.value, 16).ptr;
    return {text.data(), end};
}

std::string source_place(const Frame& frame) {
    if (frame.file.empty()) return {};
    return std::string(base_name(frame.file)) + (frame.line != 0 ? ":" + std::to_string(frame.line) : "");
}

}  // namespace memspy::report
