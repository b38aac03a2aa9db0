// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/whole_calls.h"

#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/redirections.h"
#include "vg/vg.h"

namespace memspy::defects {
namespace {

// The registers of preload/bytes.h.
#if defined(VGA_amd64)
constexpr usize kTo = offsetof(VexGuestArchState, guest_YMM15),
                kFrom = offsetof(VexGuestArchState, guest_YMM14),
                kBytes = offsetof(VexGuestArchState, guest_YMM13);
#else
constexpr usize kTo = offsetof(VexGuestArchState, guest_Q31), kFrom = offsetof(VexGuestArchState, guest_Q30),
                kBytes = offsetof(VexGuestArchState, guest_Q29);
#endif

u64 running_register(usize offset) {
    u64 value = 0;
    VG_(get_shadow_regs_area)(VG_(get_running_tid)(), reinterpret_cast<UChar*>(&value), 0,
                              static_cast<PtrdiffT>(offset), sizeof value);
    return value;
}

}  // namespace

bool is_replacement(Address code) {
    static rt::Global<rt::HashMap<bool>> known;
    if (const bool* answer = known->find(code)) return *answer;
    const bool answer = vg::is_string_function_of_ours(code);
    (*known)[code] = answer;
    return answer;
}

CallRange range_of_call(Address a, usize bytes, bool writes) {
    const CallRange range{running_register(writes ? kTo : kFrom), running_register(kBytes)};
    const bool is_inside = a - range.begin < range.bytes && range.bytes - (a - range.begin) >= bytes;
    return is_inside ? range : CallRange{};
}

bool is_call_of_absurd_length(usize* length) {
    constexpr unsigned kAddressBits = 47;  // as in preload/bytes.h
    *length = running_register(kBytes);
    return *length >> kAddressBits != 0 && is_replacement(VG_(get_IP)(VG_(get_running_tid)()));
}

}  // namespace memspy::defects
