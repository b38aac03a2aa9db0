// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/check_plan.h"

#include "instrument/core/policy.h"

namespace memspy::instrument {
namespace {

// The number of windows that are tried; older ones are rarely near enough.
constexpr usize kLookBack = 16;

u64 states_mask(u32 bytes, u64 state) {
    u64 pattern = state == 3 ? ~u64{0} : 0xAAAA'AAAA'AAAA'AAAAu;
    return bytes >= 32 ? pattern : pattern & ((u64{1} << (2 * bytes)) - 1);
}

}  // namespace

CheckPlan::CheckPlan(const IRSB* block) { entries_.resize(static_cast<usize>(block->stmts_used)); }

// Whether [offset, offset + bytes) fits into the window; also gives the window's new extent.
bool CheckPlan::fits(const CheckWindow& window, u64 offset, u32 bytes, u64* low, u32* total) const {
    i64 distance = static_cast<i64>(offset - window.low);
    if (distance < -static_cast<i64>(kWindowBytes) || distance > static_cast<i64>(kWindowBytes)) return false;
    // Relative to the window, accesses of four bytes and more must be aligned, and smaller ones must not
    // cross a group of four bytes.
    u32 within = static_cast<u32>(distance & 3);
    if (bytes >= 4 ? within != 0 : within + bytes > 4) return false;
    i64 start = distance - within;
    i64 begin = start < 0 ? start : 0;
    i64 end = start + static_cast<i64>(bytes < 4 ? 4 : (bytes + 3) / 4 * 4);
    if (end < static_cast<i64>(window.bytes)) end = static_cast<i64>(window.bytes);
    if (end - begin > static_cast<i64>(kWindowBytes)) return false;
    *low = window.low + static_cast<u64>(begin);
    *total = static_cast<u32>(end - begin);
    return true;
}

void CheckPlan::add(int statement, const Access& access, const Origin& origin, Level level) {
    if (level != Level::Shared || origin.kind == Origin::AddressRoot::Static || access.guard != nullptr ||
        access.bytes > kWindowBytes || (access.bytes > 4 && access.bytes % 4 != 0))
        return;
    const bool defines = access.stores && !access.loads && policy().undefined;
    const u64 wanted = states_mask(access.bytes, defines ? 2 : 3);
    PlannedCheck& entry = entries_[static_cast<usize>(statement)];
    entry.offset = origin.offset;

    for (usize k = windows_.size(), looked = 0; k-- > 0 && looked < kLookBack; ++looked) {
        CheckWindow& window = windows_[k];
        u64 low = 0;
        u32 total = 0;
        if (window.root != origin.root || !fits(window, origin.offset, access.bytes, &low, &total)) continue;
        u64 down = window.low - low;
        window.mask = down == 0 ? window.mask : window.mask << (2 * down);
        window.low = low;
        window.bytes = total;
        u64 at = 2 * (origin.offset - low);
        // Bytes that an earlier member covers keep that member's condition.
        u64 known = window.mask >> at & states_mask(access.bytes, 2);
        u64 known_both = known | known >> 1;
        entry.defines =
            defines && (window.mask >> at & states_mask(access.bytes, 3)) != states_mask(access.bytes, 3);
        window.mask |= (wanted & ~known_both) << at;
        ++window.members;
        entry.window = static_cast<int>(k);
        return;
    }
    if (access.bytes < 4) return;  // its alignment says nothing about the window's
    entry.window = static_cast<int>(windows_.size());
    entry.leads = true;
    entry.defines = defines;
    windows_.push_back(CheckWindow{.root = origin.root,
                                   .low = origin.offset,
                                   .bytes = access.bytes,
                                   .mask = wanted,
                                   .members = 1,
                                   .state_address = nullptr});
}

Planned CheckPlan::at(int statement) {
    const PlannedCheck& entry = entries_[static_cast<usize>(statement)];
    if (entry.window < 0) return {};
    CheckWindow& window = windows_[static_cast<usize>(entry.window)];
    if (window.members < 2) return {};
    return Planned{.window = &window,
                   .leads = entry.leads,
                   .defines = entry.defines,
                   .at = static_cast<u32>(entry.offset - window.low)};
}

}  // namespace memspy::instrument
