// SPDX-License-Identifier: GPL-2.0-or-later
#include <iostream>
#include <map>
#include <tuple>

#include "report/commands.h"
#include "report/input.h"
#include "report/merge.h"
#include "report/output.h"
#include "report/profile_writer.h"

namespace memspy::report {
namespace {

constexpr OptionSpec kOptions[] = {
    {"files-from", "LIST", "also the files that this file names, one in a line (- is standard input)"},
    kOutputOption,
    kHelpOption,
};

std::vector<std::string> files_of(const Arguments& arguments) {
    std::vector<std::string> files = arguments.files();
    if (const std::string list(arguments.value("files-from")); !list.empty()) {
        std::ifstream named;
        if (list != "-") {
            named.open(list);
            if (!named) throw UsageError(list + " cannot be read");
        }
        std::istream& lines = list == "-" ? std::cin : named;
        for (std::string line; std::getline(lines, line);)
            if (!line.empty()) files.push_back(line);
    }
    if (files.empty()) throw UsageError("name the profiles to merge");
    return files;
}

// A process has one profile at its end. Earlier dumps of it have the same counts.
void warn_of_repeated(const std::vector<Run>& runs) {
    std::map<std::tuple<Text, u64>, int> seen;
    for (const Run& run : runs) {
        if (++seen[{run.start, run.pid}] == 2)
            std::cerr << "memspy-report: process " << run.pid << ", which started at " << run.start
                      << ", is in more than one of these files and is counted more than once\n";
    }
}

int run(const Arguments& arguments) {
    Inputs inputs;
    Merger merger(inputs.strings());
    bool whole = true;
    std::vector<std::string> errors;
    for (const std::string& file : files_of(arguments)) {
        if (kind_of(file) == FileKind::Errors) {
            errors.push_back(file);
            continue;
        }
        merger.begin_file();
        if (inputs.read_profile(file, merger)) continue;
        merger.cut_short();
        whole = false;
    }
    for (const std::string& file : errors) {
        ErrorFile read;
        whole &= inputs.read_errors(file, read);
        if (!merger.errors(read))
            std::cerr << "memspy-report: " << file
                      << ": no profile of its process is merged here, or it has no rank; left out\n";
    }
    warn_of_repeated(merger.runs());
    Output output(arguments.value("output"));
    ProfileWriter writer(output.stream());
    merger.emit(writer);
    writer.finish();
    output.commit();
    return whole ? kDone : kPartial;
}

}  // namespace

const Command kMergeCommand{
    "merge",
    "PROFILE... [ERRORS...]",
    "makes one profile of many: of processes, ranks, runs",
    "The same module, stack, object or thread in several processes becomes one, with "
    "the sums of the counts;\n"
    "the attribute `processes` is the number of processes. Neither the order of the "
    "files matters nor whether\n"
    "they are merged at once or in steps. Findings, and errors of processes whose profiles\n"
    "are merged with them, have their ranks. The result is a profile for all other "
    "commands.",
    kOptions,
    run};

}  // namespace memspy::report
