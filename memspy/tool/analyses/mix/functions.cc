// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/mix/functions.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::mix {
namespace {

rt::Global<rt::HashMap<u32>> by_address, by_name;
rt::Global<rt::Vector<Address>> entries;

// The distance that the core writes behind the function's name, as in `main+16`; none at its beginning.
Address offset_in(const HChar* text) {
    usize length = VG_(strlen)(text), first = length;
    while (first > 0 && text[first - 1] >= '0' && text[first - 1] <= '9') --first;
    if (first == length || first == 0 || text[first - 1] != '+') return 0;
    Address offset = 0;
    for (; first < length; ++first) offset = offset * 10 + static_cast<Address>(text[first] - '0');
    return offset;
}

u64 key_of(u64 a, u64 b) { return a * 0x9E3779B97F4A7C15u ^ b; }

}  // namespace

u32 function_at(Address instruction, u32 number) {
    u32& function = (*by_address)[instruction ^ u64{number} << 48];
    if (function != 0) return function;
    const DiEpoch epoch{.n = number};
    const HChar* text = nullptr;
    const char* name = nullptr;
    const char* module = nullptr;
    if (VG_(get_fnname)(epoch, instruction, &text)) name = vg::intern(text);
    if (VG_(get_objname)(epoch, instruction, &text)) module = vg::intern(text);
    u32& known = (*by_name)[key_of(reinterpret_cast<u64>(name), reinterpret_cast<u64>(module))];
    if (known == 0) {
        const bool begins = VG_(get_fnname_w_offset)(epoch, instruction, &text);
        entries->push_back(begins ? instruction - offset_in(text) : instruction);
        known = static_cast<u32>(entries->size());
    }
    return function = known;
}

Address function_entry(u32 function) { return (*entries)[function - 1]; }

}  // namespace memspy::mix
