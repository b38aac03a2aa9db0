// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/command_line.h"

#include <algorithm>
#include <charconv>

namespace memspy::report {
namespace {

bool is_one_of(std::string_view value, std::string_view words) {
    while (!words.empty()) {
        const std::size_t end = std::min(words.find('|'), words.size());
        if (words.substr(0, end) == value) return true;
        words.remove_prefix(std::min(end + 1, words.size()));
    }
    return false;
}

}  // namespace

Arguments::Arguments(std::span<const OptionSpec> options, std::span<const char* const> words) {
    auto spec = [&](std::string_view name) -> const OptionSpec& {
        for (const OptionSpec& option : options)
            if (option.name == name) return option;
        throw UsageError("there is no option --" + std::string(name));
    };
    bool only_files = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (only_files || word == "-" || !word.starts_with('-')) {
            files_.emplace_back(word);
        } else if (word == "--") {
            only_files = true;
        } else if (word == "-o") {
            if (++i == words.size()) throw UsageError("-o needs a file");
            set(spec("output"), words[i]);
        } else if (word.starts_with("--")) {
            const std::size_t equals = word.find('=');
            const OptionSpec& option = spec(word.substr(2, equals == word.npos ? word.npos : equals - 2));
            if (option.value.empty() != (equals == word.npos))
                throw UsageError(option.value.empty() ? "--" + std::string(option.name) + " takes no value"
                                                      : "write --" + std::string(option.name) + "=" +
                                                            std::string(option.value));
            set(option, option.value.empty() ? std::string_view{} : word.substr(equals + 1));
        } else {
            throw UsageError("there is no option " + std::string(word));
        }
    }
}

void Arguments::set(const OptionSpec& option, std::string_view value) {
    if (option.value.find('|') != option.value.npos && !is_one_of(value, option.value))
        throw UsageError("--" + std::string(option.name) + " is one of " + std::string(option.value) +
                         ", not " + std::string(value));
    values_[option.name] = value;
}

std::string_view Arguments::value(std::string_view option, std::string_view otherwise) const {
    const auto found = values_.find(option);
    return found == values_.end() ? otherwise : found->second;
}

unsigned long long Arguments::number(std::string_view option, unsigned long long otherwise) const {
    if (!has(option)) return otherwise;
    const std::string_view text = value(option);
    unsigned long long result = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc{} || end != text.data() + text.size())
        throw UsageError("--" + std::string(option) + " needs a number, not " + std::string(text));
    return result;
}

const std::vector<std::string>& Arguments::some_files() const {
    if (files_.empty()) throw UsageError("name a file to read (- is standard input)");
    return files_;
}

std::string list_row(std::string_view name, std::string_view what) {
    constexpr std::size_t kNames = 13;
    std::string row = "  " + std::string(name);
    row.resize(std::max(row.size() + 1, kNames + 2), ' ');
    return row + std::string(what) + "\n";
}

std::string help_of(const Command& command) {
    std::string text = "usage: memspy-report " + std::string(command.name) + " [OPTION...] " +
                       std::string(command.operands) + "\n\n" + std::string(command.summary) + ".\n";
    if (!command.details.empty()) text += "\n" + std::string(command.details) + "\n";
    if (command.list != nullptr) text += command.list();
    text += "\n";
    auto as_written = [](const OptionSpec& option) {
        return "  --" + std::string(option.name) +
               (option.value.empty() ? "" : "=" + std::string(option.value)) +
               (option.name == "output" ? ", -o FILE" : "");
    };
    constexpr std::size_t kWidest = 26;  // a wider option has its help on the next line
    std::size_t width = 0;
    for (const OptionSpec& option : command.options) {
        const std::size_t own = as_written(option).size();
        if (own <= kWidest) width = std::max(width, own);
    }
    for (const OptionSpec& option : command.options) {
        const std::string written = as_written(option);
        text += written;
        text += written.size() > width ? "\n" + std::string(width + 2, ' ')
                                       : std::string(width + 2 - written.size(), ' ');
        text += std::string(option.help) + "\n";
    }
    return text;
}

}  // namespace memspy::report
