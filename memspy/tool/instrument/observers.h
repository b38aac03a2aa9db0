// SPDX-License-Identifier: GPL-2.0-or-later
//
// Observers: everything that is emitted beside the client's own code and its checks: the access log, touched
// lines, counts of instructions and of zeros, marks of bytes, the shadow stack of calls. Both translators report the code that
// they emit, in its order. Each emitter is a member and does nothing if the policy does not ask for it.
#pragma once

#include "instrument/access_log.h"
#include "instrument/call_tracking.h"
#include "instrument/load_types.h"
#include "instrument/operation_counts.h"
#include "instrument/touch.h"
#include "instrument/zero_bytes.h"
#include "instrument/zero_counts.h"

namespace memspy::instrument {

class Observers {
public:
    Observers(Emitter& emit, const IRSB* in);

    // Call before the first instruction. The statements [begin, end) of `in` are translated.
    void begin(int begin, int end);
    void instruction(const IRStmt* mark);  // call after its IMark has been emitted
    // Call for each statement of an instruction, emitted or not.
    void met(const IRStmt* statement) { calls_.note(statement); }
    // Call before an exit of the client's code is emitted, and after.
    void before_exit(const IRStmt* exit);
    void passed_exit(const IRStmt* exit);
    // Call after a statement that loads values or accesses memory has been emitted with all checks before it;
    // loaded() first.
    void loaded(int statement);
    void access(int statement, const Access& access, const Origin& origin);
    // Call after all statements before `next` have been emitted. Handles a call that VEX followed into the
    // callee.
    void end_of_instruction(int next);
    // Call before the end of the superblock, which jumps with `jump`.
    void end(IRJumpKind jump);

private:
    void around_call(int next);

    Emitter& emit_;
    const IRSB* in_;
    int end_ = 0;  // end of the statements that are translated
    LogWriter log_;
    CallFinder calls_;
    LoadTypes types_;
    ByteMarker marker_;
    ZeroCounts zeros_;
    TouchWriter touch_;
    OperationCounts operations_;
    Address instruction_ = 0;
};

}  // namespace memspy::instrument
