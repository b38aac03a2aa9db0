// SPDX-License-Identifier: GPL-2.0-or-later
//
// The words of a suppression: the name behind `memspy:`, the extra line below it, and whether both match an
// error. The core compares the stacks.
//
// The names are memspy's own kinds, Memcheck's up to 3.27 and DRD's of a race as aliases. No Valgrind here:
// tested natively.
#pragma once

#include "findings/findings.h"

namespace memspy::findings {

// A set of kinds, one bit each.
using KindSet = u64;
constexpr KindSet kind_bit(FindingKind kind) { return KindSet{1} << static_cast<int>(kind); }
inline constexpr KindSet kAllLeaks =
    kind_bit(FindingKind::Leak_DefinitelyLost) | kind_bit(FindingKind::Leak_IndirectlyLost) |
    kind_bit(FindingKind::Leak_PossiblyLost) | kind_bit(FindingKind::Leak_StillReachable);
constexpr bool is_leak(FindingKind kind) { return (kind_bit(kind) & kAllLeaks) != 0; }
// Findings made of sums, which are reported once at the end.
constexpr bool is_summed(FindingKind kind) {
    constexpr KindSet kSummed = 0
#define MEMSPY_SUMMED(name, by) | kind_bit(FindingKind::name)
#include "kinds/all.def"
        ;
    return (kind_bit(kind) & kSummed) != 0;
}
// Findings whose text is made by the analysis.
constexpr bool is_told(FindingKind kind) {
    constexpr KindSet kTold = 0
#define MEMSPY_TOLD(name, extra) | kind_bit(FindingKind::name)
#include "kinds/all.def"
        ;
    return (kind_bit(kind) & kTold) != 0;
}

// The form of the line between name and stack.
enum class ExtraLine : u8 {
    None,
    Parameter,  // "write(buf)"; required; `*` and `?` are wildcards
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

// The parsed extra line. Strings point into the line that was passed to parse_extra().
struct SuppressionExtra {
    const char* name = nullptr;  // parameter, or function of an argument; null matches all
    const char* argument = nullptr;
    KindSet leak_kinds = kAllLeaks;
};

// The properties of an error that a suppression is compared with.
struct ErrorFacts {
    FindingKind kind{};
    usize size = 0;
    bool any_size = false;  // the error has no size that Memcheck's would have
    const char* name = nullptr;
    const char* argument = nullptr;
};

// The rule called `name`, or nullptr. Rules are numbered 0, 1, … and never move.
const SuppressionRule* find_rule(const char* name);
// The rule that matches nothing and takes no extra line.
const SuppressionRule& never_rule();
int number_of(const SuppressionRule& rule);
const SuppressionRule& rule_at(int number);

// Parses `line` in place; false if it does not match `form`.
bool parse_extra(ExtraLine form, char* line, SuppressionExtra& extra);

bool matches(const SuppressionRule& rule, const SuppressionExtra& extra, const ErrorFacts& error);

// The name that generated suppressions give to `kind`, and its word in match-leak-kinds (nullptr if it is not
// a leak).
const char* generated_name(FindingKind kind);
const char* leak_word(FindingKind kind);

// `*` matches any characters, `?` one character.
bool matches_glob(const char* pattern, const char* text);
bool same_text(const char* a, const char* b);  // nullptr equals only nullptr

}  // namespace memspy::findings
