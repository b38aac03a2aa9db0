// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-report: reads memspy's output and prints or converts it, for people and for other programs.
#include <cstring>
#include <iostream>
#include <vector>

#include "report/commands.h"
#include "report/section.h"

namespace memspy::report {
namespace {

std::vector<const Command*> all_commands() {
    std::vector<const Command*> all{&kTextCommand, &kTableCommand,    &kAnnotateCommand, &kMergeCommand,
                                    &kDiffCommand, &kSuppressCommand, &kExportCommand,   &kClassifyCommand};
    for (const Section* section : all_sections())
        all.insert(all.end(), section->commands.begin(), section->commands.end());
    all.push_back(&kBugCommand);
    return all;
}

const Command* find(std::string_view name) {
    for (const Command* command : all_commands())
        if (command->name == name) return command;
    return nullptr;
}

void print_usage(std::ostream& out) {
    out << "usage: memspy-report COMMAND [OPTION...] FILE...\n\n"
           "Reads profiles (--memspy-out-file) and error files (--xml=yes --xml-file=FILE) of memspy.\n\n";
    std::size_t width = 0;
    for (const Command* command : all_commands()) width = std::max(width, command->name.size());
    for (const Command* command : all_commands()) {
        out << "  " << command->name << std::string(width + 2 - command->name.size(), ' ') << command->summary
            << '\n';
    }
    out << "\nmemspy-report COMMAND --help lists the options of a command; memspy-report --version prints "
           "the "
           "version.\n\n"
           "Exit codes: 0 done; 1 diff found a condition of --fail-on; 2 wrong usage, or a file that cannot "
           "be\n"
           "read or written; 3 an input is broken or cut short, and the result covers the readable part.\n";
}

// For the man page and the completions, which are made when memspy is built: a line for each command and each
// of its options, in three columns.
void print_tables(std::ostream& out) {
    for (const Command* command : all_commands()) {
        out << command->name << '\t' << command->operands << '\t' << command->summary << '\n';
        for (const OptionSpec& option : command->options)
            out << "--" << option.name << '\t' << option.value << '\t' << option.help << '\n';
    }
}

int run(std::span<const char* const> words) {
    if (words.empty()) {
        print_usage(std::cerr);
        return kFailed;
    }
    const std::string_view first = words[0];
    if (first == "--help" || first == "-h" || first == "help") {
        print_usage(std::cout);
        return kDone;
    }
    if (first == "--version") {
        std::cout << "memspy-report " MEMSPY_VERSION "\n";
        return kDone;
    }
    if (first == "--tables") {
        print_tables(std::cout);
        return kDone;
    }
    const Command* command = find(first);
    if (command == nullptr)
        throw UsageError("there is no command " + std::string(first) + "; memspy-report --help lists them");
    for (const char* word : words.subspan(1)) {
        if (std::strcmp(word, "--") == 0) break;
        if (std::strcmp(word, "--help") == 0) {
            std::cout << help_of(*command);
            return kDone;
        }
    }
    return command->run(Arguments(command->options, words.subspan(1)));
}

}  // namespace
}  // namespace memspy::report

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    try {
        return memspy::report::run({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)});
    } catch (const std::exception& error) {
        std::cerr << "memspy-report: " << error.what() << '\n';
        return memspy::report::kFailed;
    }
}
