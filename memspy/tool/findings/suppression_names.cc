// SPDX-License-Identifier: GPL-2.0-or-later

#include "findings/suppression_names.h"

namespace memspy::findings {
namespace {

constexpr const char* kKindNames[] = {
#define MEMSPY_KIND(name, extra) #name,
#define MEMSPY_SUMMED(name, by) #name,
#include "kinds/all.def"
};
static_assert(sizeof kKindNames / sizeof *kKindNames == static_cast<usize>(FindingKind::Count));

constexpr KindSet kAccess = kind_bit(FindingKind::InvalidRead) | kind_bit(FindingKind::InvalidWrite);
constexpr KindSet kBadFree = kind_bit(FindingKind::InvalidFree) | kind_bit(FindingKind::MismatchedFree);
constexpr KindSet kNothing = 0;

constexpr SuppressionRule kRules[] = {
    // The first rule, so that a suppression whose number was never set matches nothing.
    {"", kNothing, 0, ExtraLine::None},

#define MEMSPY_KIND(name, extra) {#name, kind_bit(FindingKind::name), 0, ExtraLine::extra},
#define MEMSPY_SUMMED(name, by) MEMSPY_KIND(name, None)
#include "kinds/all.def"

    // Memcheck's names. Its Param covers buffers that memspy reports as InvalidRead or InvalidWrite.
    {"Addr1", kAccess, 1, ExtraLine::None},
    {"Addr2", kAccess, 2, ExtraLine::None},
    {"Addr4", kAccess, 4, ExtraLine::None},
    {"Addr8", kAccess, 8, ExtraLine::None},
    {"Addr16", kAccess, 16, ExtraLine::None},
    {"Addr32", kAccess, 32, ExtraLine::None},
    {"Jump", kind_bit(FindingKind::InvalidJump), 0, ExtraLine::None},
    {"Cond", kind_bit(FindingKind::UninitCondition), 0, ExtraLine::None},
    {"Value0", kind_bit(FindingKind::UninitCondition), 0, ExtraLine::None},
    {"Value1", kind_bit(FindingKind::UninitValue), 1, ExtraLine::None},
    {"Value2", kind_bit(FindingKind::UninitValue), 2, ExtraLine::None},
    {"Value4", kind_bit(FindingKind::UninitValue), 4, ExtraLine::None},
    {"Value8", kind_bit(FindingKind::UninitValue), 8, ExtraLine::None},
    {"Value16", kind_bit(FindingKind::UninitValue), 16, ExtraLine::None},
    {"Value32", kind_bit(FindingKind::UninitValue), 32, ExtraLine::None},
    {"Param", kind_bit(FindingKind::SyscallParam) | kAccess, 0, ExtraLine::Parameter},
    {"User", kind_bit(FindingKind::ClientCheck), 0, ExtraLine::None},
    {"Free", kBadFree, 0, ExtraLine::None},
    {"Mempool", kind_bit(FindingKind::InvalidMemPool), 0, ExtraLine::None},
    {"Leak", kAllLeaks, 0, ExtraLine::LeakKinds},
    {"CoreMem", kNothing, 0, ExtraLine::None},
    {"ReallocZero", kind_bit(FindingKind::ReallocSizeZero), 0, ExtraLine::None},  // since 3.21
    {"SizeMismatch", kind_bit(FindingKind::MismatchedFree), 0, ExtraLine::None},  // since 3.22
    {"AlignMismatch", kind_bit(FindingKind::MismatchedFree), 0, ExtraLine::None},
    {"BadAlign", kNothing, 0, ExtraLine::None},
    {"BadSize", kNothing, 0, ExtraLine::None},

    // DRD's. Helgrind's names of a race and of an order of locks are memspy's, too.
    {"ConflictingAccess", kind_bit(FindingKind::Race), 0, ExtraLine::None},
};
constexpr int kRuleCount = sizeof kRules / sizeof *kRules;

struct LeakWord {
    const char* word;
    KindSet kinds;
};
constexpr LeakWord kLeakWords[] = {
    {"reachable", kind_bit(FindingKind::Leak_StillReachable)},
    {"possible", kind_bit(FindingKind::Leak_PossiblyLost)},
    {"indirect", kind_bit(FindingKind::Leak_IndirectlyLost)},
    {"definite", kind_bit(FindingKind::Leak_DefinitelyLost)},
    {"all", kAllLeaks},
    {"none", 0},
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// The part of `text` behind `prefix`, or nullptr if it does not begin with it.
char* behind(char* text, const char* prefix) {
    while (*prefix != '\0')
        if (*text++ != *prefix++) return nullptr;
    return text;
}

char* find_char(char* text, char wanted) {
    for (; *text != '\0'; ++text)
        if (*text == wanted) return text;
    return nullptr;
}

bool parse_leak_words(char* list, KindSet& kinds) {
    kinds = 0;
    for (;;) {
        while (is_blank(*list)) ++list;
        const char* word = list;
        while (*list != '\0' && *list != ',' && !is_blank(*list)) ++list;
        char* end = list;
        while (is_blank(*list)) ++list;
        if (*list != '\0' && *list != ',') return false;
        bool more = *list == ',';
        *end = '\0';

        const LeakWord* found = nullptr;
        for (const LeakWord& candidate : kLeakWords)
            if (same_text(candidate.word, word)) found = &candidate;
        if (found == nullptr) return false;
        kinds |= found->kinds;
        if (!more) return true;
        ++list;
    }
}

}  // namespace

const char* kind_name(FindingKind kind) {
    CHECK_LT(static_cast<int>(kind), static_cast<int>(FindingKind::Count));
    return kKindNames[static_cast<int>(kind)];
}

const char* generated_name(FindingKind kind) { return is_leak(kind) ? "Leak" : kind_name(kind); }

const char* leak_word(FindingKind kind) {
    for (const LeakWord& candidate : kLeakWords)
        if (candidate.kinds == kind_bit(kind)) return candidate.word;
    return nullptr;
}

const SuppressionRule* find_rule(const char* name) {
    for (const SuppressionRule& rule : kRules)
        if (&rule != kRules && same_text(rule.name, name)) return &rule;
    return nullptr;
}

const SuppressionRule& never_rule() { return kRules[0]; }

int number_of(const SuppressionRule& rule) { return static_cast<int>(&rule - kRules); }

const SuppressionRule& rule_at(int number) {
    CHECK_LE(0, number);
    CHECK_LT(number, kRuleCount);
    return kRules[number];
}

bool parse_extra(ExtraLine form, char* line, SuppressionExtra& extra) {
    // The core's reader passes every line that is not a frame, including the closing brace.
    if (*line == '\0' || *line == '}') return false;
    switch (form) {
        case ExtraLine::None: return false;
        case ExtraLine::Parameter:
        case ExtraLine::OptionalParameter: extra.name = line; return true;
        case ExtraLine::LeakKinds: {
            char* list = behind(line, "match-leak-kinds:");
            return list != nullptr && parse_leak_words(list, extra.leak_kinds);
        }
        case ExtraLine::Argument: {
            char* open = find_char(line, '(');
            if (open == nullptr) return false;
            char* close = find_char(open, ')');
            if (close == nullptr) return false;
            *open = *close = '\0';
            extra.name = line;
            extra.argument = open + 1;
            return true;
        }
    }
    return false;
}

bool matches(const SuppressionRule& rule, const SuppressionExtra& extra, const ErrorFacts& error) {
    if ((rule.kinds & kind_bit(error.kind)) == 0) return false;
    // A system call's buffer has no size in this sense, because Memcheck calls it a parameter.
    if (rule.size != 0 && ((rule.size != error.size && !error.any_size) || error.name != nullptr))
        return false;
    switch (rule.extra) {
        case ExtraLine::None: return true;
        case ExtraLine::Parameter:
        case ExtraLine::OptionalParameter:
            if (extra.name == nullptr) return rule.extra == ExtraLine::OptionalParameter;
            return error.name != nullptr && matches_glob(extra.name, error.name);
        case ExtraLine::LeakKinds: return (extra.leak_kinds & kind_bit(error.kind)) != 0;
        case ExtraLine::Argument:
            return extra.name == nullptr ||
                   (same_text(extra.name, error.name) && same_text(extra.argument, error.argument));
    }
    return false;
}

bool matches_glob(const char* pattern, const char* text) {
    // If the part behind the last star does not match, the star takes one more character; earlier stars never
    // need a second try.
    const char* star = nullptr;
    const char* resume = nullptr;
    while (*text != '\0') {
        if (*pattern == '*') {
            star = pattern++;
            resume = text;
        } else if (*pattern == '?' || *pattern == *text) {
            ++pattern;
            ++text;
        } else if (star != nullptr) {
            pattern = star + 1;
            text = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') ++pattern;
    return *pattern == '\0';
}

bool same_text(const char* a, const char* b) {
    if (a == nullptr || b == nullptr) return a == b;
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

}  // namespace memspy::findings
