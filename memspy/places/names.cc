// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/names.h"

#include "rt/prefix.h"

namespace memspy::places {
namespace {

constexpr usize kNameLength = 60;

usize length_of(const char* text) {
    usize length = 0;
    while (text[length] != '\0') ++length;
    return length;
}

bool ends_in_operator(const char* name, usize length) {
    constexpr usize kOperatorLength = 8;
    return length >= kOperatorLength && rt::starts_with(name + length - kOperatorLength, "operator");
}

// The length of a function's name without its parameters, as in "Queue::push(Job) const".
usize bare_length(const char* name) {
    constexpr usize kConstLength = 6;
    const usize length = length_of(name);
    usize end = length;
    if (end > kConstLength && rt::starts_with(name + end - kConstLength, " const")) end -= kConstLength;
    if (end == 0 || name[end - 1] != ')') return length;
    int depth = 0;
    usize open = end;
    do {
        --open;
        depth += name[open] == ')' ? 1 : name[open] == '(' ? -1 : 0;
    } while (open > 0 && depth > 0);
    return depth == 0 && open > 0 && !ends_in_operator(name, open) ? open : length;
}

}  // namespace

const char* own_name(const char* name) {
    const char* own = name;
    int depth = 0;
    for (const char* c = name; *c != '\0' && !(*c == '(' && depth == 0); ++c) {
        if (*c == '<') ++depth;
        if (*c == '>') --depth;
        if (*c == ' ' && depth == 0 && c[1] != '(' && !ends_in_operator(own, static_cast<usize>(c - own)))
            own = c + 1;
    }
    return own;
}

void add_bare_function(rt::Text& text, const char* name) {
    const usize length = bare_length(name);
    for (usize i = 0; i < length; ++i) text.add(name[i]);
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
