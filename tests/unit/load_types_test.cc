// SPDX-License-Identifier: GPL-2.0-or-later
//
// The types that are inferred for loads: real instructions of amd64 and arm64 go through VEX's own front end,
// and the type of each load is found in the superblocks that a tool gets:
//   * by VEX's types, by uses behind registers and re-interpretations, by lanes of vector operations;
//   * a float if one use is an operation on floats, else an integer; unknown if it is only copied.
// Loads into vector registers are known by where the instruction puts the value (amd64).
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "instrument/zeros/load_types.h"

// Functions of the core that registers.cc refers to; they are not called here.
extern "C" {
void* vgPlain_memset(void* begin, Int value, SizeT bytes) { return std::memset(begin, value, bytes); }
void vgPlain_set_shadow_regs_area(ThreadId, Int, PtrdiffT, SizeT, const UChar*) { std::abort(); }
void vgPlain_get_shadow_regs_area(ThreadId, UChar*, Int, PtrdiffT, SizeT) { std::abort(); }
ThreadId vgPlain_get_running_tid(void) { std::abort(); }
Addr vgPlain_get_SP(ThreadId) { std::abort(); }
}

namespace {

using namespace memspy;
using instrument::LoadTypes;
using instrument::LoadUse;
using instrument::ElementKind;
using instrument::ValueType;

jmp_buf vex_failed;
[[noreturn]] void vex_failure() { longjmp(vex_failed, 1); }
void vex_log(const HChar* bytes, SizeT count) { std::fwrite(bytes, 1, count, stderr); }

constexpr unsigned kMostLoads = 4;
struct Found {
    unsigned count = 0;
    LoadUse loads[kMostLoads];
    bool vector[kMostLoads];
};
Found found;

IRSB* look(void*, IRSB* in, const VexGuestLayout*, const VexGuestExtents*, const VexArchInfo*, IRType, IRType) {
    LoadTypes types;
    types.find(in, true);
    // The last instruction returns.
    int last = 0;
    for (int i = 0; i < in->stmts_used; ++i)
        if (in->stmts[i]->tag == Ist_IMark) last = i;
    found = Found{};
    for (int i = 0; i < last; ++i)
        if (instrument::is_value_load(in->stmts[i]) && !types.of(i).repeats && found.count < kMostLoads) {
            found.vector[found.count] = instrument::loads_vector(in, i);
            found.loads[found.count++] = types.of(i);
        }
    return in;
}

Bool never_chase(void*, Addr) { return False; }
UInt no_self_check(void*, VexRegisterUpdates*, const VexGuestExtents*) { return 0; }

bool translate(VexArch arch, const UChar* code) {
    static UChar room[16 * 1024];
    VexTranslateArgs args;
    std::memset(&args, 0, sizeof args);
    VexGuestExtents extents;
    int used = 0;
    args.arch_guest = args.arch_host = arch;
    LibVEX_default_VexArchInfo(&args.archinfo_guest);
    args.archinfo_guest.endness = VexEndnessLE;
    if (arch == VexArchAMD64)
        args.archinfo_guest.hwcaps = VEX_HWCAPS_AMD64_SSE3 | VEX_HWCAPS_AMD64_SSSE3 | VEX_HWCAPS_AMD64_CX16 |
                                     VEX_HWCAPS_AMD64_AVX;
    else
        args.archinfo_guest.arm64_dMinLine_lg2_szB = args.archinfo_guest.arm64_iMinLine_lg2_szB = 6;
    args.archinfo_host = args.archinfo_guest;
    LibVEX_default_VexAbiInfo(&args.abiinfo_both);
    args.abiinfo_both.guest_stack_redzone_size = 128;
    args.guest_bytes = code;
    args.guest_bytes_addr = reinterpret_cast<Addr>(code);  // the pass reads opcodes
    args.chase_into_ok = never_chase;
    args.guest_extents = &extents;
    args.host_bytes = room;
    args.host_bytes_size = sizeof room;
    args.host_bytes_used = &used;
    args.instrument1 = look;
    args.needs_self_check = no_self_check;
    const void* nowhere = room;
    args.disp_cp_chain_me_to_slowEP = args.disp_cp_chain_me_to_fastEP = nowhere;
    args.disp_cp_xindir = args.disp_cp_xassisted = nowhere;
    if (setjmp(vex_failed) != 0) return false;
    return LibVEX_Translate(&args).status == VexTranslateResult::VexTransOK;
}

int failures = 0;

void print(const LoadUse& load) {
    std::printf(" %s of %u bytes x %u, %s%s;", load.type.is_float() ? "float" : "integer", load.type.bytes(),
                load.type.lanes(), load.type.known() ? "known" : "unknown",
                load.uses.arithmetic ? ", calculated with" : "");
}

struct Expected {
    ValueType type;
    bool arithmetic;
};

void check(VexArch arch, const char* name, const void* bytes, usize count, std::initializer_list<Expected> expected) {
    static UChar code[64];
    std::memset(code, 0, sizeof code);
    std::memcpy(code, bytes, count);
    bool good = translate(arch, code) && found.count == expected.size();
    unsigned i = 0;
    for (const Expected& e : expected) {
        good = good && found.loads[i].type == e.type && found.loads[i].uses.arithmetic == e.arithmetic;
        ++i;
    }
    if (good) return;
    ++failures;
    std::printf("%s: found %u loads:", name, found.count);
    for (i = 0; i < found.count; ++i) print(found.loads[i]);
    std::printf("\n");
}

constexpr ValueType integer(u32 bytes, u32 lanes = 1) { return ValueType(ElementKind::Integer, bytes, lanes, true); }
constexpr ValueType unknown(u32 bytes, u32 lanes = 1) { return ValueType(ElementKind::Integer, bytes, lanes, false); }
constexpr ValueType floating(u32 bytes, u32 lanes = 1) { return ValueType(ElementKind::Float, bytes, lanes, true); }

void check_amd64() {
    auto is = [](const char* name, std::initializer_list<UChar> bytes, std::initializer_list<Expected> expected) {
        check(VexArchAMD64, name, bytes.begin(), bytes.size(), expected);
    };
    is("movsd, addsd", {0xf2, 0x0f, 0x10, 0x07, 0xf2, 0x0f, 0x58, 0xc1, 0xc3}, {{floating(8), true}});
    is("addsd from memory", {0xf2, 0x0f, 0x58, 0x07, 0xc3}, {{floating(8), true}});
    is("movss alone", {0xf3, 0x0f, 0x10, 0x07, 0xc3}, {{floating(4), false}});
    is("mov, movq to xmm, mulsd", {0x48, 0x8b, 0x07, 0x66, 0x48, 0x0f, 0x6e, 0xc0, 0xf2, 0x0f, 0x59, 0xc1, 0xc3},
       {{floating(8), true}});
    is("mov, add", {0x48, 0x8b, 0x07, 0x48, 0x01, 0xc3, 0xc3}, {{integer(8), true}});
    is("mov alone", {0x48, 0x8b, 0x07, 0xc3}, {{unknown(8), false}});
    is("copy of 4 bytes", {0x8b, 0x07, 0x89, 0x06, 0xc3}, {{unknown(4), false}});
    is("a pointer and what it points to", {0x48, 0x8b, 0x07, 0x8b, 0x08, 0xc3}, {{integer(8), false}, {unknown(4), false}});
    is("movzbl", {0x0f, 0xb6, 0x07, 0xc3}, {{integer(1), false}});
    is("movslq", {0x48, 0x63, 0x07, 0xc3}, {{integer(4), false}});
    is("movups, addps", {0x0f, 0x10, 0x07, 0x0f, 0x58, 0xc1, 0xc3}, {{floating(4, 4), true}});
    is("movupd, mulpd", {0x66, 0x0f, 0x10, 0x07, 0x66, 0x0f, 0x59, 0xc1, 0xc3}, {{floating(8, 2), true}});
    is("movdqu, paddd", {0xf3, 0x0f, 0x6f, 0x07, 0x66, 0x0f, 0xfe, 0xc1, 0xc3}, {{integer(4, 4), true}});
    is("movdqu, pcmpeqb", {0xf3, 0x0f, 0x6f, 0x07, 0x66, 0x0f, 0x74, 0xc1, 0xc3}, {{integer(1, 16), false}});
    is("copy of 16 bytes", {0x0f, 0x10, 0x07, 0x0f, 0x11, 0x06, 0xc3}, {{unknown(8, 2), false}});
    is("absolute value in integer registers",
       {0x48, 0x8b, 0x07, 0x48, 0xd1, 0xe0, 0x48, 0xd1, 0xe8, 0x66, 0x48, 0x0f, 0x6e, 0xc0, 0xf2, 0x0f, 0x58, 0xc1, 0xc3},
       {{floating(8), true}});
    is("cvtsi2sd of an int", {0xf2, 0x0f, 0x2a, 0x07, 0xc3}, {{integer(4), false}});
    is("fld, faddp", {0xdd, 0x07, 0xde, 0xc1, 0xc3}, {{floating(8), true}});
    is("cmpxchg16b", {0xf0, 0x48, 0x0f, 0xc7, 0x0f, 0xc3}, {{integer(8, 2), false}});
    is("lock incl: one load", {0xf0, 0xff, 0x07, 0xc3}, {{integer(4), true}});
    is("vmovupd, vaddpd of 32 bytes", {0xc5, 0xfd, 0x10, 0x07, 0xc5, 0xfd, 0x58, 0xd1, 0xc3}, {{floating(8, 4), true}});
    is("movlps, addps", {0x0f, 0x12, 0x07, 0x0f, 0x58, 0xc1, 0xc3}, {{floating(4, 2), true}});
}

void check_vector_loads() {
    auto is = [](const char* name, bool vector, std::initializer_list<UChar> bytes) {
        UChar code[64] = {};
        std::memcpy(code, bytes.begin(), bytes.size());
        if (translate(VexArchAMD64, code) && found.count == 1 && found.vector[0] == vector) return;
        ++failures;
        std::printf("%s: %s a vector register\n", name, vector ? "not into" : "into");
    };
    is("movss", true, {0xf3, 0x0f, 0x10, 0x07, 0xc3});
    is("movsd", true, {0xf2, 0x0f, 0x10, 0x07, 0xc3});
    is("movups", true, {0x0f, 0x10, 0x07, 0xc3});
    is("vmovupd of 32 bytes", true, {0xc5, 0xfd, 0x10, 0x07, 0xc3});
    is("addsd from memory", true, {0xf2, 0x0f, 0x58, 0x07, 0xc3});
    is("movd", true, {0x66, 0x0f, 0x6e, 0x07, 0xc3});
    is("mov", false, {0x48, 0x8b, 0x07, 0xc3});
    is("mov of 4 bytes", false, {0x8b, 0x07, 0xc3});
    is("cmp with 0", false, {0x83, 0x3f, 0x00, 0xc3});
    is("mov, movq to xmm", false, {0x48, 0x8b, 0x07, 0x66, 0x48, 0x0f, 0x6e, 0xc0, 0xc3});
    is("cvtsi2sd of an int", false, {0xf2, 0x0f, 0x2a, 0x07, 0xc3});
    is("lock incl", false, {0xf0, 0xff, 0x07, 0xc3});
}

void check_arm64() {
    auto is = [](const char* name, std::initializer_list<u32> words, std::initializer_list<Expected> expected) {
        check(VexArchARM64, name, words.begin(), words.size() * sizeof(u32), expected);
    };
    constexpr u32 kReturn = 0xd65f03c0;
    is("ldr d, fadd", {0xfd400020, 0x1e612800, kReturn}, {{floating(8), true}});
    is("ldr s, fmul", {0xbd400020, 0x1e210800, kReturn}, {{floating(4), true}});
    is("ldr x, fmov, fadd", {0xf9400022, 0x9e670040, 0x1e612800, kReturn}, {{floating(8), true}});
    is("ldr q, fadd 4s", {0x3dc00020, 0x4e21d400, kReturn}, {{floating(4, 4), true}});
    is("ldr q, fmul 2d", {0x3dc00020, 0x6e61dc00, kReturn}, {{floating(8, 2), true}});
    is("ldr q, add 4s", {0x3dc00020, 0x4ea18400, kReturn}, {{integer(4, 4), true}});
    is("ldr x, add", {0xf9400022, 0x8b020063, kReturn}, {{integer(8), true}});
    is("ldr x alone", {0xf9400022, kReturn}, {{unknown(8), false}});
    is("ldp d, fadd", {0x6d400c22, 0x1e632840, kReturn}, {{floating(8), true}, {floating(8), true}});
}

}  // namespace

int main() {
    VexControl control;
    LibVEX_default_VexControl(&control);
    LibVEX_Init(vex_failure, vex_log, 0, &control);
    check_amd64();
    check_vector_loads();
    check_arm64();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
