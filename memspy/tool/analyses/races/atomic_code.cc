// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/races/atomic_code.h"

namespace memspy::races {
namespace {

constexpr usize kLongest = 6;

// With `lock` before it, an exchange or a sum whose old value is used, in memory. Without it no compiler makes
// them, so these bytes are hardly something else. Those of `lock add` are often the end of one instruction and the
// begin of the next one, so they are not looked for.
bool is_locked(const u8* at) {
    if (*at++ != 0xF0) return false;
    if (*at == 0x66) ++at;
    if ((*at & 0xF0) == 0x40) ++at;
    if (*at++ != 0x0F || at[1] >= 0xC0) return false;
    return *at == 0xB0 || *at == 0xB1 || *at == 0xC0 || *at == 0xC1;
}
// mfence, and what compilers make in its place: lock or $0, (%rsp).
bool is_fence(const u8* at) {
    if (at[0] == 0x0F && at[1] == 0xAE && at[2] == 0xF0) return true;
    if (*at++ != 0xF0) return false;
    if (*at == 0x48) ++at;
    return at[0] == 0x83 && at[1] == 0x0C && at[2] == 0x24 && at[3] == 0;
}

// An exchange with a static variable, as compilers store to an atomic one.
bool is_exchange(const u8* at) {
    const bool is_static = (at[0] == 0x86 || at[0] == 0x87) && (at[1] & 0xC7) == 0x05;
    return is_static && (at[5] == 0 || at[5] == 0xFF);
}

}  // namespace

bool has_atomic_x86(const u8* code, usize bytes) {
    for (usize i = 0; i + kLongest <= bytes; ++i)
        if (is_locked(code + i) || is_fence(code + i) || is_exchange(code + i)) return true;
    return false;
}

bool has_atomic_arm64(const u8* code, usize bytes) {
    for (usize i = 0; i + 4 <= bytes; i += 4) {
        const u32 word = code[i] | u32{code[i + 1]} << 8 | u32{code[i + 2]} << 16 | u32{code[i + 3]} << 24;
        const bool exclusive = (word & 0x3F00'0000) == 0x0800'0000;  // and load-acquire, store-release, cas
        const bool update = (word & 0x3B20'0C00) == 0x3820'0000;     // ldadd, swp and their like
        const bool fence = (word & 0xFFFF'F0FF) == 0xD503'30BF;      // dmb
        if (exclusive || update || fence) return true;
    }
    return false;
}

}  // namespace memspy::races
