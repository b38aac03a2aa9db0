// SPDX-License-Identifier: GPL-2.0-or-later
//
// Observers: all that is emitted beside the client's own code and its checks: the access log, touched lines,
// counts of zeros, marks of bytes, the shadow stack of calls. Both translators tell it of the code that they
// emit, in its order; each emitter is a member, which does nothing when the policy does not ask for it.
#pragma once

#include "instrument/access_log.h"
#include "instrument/call_tracking.h"
#include "instrument/load_types.h"
#include "instrument/touch.h"
#include "instrument/zero_bytes.h"
#include "instrument/zero_counts.h"

namespace memspy::instrument {

class Observers {
public:
    Observers(Emitter& emit, const IRSB* in);

    // Before the first instruction. Of `in`, the statements [begin, end) are translated.
    void begin(int begin, int end);
    void instruction(const IRStmt* mark);  // its IMark has been emitted
    // Each statement of an instruction, whether it is emitted or not.
    void met(const IRStmt* statement) { calls_.note(statement); }
    // An exit of the client's is about to be emitted, and has been.
    void before_exit(const IRStmt* exit);
    void passed_exit(const IRStmt* exit);
    // The statement that loads values, or accesses memory, has been emitted, with all checks before it. Call
    // in this order.
    void loaded(int statement);
    void access(int statement, const Access& access, const Origin& origin);
    // All statements before `next` have been emitted. A call that the superblock goes on behind is told here.
    void end_of_instruction(int next);
    // Before the end of the superblock that jumps with `jump`.
    void end(IRJumpKind jump);

private:
    void around_call(int next);

    Emitter& emit_;
    const IRSB* in_;
    int end_ = 0;  // of the statements that are translated
    LogWriter log_;
    CallFinder calls_;
    LoadTypes types_;
    ByteMarker marker_;
    ZeroCounts zeros_;
    TouchWriter touch_;
};

}  // namespace memspy::instrument
