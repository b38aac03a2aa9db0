// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/short_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace memspy::report::names {
namespace {

constexpr std::string_view kLibrary = "std::";
constexpr std::array<std::string_view, 6> kDefaults{"std::allocator<",      "std::char_traits<",
                                                    "std::default_delete<", "std::equal_to<",
                                                    "std::hash<",           "std::less<"};
constexpr std::array<std::string_view, 2> kInlineNamespaces{"__cxx11::", "__1::"};

bool is_default(std::string_view argument) {
    return std::any_of(kDefaults.begin(), kDefaults.end(),
                       [&](std::string_view each) { return argument.starts_with(each); });
}

bool is_in_identifier(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == ':';
}

// Where the qualified name at the end of the text begins.
std::size_t last_name(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && is_in_identifier(text[begin - 1])) --begin;
    return begin;
}

// The library's own names: "std::string" for "std::basic_string<char>", "std::wostream" for
// "std::basic_ostream<wchar_t>".
void use_alias(std::string& text, std::size_t begin) {
    static constexpr std::string_view kBasic = "std::basic_";
    const std::string_view name = std::string_view(text).substr(begin);
    if (!name.starts_with(kBasic)) return;
    for (const auto& [argument, prefix] : {std::pair{"<char>", ""}, std::pair{"<wchar_t>", "w"}})
        if (name.ends_with(argument)) {
            const std::string_view bare = name.substr(kBasic.size(), name.find('<') - kBasic.size());
            text.replace(begin, text.npos, std::string(kLibrary) + prefix + std::string(bare));
            return;
        }
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    // Nothing if brackets are not in pairs.
    std::optional<std::string> read() {
        std::string name = read_until_end();
        if (broken_ || at_ != text_.size()) return std::nullopt;
        return name;
    }

private:
    // Up to a comma between arguments, or the end of their list.
    std::string read_until_end() {
        std::string result;
        int parentheses = 0;
        while (at_ < text_.size() && !broken_) {
            const char c = text_[at_];
            if (c == '<') {
                read_arguments(result);
                continue;
            }
            if (parentheses == 0 && depth_ > 0 && (c == ',' || c == '>')) break;
            if (c == '>') broken_ = true;
            parentheses += c == '(' ? 1 : c == ')' ? -1 : 0;
            result += c;
            ++at_;
            for (const std::string_view space : kInlineNamespaces)
                if (result.ends_with(std::string(kLibrary) + std::string(space)))
                    result.resize(result.size() - space.size());
        }
        while (result.ends_with(' ')) result.pop_back();
        return result;
    }

    void read_arguments(std::string& result) {
        const std::size_t begin = last_name(result);
        std::vector<std::string> arguments;
        ++depth_;
        do {
            ++at_;
            while (at_ < text_.size() && text_[at_] == ' ') ++at_;
            arguments.push_back(read_until_end());
        } while (at_ < text_.size() && text_[at_] == ',' && !broken_);
        --depth_;
        if (at_ == text_.size()) broken_ = true;
        if (broken_) return;
        ++at_;
        if (std::string_view(result).substr(begin).starts_with(kLibrary))
            while (arguments.size() > 1 && is_default(arguments.back())) arguments.pop_back();
        result += '<';
        for (std::size_t i = 0; i < arguments.size(); ++i) result += (i == 0 ? "" : ", ") + arguments[i];
        result += '>';
        use_alias(result, begin);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    bool broken_ = false;
};

}  // namespace

std::string short_type(std::string_view name) { return Reader(name).read().value_or(std::string(name)); }

}  // namespace memspy::report::names
