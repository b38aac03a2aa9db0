// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/omp_clause.h"

#include "analyses/races/source_lines.h"
#include "analyses/races/source_words.h"
#include "places/code.h"

namespace memspy::races {
namespace {

// A name that a clause can have: a whole variable's.
usize length_of_name(const char* variable) {
    usize length = 0;
    while (is_word(variable[length])) ++length;
    return variable[length] == '\0' || variable[length] == ' ' ? length : 0;
}

// '<' or '>' if a comparison ends there; `->`, `<<` and `>>` are none.
char comparison_before(const char* at, const char* line) {
    while (at != line && (at[-1] == ' ' || at[-1] == '\t')) --at;
    if (at != line && at[-1] == '=') --at;
    if (at == line || (at[-1] != '<' && at[-1] != '>')) return '\0';
    const char ahead = at - 1 == line ? '\0' : at[-2];
    return ahead == '-' || ahead == '<' || ahead == '>' ? '\0' : at[-1];
}
char comparison_at(const char* at) { return (*at == '<' || *at == '>') && at[1] != *at ? *at : '\0'; }

// The operation of `k += n`, `k++`, `k = k + n`; null if the line is none of these. `next`: behind `k`.
const char* update_at(const char* next, const SourceWord& variable) {
    constexpr struct {
        char sign;
        const char* operation;
    } kSigns[] = {{'+', "+"}, {'-', "+"}, {'*', "*"}, {'|', "|"}, {'&', "&"}, {'^', "^"}};
    const bool again = next[0] == '=' && next[1] != '=';
    const char* const other = again ? behind_spaces(next + 1) : next;
    if (again && !variable.is_at(other, other)) return nullptr;
    const char* const sign = again ? behind_spaces(other + variable.length) : next;
    for (const auto& known : kSigns) {
        if (*sign != known.sign) continue;
        const bool sums = known.operation[0] == '+';  // `k = k * 2 + n` is no product
        const bool fits = again ? sums : sign[1] == '=' || (sums && sign[1] == *sign);
        return fits ? known.operation : nullptr;
    }
    return nullptr;
}

// `for (k = 0`, `while ((k = next()) < n)`: what is set in parentheses and then compared counts or passes a value on.
bool is_set_in_parentheses(const char* at, const char* next, const char* line) {
    while (at != line && (at[-1] == ' ' || at[-1] == '\t')) --at;
    return at != line && (at[-1] == '(' || at[-1] == ',') && next[0] == '=' && next[1] != '=';
}

// What the line does with the variable that a reduction can do: update it, compare it, or store what max() or
// min() gives.
const char* operation_in(const char* line, const SourceWord& variable) {
    bool is_there = false;
    const char* called = nullptr;
    for (const char* at = line; *at != '\0'; ++at) {
        constexpr SourceWord kMax = {"max", 3}, kMin = {"min", 3}, kFMax = {"fmax", 4}, kFMin = {"fmin", 4};
        if (kMax.is_at(at, line) || kFMax.is_at(at, line)) called = "max";
        if (kMin.is_at(at, line) || kFMin.is_at(at, line)) called = "min";
        if (!variable.is_at(at, line)) continue;
        is_there = true;
        const char* const next = behind_spaces(at + variable.length);
        if (const char* update = update_at(next, variable)) return update;
        if (is_set_in_parentheses(at, next, line)) return nullptr;
        const char before = comparison_before(at, line), behind = comparison_at(next);
        if (before == '>' || behind == '<') return "max";
        if (before == '<' || behind == '>') return "min";
    }
    return is_there ? called : nullptr;
}

// The line is a condition, whose statement is the next one.
bool is_test(const char* line) {
    const char* const text = behind_spaces(line);
    return lower(text[0]) == 'i' && lower(text[1]) == 'f' && !is_word(text[2]);
}

const char* operation_of(const RacingSide& side, const SourceWord& variable) {
    SourceLines lines;
    if (!read_source(side.place.instruction, &lines)) return nullptr;
    if (const char* found = operation_in(lines.line.text, variable)) return found;
    return is_test(lines.before.text) ? operation_in(lines.before.text, variable) : nullptr;
}

const char* operation_of(const RacingPair& pair, const SourceWord& variable) {
    if (pair.first.sums && pair.second.sums) return "+";
    const char* const found = operation_of(pair.second, variable);
    const char* const other = operation_of(pair.first, variable);
    const bool same = found != nullptr && other != nullptr && found[0] == other[0] && found[1] == other[1];
    return same ? found : nullptr;
}

}  // namespace

void add_omp_clause(rt::Text& text, const RacingPair& pair, const char* variable, bool on_stack) {
    const SourceWord name = {variable, length_of_name(variable)};
    if (name.length == 0 || pair.first.held != LockSet::None || pair.second.held != LockSet::None) return;
    if (!places::is_openmp_region(pair.first.place) || !places::is_openmp_region(pair.second.place)) return;
    const char* operation = operation_of(pair, name);
    if (operation == nullptr && !on_stack) return;
    if (operation == nullptr)
        text.add("private(");
    else
        text.add("reduction(").add(operation).add(":");
    for (usize i = 0; i < name.length; ++i) text.add(variable[i]);
    text.add(")");
}

}  // namespace memspy::races
