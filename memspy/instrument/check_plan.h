// SPDX-License-Identifier: GPL-2.0-or-later
//
// CheckPlan: which accesses of a fast translation share one check.
//
// Accesses at constant distances from one temporary (the members of a struct, the elements of an unrolled
// loop) stand close together in memory, and so do their states. The first of them in program order, the
// leader, checks a window of at most 32 bytes for all. States only get better within a superblock, so the
// later ones need nothing; a store among them makes its own bytes fine through the address that the leader
// computed. An access that is checked though it lies behind a side exit that is then taken can only trip for
// nothing: its leader's instruction rises to Level::Single, where nothing is shared.
//
// The window's mask is the leader's condition: both bits of the state for a byte that is loaded first,
// the invalid bit for a byte that is stored first.
#pragma once

#include "instrument/access.h"
#include "instrument/trip.h"

namespace memspy::instrument {

inline constexpr u32 kWindowBytes = 32;

struct CheckWindow {
    IRTemp root = IRTemp_INVALID;
    u64 low = 0;    // offset of the window from the root; its address is taken for a multiple of four
    u32 bytes = 0;  // a multiple of four
    u64 mask = 0;   // two bits per byte, from `low`
    u32 members = 0;
    IRExpr* state_address = nullptr;  // set when the leader's check is emitted
};

struct Planned {
    CheckWindow* window = nullptr;  // null: the access is on its own
    bool leads = false;
    bool defines = false;  // a store that has to make its bytes fine
    u32 at = 0;            // offset of the access in the window
};

class CheckPlan {
public:
    explicit CheckPlan(const IRSB* block);
    // Feed each access that needs a check, by ascending statement index.
    void add(int statement, const Access& access, const Origin& origin, Level level);
    // After the last: the decision for the statement.
    Planned at(int statement);

private:
    struct PlannedCheck {
        int window = -1;
        bool leads = false, defines = false;
        u64 offset = 0;
    };
    bool fits(const CheckWindow& window, u64 offset, u32 bytes, u64* low, u32* total) const;

    rt::Vector<PlannedCheck> entries_;  // by statement
    rt::Vector<CheckWindow> windows_;
};

}  // namespace memspy::instrument
