// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/names.h"

#include "rt/function_name.h"
#include "rt/runtime_libraries.h"

namespace memspy::places {
namespace {

constexpr usize kNameLength = 60;

}  // namespace

void add_bare_function(rt::Text& text, const char* name) {
    rt::bare_function(name, [&](char c) { text.add(c); });
}

void add_base_name(rt::Text& text, const char* path) { text.add(rt::file_name(path)); }

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
                add_bare_function(text, owner.name);
                if (owner.thread > 1 && !owner.of_all_threads)
                    text.add(" of thread ").add_plain(owner.thread);
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
