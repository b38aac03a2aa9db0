// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/moved_accesses.h"

#include "analyses/races/source_lines.h"
#include "analyses/races/source_words.h"
#include "rt/prefix.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

constexpr Address kMostCode = 1 << 14;  // of a function

// The variable's first word, and its last field: of "s.low[3] of main", s and low.
struct VariableWords {
    SourceWord first, field;

    explicit VariableWords(const char* name) : first{name, 0}, field{name, 0} {
        for (const char* at = name; *at != '\0' && *at != ' ' && *at != ','; ++at) {
            if (!is_word(*at)) continue;
            usize length = 1;
            while (is_word(at[length])) ++length;
            const bool is_index = at != name && at[-1] == '[';
            if (first.length == 0) first = {at, length};
            if (!is_index) field = {at, length};
            at += length - 1;
        }
    }
    bool may_be_in(const char* line) const { return first.is_in(line) || field.is_in(line); }
};

bool may_store(const char* line) {
    constexpr const char* kUpdates[] = {"++", "--"};
    if (rt::contains_one_of(line, kUpdates)) return true;
    for (const char* at = line; *at != '\0'; ++at) {
        const char before = at == line ? ' ' : at[-1];
        if (*at == '=' && at[1] != '=' && before != '=' && before != '!' && before != '<' && before != '>')
            return true;
    }
    return false;
}

constexpr SourceWord kLoops[] = {{"for", 3}, {"while", 5}, {"do", 2}};
// gfortran has the unit's line for loads of its COMMON blocks.
constexpr SourceWord kUnits[] = {{"program", 7}, {"subroutine", 10}, {"module", 6}, {"function", 8}};
constexpr SourceWord kOthers[] = {{"if", 2}, {"return", 6}, {"else", 4}, {"switch", 6}};

template <usize n>
bool is_one_of(const char* at, const SourceWord (&words)[n]) {
    for (const SourceWord& word : words)
        if (word.is_at(at, at)) return true;
    return false;
}

bool calls(const char* line) {
    for (const char* at = line; *at != '\0'; ++at) {
        if (!is_word(*at)) continue;
        const char* const word = at;
        while (is_word(at[1])) ++at;
        if (*behind_spaces(at + 1) == '(' && !is_one_of(word, kLoops) && !is_one_of(word, kOthers))
            return true;
    }
    return false;
}

// The line, which does not name the variable, has no access to it: a directive, a brace, the head of a loop; or a
// statement that does not store, of a store. What a line goes to by a pointer or in a call has another name there.
bool is_elsewhere(const char* line, bool stores) {
    const char* const text = behind_spaces(line);
    constexpr const char* kDirectives[] = {"#pragma", "!$omp", "!$OMP"};
    if (rt::contains_one_of(text, kDirectives) || is_one_of(text, kUnits)) return true;
    if ((*text == '{' || *text == '}') && *behind_spaces(text + 1) == '\0') return true;
    constexpr const char* kPointers[] = {"->", "[", "*", ".", ":"};
    if (rt::contains_one_of(text, kPointers) || calls(text)) return false;
    return is_one_of(text, kLoops) || (stores && is_one_of(text, kOthers) && !may_store(text));
}

bool is_entry(Address code) {
    const HChar* name = nullptr;
    return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name);
}

struct CodeLine {
    const HChar* file = nullptr;
    UInt number = 0;

    bool find(Address code) {
        return VG_(get_filename_linenum)(VG_(current_DiEpoch)(), code, &file, nullptr, &number);
    }
};

// The access, and the lines below its own for which its function has code.
struct LookedFor {
    struct LineCode {
        u32 line;
        Address code;  // the first of it
    };
    VariableWords words;
    bool stores;
    u32 own = 0;
    rt::Vector<LineCode> lines;
    Address found = 0;

    LookedFor(Address instruction, const char* variable, bool is_store) : words(variable), stores(is_store) {
        CodeLine at_first;
        if (words.first.length == 0 || !at_first.find(instruction)) return;
        own = at_first.number;
        Address entry = instruction;
        while (!is_entry(entry) && instruction - entry < kMostCode) --entry;
        u32 last = 0;
        for (Address at = entry; at - entry < kMostCode && (at == entry || !is_entry(at)); ++at) {
            CodeLine line;
            const u32 number = line.find(at) && line.file == at_first.file ? line.number : 0;
            if (number != last && number > own) lines.push_back({number, at});
            last = number;
        }
    }
    Address code_of(u32 line) const {
        for (const LineCode& of : lines)
            if (of.line == line) return of.code;
        return 0;
    }
    // Whether to look further.
    bool look_at(u32 line, const char* text) {
        if (line == own) return !words.may_be_in(text) && is_elsewhere(text, stores);
        if (words.field.is_in(text) && (!stores || may_store(text))) found = code_of(line);
        return found == 0;
    }
};

}  // namespace

Address in_its_line(Address instruction, const char* variable, bool stores) {
    LookedFor access(instruction, variable, stores);
    const auto test = [](void* context, u32 line, const LineText& text) {
        return static_cast<LookedFor*>(context)->look_at(line, text.text);
    };
    if (!access.lines.empty()) read_source_from(instruction, test, &access);
    return access.found == 0 ? instruction : access.found;
}

}  // namespace memspy::races
