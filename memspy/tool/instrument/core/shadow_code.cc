// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/core/shadow_code.h"

#include "instrument/core/policy.h"
#include "shadow/shadow_map.h"

namespace memspy::instrument {
namespace {

constexpr u64 kInvalidBits = 0xAAAA'AAAA'AAAA'AAAAu;

u64 ones(unsigned bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

// state address = fine leaf + table[(a >> kLeafBits) & index mask] + ((a & kLeafMask) >> 2)
IRExpr* emit_state_address(Emitter& emit, IRExpr* address) {
    IRExpr* index = emit.binop(Iop_Shr64, address, Emitter::u8c(shadow::kLeafBits - 3));
    index = emit.binop(Iop_And64, index, Emitter::u64c(shadow::kIndexMask << 3));
    IRExpr* entry = emit.binop(Iop_Add64, index, Emitter::pointer(shadow::primary_table()));
    IRExpr* distance = emit.load(Ity_I64, entry);
    IRExpr* within = emit.binop(Iop_And64, address, Emitter::u64c(shadow::kLeafMask));
    within = emit.binop(Iop_Shr64, within, Emitter::u8c(2));
    return emit.binop(Iop_Add64, emit.binop(Iop_Add64, distance, within),
                      Emitter::pointer(shadow::shared_leaf()));
}

// Loads `bytes` of states (1, 2, 4 or 8), widened to 64 bits.
IRExpr* load_states(Emitter& emit, IRExpr* at, u32 bytes) {
    switch (bytes) {
        case 1: return emit.unop(Iop_8Uto64, emit.load(Ity_I8, at));
        case 2: return emit.unop(Iop_16Uto64, emit.load(Ity_I16, at));
        case 4: return emit.unop(Iop_32Uto64, emit.load(Ity_I32, at));
        default: return emit.load(Ity_I64, at);
    }
}

// Whether the access is a store that fast code may complete itself.
bool defines(const Access& access) {
    return access.stores && !access.loads && access.guard == nullptr && policy().undefined;
}

}  // namespace

//
//   states = the ceil(n/4) bytes at the state address
//   load:  bad = (states | a & align) != 0
//   store: bad = (states & invalid bits | a & align) != 0, then states = 0 where n >= 4
// A smaller store must find its neighbours' states fine, too, because it writes them with its own.
ShadowTest test_cheap(Emitter& emit, const Access& access, bool aligned) {
    u32 n = access.bytes;
    ShadowTest test;
    test.state_bytes = n <= 4 ? 1 : n / 4;
    test.state_address = emit_state_address(emit, access.address);
    IRExpr* wrong = load_states(emit, test.state_address, test.state_bytes);
    if (defines(access) && n >= 4) {
        wrong = emit.binop(Iop_And64, wrong, Emitter::u64c(kInvalidBits & ones(8 * test.state_bytes)));
        test.new_states = Emitter::u64c(0);
    }
    if (n > 1 && !aligned) {
        u64 align = n == 2 ? 1 : 3;
        wrong = emit.binop(Iop_Or64, wrong, emit.binop(Iop_And64, access.address, Emitter::u64c(align)));
    }
    test.bad = emit.unop(Iop_CmpNEZ64, wrong);
    return test;
}

// Reads twice as many states and shifts them:
//   shift = 2 * (a & 3);  own = (states >> shift) & ones(2n)
//   load:  bad = own != 0
//   store: bad = (own & invalid bits) != 0, then states &= ~(ones(2n) << shift)
ShadowTest test_exact(Emitter& emit, const Access& access) {
    u32 n = access.bytes;
    if (n >= 32) return test_cheap(emit, access);
    ShadowTest test;
    test.state_bytes = n == 1 ? 1 : n <= 4 ? 2 : n <= 8 ? 4 : 8;
    test.state_address = emit_state_address(emit, access.address);
    IRExpr* states = load_states(emit, test.state_address, test.state_bytes);
    IRExpr* shift = emit.binop(Iop_And64, access.address, Emitter::u64c(3));
    shift = emit.unop(Iop_64to8, emit.binop(Iop_Add64, shift, shift));
    IRExpr* own = emit.binop(Iop_Shr64, states, shift);
    u64 mask = ones(2 * n);
    own = emit.binop(Iop_And64, own, Emitter::u64c(defines(access) ? mask & kInvalidBits : mask));
    test.bad = emit.unop(Iop_CmpNEZ64, own);
    if (defines(access)) {
        IRExpr* keep = emit.unop(Iop_Not64, emit.binop(Iop_Shl64, Emitter::u64c(mask), shift));
        test.new_states = emit.binop(Iop_And64, states, keep);
    }
    return test;
}

void make_fine(Emitter& emit, const ShadowTest& test) {
    if (test.new_states == nullptr) return;
    IRExpr* states = test.new_states;
    switch (test.state_bytes) {
        case 1: states = emit.unop(Iop_64to8, states); break;
        case 2: states = emit.unop(Iop_64to16, states); break;
        case 4: states = emit.unop(Iop_64to32, states); break;
        default: break;
    }
    emit.store(test.state_address, states);
}

//   states = the bytes/4 bytes at the state address, rounded up to 1, 2, 4 or 8
//   bad = (states & mask | address & 3) != 0
ShadowTest test_window(Emitter& emit, IRExpr* address, u32 bytes, u64 mask, bool aligned) {
    ShadowTest test;
    test.state_bytes = bytes <= 4 ? 1 : bytes <= 8 ? 2 : bytes <= 16 ? 4 : 8;
    test.state_address = emit_state_address(emit, address);
    IRExpr* wrong = load_states(emit, test.state_address, test.state_bytes);
    if (mask != ones(8 * test.state_bytes)) wrong = emit.binop(Iop_And64, wrong, Emitter::u64c(mask));
    if (!aligned) wrong = emit.binop(Iop_Or64, wrong, emit.binop(Iop_And64, address, Emitter::u64c(3)));
    test.bad = emit.unop(Iop_CmpNEZ64, wrong);
    return test;
}

void make_window_fine(Emitter& emit, IRExpr* state_address, u32 at, u32 bytes) {
    IRExpr* to = at < 4 ? state_address : emit.binop(Iop_Add64, state_address, Emitter::u64c(at / 4));
    if (bytes >= 4) {
        // 12, 20, 24 and 28 bytes do not occur as accesses.
        switch (bytes) {
            case 4: emit.store(to, Emitter::u8c(0)); break;
            case 8: emit.store(to, Emitter::u16c(0)); break;
            case 16: emit.store(to, Emitter::u32c(0)); break;
            default: emit.store(to, Emitter::u64c(0)); break;
        }
        return;
    }
    // VEX has no operation on eight bits for arm64.
    IRExpr* keep = Emitter::u64c(0xff & ~(ones(2 * bytes) << (2 * (at % 4))));
    emit.store(to, emit.unop(Iop_64to8, emit.binop(Iop_And64, load_states(emit, to, 1), keep)));
}

}  // namespace memspy::instrument
