// SPDX-License-Identifier: GPL-2.0-or-later
//
// The IR that undefined-bit propagation emits, for every VEX operation:
//   * it passes VEX's own check of types and flatness, on amd64 and on arm64;
//   * both processors' instruction selectors accept it wherever they accept the operation itself;
//   * compiled to machine code and run here, its shadow never calls a bit defined that varies when the
//     undefined bits of the operands take all values, nor, for the rules that are exact, any other undefined.
//
// VEX is linked as a library; blocks take the place of a translated return instruction.
#include <setjmp.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "instrument/undefined/undefined.h"
extern "C" {
#include "libvex_guest_amd64.h"
}

namespace {

using namespace memspy;
using instrument::Emitter;
using instrument::OpRule;
using instrument::UndefinedRule;
using instrument::Undefined;

int failures = 0;
jmp_buf vex_failed;
std::string vex_says;

[[noreturn]] void vex_failure() { longjmp(vex_failed, 1); }
void vex_log(const HChar* bytes, SizeT count) { vex_says.append(bytes, count); }

// Runs `work`, inside which VEX may give up; then returns false, and vex_says has the reason. Nothing in
// `work` may own memory, because longjmp leaves it.
template <class Work>
bool without_failure(Work work) {
    vex_says.clear();
    if (setjmp(vex_failed) != 0) return false;
    work();
    return true;
}

std::string name_of(IROp op) {
    if (!without_failure([op] { ppIROp(op); })) return "operation " + std::to_string(static_cast<int>(op));
    return vex_says;
}

// ---- one operation as a block ----------------------------------------------------------------------------

// Iop_INVALID stands for if-then-else: condition, two values.
struct Signature {
    IROp op;
    unsigned count;
    IRType result;
    IRType operand[4];
    unsigned undefined;      // bit i: operand i has a shadow
    bool constant_controls;  // rounding modes, amounts and indices are constants, as arm64 often requires

    // A rounding mode, an amount or an index beside data of another type.
    bool is_control(unsigned i) const {
        if (op == Iop_INVALID) return false;
        return i == 0 ? operand[0] == Ity_I32 && count > 1 && operand[1] != Ity_I32
                      : operand[i] == Ity_I8 && operand[0] != Ity_I8;
    }
};

// The block's operands and results; 32 bytes for each.
struct alignas(32) Memory {
    u64 operand[4][4];
    u64 shadow[4][4];
    u64 result[4];
    u64 result_shadow[4];
};
Memory memory;

// Values without a load or store of their own go through integers. Null: of a type that neither amd64 nor
// arm64 has.
IRExpr* read(Emitter& emit, IRType type, const void* from) {
    auto word = [&](unsigned i) {
        return emit.load(Ity_I64, Emitter::pointer(static_cast<const u64*>(from) + i));
    };
    switch (type) {
        case Ity_I1: return emit.unop(Iop_64to1, word(0));
        case Ity_I128: return emit.binop(Iop_64HLto128, word(1), word(0));
        case Ity_V128: return emit.binop(Iop_64HLtoV128, word(1), word(0));
        case Ity_V256:
            return emit.binop(Iop_V128HLtoV256, emit.binop(Iop_64HLtoV128, word(3), word(2)),
                              emit.binop(Iop_64HLtoV128, word(1), word(0)));
        case Ity_I8:
        case Ity_I16:
        case Ity_I32:
        case Ity_I64:
        case Ity_F32:
        case Ity_F64: return emit.load(type, Emitter::pointer(from));
        default: return nullptr;
    }
}

bool write(Emitter& emit, IRExpr* value, void* to) {
    auto word = [&](unsigned i, IRExpr* e) { emit.store(Emitter::pointer(static_cast<u64*>(to) + i), e); };
    auto half = [&](unsigned i, IRExpr* e) {
        word(2 * i, emit.unop(Iop_V128to64, e));
        word(2 * i + 1, emit.unop(Iop_V128HIto64, e));
    };
    switch (emit.type_of(value)) {
        case Ity_I1: word(0, emit.unop(Iop_1Uto64, value)); return true;
        case Ity_I128:
            word(0, emit.unop(Iop_128to64, value));
            word(1, emit.unop(Iop_128HIto64, value));
            return true;
        case Ity_V128: half(0, value); return true;
        case Ity_V256:
            half(0, emit.unop(Iop_V256toV128_0, value));
            half(1, emit.unop(Iop_V256toV128_1, value));
            return true;
        case Ity_I8:
        case Ity_I16:
        case Ity_I32:
        case Ity_I64:
        case Ity_F32:
        case Ity_F64: emit.store(Emitter::pointer(to), value); return true;
        default: return false;
    }
}

struct Request {
    Signature signature;
    bool with_shadow;
    bool representable;  // out: operands and result can be read and written
};

// Fills `out`. If only types matter, operands of types without loads become temporaries that are never set.
void emit_block(IRSB* out, Request& request, bool types_only) {
    Emitter emit(out);
    Signature& s = request.signature;
    IRExpr* value[4] = {};
    IRExpr* shadow[4] = {};
    request.representable = true;
    for (unsigned i = 0; i < s.count; ++i) {
        if (s.constant_controls && s.is_control(i)) {
            value[i] = s.operand[i] == Ity_I32 ? Emitter::u32c(1) : Emitter::u8c(1);
            continue;
        }
        value[i] = types_only ? nullptr : read(emit, s.operand[i], memory.operand[i]);
        if (value[i] == nullptr) {
            request.representable = false;
            value[i] = emit.assign(s.operand[i], IRExpr_Get(16, s.operand[i]));
        }
        if ((s.undefined >> i & 1) != 0) {
            const IRType type = Undefined::shadow_type(s.operand[i]);
            shadow[i] = types_only ? nullptr : read(emit, type, memory.shadow[i]);
            if (shadow[i] == nullptr) shadow[i] = emit.assign(type, IRExpr_Get(16, type));
        }
    }
    IRExpr* expression = s.op == Iop_INVALID ? IRExpr_ITE(value[0], value[1], value[2])
                         : s.count == 1      ? IRExpr_Unop(s.op, value[0])
                         : s.count == 2      ? IRExpr_Binop(s.op, value[0], value[1])
                         : s.count == 3      ? IRExpr_Triop(s.op, value[0], value[1], value[2])
                                             : IRExpr_Qop(s.op, value[0], value[1], value[2], value[3]);
    IRExpr* result = emit.assign(s.result, expression);
    if (!types_only && !write(emit, result, memory.result)) request.representable = false;
    if (!request.with_shadow) return;
    Undefined undefined(emit);
    IRExpr* got = s.op == Iop_INVALID
                      ? undefined.ite(value[0], value[1], value[2], shadow[0], shadow[1], shadow[2])
                  : s.count == 1 ? undefined.unop(s.op, value[0], shadow[0])
                  : s.count == 2 ? undefined.binop(s.op, value[0], value[1], shadow[0], shadow[1])
                  : s.count == 3 ? undefined.triop(s.op, value, shadow)
                                 : undefined.qop(s.op, value, shadow);
    got = undefined.or_zero(got, s.result);
    const IRType type = Undefined::shadow_type(s.result);
    if (emit.type_of(got) != type) {
        std::printf("wrong type of shadow\n");
        std::exit(1);
    }
    if (!types_only && !write(emit, got, memory.result_shadow)) request.representable = false;
}

// ---- VEX -------------------------------------------------------------------------------------------------

Request* current;

IRSB* replace_block(void*, IRSB* in, const VexGuestLayout*, const VexGuestExtents*, const VexArchInfo*,
                    IRType, IRType) {
    IRSB* out = emptyIRSB();
    out->next = IRExpr_Const(IRConst_U64(0x1000));
    out->jumpkind = Ijk_SigTRAP;  // leaves through the one exit that needs no guest address
    out->offsIP = in->offsIP;
    addStmtToIRSB(out, IRStmt_IMark(0x1000, 4, 0));
    emit_block(out, *current, false);
    sanityCheckIRSB(out, "memspy", True, Ity_I64);
    return out;
}

extern "C" void leave_block();
extern "C" void enter_block(void* code, void* state);
asm(R"(
    .text
    .globl enter_block, leave_block
enter_block:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    movq %rsi, %rbp
    jmp *%rdi
leave_block:
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
)");

Bool never_chase(void*, Addr) { return False; }
UInt no_self_check(void*, VexRegisterUpdates*, const VexGuestExtents*) { return 0; }

// Compiles the request for `arch`. Returns false if VEX gives up; vex_says has the reason.
bool compile(VexArch arch, Request& request, UChar* code, int size) {
    static const UChar amd64_return[] = {0xc3, 0, 0, 0};
    static const UChar arm64_return[] = {0xc0, 0x03, 0x5f, 0xd6};
    VexTranslateArgs args;
    std::memset(&args, 0, sizeof args);
    VexGuestExtents extents;
    int used = 0;
    args.arch_guest = args.arch_host = arch;
    LibVEX_default_VexArchInfo(&args.archinfo_guest);
    args.archinfo_guest.endness = VexEndnessLE;
    if (arch == VexArchAMD64)
        args.archinfo_guest.hwcaps = VEX_HWCAPS_AMD64_SSE3 | VEX_HWCAPS_AMD64_SSSE3 | VEX_HWCAPS_AMD64_CX16 |
                                     VEX_HWCAPS_AMD64_AVX | VEX_HWCAPS_AMD64_F16C;
    else
        args.archinfo_guest.arm64_dMinLine_lg2_szB = args.archinfo_guest.arm64_iMinLine_lg2_szB = 6;
    args.archinfo_host = args.archinfo_guest;
    LibVEX_default_VexAbiInfo(&args.abiinfo_both);
    args.abiinfo_both.guest_stack_redzone_size = 128;
    args.guest_bytes = arch == VexArchAMD64 ? amd64_return : arm64_return;
    args.guest_bytes_addr = 0x1000;
    args.chase_into_ok = never_chase;
    args.guest_extents = &extents;
    args.host_bytes = code;
    args.host_bytes_size = size;
    args.host_bytes_used = &used;
    args.instrument1 = replace_block;
    args.needs_self_check = no_self_check;
    const void* leave = reinterpret_cast<const void*>(leave_block);
    args.disp_cp_chain_me_to_slowEP = args.disp_cp_chain_me_to_fastEP = leave;
    args.disp_cp_xindir = args.disp_cp_xassisted = leave;
    current = &request;
    VexTranslateResult result{};
    return without_failure([&] { result = LibVEX_Translate(&args); }) &&
           result.status == VexTranslateResult::VexTransOK;
}

// ---- running ---------------------------------------------------------------------------------------------

alignas(16) unsigned char guest_state[3 * sizeof(VexGuestAMD64State) + LibVEX_N_SPILL_BYTES + 64];

void run(void* code) {
    reinterpret_cast<VexGuestAMD64State*>(guest_state)->host_EvC_COUNTER = 1 << 20;
    enter_block(code, guest_state);
}

unsigned size_of(IRType type) { return type == Ity_I1 ? 1 : static_cast<unsigned>(sizeofIRType(type)); }

bool is_exact(const OpRule& rule, unsigned undefined) {
    switch (rule.rule) {
        case UndefinedRule::SteerBy:
        case UndefinedRule::SteerByLane:
        case UndefinedRule::SteerByLaneByte: return undefined == 0b01;
        case UndefinedRule::SetElement: return undefined == 0b101;
        case UndefinedRule::Slice: return undefined == 0b011;
        case UndefinedRule::Same:
        case UndefinedRule::Steer:
        case UndefinedRule::Reinterpret:
        case UndefinedRule::ClearSign:
        case UndefinedRule::And:
        case UndefinedRule::Or:
        case UndefinedRule::Xor:
        case UndefinedRule::Add:
        case UndefinedRule::Sub:
        case UndefinedRule::Left:
        case UndefinedRule::LeadingZeros:
        case UndefinedRule::TrailingZeros:
        case UndefinedRule::CountOnes:
        case UndefinedRule::Equal:
        case UndefinedRule::LessSigned:
        case UndefinedRule::LessUnsigned:
        case UndefinedRule::LessEqualSigned:
        case UndefinedRule::LessEqualUnsigned:
        case UndefinedRule::NonZero:
        case UndefinedRule::NonZeroWord:
        case UndefinedRule::LaneEqual:
        case UndefinedRule::LaneGreaterSigned:
        case UndefinedRule::LaneGreaterUnsigned:
        case UndefinedRule::LaneNonZero: return true;
        default: return false;
    }
}

// How many result bits one undefined bit of the data may make undefined if a rule works on lanes; 0: no
// limit.
unsigned widest_effect(const OpRule& rule) {
    switch (rule.rule) {
        case UndefinedRule::Lanes:
        case UndefinedRule::LowLane:
        case UndefinedRule::Multiply:
        case UndefinedRule::MinSigned:
        case UndefinedRule::MinUnsigned:
        case UndefinedRule::MaxSigned:
        case UndefinedRule::MaxUnsigned: return rule.lane_bits;
        case UndefinedRule::LanesAndFlag: return rule.lane_bits + 1u;
        case UndefinedRule::NarrowLanes: return rule.lane_bits / 2u;
        case UndefinedRule::NarrowLanesAndFlag: return rule.lane_bits / 2u + 1;
        case UndefinedRule::WidenLanes:
        case UndefinedRule::EvenLanes: return 2u * rule.lane_bits;
        default: return 0;
    }
}

// An operation's name shows its lanes: the first number from 8 on; pairwise operations work on two of them.
// Guards the table of rules against lanes that are too wide, which would be sound and so pass everything
// else.
bool lane_agrees_with_name(IROp op, const std::string& name) {
    const unsigned lane = instrument::rule_of(op).lane_bits;
    if (lane == 0) return true;
    unsigned number = 0;
    for (const char* at = name.c_str(); *at != 0 && number < 8;) {
        char* end = nullptr;
        number = static_cast<unsigned>(std::strtoul(at, &end, 10));
        at = end != at ? end : at + 1;
    }
    return lane == number || (name.compare(0, 2, "Pw") == 0 && lane == 2 * number);
}

// Division by zero would be a signal.
bool runs_safely(const std::string& name) {
    return name.compare(0, 3, "Div") != 0 && name.compare(0, 3, "Mod") != 0;
}

// The only operations whose code needs more than the processor's baseline here.
bool needs_f16c(IROp op) {
    return op == Iop_F16toF32x4 || op == Iop_F16toF32x8 || op == Iop_F32toF16x4 || op == Iop_F32toF16x8;
}

void run_trials(const Signature& s, void* code, std::mt19937_64& random, const std::string& name) {
    const OpRule rule = instrument::rule_of(s.op);  // Whole for if-then-else
    const bool must_be_exact = s.op == Iop_INVALID || is_exact(rule, s.undefined);
    const unsigned effect = widest_effect(rule);
    bool control_undefined = false;
    for (unsigned i = 0; i < s.count; ++i)
        control_undefined = control_undefined || ((s.undefined >> i & 1) != 0 && s.is_control(i));
    for (int trial = 0; trial < 200; ++trial) {
        // Values with equal, extreme and random parts, so that all cases of comparisons and carries occur.
        std::memset(&memory, 0, sizeof memory);
        for (unsigned i = 0; i < s.count; ++i) {
            const u64 kind = random() % 5;
            auto* bytes = reinterpret_cast<unsigned char*>(memory.operand[i]);
            for (unsigned k = 0; k < size_of(s.operand[i]); ++k)
                bytes[k] = static_cast<unsigned char>(kind == 0   ? 0
                                                      : kind == 1 ? 0xff
                                                      : kind == 2 ? 1
                                                                  : random());
            if (i > 0 && s.operand[i] == s.operand[0] && random() % 3 == 0)
                std::memcpy(memory.operand[i], memory.operand[0], size_of(s.operand[0]));
            // Rounding modes, amounts and indices in their range; Perm's indices too.
            if (i > 0 && s.operand[i] == Ity_I8) bytes[0] &= 7;
            if (i == 0 && s.is_control(0)) memory.operand[0][0] &= 3;
            if (i > 0 && rule.rule == UndefinedRule::SteerByLane)
                for (unsigned k = 0; k < size_of(s.operand[i]); ++k) bytes[k] &= 7;
            if (s.operand[i] == Ity_I1) bytes[0] &= 1;
        }
        // The undefined bits: up to five, some of them close together.
        struct Bit {
            unsigned operand, at;
        } bits[5];
        unsigned count = 1 + static_cast<unsigned>(random() % 5);
        for (unsigned k = 0; k < count; ++k) {
            unsigned operand;
            do operand = static_cast<unsigned>(random() % s.count);
            while ((s.undefined >> operand & 1) == 0);
            const unsigned width = s.operand[operand] == Ity_I1 ? 1 : 8 * size_of(s.operand[operand]);
            unsigned at = static_cast<unsigned>(random() % width);
            if (k > 0 && bits[k - 1].operand == operand && random() % 2 == 0)
                at = (bits[k - 1].at + 1) % width;
            // Controls stay in range whatever their undefined bits are.
            if (s.is_control(operand)) at %= operand == 0 ? 2 : 3;
            if (rule.rule == UndefinedRule::SteerByLane && operand > 0) at = at / 8 * 8 + at % 3;
            bits[k] = {operand, at};
            memory.shadow[operand][at / 64] |= u64{1} << (at % 64);
        }
        // The older operations do not define the count of zeros in zero.
        if (rule.rule == UndefinedRule::LeadingZeros || rule.rule == UndefinedRule::TrailingZeros) {
            const u64 one = rule.rule == UndefinedRule::LeadingZeros ? 1 : u64{1} << (rule.lane_bits - 1);
            memory.operand[0][0] |= one;
            memory.shadow[0][0] &= ~one;
        }
        u64 first[4], varying[4] = {}, got[4];
        for (unsigned choice = 0; choice < 1u << count; ++choice) {
            for (unsigned k = 0; k < count; ++k) {
                u64& word = memory.operand[bits[k].operand][bits[k].at / 64];
                const u64 bit = u64{1} << (bits[k].at % 64);
                if ((memory.shadow[bits[k].operand][bits[k].at / 64] & bit) == 0) continue;
                word = (choice >> k & 1) != 0 ? word | bit : word & ~bit;
            }
            std::memset(memory.result, 0, sizeof memory.result);
            std::memset(memory.result_shadow, 0, sizeof memory.result_shadow);
            run(code);
            if (choice == 0) {
                std::memcpy(first, memory.result, sizeof first);
                std::memcpy(got, memory.result_shadow, sizeof got);
            }
            for (unsigned w = 0; w < 4; ++w) varying[w] |= memory.result[w] ^ first[w];
        }
        bool sound = true, exact = true;
        for (unsigned w = 0; w < 4; ++w) {
            sound = sound && (varying[w] & ~got[w]) == 0;
            exact = exact && varying[w] == got[w];
        }
        sound = sound || rule.rule == UndefinedRule::Defined;  // compare-and-swap: see instrument/undefined/undefined_ops.cc
        unsigned undefined_results = 0;
        for (u64 w : got) undefined_results += static_cast<unsigned>(__builtin_popcountll(w));
        const bool narrow = effect == 0 || control_undefined || undefined_results <= count * effect;
        if (!sound || !narrow || (must_be_exact && !exact)) {
            std::printf("%s: %s\n", name.c_str(), !sound ? "not sound" : !narrow ? "too wide" : "not exact");
            auto show = [](const char* what, const u64* w) {
                std::printf("  %-14s %016llx %016llx %016llx %016llx\n", what,
                            static_cast<unsigned long long>(w[3]), static_cast<unsigned long long>(w[2]),
                            static_cast<unsigned long long>(w[1]), static_cast<unsigned long long>(w[0]));
            };
            for (unsigned i = 0; i < s.count; ++i) {
                show("operand", memory.operand[i]);
                show("its shadow", memory.shadow[i]);
            }
            show("got", got);
            show("really", varying);
            if (++failures > 20) std::exit(1);
            return;
        }
    }
}

struct Totals {
    unsigned operations, on_amd64, on_arm64, ran;
};
Totals totals;
UChar* code;
constexpr int kCodeSize = 1 << 16;

// All of this file's claims for one operation, for every choice of operands with a shadow.
void check_operation(Signature s, const std::string& name, std::mt19937_64& random) {
    ++totals.operations;
    if (s.op != Iop_INVALID && !lane_agrees_with_name(s.op, name)) {
        std::printf("%s: its rule has lanes of %u bits\n", name.c_str(), instrument::rule_of(s.op).lane_bits);
        ++failures;
    }
    const bool safe = runs_safely(name);
    bool counted[2] = {false, false};
    for (s.undefined = 1; s.undefined < 1u << s.count; ++s.undefined) {
        // Types and flatness, including operations that neither processor has.
        Request types{s, true, false};
        if (!without_failure([&types] {
                IRSB* block = emptyIRSB();
                block->next = IRExpr_Const(IRConst_U64(0));
                block->jumpkind = Ijk_Boring;
                block->offsIP = 16;
                addStmtToIRSB(block, IRStmt_IMark(0x1000, 4, 0));
                emit_block(block, types, true);
                sanityCheckIRSB(block, "memspy", True, Ity_I64);
            })) {
            std::printf("%s, shadows %u: %s\n", name.c_str(), s.undefined, vex_says.c_str());
            if (++failures > 20) std::exit(1);
            continue;
        }

        for (VexArch arch : {VexArchARM64, VexArchAMD64}) {
            Request plain{s, false, false};
            if (!compile(arch, plain, code, kCodeSize)) {
                plain.signature.constant_controls = true;
                if (!compile(arch, plain, code, kCodeSize)) continue;
            }
            if (!plain.representable) continue;
            Request shadowed{plain.signature, true, false};
            bool control_undefined = false;
            for (unsigned i = 0; i < s.count; ++i)
                control_undefined = control_undefined || ((s.undefined >> i & 1) != 0 && s.is_control(i));
            if (shadowed.signature.constant_controls && control_undefined) continue;
            if (!compile(arch, shadowed, code, kCodeSize)) {
                std::printf("%s on %s, shadows %u: %s\n", name.c_str(),
                            arch == VexArchAMD64 ? "amd64" : "arm64", s.undefined, vex_says.c_str());
                if (++failures > 20) std::exit(1);
                continue;
            }
            if (arch == VexArchAMD64 && safe && (!needs_f16c(s.op) || __builtin_cpu_supports("f16c"))) {
                run_trials(shadowed.signature, code, random, name);
                totals.ran += !counted[1];
            }
            if (!counted[arch == VexArchAMD64]) {
                counted[arch == VexArchAMD64] = true;
                ++(arch == VexArchAMD64 ? totals.on_amd64 : totals.on_arm64);
            }
        }
    }
}

// Clean helper calls: arguments in mcx_mask, and the pointer to the guest state, count as defined.
void check_helper_calls() {
    const bool done = without_failure([] {
        IRSB* block = emptyIRSB();
        Emitter emit(block);
        Undefined undefined(emit);
        IRCallee* callee = mkIRCallee(0, "callee", reinterpret_cast<void*>(leave_block));
        callee->mcx_mask = 0b010;
        IRExpr* word = emit.get(16, Ity_I64);
        IRExpr* arguments[] = {IRExpr_GSPTR(), word, word};
        for (unsigned mask = 0; mask < 8; ++mask) {
            IRExpr* shadows[3];
            for (unsigned i = 0; i < 3; ++i) shadows[i] = (mask >> i & 1) != 0 ? word : nullptr;
            for (IRType type : {Ity_I32, Ity_I64, Ity_V128}) {
                IRExpr* got = undefined.ccall(callee, type, arguments, shadows, 3);
                if ((got != nullptr) != (mask >= 4) || (got != nullptr && emit.type_of(got) != type)) {
                    std::printf("helper call, shadows %u: wrong\n", mask);
                    ++failures;
                }
            }
        }
    });
    if (!done) {
        std::printf("helper call: %s\n", vex_says.c_str());
        ++failures;
    }
}

}  // namespace

int main() {
    VexControl control;
    LibVEX_default_VexControl(&control);
    LibVEX_Init(vex_failure, vex_log, 0, &control);
    void* pages =
        mmap(nullptr, kCodeSize, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 1;
    code = static_cast<UChar*>(pages);
    std::mt19937_64 random(1);
    for (int op = Iop_INVALID + 1; op < Iop_LAST; ++op) {
        Signature s{};
        s.op = static_cast<IROp>(op);
        for (IRType& type : s.operand) type = Ity_INVALID;
        if (!without_failure([&s] {
                typeOfPrimop(s.op, &s.result, &s.operand[0], &s.operand[1], &s.operand[2], &s.operand[3]);
            }))
            continue;  // an operation that VEX lists but does not implement
        while (s.count < 4 && s.operand[s.count] != Ity_INVALID) ++s.count;
        check_operation(s, name_of(s.op), random);
    }
    for (IRType type : {Ity_I1, Ity_I8, Ity_I16, Ity_I32, Ity_I64, Ity_I128, Ity_F16, Ity_F32, Ity_F64,
                        Ity_D32, Ity_D64, Ity_D128, Ity_F128, Ity_V128, Ity_V256})
        check_operation({Iop_INVALID, 3, type, {Ity_I1, type, type, Ity_INVALID}, 0, false},
                        "if-then-else of type " + std::to_string(type - Ity_INVALID), random);
    check_helper_calls();
    std::printf("%u operations; compiled with shadows: %u on amd64, %u on arm64; run: %u\n",
                totals.operations, totals.on_amd64, totals.on_arm64, totals.ran);
    // A library that could compile hardly anything would make this test prove nothing.
    if (totals.operations < 1000 || totals.on_amd64 < 400 || totals.on_arm64 < 350 || totals.ran < 400) {
        std::printf("too few\n");
        return 1;
    }
    return failures == 0 ? 0 : 1;
}
