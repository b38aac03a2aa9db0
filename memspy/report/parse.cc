// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/parse.h"

#include <algorithm>

namespace memspy::report {
namespace {

// Calls f(word) for each word of a list.
template <typename F>
void for_each_word(std::string_view list, F&& f) {
    constexpr std::string_view kBlank = " \t\r\n";
    for (;;) {
        const std::size_t first = list.find_first_not_of(kBlank);
        if (first == list.npos) return;
        list.remove_prefix(first);
        const std::size_t end = std::min(list.find_first_of(kBlank), list.size());
        f(list.substr(0, end));
        list.remove_prefix(end);
    }
}

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    return "\"" + std::string(text.substr(0, kLongest)) + (text.size() > kLongest ? "…\"" : "\"");
}

u64 parse_number(std::string_view text, int base, u64 largest) {
    u64 value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || value > largest)
        throw BadElement(quoted(text) + " is not a valid number here");
    return value;
}

std::vector<u64> parse_numbers(std::string_view list) {
    std::vector<u64> result;
    for_each_word(list, [&](std::string_view word) { result.push_back(parse_number(word)); });
    return result;
}

std::vector<NumberPair> parse_pairs(std::string_view list, char between) {
    std::vector<NumberPair> result;
    for_each_word(list, [&](std::string_view word) {
        const std::size_t at = std::min(word.find(between), word.size());
        result.push_back({parse_number(word.substr(0, at)),
                          parse_number(at < word.size() ? word.substr(at + 1) : std::string_view{})});
    });
    return result;
}

void assign(u64& value, std::string_view text, StringPool&) { value = parse_number(text); }
void assign(double& value, std::string_view text, StringPool&) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
        throw BadElement(quoted(text) + " is not a valid number here");
}
void assign(Address& value, std::string_view text, StringPool&) {
    if (!text.starts_with("0x")) throw BadElement(quoted(text) + " is not a hexadecimal number");
    value.value = parse_number(text.substr(2), 16);
}
void assign(bool& value, std::string_view text, StringPool&) {
    if (text != "yes" && text != "no") throw BadElement(quoted(text) + " is neither yes nor no");
    value = text == "yes";
}
void assign(Text& value, std::string_view text, StringPool& strings) { value = strings.intern(text); }

}  // namespace memspy::report
