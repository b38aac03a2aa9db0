// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/error_facts.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>

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
    const std::filesystem::path plain =
        std::filesystem::path(frame.dir.empty() ? std::string(frame.file) : source_file(frame))
            .lexically_normal();
    if (root.empty()) return plain;
    // Build systems that run in a folder of their own write `build/../src/x.c`.
    const std::string prefix = root + "/";
    return plain.string().starts_with(prefix) ? plain.string().substr(prefix.size()) : plain.string();
}

// What a finding says of its objects, without figures and the lines of places, which change with other code:
// "False sharing of heap block of grow (list.c) beside x".
static std::string head_of(const Error& error) {
    const Text whole = error.first_what.empty() ? error.what : error.first_what;
    std::string head(whole.substr(0, whole.find(": ")));
    for (std::size_t at = head.find(':'); at != head.npos; at = head.find(':', at + 1)) {
        const std::size_t end = head.find_first_not_of("0123456789", at + 1);
        if (end != head.npos && end > at + 1 && head[end] == ')') head.erase(at, end - at);
    }
    return head;
}

std::set<std::string> objects_of(const Error& error) {
    std::string rest = head_of(error);
    for (const std::string_view words : {" between ", " inside ", " of ", " on "})
        if (const std::size_t at = rest.find(words); at != rest.npos) {
            rest.erase(0, at + words.size());
            break;
        }
    std::set<std::string> objects;
    while (!rest.empty()) {
        std::size_t end = rest.size(), next = end;
        for (const std::string_view between : {", ", " and ", " beside "})
            if (const std::size_t at = rest.find(between); at < end) {
                end = at;
                next = at + between.size();
            }
        objects.insert(rest.substr(0, end));
        rest.erase(0, next);
    }
    return objects;
}

bool concerns(const Error& error, const OwnCode& own) {
    const std::vector<ErrorFrame>& stack = error.parts.front().stack;
    // Shells and interpreters that run the tests are the system's too.
    const auto is_of_systems_program = [](const ErrorFrame& frame) {
        return frame.object.starts_with("/usr/bin/") || frame.object.starts_with("/bin/") ||
               frame.object.starts_with("/usr/sbin/") || frame.object.starts_with("/sbin/");
    };
    return stack.empty() || std::any_of(stack.begin(), stack.end(), [&](const ErrorFrame& frame) {
               return (!is_of_systems_program(frame) || own.has(std::string(frame.object), {})) &&
                      own.may_change(std::string(frame.object), source_file(frame));
           });
}

std::string identity(const Error& error) {
    std::string text(error.kind);
    // The first line of such a finding names its object; its other texts have sizes and counts.
    const bool of_object = class_of(error) == ErrorClass::Object;
    if (of_object) text += "\n" + head_of(error);
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
