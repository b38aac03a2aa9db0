// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/suppression.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/error_facts.h"

namespace memspy::report {
namespace {

bool is_identifier(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
}

// Whether there is a ( outside <>.
bool has_parameters(std::string_view name) {
    int depth = 0;
    for (const char c : name) {
        if (c == '<') ++depth;
        if (c == '>' && depth > 0) --depth;
        if (c == '(' && depth == 0) return true;
    }
    return false;
}

// The name without the parts in <> and ().
std::string without_brackets(std::string_view name) {
    std::string result;
    int depth = 0;
    for (const char c : name) {
        if (c == '<' || c == '(') ++depth;
        if (depth == 0) result += c;
        if ((c == '>' || c == ')') && depth > 0) --depth;
    }
    return result;
}

// An inlined function has the name that debug information gives it, which the core compares too: without
// scope and parameters, `__invoke_impl<void, void (*)(int)>`, `operator()`. Names of C look the same.
bool is_inlined_name(std::string_view name) {
    constexpr std::string_view kCall = "operator()";
    if (name.starts_with(kCall)) name.remove_prefix(kCall.size());
    if (name.starts_with("operator")) return false;  // also what replaces `operator new` has that name
    return without_brackets(name).find_first_of(": ") == name.npos && !has_parameters(name);
}

// The core compares with the names of the symbol table, but error files have readable names. In a mangled
// name each part of `ns::Class::method(int)` is preceded by its length: `_Z*2ns*5Class*6method*`. Empty: not
// possible.
std::string symbol_pattern(std::string_view name) {
    if (is_inlined_name(name)) return std::string(name);
    std::string_view rest = name;
    if (rest.find("operator") != rest.npos || rest.find("anonymous") != rest.npos) return {};
    const std::string plain = without_brackets(rest);
    rest = plain;
    // Remove a return type, and qualifiers behind the parameters.
    if (const std::size_t blank = rest.find(" const"); blank != rest.npos) rest = rest.substr(0, blank);
    if (const std::size_t blank = rest.rfind(' '); blank != rest.npos) rest.remove_prefix(blank + 1);
    std::string pattern = "_Z*";
    std::string_view last;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find("::"), rest.size());
        const std::string_view part = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 2, rest.size()));
        // std has a short form in mangled names. A constructor repeats the class, and a destructor's mark is
        // in the name.
        if (part == "std" || part == last || part.starts_with('~')) continue;
        if (!is_identifier(part)) return {};
        pattern += std::to_string(part.size()) + std::string(part) + "*";
        last = part;
    }
    return pattern.size() > 3 ? pattern : std::string{};
}

// The lines of the stack as the run itself printed them if it was asked to, else made from the error's stack.
std::vector<std::string> frame_lines(const Error& error) {
    std::vector<std::string> lines;
    std::string_view raw = error.suppression;
    while (!raw.empty()) {
        std::string_view line = raw.substr(0, std::min(raw.find('\n'), raw.size()));
        raw.remove_prefix(std::min(line.size() + 1, raw.size()));
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line.starts_with("fun:") || line.starts_with("obj:") || line == "...") lines.emplace_back(line);
    }
    if (!lines.empty()) return lines;
    for (const ErrorFrame& frame : error.parts.front().stack) {
        const std::string pattern = frame.fn.empty() ? "" : symbol_pattern(frame.fn);
        lines.push_back(pattern.empty() ? "..." : "fun:" + pattern);
    }
    return lines;
}

// The line below the name in a suppression of this kind.
std::string extra_line(const Error& error) {
    constexpr std::string_view kBefore = "Syscall param ";
    if (error.kind == "SyscallParam" && error.what.starts_with(kBefore)) {
        const std::string_view rest = error.what.substr(kBefore.size());
        return std::string(rest.substr(0, rest.find(' ')));
    }
    return "";
}

}  // namespace

std::string suppression_of(const Error& error, u64 named_frames) {
    std::string text = "   " + std::string(error.kind.starts_with("Fd") ? "CoreError:" : "memspy:") +
                       std::string(error.kind) + "\n";
    if (const std::string extra = extra_line(error); !extra.empty()) text += "   " + extra + "\n";
    u64 named = 0;
    bool after_gap = false;
    for (const std::string& line : frame_lines(error)) {
        const bool is_name = line.starts_with("fun:");
        if (is_name && named++ == named_frames) break;
        // Names of object files change with every installation.
        if (!is_name && after_gap) continue;
        after_gap = !is_name;
        text += "   " + (is_name ? line : "...") + "\n";
    }
    return named == 0 ? "" : text;
}

std::string whole_suppression(const std::string& prefix, const Error& error, const std::string& body) {
    const ErrorFrame* const at = own_frame(error);
    return "{\n   " + prefix + ": " + std::string(error.kind) +
           (at == nullptr || at->fn.empty() ? "" : " in " + std::string(at->fn)) + "\n" + body + "}\n";
}

}  // namespace memspy::report
