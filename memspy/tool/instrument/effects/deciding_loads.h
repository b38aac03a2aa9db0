// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which loads of a superblock a side exit depends on: what is loaded is compared, and not only moved.
#pragma once

#include "instrument/core/emitter.h"

namespace memspy::instrument {

class DecidingLoads {
public:
    explicit DecidingLoads(const IRSB* block);
    // The statement loads, and what it loads decides.
    bool decides(const IRStmt* statement) const {
        return statement->tag == Ist_WrTmp && decides_[statement->Ist.WrTmp.tmp];
    }

private:
    void use(const IRExpr* expression);

    Scratch<bool> decides_;  // by temporary
};

}  // namespace memspy::instrument
