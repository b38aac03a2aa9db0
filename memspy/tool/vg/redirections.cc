// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core asks its demangler of each symbol whether it is a redirection: "_vgr" (replaces) or "_vgw"
// (wraps), then its class of four digits and its rank of one. The linker sends those questions here (--wrap,
// flags.mk). Classes 1001 to 1099 are the malloc family's, in the core and in our library; 2001 to 2099 are
// those on memory and strings.
//
// The core then compares all redirections with all functions of each module: two million pairs for the C
// library, a tenth of the time of a short run, because each passes a list of all redirections. So the core is
// told here that a function that no redirection has the name of is no code, which it leaves out.
#include "vg/redirections.h"

#include "rt/prefix.h"
#include "rt/runtime_libraries.h"
#include "vg/static_program.h"
#include "vg/vg.h"

// Declared by the core for itself only.
struct SymbolAddresses;
extern XArray* VG_(clo_req_tsyms);  // --require-text-symbol: asks for functions in the same way
extern "C" {
Bool VG_(get_fnname_raw)(DiEpoch epoch, Addr code, const HChar** name);
Bool VG_(is_soname_ld_so)(const HChar* module);
}

namespace memspy::vg {
namespace {

bool wraps = false;

bool is_left_out(const HChar* symbol) {
    if (VG_(strncmp)(symbol, "_vg", 3) != 0) return false;
    const bool is_wrapper = symbol[3] == 'w';
    return VG_(strncmp)(symbol + 4, "10", 2) == 0 && is_wrapper != wraps;
}

// The functions that redirections name: a bit for the hash of each. A function with the hash of another one
// is compared by the core.
class RedirectedNames {
public:
    void add(const HChar* pattern) {
        for (const HChar* at = pattern; *at != '\0'; ++at) any_ = any_ || *at == '*' || *at == '?';
        const u32 bit = bit_of(pattern);
        bits_[bit / 64] |= u64{1} << bit % 64;
    }
    bool may_have(const HChar* name) const {
        const u32 bit = bit_of(name);
        return any_ || (bits_[bit / 64] >> bit % 64 & 1) != 0;
    }

private:
    static u32 bit_of(const HChar* name) {
        u64 hash = 0;
        for (; *name != '\0'; ++name) hash = (hash + static_cast<u8>(*name)) * 0x9e3779b97f4a7c15u;
        return static_cast<u32>(hash >> 48);
    }
    u64 bits_[(1 << 16) / 64] = {};
    bool any_ = false;  // one has a wildcard
};
RedirectedNames redirected_names;

// The loader's own are in the core, which does not ask the demangler for them.
bool may_be_redirected(const DebugInfo* module, const HChar* name, const HChar* const* others) {
    if (VG_(is_soname_ld_so)(VG_(DebugInfo_get_soname)(module)) || VG_(sizeXA)(VG_(clo_req_tsyms)) > 0)
        return true;
    const auto is_wanted = [](const HChar* each) {
        return rt::starts_with(each, "_vg") || redirected_names.may_have(each);
    };
    if (is_wanted(name)) return true;
    for (; others != nullptr && *others != nullptr; ++others)
        if (is_wanted(*others)) return true;
    return false;
}

// Whether the C library's functions are in a module that is not called as glibc's is: musl's library is its
// loader, mostly without a name, and a static program has them itself.
bool has_c_library(const DebugInfo* module, const HChar* name) {
    if (rt::starts_with(name, "libc.musl")) return true;
    if (VG_(strcmp)(name, "NONE") != 0) return false;  // without a name
    const HChar* const file = VG_(DebugInfo_get_filename)(module);
    return file != nullptr && (rt::is_c_library(file) || is_static_program(file));
}

// The name of the function, if it is one of the preload library's; null if it is none (its linkage table's).
const HChar* name_in_preload(Address code) {
    const DiEpoch epoch = VG_(current_DiEpoch)();
    const HChar* name = nullptr;
    if (!VG_(get_objname)(epoch, code, &name) || VG_(strstr)(name, "/vgpreload_memspy") == nullptr)
        return nullptr;
    return VG_(get_fnname_raw)(epoch, code, &name) ? name : nullptr;
}

bool is_string_function(const HChar* name) {
    // The last two are no redirections (preload/replacements.c).
    constexpr const HChar* kNames[] = {"_vgr20", "memcpy", "__memcpy_chk"};
    return rt::starts_with_one_of(name, kNames);
}

}  // namespace

void wrap_allocator() { wraps = true; }

bool is_string_function_of_ours(Address code) {
    const HChar* const name = name_in_preload(code);
    return name != nullptr && is_string_function(name);
}

bool is_added_code(Address code) {
    // Of wrappers, those with a class of equivalence are the allocator's, which goes on in them.
    constexpr const HChar* kNames[] = {"_vgr", "_vgw1"};
    const HChar* const name = name_in_preload(code);
    return name != nullptr && !rt::starts_with_one_of(name, kNames) && !is_string_function(name);
}

}  // namespace memspy::vg

extern "C" {
using DemangleZ = Bool(const HChar*, HChar**, HChar**, Bool*, Int*, Int*);
DemangleZ __real_vgPlain_maybe_Z_demangle, __wrap_vgPlain_maybe_Z_demangle;

Bool __wrap_vgPlain_maybe_Z_demangle(const HChar* symbol, HChar** module, HChar** function, Bool* is_wrap,
                                     Int* equivalence_class, Int* rank) {
    if (memspy::vg::is_left_out(symbol) ||
        !__real_vgPlain_maybe_Z_demangle(symbol, module, function, is_wrap, equivalence_class, rank))
        return False;
    memspy::vg::redirected_names.add(*function);
    return True;
}

using GetName = const HChar*(const DebugInfo*);
GetName __real_vgPlain_DebugInfo_get_soname, __wrap_vgPlain_DebugInfo_get_soname;

// Redirections name the module that they are for.
const HChar* __wrap_vgPlain_DebugInfo_get_soname(const DebugInfo* module) {
    const HChar* const name = __real_vgPlain_DebugInfo_get_soname(module);
    return memspy::vg::has_c_library(module, name) ? "libc.so.6" : name;
}

using GetSymbol = void(const DebugInfo*, Int, SymbolAddresses*, UInt*, const HChar**, const HChar***, Bool*,
                       Bool*, Bool*);
GetSymbol __real_vgPlain_DebugInfo_syms_getidx, __wrap_vgPlain_DebugInfo_syms_getidx;

void __wrap_vgPlain_DebugInfo_syms_getidx(const DebugInfo* module, Int number, SymbolAddresses* addresses,
                                          UInt* size, const HChar** name, const HChar*** other_names,
                                          Bool* is_code, Bool* is_indirect, Bool* is_global) {
    __real_vgPlain_DebugInfo_syms_getidx(module, number, addresses, size, name, other_names, is_code,
                                         is_indirect, is_global);
    if (name != nullptr && other_names != nullptr && is_code != nullptr && *is_code &&
        !memspy::vg::may_be_redirected(module, *name, *other_names))
        *is_code = False;
}
}
