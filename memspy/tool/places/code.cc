// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/code.h"

#include <algorithm>
#include <iterator>

#include "places/frames.h"
#include "rt/function_name.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "rt/runtime_libraries.h"
#include "threads/call_tree.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

rt::Global<rt::HashMap<vg::ModuleId>> modules_of_code;  // asking the core is slow

const vg::Module* module_around(Address code) {
    vg::ModuleId* known = modules_of_code->find(code);
    if (known == nullptr) {
        (*modules_of_code)[code] = vg::module_of_code(code);
        known = modules_of_code->find(code);
    }
    return *known == vg::ModuleId::None ? nullptr : &vg::module(*known);
}

// Less than 0, 0, or more than 0. Code outside all files comes first.
int compare(Address a, Address b) {
    if (a == b) return 0;
    const vg::Module* left = module_around(a);
    const vg::Module* right = module_around(b);
    if (left != right) {
        const int by_path =
            VG_(strcmp)(left == nullptr ? "" : left->path, right == nullptr ? "" : right->path);
        if (by_path != 0) return by_path;
    }
    if (left != nullptr) a -= left->bias;
    if (right != nullptr) b -= right->bias;
    return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace

bool is_runtime_code(Address instruction) {
    if (instruction == 0) return false;  // a system call's buffer
    const vg::Module* module = module_around(instruction);
    return module != nullptr && (rt::is_runtime_library(module->path) || is_linked_in(instruction));
}

bool is_bit_code(Address instruction) {
    const HChar *file = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &file, &folder, &line)) return false;
    constexpr const char* kHeaders[] = {"stl_bvector.h", "bitset", "__bit_reference"};
    return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                       [file](const char* header) { return VG_(strcmp)(file, header) == 0; });
}

bool is_barrier_code(const Place& place) {
    const char* name = function_of(place);
    return name != nullptr && VG_(strstr)(name, "barrier_wait") != nullptr;
}

bool is_omp_code(Address instruction) {
    const vg::Module* module = module_around(instruction);
    return module != nullptr && rt::is_omp_library(module->path);
}

// Called once for much code, so the result is not cached.
bool is_gomp_code(Address instruction) {
    const vg::ModuleId module = vg::module_of_code(instruction);
    if (module != vg::ModuleId::None && rt::is_gomp_library(vg::module(module).path)) return true;
    const char* name = named_function_at(instruction);
    return name != nullptr && rt::starts_with(name, "gomp_");
}

const char* named_function_at(Address instruction) {
    const HChar* name = nullptr;
    if (!VG_(get_fnname)(VG_(current_DiEpoch)(), instruction, &name) || rt::starts_with(name, "__aarch64_"))
        return nullptr;
    return name;
}

const char* function_of(const Place& place) {
    if (const char* own = named_function_at(place.instruction); own != nullptr) return own;
    constexpr u32 kMost = 16;
    Address callers[kMost];
    const u32 count = threads::return_addresses(place.path, callers, kMost);
    const vg::Module* file = module_around(place.instruction);
    for (u32 i = 0; i < count && file != nullptr && module_around(callers[i] - 1) == file; ++i)
        if (const char* name = named_function_at(callers[i] - 1); name != nullptr) return name;
    return nullptr;
}

bool is_openmp_region(const Place& place) {
    const char* name = named_function_at(place.instruction);
    return name != nullptr && rt::is_openmp_region(name);
}

bool allocated_by_runtime(ContextId allocated) {
    ExeContext* context = context_of(allocated);
    if (context == nullptr) return false;
    const Frames frames = frames_of(context);
    for (u32 i = 0; i < frames.count; ++i) {
        const vg::Module* module = module_around(frames.addresses[i]);
        // Skip the replaced allocation function itself.
        if (module != nullptr && VG_(strstr)(module->path, "vgpreload_") != nullptr) continue;
        return module != nullptr && rt::is_runtime_library(module->path);
    }
    return false;
}

bool is_aligned_allocation(ContextId allocated) {
    ExeContext* context = context_of(allocated);
    if (context == nullptr) return false;
    const Frames frames = frames_of(context);
    constexpr u32 kAllocators = 2;
    for (u32 i = 0; i < frames.count && i < kAllocators; ++i)
        if (const char* name = named_function_at(frames.addresses[i]);
            name != nullptr &&
            (VG_(strstr)(name, "align") != nullptr || VG_(strstr)(name, "valloc") != nullptr))
            return true;
    return false;
}

bool place_before(const Place& a, const Place& b) {
    if (const int by_instruction = compare(a.instruction, b.instruction); by_instruction != 0)
        return by_instruction < 0;
    if (a.path == b.path) return false;
    constexpr u32 kMost = 64;
    Address left[kMost], right[kMost];
    const u32 left_count = threads::return_addresses(a.path, left, kMost);
    const u32 right_count = threads::return_addresses(b.path, right, kMost);
    for (u32 i = 0; i < left_count && i < right_count; ++i)
        if (const int by_caller = compare(left[i], right[i]); by_caller != 0) return by_caller < 0;
    return left_count < right_count;
}

}  // namespace memspy::places
