// SPDX-License-Identifier: GPL-2.0-or-later
//
// Subcommands and their options as tables, which parsing, --help and shell completion use.
#pragma once

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace memspy::report {

enum ExitCode : int {
    kDone = 0,
    kFound = 1,   // diff: the condition of --fail-on is met
    kFailed = 2,  // wrong usage, or a file that cannot be read or written at all
    kPartial = 3  // an input is damaged or incomplete: the result covers the part that was read
};

// A mistake of the user, described in one line.
class UsageError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct OptionSpec {
    std::string_view name;   // without dashes
    std::string_view value;  // the text behind `=`; empty: a switch. Words separated by | are the only values
    std::string_view help;
};

class Arguments {
public:
    // The words after the subcommand.
    Arguments(std::span<const OptionSpec> options, std::span<const char* const> words);

    bool has(std::string_view option) const { return values_.contains(option); }
    std::string_view value(std::string_view option, std::string_view otherwise = {}) const;
    unsigned long long number(std::string_view option, unsigned long long otherwise) const;
    const std::vector<std::string>& files() const { return files_; }
    // The files, of which there must be at least one.
    const std::vector<std::string>& some_files() const;

private:
    void set(const OptionSpec& option, std::string_view value);

    std::map<std::string_view, std::string_view, std::less<>> values_;
    std::vector<std::string> files_;
};

struct Command {
    std::string_view name;
    std::string_view operands;  // as in the usage line
    std::string_view summary;
    std::string_view details;  // further paragraphs of --help
    std::span<const OptionSpec> options;
    int (*run)(const Arguments&);
    std::string (*list)() = nullptr;  // what --help has behind the details
};

// All options that every command has.
inline constexpr OptionSpec kHelpOption{"help", "", "this text"};
inline constexpr OptionSpec kOutputOption{"output", "FILE", "write there instead of to standard output"};

inline constexpr OptionSpec kFormatOption{
    "format", "text|tsv", "tsv: tab-separated, for programs; names of columns are in docs/report.md [text]"};

std::string help_of(const Command& command);
// A row of a list in it.
std::string list_row(std::string_view name, std::string_view what);

}  // namespace memspy::report
