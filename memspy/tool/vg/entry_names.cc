// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/entry_names.h"

#include "vg/vg.h"

// Only the core's own headers declare these. SymAVMAs holds the symbol's address alone on both processors.
extern "C" {
struct EntryAddress {
    Addr main;
};
Int VG_(DebugInfo_syms_howmany)(const DebugInfo* module);
void VG_(DebugInfo_syms_getidx)(const DebugInfo* module, Int number, EntryAddress* address, UInt* size,
                                const HChar** name, const HChar*** other_names, Bool* is_code,
                                Bool* is_indirect, Bool* is_global);
}

namespace memspy::vg {
namespace {

Addr address_of(const DebugInfo* module, Int number, const HChar** name, const HChar*** others) {
    EntryAddress at{};
    VG_(DebugInfo_syms_getidx)(module, number, &at, nullptr, name, others, nullptr, nullptr, nullptr);
    return at.main;
}

}  // namespace

bool any_name_of_entry(Address code, bool (*f)(const char*, void*), void* argument) {
    const HChar* name = nullptr;
    if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), code, &name)) return false;
    if (f(name, argument)) return true;
    const DebugInfo* const module = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), code);
    if (module == nullptr) return false;
    // Symbols are in the order of their addresses, one for each.
    Int low = 0, high = VG_(DebugInfo_syms_howmany)(module);
    const HChar** others = nullptr;
    while (low < high) {
        const Int middle = low + (high - low) / 2;
        const Addr at = address_of(module, middle, &name, &others);
        if (at == code) break;
        if (at < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == high || others == nullptr) return false;
    for (; *others != nullptr; ++others)
        if (f(*others, argument)) return true;
    return false;
}

}  // namespace memspy::vg
