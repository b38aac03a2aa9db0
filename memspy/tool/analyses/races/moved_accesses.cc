// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/moved_accesses.h"

#include "analyses/races/source_lines.h"
#include "analyses/races/source_words.h"
#include "rt/prefix.h"
#include "rt/system_paths.h"
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

// An assignment, to something with this word, or with any if there is none.
bool may_store(const char* line, const SourceWord& word) {
    constexpr const char* kUpdates[] = {"++", "--"};
    bool is_there = word.length == 0;
    if (rt::contains_one_of(line, kUpdates)) return is_there || word.is_in(line);
    for (const char* at = line; *at != '\0'; ++at) {
        is_there |= word.is_at(at, line);
        const char before = at == line ? ' ' : at[-1];
        if (*at == '=' && at[1] != '=' && before != '=' && before != '!' && before != '<' && before != '>' &&
            is_there)
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
bool cannot_access(const char* line, bool stores) {
    const char* const text = behind_spaces(line);
    constexpr const char* kDirectives[] = {"#pragma", "!$omp", "!$OMP"};
    if (rt::contains_one_of(text, kDirectives) || is_one_of(text, kUnits)) return true;
    if ((*text == '{' || *text == '}') && *behind_spaces(text + 1) == '\0') return true;
    constexpr const char* kPointers[] = {"->", "[", "*", ".", ":"};
    if (rt::contains_one_of(text, kPointers) || calls(text)) return false;
    return is_one_of(text, kLoops) || (stores && is_one_of(text, kOthers) && !may_store(text, {"", 0}));
}

bool is_entry(Address code) {
    const HChar* name = nullptr;
    return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name);
}

struct CodeLine {
    const HChar *file = nullptr, *folder = nullptr;
    UInt number = 0;

    bool find(Address code) {
        return VG_(get_filename_linenum)(VG_(current_DiEpoch)(), code, &file, &folder, &number);
    }
    bool is_of_library() const { return folder != nullptr && rt::is_system_path(folder); }
};

// The access, and the other lines for which its function has code: its own, and those of what is inlined there.
struct LookedFor {
    struct LineCode {
        u32 line;
        Address code;  // the first of it
    };
    VariableWords words;
    bool stores;
    Address access;
    u32 own = 0;
    rt::Vector<LineCode> lines;
    Address found = 0;
    bool is_elsewhere = false;   // than in its line
    bool is_in_library = false;  // its line, and the function
    Address end = 0;             // of the function

    LookedFor(Address instruction, const char* variable, bool is_store)
        : words(variable), stores(is_store), access(instruction) {
        CodeLine at_first;
        if (words.first.length == 0 || !at_first.find(instruction)) return;
        own = at_first.number;
        Address entry = instruction;
        while (!is_entry(entry) && instruction - entry < kMostCode) --entry;
        CodeLine at_entry;
        is_in_library = at_first.is_of_library() && at_entry.find(entry) && at_entry.file == at_first.file;
        u32 last = 0;
        for (Address at = entry; at - entry < kMostCode && (at == entry || !is_entry(at)); ++at) {
            CodeLine line;
            const u32 number = line.find(at) && line.file == at_first.file ? line.number : 0;
            if (number != last && number != 0 && number != own) lines.push_back({number, at});
            last = number;
            end = at;
        }
    }
    // The program's code is inlined there: the next line of it that names the variable.
    Address in_program() const {
        CodeLine before;
        for (Address at = access; at <= end; ++at) {
            CodeLine line;
            if (!line.find(at) || (line.file == before.file && line.number == before.number)) continue;
            before = line;
            SourceLines source;
            if (!line.is_of_library() && read_source(at, &source) && words.may_be_in(source.line.text))
                return at;
        }
        return 0;
    }
    bool has_it(const char* text) const {
        return stores ? may_store(text, words.field) : words.field.is_in(text);
    }
    // Whether to look further.
    bool look_below(u32 line, const char* text) {
        if (line == own) {
            is_elsewhere = !words.may_be_in(text) && cannot_access(text, stores);
            return is_elsewhere;
        }
        if (has_it(text))
            for (usize i = 0; i < lines.size() && found == 0; ++i)
                if (lines[i].line == line) found = lines[i].code;
        return found == 0;
    }
    // A loop calls a function that stands above it: it is loaded before that function's code, stored behind it.
    bool look_above(u32 line, const char* text) {
        if (line >= own) return false;
        if (has_it(text))
            for (const LineCode& of : lines)
                if (of.line == line && stores == (of.code < access)) found = of.code;
        return true;
    }
};

}  // namespace

Address in_its_line(Address instruction, const char* variable, bool stores, bool by_library) {
    LookedFor access(instruction, variable, stores);
    const auto below = [](void* context, u32 line, const LineText& text) {
        return static_cast<LookedFor*>(context)->look_below(line, text.text);
    };
    const auto above = [](void* context, u32 line, const LineText& text) {
        return static_cast<LookedFor*>(context)->look_above(line, text.text);
    };
    if (by_library && access.is_in_library) access.found = access.in_program();
    if (access.found == 0 && !access.lines.empty()) {
        read_source_of(instruction, access.own, below, &access);
        if (access.is_elsewhere && access.found == 0) read_source_of(instruction, 1, above, &access);
    }
    return access.found == 0 ? instruction : access.found;
}

}  // namespace memspy::races
