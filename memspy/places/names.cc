// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/names.h"

#include "rt/prefix.h"

namespace memspy::places {
namespace {

constexpr usize kNameLength = 60;
constexpr char kAnonymous[] = "(anonymous namespace)";

bool ends_in_operator(const char* name, usize length) {
    constexpr usize kOperatorLength = 8;
    return length >= kOperatorLength && rt::starts_with(name + length - kOperatorLength, "operator");
}

// Behind the bracket that closes the one at `c`; null if there is none.
const char* behind_closing(const char* c) {
    int depth = 0;
    do {
        if (*c == '\0') return nullptr;
        depth += *c == '(' || *c == '<' ? 1 : *c == ')' || *c == '>' ? -1 : 0;
        ++c;
    } while (depth > 0);
    return c;
}

// The end of an operator's name, which begins there: "operator()", "operator<<", "operator new[]", "operator bool".
const char* behind_operator(const char* c) {
    constexpr char kOperator[] = "operator", kSigns[] = "+-*/%^&|~!=<>,[]";
    c += sizeof kOperator - 1;
    if (rt::starts_with(c, "()")) return c + 2;
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
const char* behind_qualifiers(const char* c) {
    constexpr const char* kQualifiers[] = {" const", " volatile", " &"};
    while (rt::starts_with_one_of(c, kQualifiers)) {
        ++c;
        while (*c != '\0' && *c != ' ' && *c != ':') ++c;
    }
    return c;
}

bool is_in_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

const char* own_name(const char* name) {
    const char* own = name;
    int depth = 0;
    for (const char* c = name; *c != '\0' && !(*c == '(' && depth == 0); ++c) {
        if (*c == '<') ++depth;
        if (*c == '>') --depth;
        if (*c == ' ' && depth == 0 && (c[1] != '(' || rt::starts_with(c + 1, kAnonymous)) &&
            !ends_in_operator(own, static_cast<usize>(c - own)))
            own = c + 1;
    }
    return own;
}

void add_bare_function(rt::Text& text, const char* name) {
    constexpr char kCall[] = "::operator()";
    const char* const own = own_name(name);
    const auto copy = [&](const char* from, const char* to) {
        while (from != to) text.add(*from++);
        return to;
    };
    for (const char* c = own; *c != '\0';) {
        const char* behind = nullptr;
        if (rt::starts_with(c, kAnonymous)) {
            c = copy(c, c + sizeof kAnonymous - 1);
        } else if (rt::starts_with(c, "operator") && (c == own || !is_in_word(c[-1])) && !is_in_word(c[8])) {
            c = copy(c, behind_operator(c));
            if (*c == ' ') ++c;  // "operator<< <char>"
        } else if (c != own && (*c == '(' || *c == '<') && (behind = behind_closing(c)) != nullptr) {
            c = behind_qualifiers(behind);
        } else if (*c == '}' && rt::starts_with(c + 1, kCall)) {
            c = copy(c, c + 1) + sizeof kCall - 1;
        } else {
            c = copy(c, c + 1);
        }
    }
}

void add_base_name(rt::Text& text, const char* path) {
    const char* name = path;
    for (const char* c = path; *c != '\0'; ++c)
        if (*c == '/') name = c + 1;
    text.add(name);
}

bool object_before(ObjectId x, ObjectId y) {
    const Object& a = object(x);
    const Object& b = object(y);
    if (a.kind == Object::StorageKind::Static && b.kind == Object::StorageKind::Static &&
        a.module_offset != b.module_offset)
        return a.module_offset < b.module_offset;
    return x < y;
}

void add_object_name(rt::Text& text, const Object& owner) {
    switch (owner.kind) {
        case Object::StorageKind::Heap: text.add(owner.blocks > 1 ? "heap blocks" : "a heap block"); return;
        case Object::StorageKind::Static:
            if (!is_section(owner)) {
                text.add_short(owner.name, kNameLength);
                return;
            }
            text.add(owner.name == nullptr ? "data" : owner.name);
            break;
        case Object::StorageKind::Stack:
            if (owner.variable != nullptr) {
                text.add_short(owner.variable, kNameLength).add(" of ");
                add_bare_function(text, own_name(owner.name));
                if (owner.thread > 1) text.add(" of thread ").add_plain(owner.thread);
                return;
            }
            text.add("the stack of thread ").add_number(owner.thread);
            return;
        case Object::StorageKind::Unknown:
            text.add_short(owner.name == nullptr ? "unknown memory" : owner.name, kNameLength);
    }
    if (owner.module == nullptr) return;
    text.add(" of ");
    add_base_name(text, owner.module);
}

}  // namespace memspy::places
