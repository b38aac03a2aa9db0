// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/catalog.h"

#include <algorithm>
#include <charconv>

#include "report/folding.h"
#include "rt/function_name.h"
#include "rt/runtime_libraries.h"

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

std::string Catalog::function_of(const Frame& frame) const {
    if (!frame.fn.empty()) return bare_function(frame.fn);
    const Module* const module = find_module(frame.module);
    return module == nullptr ? std::string() : "(no symbol, in " + std::string(base_name(module->path)) + ")";
}

std::string Catalog::label(const Frame& frame) const {
    std::string text(frame.fn.empty() ? hexadecimal(frame.offset != kNoAddress ? frame.offset : frame.ip)
                                      : bare_function(frame.fn));
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

std::vector<std::size_t> Catalog::program_frames(StackId id) const {
    const std::span<const FrameIndex> frames = frames_of(id);
    std::vector<std::size_t> places;
    const auto add_those = [&](const auto& is_shown) {
        for (std::size_t i = 0; i < frames.size(); ++i)
            if (is_shown(frame(frames[i]))) places.push_back(i);
        return !places.empty();
    };
    if (frames.empty() || add_those([&](const Frame& each) { return is_own(each); }) ||
        add_those([&](const Frame& each) { return may_change(each); }))
        return places;
    const auto first = std::find(frames.begin(), frames.end(), first_frame(frames));
    return {static_cast<std::size_t>(first - frames.begin())};
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

// As in the tool's places/stacks.cc.
const Frame* Catalog::site(StackId id, SiteOf what) const {
    const std::span<const FrameIndex> frames = frames_of(id);
    const auto first = [&](auto is_wanted) {
        const auto at =
            std::find_if(frames.begin(), frames.end(), [&](FrameIndex i) { return is_wanted(frame(i)); });
        return at == frames.end() ? nullptr : &frame(*at);
    };
    const auto path = [&](const Frame& each) {
        const Module* const module = find_module(each.module);
        return module == nullptr ? std::string() : std::string(module->path);
    };
    if (const Frame* const own = first([&](const Frame& each) { return is_own(each); }); own != nullptr)
        return own;
    // Without source lines the program's function; without symbols that of the library which works for it.
    const Frame* const outside = first(
        [&](const Frame& each) { return each.module != ModuleId{} && own_.may_change(path(each), {}); });
    if (outside != nullptr && !outside->fn.empty()) return outside;
    const Frame* const library = first([&](const Frame& each) {
        return !each.fn.empty() && is_of_system(path(each)) && !rt::is_runtime_library(path(each).c_str()) &&
               !(what == SiteOf::Allocation && rt::names_allocator(std::string(each.fn).c_str()));
    });
    if (library != nullptr) return library;
    if (outside != nullptr) return outside;
    return frames.empty() ? nullptr : &frame(first_frame(frames));
}

// As advice::add_name() has it.
std::string Catalog::block_label(const Object& object) const {
    const Text variable = object.symbol.empty() ? object.holder : object.symbol;
    std::string text = object.name.empty()
                           ? block_words(object)
                           : (object.blocks > 1 ? "blocks of " : "") + std::string(object.name);
    if (!variable.empty()) text += " " + std::string(variable);
    const Frame* const at = site(object.stack, SiteOf::Allocation);
    if (at == nullptr) return text;
    // What has no name in the source is where it stands.
    const std::string place = source_place(*at);
    const bool is_nameless = !place.empty() && rt::is_nameless(std::string(at->fn).c_str());
    return text + " of " + (is_nameless ? place : label(*at));
}

std::string Catalog::label(const Object& object) const {
    switch (object.kind) {
        case ObjectKind::Heap: return block_label(object);
        case ObjectKind::Static: {
            // Sections of several files have one name.
            const Module* const module = object.symbol.empty() ? find_module(object.module) : nullptr;
            return std::string(object.name) +
                   (module == nullptr ? "" : " of " + std::string(base_name(module->path)));
        }
        case ObjectKind::Frames:
            if (!object.variable.empty())
                return std::string(object.variable) + " of " + bare_function(object.name) +
                       (static_cast<u32>(object.thread) > 1
                            ? " of thread " + std::to_string(static_cast<u32>(object.thread))
                            : "");
            return "stack of thread " + std::to_string(static_cast<u32>(object.thread)) +
                   (object.name.empty() ? "" : " in " + std::string(object.name));
        case ObjectKind::Unknown: break;
    }
    std::string text(object.name);
    if (!object.path.empty()) text += " of " + std::string(base_name(object.path));
    if (object.thread != ThreadId{} && text.find("of thread") == text.npos)
        text += " of thread " + std::to_string(static_cast<u32>(object.thread));
    return text;
}

std::string Catalog::label(ObjectId id) const {
    const Object* const object = find_object(id);
    return object == nullptr ? "(not known)" : label(*object);
}

std::string block_words(const Object& object) { return object.blocks > 1 ? "heap blocks" : "heap block"; }

std::string bare_function(std::string_view name) {
    std::string bare;
    rt::bare_function(std::string(name).c_str(), [&](char c) { bare += c; });
    return bare;
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
