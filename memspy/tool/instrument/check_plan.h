// SPDX-License-Identifier: GPL-2.0-or-later
//
// CheckPlan decides which accesses of a fast translation share one check.
//
// Accesses at constant distances from one temporary (the members of a struct, the elements of an unrolled
// loop) are close together in memory, and so are their states. The first of them in program order, the
// leader, checks a window of at most 32 bytes for all. Within a superblock states only get better, so the
// later accesses need no check; a store among them makes its own bytes fine through the address that the
// leader computed. A later access may lie behind a side exit that is taken. Then the leader's check may trip
// without need: its instruction rises to Level::Single, where no checks are shared.
//
// The window's mask is the leader's condition: both bits of the state for a byte that is first loaded, the
// invalid bit for a byte that is first stored.
#pragma once

#include "instrument/core/access.h"
#include "instrument/core/sites.h"

namespace memspy::instrument {

inline constexpr u32 kWindowBytes = 32;

struct CheckWindow {
    IRTemp root = IRTemp_INVALID;
    u64 low = 0;    // offset of the window from the root; the sum is assumed to be a multiple of four
    u32 bytes = 0;  // a multiple of four
    u64 mask = 0;   // two bits per byte, from `low`
    u32 members = 0;
    IRExpr* state_address = nullptr;  // set when the leader's check is emitted
};

struct Planned {
    CheckWindow* window = nullptr;  // null: the access has a check of its own
    bool leads = false;
    bool defines = false;  // a store that must make its bytes fine
    u32 at = 0;            // offset of the access in the window
};

class CheckPlan {
public:
    explicit CheckPlan(const IRSB* block);
    // Call for each access that needs a check, by ascending statement index.
    void add(int statement, const Access& access, const Origin& origin, Level level);
    // Call after all add(): the decision for the statement.
    Planned at(int statement);

private:
    struct PlannedCheck {
        int window = -1;
        bool leads = false, defines = false;
        u64 offset = 0;
    };
    bool fits(const CheckWindow& window, u64 offset, u32 bytes, u64* low, u32* total) const;

    Scratch<PlannedCheck> entries_;  // by statement
    Scratch<CheckWindow> windows_;
};

}  // namespace memspy::instrument
