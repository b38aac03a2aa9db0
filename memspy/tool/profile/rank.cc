// SPDX-License-Identifier: GPL-2.0-or-later
#include "profile/rank.h"

#include "vg/vg.h"

namespace memspy::profile {
namespace {

ProcessRank known;

i32 from_environment(const HChar* const* names, usize count) {
    for (usize i = 0; i < count; ++i) {
        const HChar* value = VG_(getenv)(names[i]);
        if (value != nullptr && value[0] >= '0' && value[0] <= '9')
            return static_cast<i32>(VG_(strtoll10)(value, nullptr));
    }
    return -1;
}

}  // namespace

ProcessRank rank() {
    static constexpr const HChar* kNumbers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                                "SLURM_PROCID"};
    static constexpr const HChar* kSizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};
    if (known.from_mpi) return known;
    return {from_environment(kNumbers, 4), from_environment(kSizes, 3), false};
}

const char* host_name(char* buffer, usize bytes) {
    buffer[0] = '\0';
    const SysRes file = VG_(open)("/proc/sys/kernel/hostname", VKI_O_RDONLY, 0);
    if (sr_isError(file)) return buffer;
    const Int got = VG_(read)(static_cast<Int>(sr_Res(file)), buffer, static_cast<Int>(bytes - 1));
    VG_(close)(static_cast<Int>(sr_Res(file)));
    usize end = 0;
    while (got > 0 && end < static_cast<usize>(got) && buffer[end] != '\n') ++end;
    buffer[end] = '\0';
    return buffer;
}

void set_rank(i32 number, i32 size) { known = {number, size, number >= 0}; }

char* expand_rank(const char* text) {
    HChar digits[24];
    const i32 number = rank().number;
    const UInt length =
        number >= 0 ? VG_(sprintf)(digits, "%d", number) : VG_(sprintf)(digits, "p%d", VG_(getpid)());
    usize places = 0;
    for (const char* at = text; *at != '\0'; ++at) {
        if (at[0] != '%') continue;
        if (at[1] == 'r') ++places;
        if (at[1] != '\0') ++at;
    }
    auto* out = static_cast<HChar*>(VG_(malloc)("memspy.rank_path", VG_(strlen)(text) + places * length + 1));
    HChar* to = out;
    for (const char* at = text; *at != '\0'; ++at) {
        if (at[0] == '%' && at[1] == 'r') {
            for (UInt i = 0; i < length; ++i) *to++ = digits[i];
            ++at;
            continue;
        }
        *to++ = *at;
        if (at[0] == '%' && at[1] != '\0') *to++ = *++at;
    }
    *to = '\0';
    return out;
}

}  // namespace memspy::profile
