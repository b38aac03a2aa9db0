// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/value_options.h"

#include "vg/vg.h"

namespace memspy {
namespace {

struct AddressRange {
    Address first, last;
};
constexpr u32 kMaxIgnoredRanges = 64;
// Larger ranges are more likely mistakes; Memcheck has the same limit.
constexpr Address kMaxIgnoredSize = 64 * 1024 * 1024;
constinit AddressRange g_ignored[kMaxIgnoredRanges]{};
constinit u32 g_ignored_count = 0;
// Memcheck's limits.
constexpr Address kMaxBelowStack = 1'000'000, kMaxIgnoredBelowStack = 4096;
constinit AddressRange g_ignored_below_stack{0, 0};  // distances; none if both are 0

// `yes` adds the kind to those that are shown, `no` takes it away.
void show(const char* argument, const char* value, u32 added, u32 taken) {
    bool yes = false;
    if (!parse_option_bool(argument, value, &yes)) return;
    u32& shown = options_to_change().show_leak_kinds;
    shown = yes ? shown | added : shown & ~taken;
}

// Reads an address, decimal or 0x…, and moves *text behind it.
bool parse_address(const char** text, Address* result) {
    const bool hexadecimal = (*text)[0] == '0' && ((*text)[1] == 'x' || (*text)[1] == 'X');
    if (!VG_(isdigit)(**text)) return false;
    HChar* end = nullptr;
    const Long value = hexadecimal ? VG_(strtoll16)(*text, &end) : VG_(strtoll10)(*text, &end);
    if (end == *text || value < 0) return false;
    *result = static_cast<Address>(value);
    *text = end;
    return true;
}

}  // namespace

namespace option_handlers {

void show_reachable(const char* argument, const char* value) {
    show(argument, value, kAllLeakKinds, kReachable);
}

void show_possibly_lost(const char* argument, const char* value) {
    show(argument, value, kPossible, kPossible);
}

void ignore_ranges(const char* argument, const char* value) {
    for (const char* text = value;;) {
        AddressRange range{};
        bool good = parse_address(&text, &range.first) && *text == '-';
        if (good) {
            ++text;
            good = parse_address(&text, &range.last) && range.first < range.last;
        }
        if (!good || (*text != '\0' && *text != ',')) {
            bad_option_value(argument, value, "0xAA-0xBB[,0xCC-0xDD...] with the lower address first");
            return;
        }
        if (range.last - range.first > kMaxIgnoredSize) {
            bad_option_value(argument, value, "ranges of at most 64 MB");
            return;
        }
        if (g_ignored_count == kMaxIgnoredRanges) {
            bad_option_value(argument, value, "at most 64 ranges");
            return;
        }
        g_ignored[g_ignored_count++] = range;
        if (*text == '\0') return;
        ++text;
    }
}

void ignore_range_below_sp(const char* argument, const char* value) {
    AddressRange range{};
    const char* text = value;
    bool good = parse_address(&text, &range.last) && *text == '-';
    if (good) {
        ++text;
        good = parse_address(&text, &range.first) && *text == '\0' && range.first < range.last &&
               range.last <= kMaxBelowStack && range.last - range.first <= kMaxIgnoredBelowStack;
    }
    if (good)
        g_ignored_below_stack = range;
    else
        bad_option_value(argument, value,
                         "two distances up to 1000000, the larger first, that differ by at most 4096");
}

}  // namespace option_handlers

namespace defects {

void check_options(Options& chosen) {
    if (chosen.xtree_leak && VG_(clo_verbosity) >= 1)
        VG_(umsg)("Warning: --xtree-leak=yes is not supported; leaks are printed as usual.\n");
}

bool is_ignored(Address a) {
    if (g_ignored_below_stack.last != 0) {
        const ThreadId thread = VG_(get_running_tid)();
        const Address distance = thread == VG_INVALID_THREADID ? 0 : VG_(get_SP)(thread) - a;
        if (distance >= g_ignored_below_stack.first && distance <= g_ignored_below_stack.last &&
            distance != 0)
            return true;
    }
    for (u32 i = 0; i < g_ignored_count; ++i)
        if (g_ignored[i].first <= a && a <= g_ignored[i].last) return true;
    return false;
}

}  // namespace defects
}  // namespace memspy
