// SPDX-License-Identifier: GPL-2.0-or-later
//
// Makes suppressions for the errors of a run that survive small changes of the program: a few frames of the
// stack, `...` for frames without a name. It also lists suppressions that were not needed.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>

#include "report/commands.h"
#include "report/error_facts.h"
#include "report/input.h"
#include "report/output.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"frames", "N", "named frames in each suppression, from the innermost [4]"},
    {"name", "PREFIX", "beginning of the names [memspy-report]"},
    {"unused", "FILE", "instead: list the suppressions of this file without effect in these runs"},
    kOutputOption,
    kHelpOption,
};

bool is_identifier(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    });
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

// The core compares with the names of the symbol table, but error files have readable names. In a mangled
// name each part of `ns::Class::method(int)` is preceded by its length: `_Z*2ns*5Class*6method*`. Empty: not
// possible.
std::string symbol_pattern(std::string_view name) {
    if (name.find_first_of("(:< ") == name.npos) return std::string(name);
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

// Empty if there is no frame that a suppression could name.
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

int generate(const Arguments& arguments, Inputs& inputs, std::ostream& out) {
    const u64 frames = arguments.number("frames", 4);
    if (frames == 0) throw UsageError("--frames is at least 1");
    const std::string prefix(arguments.value("name", "memspy-report"));
    std::set<std::string> written;
    u64 left_out = 0;
    bool whole = true;
    for (const std::string& path : arguments.some_files()) {
        ErrorFile file;
        whole &= inputs.read_errors(path, file);
        for (const Error& error : file.errors) {
            const std::string body = suppression_of(error, frames);
            if (body.empty()) ++left_out;
            if (body.empty() || !written.insert(body).second) continue;
            const ErrorFrame* at = own_frame(error);
            out << "{\n   " << prefix << " " << written.size() << ": " << error.kind
                << (at == nullptr || at->fn.empty() ? "" : " in " + std::string(at->fn)) << '\n'
                << body << "}\n";
        }
    }
    if (left_out != 0)
        std::cerr << "memspy-report: " << left_out
                  << " errors have no stack with names and get no suppression\n";
    return whole ? kDone : kPartial;
}

// The first line in each pair of braces.
std::vector<std::string> names_in(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw UsageError(path + " cannot be read");
    std::vector<std::string> names;
    bool expects_name = false;
    for (std::string line; std::getline(file, line);) {
        const std::size_t first = line.find_first_not_of(" \t");
        if (first == line.npos || line[first] == '#') continue;
        line = line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
        if (expects_name) names.push_back(line);
        expects_name = line == "{";
    }
    return names;
}

int list_unused(const Arguments& arguments, Inputs& inputs, std::ostream& out) {
    std::set<std::string, std::less<>> used;
    bool whole = true;
    for (const std::string& path : arguments.some_files()) {
        ErrorFile file;
        whole &= inputs.read_errors(path, file);
        for (const ErrorFile::Suppressed& each : file.suppressed) used.emplace(each.name);
        if (!file.finished)
            std::cerr << "memspy-report: " << path
                      << " is of a run that did not end, so the suppressions it used are unknown\n";
    }
    for (const std::string& name : names_in(std::string(arguments.value("unused"))))
        if (!used.contains(name)) out << name << '\n';
    return whole ? kDone : kPartial;
}

int run(const Arguments& arguments) {
    for (const std::string& file : arguments.some_files())
        if (file != "-" && kind_of(file) != FileKind::Errors)
            throw UsageError(file + " is not an error file");
    Inputs inputs;
    Output output(arguments.value("output"));
    const int code = arguments.has("unused") ? list_unused(arguments, inputs, output.stream())
                                             : generate(arguments, inputs, output.stream());
    output.commit();
    return code;
}

}  // namespace

const Command kSuppressCommand{
    "suppress",
    "ERRORS...",
    "makes suppressions from error files, or lists unneeded ones",
    "Best from runs with --gen-suppressions=all, which write the symbols' own names; otherwise those of C++\n"
    "become patterns. Frames without a name become `...`; callers of the last frame do not matter.",
    kOptions,
    run};

}  // namespace memspy::report
