// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/object.h"

#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::places {
namespace {

rt::Global<rt::Vector<Object*>> objects;
rt::Global<rt::HashMap<ObjectId>> objects_by_key;

}  // namespace

Object& object_at(ObjectId id) { return *(*objects)[static_cast<usize>(id) - 1]; }
const Object& object(ObjectId id) { return object_at(id); }
u32 object_count() { return static_cast<u32>(objects->size()); }

ObjectId* find_by_key(u64 key) { return objects_by_key->find(key); }

ObjectId add_object(u64 key, const Object& object) {
    objects->push_back(new (rt::allocate(sizeof(Object), "memspy.objects")) Object(object));
    const auto id = static_cast<ObjectId>(objects->size());
    (*objects_by_key)[key] = id;
    return id;
}

ObjectId named_unknown(const char* name, u32 thread, Address start, usize size) {
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern(name);
    wanted.thread = thread;
    wanted.start = start;
    wanted.size = size;
    return find_or_make(mix(reinterpret_cast<u64>(wanted.name), thread), wanted, [&](const Object& o) {
        return o.name == wanted.name && o.thread == thread && o.module == nullptr;
    });
}

}  // namespace memspy::places
