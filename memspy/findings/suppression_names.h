// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the words in a suppression mean: the name behind `memspy:`, the extra line below it, and whether
// both fit an error. The stack of a suppression is the core's business.
//
// Names are our kinds' own and Memcheck's up to 3.27 as aliases. No Valgrind here: tested natively.
#pragma once

#include "findings/findings.h"

namespace memspy::findings {

// A set of kinds, one bit each.
using KindSet = u32;
constexpr KindSet kind_bit(FindingKind kind) { return KindSet{1} << static_cast<int>(kind); }
inline constexpr KindSet kAllLeaks =
    kind_bit(FindingKind::Leak_DefinitelyLost) | kind_bit(FindingKind::Leak_IndirectlyLost) |
    kind_bit(FindingKind::Leak_PossiblyLost) | kind_bit(FindingKind::Leak_StillReachable);
constexpr bool is_leak(FindingKind kind) { return (kind_bit(kind) & kAllLeaks) != 0; }
// Findings made of sums, reported once at the end.
constexpr bool is_summed(FindingKind kind) {
    constexpr KindSet kSummed = 0
#define MEMSPY_SUMMED(name) | kind_bit(FindingKind::name)
#include "findings/kinds.def"
        ;
    return (kind_bit(kind) & kSummed) != 0;
}

// What may stand in the line between name and stack.
enum class ExtraLine : u8 {
    None,
    Parameter,  // "write(buf)"; required, `*` and `?` are wildcards
    OptionalParameter,
    LeakKinds,  // "match-leak-kinds: definite,possible"; optional
    Argument    // "malloc(size)": function and argument; optional
};

struct SuppressionRule {
    const char* name;
    KindSet kinds;  // empty: accepted, matches nothing
    usize size;     // of the access or value; 0 is any
    ExtraLine extra;
};

// The extra line, taken apart. Strings point into the line that parse_extra() was given.
struct SuppressionExtra {
    const char* name = nullptr;  // parameter, or function of an argument; none matches all
    const char* argument = nullptr;
    KindSet leak_kinds = kAllLeaks;
};

// What a suppression is compared with.
struct ErrorFacts {
    FindingKind kind{};
    usize size = 0;
    const char* name = nullptr;
    const char* argument = nullptr;
};

// The rule called `name`, or nullptr. Rules are numbered 0, 1, … and stay where they are.
const SuppressionRule* find_rule(const char* name);
// The rule that matches nothing and takes no extra line.
const SuppressionRule& never_rule();
int number_of(const SuppressionRule& rule);
const SuppressionRule& rule_at(int number);

// Takes `line` apart in place; false if it does not match `form`.
bool parse_extra(ExtraLine form, char* line, SuppressionExtra& extra);

bool matches(const SuppressionRule& rule, const SuppressionExtra& extra, const ErrorFacts& error);

// The name that generated suppressions give to `kind`, and the word for it in match-leak-kinds
// (nullptr if it is not a leak).
const char* generated_name(FindingKind kind);
const char* leak_word(FindingKind kind);

// `*` any characters, `?` one character.
bool matches_glob(const char* pattern, const char* text);
bool same_text(const char* a, const char* b);  // either may be nullptr, which equals nullptr only

}  // namespace memspy::findings
