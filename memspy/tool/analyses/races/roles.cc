// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/roles.h"

#include "analyses/races/atomic_code.h"
#include "analyses/races/openmp_functions.h"
#include "analyses/races/source_lines.h"
#include "places/code.h"
#include "places/frames.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/prefix.h"
#include "rt/runtime_libraries.h"
#include "rt/system_paths.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::races {
namespace {

rt::Global<rt::HashMap<CodeRole>> roles;
rt::Global<rt::HashMap<bool>> idle;              // by instruction and path
rt::Global<rt::HashMap<vg::ModuleId>> stripped;  // by instruction
rt::Global<rt::HashMap<bool>> of_mutexes;        // by instruction

bool is_tbb_library(const char* path) { return rt::starts_with(rt::file_name(path), "libtbb"); }

// Functions of a program that is linked with its run-time.
bool is_threading_function(const char* name) {
    constexpr const char* kNames[] = {"tbb::detail::", "runtime."};
    return name != nullptr && rt::starts_with_one_of(name, kNames);
}
// Go's table of functions, which is there in stripped programs, too. The core does not read it.
bool is_of_go(const vg::Module& module) {
    if (module.sections == nullptr) return false;
    for (const vg::ModuleSection& section : *module.sections)
        if (VG_STREQ(section.name, ".gopclntab")) return true;
    return false;
}
// Not malloc and its like, which have data of their own.
bool is_memory_function(const char* name) {
    if (name == nullptr) return true;
    while (*name == '_') ++name;
    constexpr const char* kNames[] = {"mem", "str", "stp", "wcs", "wmem", "bcmp", "bcopy", "bzero", "rawmem"};
    return rt::starts_with_one_of(name, kNames) && !rt::starts_with(name, "memalign");
}
// Of the C library's allocator, which keeps its lists in blocks that are free.
bool is_heap_function(const char* name) {
    if (name == nullptr) return false;
    constexpr const char* kNames[] = {
        "malloc",      "free",         "calloc",      "realloc",   "int_malloc",  "int_free",
        "int_realloc", "int_memalign", "libc_malloc", "libc_free", "libc_calloc", "libc_realloc",
        "tcache",      "unlink_chunk", "sysmalloc",   "systrim",   "memalign",    "libc_memalign"};
    while (*name == '_') ++name;
    return rt::starts_with_one_of(name, kNames);
}
// Of the C++ library.
bool is_cpp_function(const char* name) {
    return name != nullptr && (rt::starts_with(name, "__cxa_") || rt::contains(name, "::"));
}
bool is_omp_function(const char* name) {
    constexpr const char* kNames[] = {"gomp_", "GOMP_", "__kmp"};
    return name != nullptr && rt::starts_with_one_of(name, kNames);
}

// The sources of libraries of atomics, as compilers name them.
bool is_atomics_source(Address instruction) {
    const HChar *file = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(VG_(current_DiEpoch)(), instruction, &file, &folder, &line)) return false;
    const char* name = rt::file_name(file);
    constexpr const char* kFiles[] = {"atomic_base.h", "shared_ptr_atomic.h", "std_atomic.h",
                                      "cxx_atomic_impl.h", "atomic_wait.h"};
    for (const char* known : kFiles)
        if (VG_(strcmp)(name, known) == 0) return true;
    // <atomic> of libstdc++ and libc++; core/src/sync/atomic.rs.
    const bool is_header = VG_(strcmp)(name, "atomic") == 0;
    return is_header || VG_(strcmp)(name, "atomic.rs") == 0;
}

CodeRole find_role(Address instruction) {
    const vg::ModuleId id = vg::module_of_code(instruction);
    if (id == vg::ModuleId::None) return CodeRole::Library;
    const char* const path = vg::module(id).path;
    if (rt::is_gomp_library(path) || rt::is_omp_library(path)) return CodeRole::OpenMp;
    if (is_tbb_library(path)) return CodeRole::Threading;
    if (rt::contains(path, "vgpreload_memspy")) {
        const char* name = places::named_function_at(instruction);
        return is_memory_function(name) ? CodeRole::Memory
               : is_heap_function(name) ? CodeRole::Heap
                                        : CodeRole::Library;
    }
    if (rt::is_loader(path)) return CodeRole::Loader;
    if (rt::is_c_library(path))
        return is_heap_function(places::named_function_at(instruction)) ? CodeRole::Heap : CodeRole::CLibrary;
    const bool is_program = id == vg::main_module();
    if (is_program) {
        const char* name = places::named_function_at(instruction);
        if (name == nullptr && is_of_go(vg::module(id))) return CodeRole::Threading;
        if (is_omp_function(name)) return CodeRole::OpenMp;
        if (is_threading_function(name)) return CodeRole::Threading;
        if (places::is_linked_in(instruction))
            return is_heap_function(name)  ? CodeRole::Heap
                   : is_cpp_function(name) ? CodeRole::Library
                                           : CodeRole::CLibrary;
    }
    if (is_atomics_source(instruction)) return CodeRole::Atomic;
    return is_program || !rt::is_system_path(path) ? CodeRole::Own : CodeRole::Library;
}

}  // namespace

CodeRole role_of(Address instruction) {
    if (instruction == 0) return CodeRole::Own;
    CodeRole& role = (*roles)[instruction];
    if (role == CodeRole::Unknown) role = find_role(instruction);
    return role;
}

namespace {

enum class Answer : u8 { Unknown, No, Yes };
rt::Global<rt::HashMap<Answer>> modules_with_atomics;

// Code that is mapped no more may have some.
bool has_atomics(const vg::Module& of) {
    const bool readable = VG_(am_is_valid_for_client)(of.text, of.text_size, VKI_PROT_READ);
    return !readable || has_atomic_code(reinterpret_cast<const u8*>(of.text), of.text_size);
}

bool uses_atomics(vg::ModuleId id) {
    Answer& known = (*modules_with_atomics)[static_cast<u64>(id)];
    if (known == Answer::Unknown) known = has_atomics(vg::module(id)) ? Answer::Yes : Answer::No;
    return known == Answer::Yes;
}

// The file of the instruction, if it has no source, and no symbols or is a package's: some have symbols.
vg::ModuleId stripped_module(Address instruction) {
    if (const vg::ModuleId* known = stripped->find(instruction)) return *known;
    vg::ModuleId id = vg::module_of_code(instruction);
    const auto is_built_here = [&] {
        return vg::module(id).symbols.whole && !rt::is_installed_program(vg::module(id).path);
    };
    SourceLines lines;
    if (id != vg::ModuleId::None && (is_built_here() || read_source(instruction, &lines)))
        id = vg::ModuleId::None;
    (*stripped)[instruction] = id;
    return id;
}

}  // namespace

void note_atomic(Address instruction) {
    (*modules_with_atomics)[static_cast<u64>(vg::module_of_code(instruction))] = Answer::Yes;
}

bool is_opaque(Address instruction) {
    const bool is_generated = instruction != 0 && vg::module_of_code(instruction) == vg::ModuleId::None;
    if (is_generated) return true;
    const vg::ModuleId id = stripped_module(instruction);
    return id != vg::ModuleId::None && uses_atomics(id);
}

namespace {

bool orders_threads(const char* name) {
    constexpr const char* kNames[] = {
        "pthread_once", "pthread_spin", "pthread_mutex", "pthread_rwlock", "pthread_cond", "pthread_barrier",
        "sem_",         "new_sem_",     "call_once",     "mtx_",           "cnd_",         "lll_"};
    while (*name == '_') ++name;
    return rt::starts_with_one_of(name, kNames);
}

}  // namespace

bool is_mutex_code(Address instruction) {
    if (const bool* known = of_mutexes->find(instruction)) return *known;
    const char* name = places::named_function_at(instruction);
    return (*of_mutexes)[instruction] = name != nullptr && rt::contains(name, "pthread_mutex");
}

bool orders_nothing(CodeRole role, const Place& place) {
    const u64 key = place.instruction ^ u64 { static_cast<u32>(place.path) } << 40;
    if (const bool* known = idle->find(key)) return *known;
    const char* name = places::function_of(place);
    const bool found = is_of_c_library(role) ? name == nullptr || !orders_threads(name)
                                             : name == nullptr || !is_doacross(name);
    (*idle)[key] = found;
    return found;
}

}  // namespace memspy::races
