// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/twins.h"

#include <algorithm>

#include "instrument/core/access.h"
#include "instrument/core/registers.h"
#include "instrument/core/sites.h"

namespace memspy::instrument {
namespace {

bool wanted = false, twin = false;
u32 running = 0;  // read by generated code

}  // namespace

void want_twins() { wanted = true; }
bool have_twins() { return wanted; }
void run_twins(bool on) { running = on; }

void translates_twin(bool is_one) { twin = is_one; }
bool is_twin() { return twin; }

// Plain:  if (running != 0) goto twin_site(first)
// Twin:   PUT(program counter) = first
void finish_twins(IRSB* block, Address first) {
    if (!wanted) return;
    const int entry = preamble_end(block), end = block->stmts_used;
    Emitter emit(block);
    if (twin) {
        emit.put(guest_layout().program_counter, Emitter::u64c(first));
    } else if (sites_left()) {
        IRExpr* on =
            emit.binop(Iop_CmpNE32, emit.load(Ity_I32, Emitter::pointer(&running)), Emitter::u32c(0));
        emit.add(IRStmt_Exit(on, Ijk_Boring, IRConst_U64(twin_site(first)), guest_layout().program_counter));
    }
    std::rotate(block->stmts + entry, block->stmts + end, block->stmts + block->stmts_used);
}

}  // namespace memspy::instrument
