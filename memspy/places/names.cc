// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/names.h"

namespace memspy::places {
namespace {

constexpr usize kNameLength = 60;
}  // namespace

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
        case Object::StorageKind::Stack: text.add("the stack of thread ").add_number(owner.thread); return;
        case Object::StorageKind::Unknown:
            text.add_short(owner.name == nullptr ? "unknown memory" : owner.name, kNameLength);
    }
    if (owner.module == nullptr) return;
    text.add(" of ");
    add_base_name(text, owner.module);
}

}  // namespace memspy::places
