// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which of the variables that are declared on one line a call on that line is for: the last one before the
// call. Where columns are not known, only one that stands there alone.
#pragma once

#include "rt/base.h"

namespace memspy::rt {

class NearestDeclaration {
public:
    explicit NearestDeclaration(u64 call_column) : call_(call_column) {}  // 0: not known

    // Whether the variable declared at the column (0: not known) takes the place of those before.
    bool take(u64 column) {
        if (call_ != 0 && column != 0) {
            if (column > call_ || column < nearest_) return false;
            nearest_ = column;
            found_ = 0;
        }
        ++found_;
        return true;
    }
    // The one that was taken last is the one.
    bool is_sure() const { return found_ == 1; }

private:
    u64 call_, nearest_ = 0;
    u32 found_ = 0;
};

}  // namespace memspy::rt
