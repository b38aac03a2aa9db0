// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/machine_code.h"

#include <gelf.h>
#ifdef MEMSPY_CAPSTONE
#include <capstone/capstone.h>
#endif

#include <algorithm>

namespace memspy::report::names {
#ifndef MEMSPY_CAPSTONE

std::vector<Instruction> MachineCode::decode(u64, u64) const { return {}; }

#else

namespace {

// Only whole registers: half of an address is not an address.
int whole_register(unsigned reg) {
    switch (reg) {
        case X86_REG_RAX: return 0;
        case X86_REG_RDX: return 1;
        case X86_REG_RCX: return 2;
        case X86_REG_RBX: return 3;
        case X86_REG_RSI: return 4;
        case X86_REG_RDI: return 5;
        case X86_REG_RBP: return 6;
        case X86_REG_RSP: return 7;
        case X86_REG_R8: return 8;
        case X86_REG_R9: return 9;
        case X86_REG_R10: return 10;
        case X86_REG_R11: return 11;
        case X86_REG_R12: return 12;
        case X86_REG_R13: return 13;
        case X86_REG_R14: return 14;
        case X86_REG_R15: return 15;
        default: return -1;
    }
}

// The register with the given part.
int any_register(unsigned reg) {
    switch (reg) {
        case X86_REG_EAX:
        case X86_REG_AX:
        case X86_REG_AL:
        case X86_REG_AH: return 0;
        case X86_REG_EDX:
        case X86_REG_DX:
        case X86_REG_DL:
        case X86_REG_DH: return 1;
        case X86_REG_ECX:
        case X86_REG_CX:
        case X86_REG_CL:
        case X86_REG_CH: return 2;
        case X86_REG_EBX:
        case X86_REG_BX:
        case X86_REG_BL:
        case X86_REG_BH: return 3;
        case X86_REG_ESI:
        case X86_REG_SI:
        case X86_REG_SIL: return 4;
        case X86_REG_EDI:
        case X86_REG_DI:
        case X86_REG_DIL: return 5;
        case X86_REG_EBP:
        case X86_REG_BP:
        case X86_REG_BPL: return 6;
        case X86_REG_ESP:
        case X86_REG_SP:
        case X86_REG_SPL: return 7;
        case X86_REG_R8D:
        case X86_REG_R8W:
        case X86_REG_R8B: return 8;
        case X86_REG_R9D:
        case X86_REG_R9W:
        case X86_REG_R9B: return 9;
        case X86_REG_R10D:
        case X86_REG_R10W:
        case X86_REG_R10B: return 10;
        case X86_REG_R11D:
        case X86_REG_R11W:
        case X86_REG_R11B: return 11;
        case X86_REG_R12D:
        case X86_REG_R12W:
        case X86_REG_R12B: return 12;
        case X86_REG_R13D:
        case X86_REG_R13W:
        case X86_REG_R13B: return 13;
        case X86_REG_R14D:
        case X86_REG_R14W:
        case X86_REG_R14B: return 14;
        case X86_REG_R15D:
        case X86_REG_R15W:
        case X86_REG_R15B: return 15;
        default: return whole_register(reg);
    }
}

// Registers that a function may change: all except rbx, rsp, rbp and r12 to r15.
constexpr std::uint32_t kChangedByCall = 0x0f37;

bool is_branch(const cs_insn& decoded) {
    return decoded.id >= X86_INS_JAE && decoded.id <= X86_INS_JS && decoded.id != X86_INS_JMP &&
           decoded.id != X86_INS_LJMP;
}

Instruction translate(csh handle, const cs_insn& decoded) {
    using InstructionKind = Instruction::InstructionKind;
    Instruction made;
    made.address = decoded.address;
    made.size = decoded.size;
    const cs_x86& x86 = decoded.detail->x86;
    const auto operand = [&](unsigned i) -> const cs_x86_op* {
        return i < x86.op_count ? &x86.operands[i] : nullptr;
    };
    for (unsigned i = 0; i < x86.op_count; ++i) {
        const cs_x86_op& each = x86.operands[i];
        if (each.type != X86_OP_MEM || made.has_memory) continue;
        made.has_memory = true;
        made.memory.displacement = each.mem.disp;
        made.memory.index = whole_register(each.mem.index);
        made.memory.scale = each.mem.scale;
        if (each.mem.base == X86_REG_RIP) {
            made.memory.is_static = true;
            made.memory.displacement += static_cast<long long>(decoded.address + decoded.size);
        } else if (each.mem.base == X86_REG_INVALID && each.mem.index == X86_REG_INVALID) {
            // Thread-local storage is at an offset from a segment's start.
            made.memory.is_static = each.mem.segment == X86_REG_INVALID;
        } else {
            made.memory.base = whole_register(each.mem.base);
        }
    }
    cs_regs read, written;
    std::uint8_t read_count = 0, written_count = 0;
    if (cs_regs_access(handle, &decoded, read, &read_count, written, &written_count) == CS_ERR_OK)
        for (unsigned i = 0; i < written_count; ++i)
            if (const int reg = any_register(written[i]); reg >= 0) made.written |= 1u << reg;

    const cs_x86_op* const to = operand(0);
    const cs_x86_op* const from = operand(1);
    const auto reg_of = [](const cs_x86_op* each) {
        return each != nullptr && each->type == X86_OP_REG ? whole_register(each->reg) : -1;
    };
    const auto is_memory = [](const cs_x86_op* each) { return each != nullptr && each->type == X86_OP_MEM; };
    const auto is_number = [](const cs_x86_op* each) { return each != nullptr && each->type == X86_OP_IMM; };
    const auto target = [&] { return is_number(to) ? static_cast<u64>(to->imm) : 0; };
    switch (decoded.id) {
        case X86_INS_MOV:
            made.to = reg_of(to);
            made.from = reg_of(from);
            if (made.to >= 0 && made.from >= 0) made.kind = InstructionKind::Copy;
            if (made.to >= 0 && is_memory(from)) made.kind = InstructionKind::Load;
            if (is_memory(to) && (made.from >= 0 || (is_number(from) && to->size == 8)))
                made.kind = InstructionKind::Store;
            break;
        case X86_INS_LEA:
            made.to = reg_of(to);
            if (made.to >= 0) made.kind = InstructionKind::AddressOf;
            break;
        case X86_INS_ADD:
        case X86_INS_SUB:
            made.to = reg_of(to);
            made.from = decoded.id == X86_INS_ADD ? reg_of(from) : -1;
            if (is_number(from)) made.constant = decoded.id == X86_INS_ADD ? from->imm : -from->imm;
            if (made.to >= 0 && (made.from >= 0 || is_number(from))) made.kind = InstructionKind::Add;
            if (made.to >= 0 && decoded.id == X86_INS_ADD && is_memory(from))
                made.kind = InstructionKind::AddLoaded;
            break;
        case X86_INS_SHL:
        case X86_INS_IMUL: {
            const bool is_shift = decoded.id == X86_INS_SHL;
            const cs_x86_op* const by = is_shift ? from : operand(2);
            made.to = reg_of(to);
            made.from = is_shift ? made.to : reg_of(from);
            if (made.to < 0 || !is_number(by) || (is_shift && by->imm > 32)) break;
            made.constant = is_shift ? 1ll << by->imm : by->imm;
            made.kind = InstructionKind::Scale;
            break;
        }
        case X86_INS_CALL:
            made.kind = InstructionKind::Call;
            made.target = target();
            made.written = kChangedByCall;
            break;
        case X86_INS_JMP:
            made.kind = InstructionKind::Jump;
            made.target = target();
            break;
        case X86_INS_RET: made.kind = InstructionKind::Return; break;
        default:
            if (is_branch(decoded)) {
                made.kind = InstructionKind::Branch;
                made.target = target();
            }
            break;
    }
    return made;
}

}  // namespace

Bytes MachineCode::bytes_at(u64 begin, u64 end) const {
    if (elf_ == nullptr) return {};
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS ||
            (header.sh_flags & SHF_EXECINSTR) == 0 || begin < header.sh_addr ||
            begin - header.sh_addr >= header.sh_size)
            continue;
        const Elf_Data* data = elf_getdata(section, nullptr);
        if (data == nullptr || data->d_buf == nullptr) return {};
        const u64 offset = begin - header.sh_addr;
        if (offset >= data->d_size) return {};
        return Bytes(static_cast<const unsigned char*>(data->d_buf) + offset,
                     std::min<u64>(end - begin, data->d_size - offset));
    }
    return {};
}

std::vector<Instruction> MachineCode::decode(u64 begin, u64 end) const {
    std::vector<Instruction> found;
    GElf_Ehdr header;
    if (elf_ == nullptr || gelf_getehdr(elf_, &header) == nullptr || header.e_machine != EM_X86_64 ||
        begin >= end)
        return found;
    csh handle;
    if (cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK) return found;
    cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
    const Bytes bytes = bytes_at(begin, end);
    cs_insn* const decoded = cs_malloc(handle);
    const std::uint8_t* at = bytes.data();
    std::size_t left = bytes.size();
    std::uint64_t address = begin;
    while (left > 0 && cs_disasm_iter(handle, &at, &left, &address, decoded))
        found.push_back(translate(handle, *decoded));
    cs_free(decoded, 1);
    cs_close(&handle);
    return found;
}

#endif

}  // namespace memspy::report::names
