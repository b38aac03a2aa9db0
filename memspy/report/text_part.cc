// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_part.h"

#include <fnmatch.h>

#include <algorithm>

namespace memspy::report {
namespace {

bool matches(const std::string& pattern, const std::string& text) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
}

}  // namespace

bool TextView::passes(const Stack& stack) const {
    const RowFilter& filter = options_.filter;
    auto any = [&](auto&& of_frame) {
        return std::any_of(stack.frames.begin(), stack.frames.end(), of_frame);
    };
    if (!filter.function.empty() &&
        !any([&](const Frame& frame) { return matches(filter.function, std::string(frame.fn)); }))
        return false;
    return filter.file.empty() || any([&](const Frame& frame) {
               return matches(filter.file, std::string(base_name(frame.file))) ||
                      matches(filter.file, std::string(frame.dir) + "/" + std::string(frame.file));
           });
}

CodeKey TextView::code_at(FrameIndex frame_index) {
    const auto [at, added] = code_of_frame_.emplace(frame_index, frame_index);
    if (added) at->second = code_of_label_.emplace(label(frame(frame_index)), frame_index).first->second;
    return at->second;
}

void TextView::stack(const Stack& record) {
    Catalog::stack(record);
    if (!passes(record)) return;
    if (const FrameIndex own = own_frame(record.id); own != ~FrameIndex{0})
        codes_.set(static_cast<u32>(record.id), code_at(own));
}

void TextView::object(const Object& record) {
    Catalog::object(record);
    const std::string& pattern = options_.filter.object;
    if (pattern.empty() || matches(pattern, std::string(record.name)) || matches(pattern, label(record)))
        wanted_.set(static_cast<u32>(record.id), 1);
}

bool TextView::wants(StackId stack) const {
    const bool all = options_.filter.function.empty() && options_.filter.file.empty();
    return all || codes_.find(static_cast<u32>(stack)) != IdIndex::kNone;
}
bool TextView::wants(ObjectId object) const {
    return options_.filter.object.empty() || wanted_.find(static_cast<u32>(object)) != IdIndex::kNone;
}
bool TextView::wants(ThreadId thread) const {
    return options_.filter.thread == 0 || options_.filter.thread == static_cast<u32>(thread);
}

std::string TextView::code_label(CodeKey code) const {
    return code == kNoCode ? "(not known)" : label(frame(code));
}

std::string number_of(ThreadId thread) { return std::to_string(static_cast<u32>(thread)); }

std::string plural(u64 count, std::string_view what) {
    return with_commas(count) + " " + std::string(what) +
           (count == 1            ? ""
            : what.ends_with('s') ? "es"
                                  : "s");
}

}  // namespace memspy::report
