// SPDX-License-Identifier: GPL-2.0-or-later
//
// Superblocks as loops are made of them: what VEX makes of the code, in a form that outlives the translation,
// for code that is followed without running it (loop_run.h).
#pragma once

#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::instrument {

// A temporary or a constant.
struct LoopAtom {
    bool is_temp = false;
    bool known = false;  // of a constant
    u64 bits = 0;        // the constant, or the number of the temporary
};

struct LoopStatement {
    enum class What : u8 {
        Instruction,  // at a.bits
        Copy,         // temp = a
        Get,          // temp = register at `offset`, of `bytes`
        Load,         // temp = memory at a
        Unary,        // temp = op(a)
        Binary,       // temp = op(a, b)
        Choice,       // temp = a ? b : c
        Helper,       // temp = call(arguments)
        Counter,      // temp = the processor's counter of time
        Unknown,      // temp = something
        Put,          // register = a
        Store,        // memory at a = b
        Update,  // temp = memory at a; if it is b, memory = c; made by `op` of b and `other`, if that is there
        Exit,    // if (a) goto b
        Fault,   // if (a) something else
        Visible  // others may see it, or it may wait
    } what = What::Visible;
    u8 excused = 0;  // of a helper: a bit for each argument that does not decide
    u16 bytes = 0;
    i32 offset = 0;
    u32 temp = 0;
    u32 op = 0;
    LoopAtom a, b, c, other;
    u32 arguments = 0;  // of a helper: the first one's place in LoopCode::arguments
    const void* helper = nullptr;
    u32 count = 0;
};

struct LoopCode {
    rt::Vector<LoopStatement> statements;
    rt::Vector<LoopAtom> arguments;
    u32 temps = 0;
    LoopAtom next;
    bool goes_on = false;       // ends with a jump, a call or a return, and nothing else
    bool calls_system = false;  // ends with a system call
};

// The superblock that begins at `first`. May be null. Call when no code is being translated. Valid until the
// next call of forget_loop_code().
const LoopCode* loop_code(u32 guest_id, Address first);
void forget_loop_code();  // as code may have changed

}  // namespace memspy::instrument
