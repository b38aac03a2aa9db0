// SPDX-License-Identifier: GPL-2.0-or-later
//
// A function's name as its author knows it, from what the demangler or debug information calls it: without
// parameters, the arguments of templates and the result, and without what compilers add. The tool,
// memspy-report and, by way of its JSON, the page write this name; complete ones stand in stacks.
//
//     bool Queue::push<Job>(Job) const              Queue::push
//     main::{lambda(int)#2}::operator()(int) const  main::{lambda#2}
//     main::$_1::operator()(int) const              main::{lambda}        clang numbers those of a file
//     grow(List*) [clone .part.0], grow.cold        grow                  a part of it, or a copy
//     read(File) [clone .actor]                     read                  a coroutine's body
//     work(long*) [clone ._omp_fn.0], main._omp_fn.1  work, main          GCC's function for an OpenMP construct
//     .omp_outlined._debug__                        OpenMP region         clang's, which does not tell where it is
//     __cxx_global_var_init.3, _GLOBAL__sub_I_x     static initialiser
//     app::run::{{closure}}::h0123456789abcdef      app::run::{{closure}} Rust
//     __state_MOD_step, add.0                       state::step, add      Fortran's in a module, and inside another one
#pragma once

#include "rt/base.h"
#include "rt/prefix.h"

namespace memspy::rt {

// What runs the initialisers of a file's variables (GCC, clang).
inline bool is_initialiser(const char* function) {
    constexpr const char* kInitialisers[] = {"__static_initialization_and_destruction", "_GLOBAL__sub_",
                                             "_GLOBAL__I_", "__cxx_global_var_init",
                                             "global constructors keyed to "};
    return starts_with_one_of(function, kInitialisers);
}

// The author has no name for it, or the core does not know the name (of what Rust inlines).
inline bool is_nameless(const char* function) {
    return is_initialiser(function) || starts_with(function, "UnknownInlinedFun");
}

// The body of an OpenMP construct, which compilers make a function of.
inline bool is_openmp_region(const char* function) {
    for (; *function != '\0'; ++function)
        if (*function == '.' &&
            (starts_with(function, "._omp_fn.") || starts_with(function, ".omp_outlined")))
            return true;
    return false;
}

// What only passes a size on shows by its name, where there is no debug information.
inline bool names_allocator(const char* function) {
    constexpr char kAlloc[] = "alloc";
    for (; *function != '\0'; ++function) {
        usize same = 0;
        while (kAlloc[same] != '\0' && (function[same] | 0x20) == kAlloc[same]) ++same;
        if (kAlloc[same] == '\0') return true;
    }
    return false;
}

namespace function_name {

inline constexpr char kAnonymous[] = "(anonymous namespace)";

inline bool is_in_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline const char* behind_digits(const char* c) {
    while (*c >= '0' && *c <= '9') ++c;
    return c;
}

inline bool ends_in_operator(const char* name, usize length) {
    constexpr usize kOperatorLength = 8;
    return length >= kOperatorLength && starts_with(name + length - kOperatorLength, "operator");
}

// How the character changes the depth of brackets; that of an arrow ("fn(&str) -> u64") closes none.
inline int step_of(char before, char c) {
    return c == '(' || c == '<' ? 1 : c == ')' || (c == '>' && before != '-') ? -1 : 0;
}

// Behind the bracket that closes the one at `c`; null if there is none.
inline const char* behind_closing(const char* c) {
    int depth = 1;
    for (++c; depth > 0; ++c) {
        if (*c == '\0') return nullptr;
        depth += step_of(c[-1], *c);
    }
    return c;
}

// The end of an operator's name, which begins there: "operator()", "operator<<", "operator new[]", "operator
// bool".
inline const char* behind_operator(const char* c) {
    constexpr char kOperator[] = "operator", kSigns[] = "+-*/%^&|~!=<>,[]";
    c += sizeof kOperator - 1;
    if (starts_with(c, "()")) return c + 2;
    const bool word = *c == ' ';
    const auto is_sign = [&] {
        for (const char* sign = kSigns; *sign != '\0'; ++sign)
            if (*c == *sign) return true;
        return false;
    };
    while (*c != '\0' && *c != '(' && (word || is_sign())) ++c;
    return c;
}

// Behind " const &" and the like after parameters.
inline const char* behind_qualifiers(const char* c) {
    constexpr const char* kQualifiers[] = {" const", " volatile", " &"};
    while (starts_with_one_of(c, kQualifiers)) {
        ++c;
        while (*c != '\0' && *c != ' ' && *c != ':') ++c;
    }
    return c;
}

// Behind the function that calls a lambda, or that is its pointer; `c` if there is none.
inline const char* behind_call(const char* c) {
    constexpr const char* kCalls[] = {"::operator()", "::_FUN", "::__invoke"};
    for (const char* call : kCalls) {
        const char* end = c;
        while (*call != '\0' && *end == *call) ++end, ++call;
        if (*call == '\0' && !is_in_word(*end)) return end;
    }
    return c;
}

// What compilers append to the name of a part or a copy of a function begins there. The words are those that
// no other language joins by a point, or have a number.
inline bool is_suffix(const char* c) {
    constexpr const char* kNumbered[] = {".part.", ".constprop.", ".isra.", ".lto_priv.", ".llvm."};
    constexpr const char* kOthers[] = {"._omp_fn.", "._omp_cpyfn.", ".omp_outlined", ".localalias"};
    if (starts_with_one_of(c, kOthers)) return true;
    if (starts_with(c, ".cold")) return c[5] == '\0' || c[5] == '.';
    if (!starts_with_one_of(c, kNumbered)) return false;
    do ++c;
    while (*c != '.');
    return behind_digits(c + 1) != c + 1;
}

// The number of a function that is inside another one, which is the end of its name, begins there. A symbol's
// version ends with numbers, too.
inline bool is_inner_number(const char* name, const char* c) {
    for (const char* before = name; before != c; ++before)
        if (*before == '@') return false;
    return *c == '.' && behind_digits(c + 1) != c + 1 && *behind_digits(c + 1) == '\0';
}

// What is between the names of a Fortran module and of its function; null for other names.
inline const char* behind_module(const char* name) {
    constexpr char kBetween[] = "_MOD_";
    if (!starts_with(name, "__")) return nullptr;
    for (const char* c = name + 2; *c != '\0'; ++c)
        if (c > name + 2 && starts_with(c, kBetween)) return c + sizeof kBetween - 1;
    return nullptr;
}

// Rust's hash, which is the end of the name, begins there.
inline bool is_hash(const char* c) {
    if (!starts_with(c, "::h")) return false;
    c += 3;
    for (int i = 0; i < 16; ++i, ++c)
        if (!((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f'))) return false;
    return !is_in_word(*c);
}

}  // namespace function_name

// The name of a template's instance begins with the returned type, which is skipped.
inline const char* own_name(const char* name) {
    using namespace function_name;
    const char* own = name;
    int depth = 0;
    for (const char* c = name; *c != '\0' && !(*c == '(' && depth == 0); ++c) {
        if (*c == '<' || *c == '>') depth += step_of(c == name ? '\0' : c[-1], *c);
        if (*c == ' ' && depth == 0 && c[1] != '[' && (c[1] != '(' || starts_with(c + 1, kAnonymous)) &&
            !ends_in_operator(own, static_cast<usize>(c - own)))
            own = c + 1;
    }
    return own;
}

// put(character) for each of the name.
template <typename F>
void bare_function(const char* name, F put) {
    using namespace function_name;
    const auto copy = [&](const char* from, const char* to) {
        while (from != to) put(*from++);
        return to;
    };
    const auto replace = [&](const char* words) {
        while (*words != '\0') put(*words++);
    };
    if (is_initialiser(name)) return replace("static initialiser");
    if (starts_with(name, ".omp")) return replace("OpenMP region");
    const char* own = own_name(name);
    if (const char* const behind = behind_module(own)) {
        constexpr usize kBetween = 5;
        copy(own + 2, behind - kBetween);
        replace("::");
        own = behind;
    }
    for (const char* c = own; *c != '\0';) {
        const char* behind = nullptr;
        if (starts_with(c, kAnonymous)) {
            c = copy(c, c + sizeof kAnonymous - 1);
        } else if (starts_with(c, "operator") && (c == own || !is_in_word(c[-1])) && !is_in_word(c[8])) {
            c = copy(c, behind_operator(c));
            if (*c == ' ') ++c;  // "operator<< <char>"
        } else if (c != own && (*c == '(' || *c == '<') && (behind = behind_closing(c)) != nullptr) {
            c = behind_qualifiers(behind);
        } else if (starts_with(c, "::<") && (behind = behind_closing(c + 2)) != nullptr) {
            c = behind;  // Rust's arguments of a generic function
        } else if (*c == '}') {
            c = behind_call(copy(c, c + 1));
        } else if (starts_with(c, "$_") && behind_call(behind_digits(c + 2)) != behind_digits(c + 2)) {
            replace("{lambda}");
            c = behind_call(behind_digits(c + 2));
        } else if (starts_with(c, " [clone ") || starts_with(c, "[abi:")) {
            while (*c != '\0' && *c++ != ']') {
            }
        } else if ((c != own && (is_suffix(c) || is_inner_number(own, c))) || is_hash(c)) {
            return;
        } else {
            c = copy(c, c + 1);
        }
    }
}

}  // namespace memspy::rt
