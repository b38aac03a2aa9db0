// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/fixed_frame.h"

namespace memspy::dwarf {
namespace {

// Where the part of a function ends that can still be its beginning, in instructions.
constexpr unsigned kLongestStart = 48;
constexpr u32 kFramePointer = 29, kBase = 19, kStackPointer = 31;

// Some bits of an instruction, from the lowest one on.
constexpr u32 bits(u32 instruction, unsigned low, unsigned count) {
    return instruction >> low & ((u32{1} << count) - 1);
}
constexpr u32 target_of(u32 instruction) { return bits(instruction, 0, 5); }
constexpr u32 source_of(u32 instruction) { return bits(instruction, 5, 5); }

// What frames are made with: arithmetic of 64 bits that sets no flags.
constexpr bool is_add(u32 instruction) { return instruction >> 23 == 0b1'0'0'100010; }
constexpr bool is_sub(u32 instruction) { return instruction >> 23 == 0b1'1'0'100010; }
constexpr i64 constant_of(u32 instruction) {
    return static_cast<i64>(bits(instruction, 10, 12)) << (bits(instruction, 22, 1) == 1 ? 12 : 0);
}
constexpr bool is_sub_register(u32 instruction) { return instruction >> 21 == 0b1'1'0'01011'001; }
constexpr bool is_and(u32 instruction) { return instruction >> 23 == 0b1'00'100100; }
constexpr bool is_movz(u32 instruction) { return instruction >> 23 == 0b1'10'100101; }
constexpr bool is_movk(u32 instruction) { return instruction >> 23 == 0b1'11'100101; }

// Stores before whose address the stack pointer is made less: of a pair, of one register.
constexpr bool is_pair_push(u32 instruction) {
    return bits(instruction, 27, 3) == 0b101 && bits(instruction, 22, 4) == 0b0110 &&
           source_of(instruction) == kStackPointer;
}
constexpr bool is_push(u32 instruction) {
    return bits(instruction, 27, 3) == 0b111 && bits(instruction, 24, 2) == 0 &&
           bits(instruction, 21, 3) == 0 && bits(instruction, 10, 2) == 0b11 &&
           source_of(instruction) == kStackPointer;
}
constexpr i64 signed_bits(u32 instruction, unsigned low, unsigned count) {
    const i64 value = bits(instruction, low, count);
    return value >> (count - 1) == 0 ? value : value - (i64{1} << count);
}
constexpr i64 pair_step(u32 instruction) {
    const u32 size = bits(instruction, 30, 2);
    const bool is_vector = bits(instruction, 26, 1) == 1;
    return signed_bits(instruction, 15, 7) * (i64{1} << (is_vector ? 2 + size : 2 + size / 2));
}

// Loads and stores that change the register of their address: of a pair, of one register, of vectors.
constexpr bool writes_back(u32 instruction) {
    switch (bits(instruction, 27, 3)) {
        case 0b101: return bits(instruction, 23, 1) == 1;
        case 0b111:
            return bits(instruction, 24, 2) == 0 && bits(instruction, 21, 1) == 0 &&
                   bits(instruction, 10, 1) == 1;
        case 0b001: return bits(instruction, 26, 1) == 1 && bits(instruction, 23, 1) == 1;
        default: return false;
    }
}

// Arithmetic whose target 31 is the stack pointer: with a constant, with an extended register.
constexpr bool has_stack_pointer(u32 instruction) {
    const u32 group = bits(instruction, 23, 6);
    const bool sets_flags = bits(instruction, 29, 1) == 1;
    if (group == 0b100100) return bits(instruction, 29, 2) != 0b11;
    return !sets_flags && (group == 0b100010 || (instruction & 0x1F20'0000) == 0x0B20'0000);
}

// Whether an instruction leaves the stack pointer alone and the next one follows it. Hints do, among them
// those that sign the return address.
constexpr bool is_other(u32 instruction) {
    const bool is_branch_or_system = bits(instruction, 26, 3) == 0b101;
    if (is_branch_or_system) return instruction >> 12 == 0xD5032;
    const bool is_memory = bits(instruction, 27, 1) == 1 && bits(instruction, 25, 1) == 0;
    if (is_memory) return source_of(instruction) != kStackPointer || !writes_back(instruction);
    return !has_stack_pointer(instruction) || target_of(instruction) != kStackPointer;
}

class FrameReader {
public:
    explicit FrameReader(u64 end) : top_(static_cast<i64>(end)), sp_(top_) {}

    // False if the frame ends before the instruction.
    bool read(u32 instruction) {
        const u32 target = target_of(instruction), source = source_of(instruction);
        if (is_pair_push(instruction)) return move_to(sp_ + pair_step(instruction));
        if (is_push(instruction)) return move_to(sp_ + signed_bits(instruction, 12, 9));
        if (is_add(instruction) && source == kStackPointer) return read_add(target, constant_of(instruction));
        if (is_sub(instruction)) return read_sub(target, source, constant_of(instruction));
        if (is_sub_register(instruction) && target == kStackPointer)
            return source == kStackPointer && scratch_ == ScratchValue::Number &&
                   bits(instruction, 16, 5) == scratch_register_ && move_to(sp_ - scratch_value_);
        if (is_and(instruction) && target == kStackPointer) return read_and(instruction);
        if (is_movz(instruction) || is_movk(instruction)) read_move(instruction);
        return is_other(instruction);
    }
    FixedFrame frame() {
        frame_.size = top_ - sp_;
        return frame_;
    }

private:
    enum class ScratchValue : u8 { None, Number, Address };

    bool move_to(i64 sp) {
        if (sp >= sp_) return false;
        sp_ = sp;
        return frame_.ends_by_sub = true;
    }
    bool read_add(u32 target, i64 constant) {
        if (target == kStackPointer) return false;  // it ends
        if (target == kFramePointer) frame_.pointer = top_ - sp_ - constant;
        if (target == kBase && constant == 0) frame_.base = top_ - sp_;
        return true;
    }
    bool read_sub(u32 target, u32 source, i64 constant) {
        if (target == kStackPointer) return source == kStackPointer && move_to(sp_ - constant);
        if (source == kStackPointer)
            set_scratch(ScratchValue::Address, target, sp_ - constant);
        else if (scratch_ == ScratchValue::Address && source == scratch_register_)
            set_scratch(ScratchValue::Address, target, scratch_value_ - constant);
        return true;
    }
    // and sp, x9, #-64
    bool read_and(u32 instruction) {
        const u32 ones = bits(instruction, 10, 6) + 1, rotated = bits(instruction, 16, 6);
        if (scratch_ != ScratchValue::Address || source_of(instruction) != scratch_register_ ||
            bits(instruction, 22, 1) == 0 || rotated != ones)
            return false;
        frame_.is_aligned = true;
        return move_to(scratch_value_ & -(i64{1} << (64 - ones)));
    }
    void read_move(u32 instruction) {
        const unsigned shift = bits(instruction, 21, 2) * 16;
        const i64 part = static_cast<i64>(u64{bits(instruction, 5, 16)} << shift);
        if (is_movz(instruction))
            set_scratch(ScratchValue::Number, target_of(instruction), part);
        else if (scratch_ == ScratchValue::Number && target_of(instruction) == scratch_register_)
            scratch_value_ |= part;
    }
    void set_scratch(ScratchValue kind, u32 number, i64 value) {
        scratch_ = kind;
        scratch_register_ = number;
        scratch_value_ = value;
    }

    const i64 top_;
    i64 sp_;
    FixedFrame frame_;
    // The register that an address or a number for the stack pointer was last made in.
    ScratchValue scratch_ = ScratchValue::None;
    u32 scratch_register_ = 0;
    i64 scratch_value_ = 0;
};

}  // namespace

FixedFrame fixed_frame_arm64(FileBytes code, u64 end) {
    FrameReader reader(end);
    Cursor cursor(code);
    for (unsigned i = 0; i < kLongestStart; ++i) {
        const u32 instruction = static_cast<u32>(cursor.number(4));
        if (cursor.failed() || !reader.read(instruction)) break;
    }
    return reader.frame();
}

}  // namespace memspy::dwarf
