// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/flags.h"

#include <cstddef>

namespace memspy::instrument {
namespace {

constexpr Int kFlagsBegin = offsetof(VexGuestArchState, guest_CC_OP);
constexpr Int kFlagWords = 4;
constexpr Int kFlagsEnd = kFlagsBegin + kFlagWords * 8;

bool is_flag_offset(Int offset) { return offset >= kFlagsBegin && offset < kFlagsEnd; }

#if defined(VGA_amd64)
// False only for instructions that are known not to look at the old flags. By opcode alone: the optimised IR no
// longer shows reads of what the block itself has written.
bool may_read_flags(const u8* code) {
    while (*code == 0x66 || *code == 0xF2 || *code == 0xF3) ++code;  // operand size; part of SSE opcodes
    if ((*code & 0xF0) == 0x40) ++code;                              // REX
    const u8 op = *code;
    const unsigned extension = code[1] >> 3 & 7;  // of the group opcodes
    if (op < 0x40) return (op >= 0x10 && op < 0x20) || (op & 7) > 5;                  // adc, sbb; not arithmetic
    if (op == 0x63 || (op >= 0x50 && op < 0x60)) return false;                        // movsxd, push, pop
    if (op >= 0x68 && op <= 0x6B) return false;                                       // push, imul
    if (op == 0x80 || op == 0x81 || op == 0x83) return extension == 2 || extension == 3;
    if (op >= 0x84 && op <= 0x8D && op != 0x8C) return false;                         // test, xchg, mov, lea
    if (op == 0x90 || op == 0x98 || op == 0x99 || op == 0xA8 || op == 0xA9) return false;
    if (op >= 0xB0 && op <= 0xBF) return false;                                       // mov
    if (op == 0xC6 || op == 0xC7) return false;                                       // mov
    if (op == 0xE8 || op == 0xE9 || op == 0xEB || op == 0xC3) return false;           // call, jmp, ret
    if (op == 0xF6 || op == 0xF7) return false;                                       // test, not, neg, mul, div
    if (op == 0xFF) return extension < 2 || extension == 3 || extension == 5;         // inc, dec; call, jmp, push
    if (op != 0x0F) return true;
    const u8 second = code[1];
    if (second >= 0x10 && second <= 0x17) return false;  // SSE moves
    if (second >= 0x28 && second <= 0x2F) return false;  // SSE moves, conversions, compares
    if (second >= 0x50 && second <= 0x7F) return false;  // SSE arithmetic
    if (second >= 0xD0 || second == 0xC6) return false;
    if (second == 0x1E || second == 0x1F) return false;  // nop
    if (second == 0xAF) return false;                    // imul
    return second != 0xB6 && second != 0xB7 && second != 0xBE && second != 0xBF;  // movzx, movsx
}
#else
// Few instructions of this machine set flags, and hardly one is overwritten unread.
bool may_read_flags(const u8*) { return true; }
#endif

}  // namespace

void find_dead_flag_writes(const IRSB* block, int begin, int end, rt::Vector<bool>& dead) {
    dead.resize(static_cast<usize>(block->stmts_used));
    int last[kFlagWords];  // the latest complete write, as statements
    bool complete = false;
    for (int i = begin; i < end;) {
        const IRStmt* mark = block->stmts[i];
        bool looks = may_read_flags(reinterpret_cast<const u8*>(mark->Ist.IMark.addr));
        int now[kFlagWords];
        u32 written = 0;
        int next = i + 1;
        for (; next < end && block->stmts[next]->tag != Ist_IMark; ++next) {
            const IRStmt* s = block->stmts[next];
            if (s->tag == Ist_Put && is_flag_offset(s->Ist.Put.offset)) {
                Int word = (s->Ist.Put.offset - kFlagsBegin) / 8;
                now[word] = next;
                written |= 1u << word;
            }
            bool reads = s->tag == Ist_WrTmp && s->Ist.WrTmp.data->tag == Iex_Get &&
                         is_flag_offset(s->Ist.WrTmp.data->Iex.Get.offset);
            if (reads || s->tag == Ist_Exit || s->tag == Ist_Dirty) looks = true;
        }
        bool all = written == (1u << kFlagWords) - 1;
        if (all && !looks && complete)
            for (int statement : last) dead[static_cast<usize>(statement)] = true;
        if (looks || (written != 0 && !all)) complete = false;
        if (all) {
            complete = true;
            for (Int word = 0; word < kFlagWords; ++word) last[word] = now[word];
        }
        i = next;
    }
}

}  // namespace memspy::instrument
