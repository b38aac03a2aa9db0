// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/error_facts.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "report/catalog.h"

namespace memspy::report {

ErrorClass class_of(const Error& error) {
    if (error.kind.starts_with("Leak_")) return ErrorClass::Leak;
    static constexpr std::pair<Text, ErrorClass> kClasses[] = {
#define MEMSPY_KIND(name, extra) {#name, ErrorClass::Defect},
#define MEMSPY_SUMMED(name, by) {#name, ErrorClass::by},
#include "kinds/all.def"
    };
    const auto* const found = std::find_if(std::begin(kClasses), std::end(kClasses),
                                           [&](const auto& each) { return each.first == error.kind; });
    return found == std::end(kClasses) ? ErrorClass::Other : found->second;
}

const ErrorFrame* own_frame(const Error& error, const OwnCode& own) {
    return own_frame(error.parts.front().stack, own);
}

const ErrorFrame* own_frame(const std::vector<ErrorFrame>& stack, const OwnCode& own) {
    const auto is_absolute = [](const ErrorFrame& frame) {
        return !frame.file.empty() && (frame.dir.starts_with('/') || frame.file.starts_with('/'));
    };
    for (const ErrorFrame& frame : stack)
        if (is_absolute(frame) && own.has(std::string(frame.object), source_file(frame))) return &frame;
    for (const ErrorFrame& frame : stack)
        if (is_absolute(frame)) return &frame;
    for (const ErrorFrame& frame : stack)
        if (!frame.file.empty()) return &frame;
    return stack.empty() ? nullptr : &stack.front();
}

std::string source_path(const ErrorFrame& frame, const std::string& root) {
    if (frame.file.empty()) return {};
    std::string path = frame.dir.empty() || frame.file.starts_with('/')
                           ? std::string(frame.file)
                           : std::string(frame.dir) + "/" + std::string(frame.file);
    std::string inside = root;
    while (inside.ends_with('/')) inside.pop_back();
    if (!inside.empty() && path.starts_with(inside + "/")) path.erase(0, inside.size() + 1);
    return path;
}

std::string identity(const Error& error) {
    std::string text(error.kind);
    // The first line of such a finding names its object; its other texts have sizes and counts.
    const bool of_object = class_of(error) == ErrorClass::Object;
    if (of_object) text += "\n" + std::string(error.first_what.empty() ? error.what : error.first_what);
    for (const ErrorPart& part : error.parts) {
        // Each access of a finding shows only one of many possible stacks.
        if (of_object) break;
        if (part.stack.empty()) continue;
        text += "\n--";
        for (const ErrorFrame& frame : part.stack) {
            text += "\n" + std::string(frame.fn.empty() ? Text("?") : frame.fn) + " " +
                    std::string(base_name(frame.file.empty() ? frame.object : frame.file));
        }
    }
    return text;
}

std::string fingerprint(const std::string& text) {
    u64 hash = 0xcbf29ce484222325u;  // FNV-1a: the same everywhere, for ever
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::array<char, 17> digits{};
    std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
    return digits.data();
}

std::string label(const ErrorFrame& frame) {
    std::string text(frame.fn.empty() ? frame.ip : frame.fn);
    if (!frame.file.empty()) {
        text +=
            " (" + std::string(frame.file) + (frame.line != 0 ? ":" + std::to_string(frame.line) : "") + ")";
    } else if (!frame.object.empty()) {
        text += " (in " + std::string(frame.object) + ")";
    }
    return text;
}

std::string full_text(const Error& error) {
    std::string text(error.what);
    text += "\n";
    bool first_part = true;
    for (const ErrorPart& part : error.parts) {
        if (!first_part) text += " " + std::string(part.text) + "\n";
        first_part = false;
        const char* word = "   at ";
        for (const ErrorFrame& frame : part.stack) {
            text += word + label(frame) + "\n";
            word = "   by ";
        }
    }
    return text;
}

}  // namespace memspy::report
