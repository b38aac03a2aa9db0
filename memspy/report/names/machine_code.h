// SPDX-License-Identifier: GPL-2.0-or-later
//
// The instructions of a module, as far as they move addresses: copies, loads, stores, additions and calls.
// Registers have DWARF's numbers. Only for amd64, and only if memspy was built with the library that decodes
// (capstone); otherwise nothing is known.
#pragma once

#include <vector>

#include "report/names/dwarf_file.h"

namespace memspy::report::names {

// An operand in memory: base + index * scale + displacement.
struct MemoryOperand {
    int base = -1, index = -1;  // -1: none
    int scale = 1;
    long long displacement = 0;
    bool is_static = false;  // relative to the program counter: `displacement` is a link-time address
};

struct Instruction {
    enum class InstructionKind {
        Other,
        Copy,       // to = from
        Load,       // to = memory, all eight bytes
        Store,      // memory = from, all eight bytes
        AddressOf,  // to = address of memory
        Add,        // to += from, or to += constant where there is no `from`
        AddLoaded,  // to += memory, all eight bytes
        Scale,      // to = from * constant, or memory * constant where there is no `from`
        Call,
        Jump,
        Branch,  // goes on at the next instruction or at the target
        Return,
    };
    InstructionKind kind = InstructionKind::Other;
    u64 address = 0;
    unsigned size = 0;
    int to = -1, from = -1;
    long long constant = 0;
    bool has_memory = false;
    MemoryOperand memory;
    u64 target = 0;  // Call, Jump, Branch: the target; 0 if not known
    std::uint32_t written =
        0;  // general registers that it changes, by bit; of a call those that it may change
    u64 next() const { return address + size; }
    bool writes(int reg) const { return reg >= 0 && reg < 32 && (written >> reg & 1) != 0; }
};

// The registers of a function's first arguments, in order, and of its result.
inline constexpr int kArguments[] = {5, 4, 1, 2, 8, 9};
inline constexpr int kResult = 0;
inline constexpr int kFramePointer = 6, kStackPointer = 7;

class MachineCode {
public:
    // Keeps `elf`, which may be null.
    explicit MachineCode(Elf* elf) : elf_(elf) {}
    // From `begin` on, in the order of addresses; ends before anything that is not an instruction.
    std::vector<Instruction> decode(u64 begin, u64 end) const;

private:
    Bytes bytes_at(u64 begin, u64 end) const;
    Elf* elf_;
};

}  // namespace memspy::report::names
