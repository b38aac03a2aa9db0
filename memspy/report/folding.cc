// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/folding.h"

namespace memspy::report {
namespace {

// A module is identified by its build-id, without one by its path.
Text identity(const Module& module) { return module.build_id.empty() ? module.path : module.build_id; }

}  // namespace

u64 hash_of_key(const Module& module) { return hash_value(identity(module)); }
int compare_keys(const Module& left, const Module& right) {
    const int result = identity(left).compare(identity(right));
    return result != 0 ? result : compare_fields(left, right);
}

u64 hash_of_key(const Object& object) { return hash_of_fields(object, static_cast<u64>(object.kind)); }
int compare_keys(const Object& left, const Object& right) {
    if (left.kind != right.kind) return left.kind < right.kind ? -1 : 1;
    return compare_fields(left, right);
}

// Threads are numbered in the order of their creation, so a number means the same in every process.
u64 hash_of_key(const Thread& thread) { return hash_value(thread.id); }
int compare_keys(const Thread& left, const Thread& right) {
    return left.id < right.id ? -1 : right.id < left.id ? 1 : 0;
}

}  // namespace memspy::report
