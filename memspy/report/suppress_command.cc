// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes suppressions for the errors of a run, and lists those that were not needed.
#include <fstream>
#include <iostream>
#include <set>

#include "report/commands.h"
#include "report/input.h"
#include "report/output.h"
#include "report/suppression.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"frames", "N", "named frames in each suppression, from the innermost [4]"},
    {"name", "PREFIX", "beginning of the names [memspy-report]"},
    {"unused", "FILE", "instead: list the suppressions of this file without effect in these runs"},
    kOutputOption,
    kHelpOption,
};

int generate(const Arguments& arguments, Inputs& inputs, std::ostream& out) {
    const u64 frames = arguments.number("frames", kSuppressedFrames);
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
            out << whole_suppression(prefix + " " + std::to_string(written.size()), error, body);
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
