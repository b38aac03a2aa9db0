// SPDX-License-Identifier: GPL-2.0-or-later
//
// --heap-limit=peak:100M,blocks:5000
#include "analyses/heap_profile/heap_profile.h"
#include "options.h"
#include "vg/vg.h"

namespace memspy::heap_profile {
namespace {

constinit u64 limits[kLimitedFigures] = {kNoLimit, kNoLimit, kNoLimit, kNoLimit};

bool skip(const char** text, const char* word) {
    const char* at = *text;
    for (; *word != '\0'; ++word, ++at)
        if (*at != *word) return false;
    *text = at;
    return true;
}

// A number with k, M or G: powers of 1000.
bool parse_amount(const char** text, u64* amount) {
    const char* at = *text;
    u64 value = 0;
    for (; *at >= '0' && *at <= '9'; ++at)
        if (__builtin_mul_overflow(value, u64{10}, &value) ||
            __builtin_add_overflow(value, static_cast<u64>(*at - '0'), &value))
            return false;
    if (at == *text) return false;
    const u64 unit = *at == 'k' || *at == 'K'   ? 1'000
                     : *at == 'M' || *at == 'm' ? 1'000'000
                     : *at == 'G' || *at == 'g' ? 1'000'000'000
                                                : 1;
    if (unit != 1) ++at;
    *text = at;
    return !__builtin_mul_overflow(value, unit, amount);
}

bool parse_limit(const char** text) {
    for (u32 i = 0; i < kLimitedFigures; ++i) {
        const char* at = *text;
        if (!skip(&at, kLimitNames[i]) || !skip(&at, ":")) continue;
        *text = at;
        return parse_amount(text, &limits[i]);
    }
    return false;
}

}  // namespace

u64 limit_of(LimitedFigure figure) { return limits[static_cast<u32>(figure)]; }

bool has_limits() {
    for (const u64 limit : limits)
        if (limit != kNoLimit) return true;
    return false;
}

}  // namespace memspy::heap_profile

namespace memspy::option_handlers {

void heap_limit(const char* argument, const char* value) {
    using namespace heap_profile;
    if (VG_STREQ(value, "none")) {
        for (u64& limit : limits) limit = kNoLimit;
        return;
    }
    for (const char* text = value;; ++text) {
        if (!parse_limit(&text) || (*text != '\0' && *text != ','))
            return bad_option_value(argument, value,
                                    "peak:100M,end:10k,total:2G,blocks:5000, or some of them");
        if (*text == '\0') return;
    }
}

}  // namespace memspy::option_handlers
