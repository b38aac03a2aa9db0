// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/dead_writes.h"

#include <cstddef>
#include <initializer_list>

#include "instrument/core/access.h"
#include "instrument/core/call_tracking.h"
#include "instrument/core/registers.h"

namespace memspy::instrument {
namespace {

constexpr Int kFlagsBegin = offsetof(VexGuestArchState, guest_CC_OP);
constexpr Int kFlagsEnd = kFlagsBegin + 4 * 8;
constexpr Int kStateBytes = sizeof(VexGuestArchState);

#if defined(VGA_amd64)
// False only for instructions that are known not to read the old flags. Decided by the opcode, because the
// optimised IR no longer has reads of values that the block itself wrote.
bool may_read_flags(const u8* code) {
    while (*code == 0x66 || *code == 0xF2 || *code == 0xF3) ++code;  // operand size; part of SSE opcodes
    if ((*code & 0xF0) == 0x40) ++code;                              // REX
    const u8 op = *code;
    const unsigned extension = code[1] >> 3 & 7;                      // of the group opcodes
    if (op < 0x40) return (op >= 0x10 && op < 0x20) || (op & 7) > 5;  // adc, sbb; not arithmetic
    if (op == 0x63 || (op >= 0x50 && op < 0x60)) return false;        // movsxd, push, pop
    if (op >= 0x68 && op <= 0x6B) return false;                       // push, imul
    if (op == 0x80 || op == 0x81 || op == 0x83) return extension == 2 || extension == 3;
    if (op >= 0x84 && op <= 0x8D && op != 0x8C) return false;  // test, xchg, mov, lea
    if (op == 0x90 || op == 0x98 || op == 0x99 || op == 0xA8 || op == 0xA9) return false;
    if (op >= 0xB0 && op <= 0xBF) return false;                                // mov
    if (op == 0xC6 || op == 0xC7) return false;                                // mov
    if (op == 0xE8 || op == 0xE9 || op == 0xEB || op == 0xC3) return false;    // call, jmp, ret
    if (op == 0xF6 || op == 0xF7) return false;                                // test, not, neg, mul, div
    if (op == 0xFF) return extension < 2 || extension == 3 || extension == 5;  // inc, dec; call, jmp, push
    if (op != 0x0F) return true;
    const u8 second = code[1];
    if (second >= 0x10 && second <= 0x17) return false;  // SSE moves
    if (second >= 0x28 && second <= 0x2F) return false;  // SSE moves, conversions, compares
    if (second >= 0x50 && second <= 0x7F) return false;  // SSE arithmetic
    if (second >= 0xD0 || second == 0xC6) return false;
    if (second == 0x1E || second == 0x1F) return false;                           // nop
    if (second == 0xAF) return false;                                             // imul
    return second != 0xB6 && second != 0xB7 && second != 0xBE && second != 0xBF;  // movzx, movsx
}
#else
// Few instructions of ARM64 set flags, and hardly any of these flags are overwritten unread.
bool may_read_flags(const u8*) { return true; }
#endif

// The bytes of the guest state that are overwritten later, before anything looks at them. Call it for the
// statements in descending order.
class Overwritten {
public:
    void add(Int offset, Int bytes) {
        for_each_word(offset, offset + bytes, [this](Int word, u64 bits) { words_[word] |= bits; });
    }
    void remove(Int begin, Int end) {
        for_each_word(begin, end, [this](Int word, u64 bits) { words_[word] &= ~bits; });
    }
    void remove_all() { remove(0, kStateBytes); }
    void remove_all_but_flags() {
        remove(0, kFlagsBegin);
        remove(kFlagsEnd, kStateBytes);
    }
    bool covers(Int offset, Int bytes) const {
        u64 missing = 0;
        for_each_word(offset, offset + bytes, [&](Int word, u64 bits) { missing |= bits & ~words_[word]; });
        return missing == 0;
    }

private:
    // Calls f(word, bits) for the bits of [begin, end).
    template <typename F>
    static void for_each_word(Int begin, Int end, F&& f) {
        while (begin < end) {
            const Int bit = begin % 64, count = end - begin < 64 - bit ? end - begin : 64 - bit;
            f(begin / 64, ~u64{0} >> (64 - count) << bit);
            begin += count;
        }
    }
    u64 words_[(kStateBytes + 63) / 64] = {};  // a bit for each byte
};

Int size_of(const IRSB* block, const IRExpr* atom) {
    return sizeofIRType(typeOfIRExpr(block->tyenv, const_cast<IRExpr*>(atom)));
}

// Keeps the registers that a fault in the statement's access, or an unwinder at it, looks at.
void keep_for_unwinding(Overwritten& overwritten) {
    const GuestLayout layout = guest_layout();
    for (Int offset : {layout.stack_pointer, layout.frame_pointer, layout.program_counter})
        overwritten.remove(offset, offset + 8);
#if defined(VGA_arm64)
    constexpr Int link = offsetof(VexGuestArchState, guest_X30);
    overwritten.remove(link, link + 8);
#endif
}

}  // namespace

void find_dead_writes(const IRSB* block, int begin, int end, const Scratch<bool>& trips,
                      Scratch<bool>& dead) {
    dead.resize(static_cast<usize>(block->stmts_used));
    Overwritten overwritten;
    for (int i = end - 1; i >= begin; --i) {
        const IRStmt* s = block->stmts[i];
        switch (s->tag) {
            case Ist_IMark:
                if (may_read_flags(reinterpret_cast<const u8*>(s->Ist.IMark.addr)))
                    overwritten.remove(kFlagsBegin, kFlagsEnd);
                if (trips[static_cast<usize>(i)]) overwritten.remove_all_but_flags();
                break;
            case Ist_Put: {
                Int bytes = size_of(block, s->Ist.Put.data);
                // Who follows what frames take wants to see each part.
                if (overwritten.covers(s->Ist.Put.offset, bytes) && find_taking(block, s).from == nullptr)
                    dead[static_cast<usize>(i)] = true;
                else
                    overwritten.add(s->Ist.Put.offset, bytes);
                break;
            }
            case Ist_WrTmp: {
                const IRExpr* data = s->Ist.WrTmp.data;
                if (data->tag == Iex_Get) {
                    overwritten.remove(data->Iex.Get.offset,
                                       data->Iex.Get.offset + sizeofIRType(data->Iex.Get.ty));
                } else if (data->tag == Iex_GetI) {
                    const IRRegArray* bank = data->Iex.GetI.descr;
                    overwritten.remove(bank->base, bank->base + bank->nElems * sizeofIRType(bank->elemTy));
                } else if (data->tag == Iex_Load) {
                    keep_for_unwinding(overwritten);
                }
                break;
            }
            case Ist_Store:
            case Ist_LoadG:
            case Ist_StoreG:
            case Ist_CAS:
            case Ist_LLSC: keep_for_unwinding(overwritten); break;
            case Ist_Dirty:
            case Ist_Exit: overwritten.remove_all(); break;
            case Ist_PutI:
            case Ist_NoOp:
            case Ist_AbiHint:
            case Ist_MBE: break;
        }
    }
}

}  // namespace memspy::instrument
