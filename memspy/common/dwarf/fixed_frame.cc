// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/fixed_frame.h"

namespace memspy::dwarf {

namespace {

// Where the part of a function ends that can still be its beginning.
constexpr u64 kLongestStart = 192;

constexpr unsigned kStackPointer = 4;  // in instructions, not in DWARF

// What follows an opcode, and what the instruction writes.
enum class OperandForm : u8 {
    Unknown,
    None,         // no operands in memory or of another form
    ToOperand,    // ModRM; to its register or memory
    ToRegister,   // ModRM; to its other register
    Byte,         // ModRM, and a constant of one byte; to its register or memory
    Word,         // the same, of four bytes
    RegisterWord  // a constant; to the register in the opcode
};

// Those that compilers schedule before a frame is made. Vector registers count as if they were others of the
// number.
OperandForm form_of(u64 opcode) {
    switch (opcode) {
        case 0x90: return OperandForm::None;
        case 0x84:
        case 0x85:  // test
        case 0x88:
        case 0x89: return OperandForm::ToOperand;  // mov
        case 0x63:                                 // movslq
        case 0x8A:
        case 0x8B:
        case 0x8D: return OperandForm::ToRegister;  // mov, lea
        case 0x80:
        case 0x83:
        case 0xC6: return OperandForm::Byte;
        case 0x81:
        case 0xC7: return OperandForm::Word;
        default: break;
    }
    if (opcode < 0x40 && (opcode & 7) < 4)
        return (opcode & 2) == 0 ? OperandForm::ToOperand : OperandForm::ToRegister;
    return opcode >= 0xB8 && opcode <= 0xBF ? OperandForm::RegisterWord : OperandForm::Unknown;
}

OperandForm form_behind_0f(u64 opcode) {
    switch (opcode) {
        case 0x11:
        case 0x13:
        case 0x17:
        case 0x1F:  // nop
        case 0x29:
        case 0x7E:
        case 0x7F:
        case 0xD6: return OperandForm::ToOperand;
        case 0x10:
        case 0x12:
        case 0x14:
        case 0x16:
        case 0x28:
        case 0x54:
        case 0x57:
        case 0x6C:
        case 0x6E:
        case 0x6F:
        case 0xAF:
        case 0xB6:
        case 0xB7:
        case 0xBE:
        case 0xBF:
        case 0xEF: return OperandForm::ToRegister;
        default: return OperandForm::Unknown;
    }
}

// Passes over an instruction that leaves the stack pointer alone. False if that is not certain.
bool pass_other(Cursor& cursor) {
    u64 byte = cursor.number(1), rex = 0;
    bool is_short = false;
    for (; byte == 0x66 || byte == 0xF2 || byte == 0xF3; byte = cursor.number(1)) is_short |= byte == 0x66;
    if (byte >= 0x40 && byte <= 0x4F) {
        rex = byte;
        byte = cursor.number(1);
    }
    const OperandForm form = byte == 0x0F ? form_behind_0f(cursor.number(1)) : form_of(byte);
    const auto is_stack_pointer = [](u64 number, u64 is_upper) {
        return number == kStackPointer && is_upper == 0;
    };
    if (form == OperandForm::Unknown) return false;
    if (form == OperandForm::None) return !cursor.failed();
    if (form == OperandForm::RegisterWord) {
        cursor.block((rex & 8) != 0 ? 8 : is_short ? 2 : 4);
        return !cursor.failed() && !is_stack_pointer(byte & 7, rex & 1);
    }
    const u64 operands = cursor.number(1), mode = operands >> 6, operand = operands & 7;
    if (mode == 3) {
        if (form != OperandForm::ToRegister && is_stack_pointer(operand, rex & 1)) return false;
    } else {
        const u64 base = operand == 4 ? cursor.number(1) & 7 : operand;
        cursor.block(mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0);
    }
    if (form == OperandForm::ToRegister && is_stack_pointer(operands >> 3 & 7, rex & 4)) return false;
    if (form == OperandForm::Byte) cursor.block(1);
    if (form == OperandForm::Word) cursor.block(is_short ? 2 : 4);
    return !cursor.failed();
}

}  // namespace

FixedFrame fixed_frame(FileBytes code, u64 end, Processor processor) {
    return processor == Processor::Arm64 ? fixed_frame_arm64(code, end) : fixed_frame_amd64(code, end);
}

FixedFrame fixed_frame_amd64(FileBytes code, u64 end) {
    FixedFrame frame;
    Cursor cursor(code.from(0, kLongestStart));
    const i64 top = static_cast<i64>(end);
    i64 sp = top - 8;
    bool is_made = false, passed_others = false;
    i64 before_others = sp;
    const auto is_next = [&](u64 wanted, unsigned bytes) {
        Cursor look = cursor;
        if (look.number(bytes) != wanted) return false;
        cursor = look;
        return true;
    };
    for (;;) {
        if (!is_made && (is_next(0xFA1E0FF3, 4) ||       // endbr64
                         is_next(0x0824'548D'4C, 5))) {  // lea 8(%rsp),%r10
            continue;
        }
        if (!is_made && is_next(0xE58948, 3)) {  // mov %rsp,%rbp
            frame.pointer = top - sp;
            continue;
        }
        if (is_next(0xE38948, 3)) {  // mov %rsp,%rbx
            frame.base = top - sp;
            continue;
        }
        if (is_made) break;
        if (is_next(0x50, 1) || is_next(0x53, 1) || is_next(0x55, 1) || is_next(0x5241, 2) ||
            is_next(0x5441, 2) || is_next(0x5541, 2) || is_next(0x5641, 2) || is_next(0x5741, 2) ||
            is_next(0xF872FF41, 4)) {  // push of a register, of -8(%r10)
            sp -= 8;
        } else if (is_next(0xE48348, 3)) {  // and
            sp &= static_cast<signed char>(cursor.number(1));
            frame.is_aligned = true;
        } else if (is_next(0xE48148, 3)) {
            sp &= static_cast<i32>(cursor.number(4));
            frame.is_aligned = true;
        } else if (is_next(0xEC8348, 3)) {  // sub
            sp -= static_cast<signed char>(cursor.number(1));
            is_made = true;
        } else if (is_next(0xEC8148, 3)) {
            sp -= static_cast<i32>(cursor.number(4));
            is_made = true;
        } else if (is_next(0x80C48348, 4)) {  // add $-128,%rsp
            sp -= 128;
            is_made = true;
        } else {
            Cursor look = cursor;
            if (!pass_other(look)) break;
            cursor = look;
            if (!passed_others) before_others = sp;
            passed_others = true;
        }
    }
    // What is pushed behind other instructions may be arguments, unless more of the frame is made after that.
    if (passed_others && !is_made) sp = before_others;
    frame.size = top - sp;
    frame.ends_by_sub = is_made;
    return frame;
}

}  // namespace memspy::dwarf
