// SPDX-License-Identifier: GPL-2.0-or-later
//
// RegisterUse: the guest registers that a run of statements reads and writes, and those that it overwrites
// before anything can see their old values.
#pragma once

#include "instrument/core/sites.h"

namespace memspy::instrument {

class RegisterUse {
public:
    explicit RegisterUse(const IRSB* block) : block_(block) {}
    // Call for the statements in order.
    void note(const IRStmt* statement);
    const EntryUse& use() const { return use_; }

private:
    void read(Int offset, Int bytes);
    void write(Int offset, Int bytes);

    struct RegisterRange {
        Int offset, bytes;
    };
    static constexpr u32 kMaxReads = 64;

    const IRSB* block_;
    EntryUse use_;
    RegisterRange reads_[kMaxReads];
    u32 read_count_ = 0;
    bool open_ = true;  // no exit and no unknown read yet: a write may still count as overwriting
};

}  // namespace memspy::instrument
