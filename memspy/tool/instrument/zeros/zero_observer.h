// SPDX-License-Identifier: GPL-2.0-or-later
//
// The observer of loaded values: their types, the counts of their zero bytes by instruction (zero_counts.h),
// if zero_hooks() are set, and marks of the bytes of memory that are loaded (zero_bytes.h).
#pragma once

#include "instrument/core/observer.h"
#include "instrument/zeros/frame_calls.h"
#include "instrument/zeros/zero_bytes.h"
#include "instrument/zeros/zero_counts.h"

namespace memspy::instrument {

// From now on translations mark which bytes of memory are loaded, and which of them are not zero.
void mark_loaded_bytes();

class ZeroObserver final : public Observer {
public:
    ZeroObserver(Emitter& emit, const IRSB* in);

    void begin(int begin, int end) override;
    void instruction(const IRStmt* mark) override;
    void met(const IRStmt* statement) override;
    void before_exit(const IRStmt* exit) override;
    void loaded(int statement) override;
    void access(int statement, const Access& access, const Origin& origin) override;
    void end_of_instruction() override;
    void before_call() override;
    void behind_call(int next) override;
    void end(IRJumpKind jump) override;

private:
    const IRSB* in_;
    bool counts_;
    int end_ = 0;  // end of the statements that are translated
    Address instruction_ = 0;
    LoadTypes types_;
    ZeroCounts zero_counts_;
    ByteMarker marker_;
    FrameCalls frames_;
};

}  // namespace memspy::instrument
