// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/dataflow.h"

#include <dwarf.h>

#include <algorithm>
#include <numeric>

#include "report/names/locations.h"
#include "rt/nearest_declaration.h"

namespace memspy::report::names {
namespace {

using InstructionKind = Instruction::InstructionKind;

constexpr int kDeepest = 64;
// The longest way back from a use to the source of its address, through copies, members and loops.
constexpr std::size_t kMostSteps = 64;
// Longer functions are tables or generated code.
constexpr u64 kLargest = u64{1} << 20;

bool covers(const std::vector<CodeExtent>& ranges, u64 address) {
    return ranges.empty() || std::any_of(ranges.begin(), ranges.end(),
                                         [&](const CodeExtent& range) { return range.contains(address); });
}

Elf* elf_of(Dwfl_Module* module) {
    GElf_Addr bias = 0;
    return module == nullptr ? nullptr : dwfl_module_getelf(module, &bias);
}

std::optional<int> register_of(const Dwarf_Op& operation) {
    if (operation.atom >= DW_OP_reg0 && operation.atom <= DW_OP_reg31) return operation.atom - DW_OP_reg0;
    if (operation.atom == DW_OP_regx) return static_cast<int>(operation.number);
    return std::nullopt;
}

// Whether the operation is a register plus a number.
bool based(const Dwarf_Op& operation, int& reg, long long& offset) {
    if (operation.atom >= DW_OP_breg0 && operation.atom <= DW_OP_breg31) {
        reg = operation.atom - DW_OP_breg0;
        offset = static_cast<long long>(operation.number);
        return true;
    }
    if (operation.atom != DW_OP_bregx) return false;
    reg = static_cast<int>(operation.number);
    offset = static_cast<long long>(operation.number2);
    return true;
}

}  // namespace

Dataflow::Dataflow(Dwfl_Module* module, Units& units, Types& types, Code& code, const Variables& variables)
    : module_(module),
      units_(units),
      types_(types),
      code_(code),
      variables_(variables),
      machine_code_(elf_of(module)) {}

Dataflow::FunctionCode* Dataflow::function_around(u64 address) {
    const auto placed = code_.function_around(address);
    if (!placed || placed->range.end - placed->range.begin > kLargest) return nullptr;
    auto [place, is_new] = functions_.try_emplace(placed->range.begin);
    FunctionCode& function = place->second;
    if (is_new) {
        function.unit = placed->unit;
        function.die = placed->die;
        function.range = placed->range;
        function.instructions = machine_code_.decode(function.range.begin, function.range.end);
        for (std::size_t i = 0; i < function.instructions.size(); ++i) {
            const Instruction& each = function.instructions[i];
            if (each.kind == InstructionKind::Jump || each.kind == InstructionKind::Branch)
                function.jumps.emplace(each.target, i);
            function.has_frame_pointer |=
                each.kind == InstructionKind::Copy && each.to == kFramePointer && each.from == kStackPointer;
        }
        add_variables(function, function.die, {}, 0, false);
    }
    return &function;
}

void Dataflow::add_variables(FunctionCode& function, Dwarf_Die scope, const std::vector<CodeExtent>& ranges,
                             int depth, bool inlined) {
    if (depth > kDeepest) return;
    for_each_child(scope, [&](Dwarf_Die child) {
        switch (dwarf_tag(&child)) {
            case DW_TAG_variable:
                if (!inlined) function.declared.push_back(child);
                [[fallthrough]];
            case DW_TAG_formal_parameter:
                if (dwarf_hasattr(&child, DW_AT_location))
                    if (const auto type = units_.type(child))
                        function.variables.push_back({ranges, child, *type, depth, inlined});
                break;
            case DW_TAG_lexical_block:
            case DW_TAG_try_block:
            case DW_TAG_catch_block:
            case DW_TAG_inlined_subroutine: {
                // A block may have no addresses of its own.
                std::vector<CodeExtent> own = units_.ranges(*function.unit, child);
                add_variables(function, child, own.empty() ? ranges : own, depth + 1,
                              inlined || dwarf_tag(&child) == DW_TAG_inlined_subroutine);
                break;
            }
            default: break;
        }
        return true;
    });
}

std::size_t Dataflow::index_of(const FunctionCode& function, u64 address) {
    const auto after = std::upper_bound(function.instructions.begin(), function.instructions.end(), address,
                                        [](u64 a, const Instruction& each) { return a < each.address; });
    if (after == function.instructions.begin()) return function.instructions.size();
    const auto at = after - 1;
    return address < at->next() ? static_cast<std::size_t>(at - function.instructions.begin())
                                : function.instructions.size();
}

bool Dataflow::in_scope(const ScopedVariable& variable, u64 address) {
    return covers(variable.ranges, address);
}

std::optional<Dataflow::StackSlot> Dataflow::frame_base(FunctionCode& function, u64 address) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations;
    std::size_t count;
    if (dwarf_attr_integrate(&function.die, DW_AT_frame_base, &attribute) == nullptr ||
        dwarf_getlocation_addr(&attribute, address, &operations, &count, 1) != 1 || count != 1)
        return std::nullopt;
    if (const auto reg = register_of(operations[0])) return StackSlot{*reg, 0};
    StackSlot slot{};
    if (based(operations[0], slot.reg, slot.offset)) return slot;
    if (operations[0].atom != DW_OP_call_frame_cfa) return std::nullopt;
    Dwarf_Addr bias = 0;
    Dwarf_CFI* cfi = dwfl_module_eh_cfi(module_, &bias);
    Dwarf_Frame* frame = nullptr;
    if (cfi == nullptr || dwarf_cfi_addrframe(cfi, address, &frame) != 0) return std::nullopt;
    const bool known = dwarf_frame_cfa(frame, &operations, &count) == 0 && count == 1 &&
                       based(operations[0], slot.reg, slot.offset);
    std::free(frame);
    return known ? std::optional(slot) : std::nullopt;
}

Dataflow::Location Dataflow::location(FunctionCode& function, const ScopedVariable& variable, u64 address) {
    const std::vector<Dwarf_Op> operations = location_at(units_, *function.unit, variable.die, address);
    const std::size_t count = operations.size();
    if (count == 0) return {};
    Location found;
    if (count == 1 && operations[0].atom == DW_OP_addr)
        return {Location::LocationKind::Static, -1, static_cast<long long>(operations[0].number)};
    if (count == 1) {
        if (const auto reg = register_of(operations[0])) return {Location::LocationKind::Register, *reg, 0};
        if (operations[0].atom == DW_OP_fbreg) {
            const auto base = frame_base(function, address);
            if (!base) return {};
            return {Location::LocationKind::Memory, base->reg,
                    base->offset + static_cast<long long>(operations[0].number)};
        }
        if (based(operations[0], found.reg, found.offset)) found.kind = Location::LocationKind::Memory;
        return found;
    }
    if (count == 2 && operations[1].atom == DW_OP_stack_value &&
        based(operations[0], found.reg, found.offset))
        found.kind = Location::LocationKind::Value;
    if (count == 2 && operations[1].atom == DW_OP_deref) {
        if (operations[0].atom == DW_OP_fbreg) {
            if (const auto base = frame_base(function, address))
                found = {Location::LocationKind::Start, base->reg,
                         base->offset + static_cast<long long>(operations[0].number)};
        } else if (based(operations[0], found.reg, found.offset)) {
            found.kind = Location::LocationKind::Start;
        }
    }
    // The first word of an object in pieces: that of Fortran's descriptors and of some classes is a pointer.
    if (operations[1].atom == DW_OP_piece && operations[1].number == sizeof(u64))
        if (const auto reg = register_of(operations[0])) found = {Location::LocationKind::Register, *reg, 0};
    return found;
}

std::optional<Dwarf_Die> Dataflow::pointed_to(const Stored& value) {
    if (!value.is_start) return pointed_to(value.type, value.offset, 0);
    const Dwarf_Die bare = types_.bare(value.type);
    return Types::is_array(bare) ? std::optional(types_.shape(bare).element) : std::optional(value.type);
}

bool Dataflow::is_placed_by_word(Dwarf_Die type) {
    const Dwarf_Die bare = types_.bare(type);
    return Types::is_array(bare) && room(bare) == 0;
}

std::optional<Dwarf_Die> Dataflow::pointed_to(Dwarf_Die type, long long offset, int depth) {
    type = types_.bare(type);
    if (depth > kDeepest || offset < 0) return std::nullopt;
    switch (dwarf_tag(&type)) {
        case DW_TAG_pointer_type:
        case DW_TAG_reference_type:
        case DW_TAG_rvalue_reference_type:
            if (offset != 0) return std::nullopt;
            return units_.type(type);
        case DW_TAG_array_type: {
            const ArrayShape shape = types_.shape(type);
            // The address of a Fortran array's elements is the first word of its descriptor.
            if (dwarf_hasattr(&type, DW_AT_data_location))
                return offset == 0 && shape.element_size != 0 ? std::optional(shape.element) : std::nullopt;
            if (shape.element_size == 0) return std::nullopt;
            return pointed_to(shape.element, offset % static_cast<long long>(shape.element_size), depth + 1);
        }
        case DW_TAG_structure_type:
        case DW_TAG_class_type:
        case DW_TAG_union_type: break;
        default: return std::nullopt;
    }
    std::optional<Dwarf_Die> found;
    for (const Component& part : types_.components(type)) {
        const auto begin = static_cast<long long>(part.offset);
        if (offset < begin || offset >= begin + static_cast<long long>(part.size)) continue;
        const auto here = pointed_to(part.type, offset - begin, depth + 1);
        if (!here) continue;
        // The members of a union may disagree.
        if (found && types_.name(here) != types_.name(found)) return std::nullopt;
        found = here;
    }
    return found;
}

std::vector<TypedPointer> Dataflow::in_variables(FunctionCode& function, u64 address, int reg) {
    std::vector<TypedPointer> found;
    for (const ScopedVariable& variable : function.variables) {
        if (!in_scope(variable, address)) continue;
        const Location at = location(function, variable, address);
        if (at.reg != reg) continue;
        // The variable itself is behind the register: passed by reference.
        if (at.kind == Location::LocationKind::Memory && room(variable.type) > 0)
            found.push_back({variable.type, -at.offset, false, 0, variable.depth});
        if (at.kind != Location::LocationKind::Register && at.kind != Location::LocationKind::Value) continue;
        if (const auto target = pointed_to(variable.type, 0, 0))
            found.push_back({*target, at.kind == Location::LocationKind::Value ? -at.offset : 0, false, 0,
                             variable.depth});
    }
    return found;
}

std::string Dataflow::name_of_pointer(const ScopedVariable& variable) {
    Dwarf_Die die = variable.die, bare = types_.bare(variable.type);
    const bool is_one =
        is_pointer(bare) || is_placed_by_word(bare) || dwarf_hasattr(&bare, DW_AT_data_location) != 0;
    if (variable.inlined || dwarf_tag(&die) != DW_TAG_variable || !is_one) return {};
    return text_of(origin_of(units_, die), DW_AT_name);
}

// What a variable of this type takes: at least the first word of a descriptor.
u64 Dataflow::room(Dwarf_Die type) {
    type = types_.bare(type);
    return dwarf_hasattr(&type, DW_AT_data_location) ? sizeof(u64) : types_.size(type);
}

std::optional<Dataflow::Stored> Dataflow::stored(FunctionCode& function, std::size_t at,
                                                 const MemoryOperand& memory, Trail& trail) {
    if (memory.is_static && memory.index < 0) {
        // A local variable may be what a static one holds just now, with a type that says more.
        for (const ScopedVariable& variable : function.variables) {
            if (!in_scope(variable, function.instructions[at].address)) continue;
            const Location where = location(function, variable, function.instructions[at].address);
            if (where.kind == Location::LocationKind::Static && where.offset == memory.displacement)
                return Stored{variable.type, 0};
        }
        const u64 address = static_cast<u64>(memory.displacement);
        const auto entries = variables_.in({address, address + 1});
        if (entries.size() != 1) return std::nullopt;
        const auto type = units_.type(entries[0]->die);
        if (!type) return std::nullopt;
        Dwarf_Die bare = types_.bare(*type);
        const bool is_one = is_pointer(bare) || dwarf_hasattr(&bare, DW_AT_data_location) != 0;
        return Stored{*type, static_cast<long long>(address - entries[0]->address),
                      is_one ? types_.qualified_name(entries[0]->die) : ""};
    }
    if (memory.base < 0) return std::nullopt;
    const u64 address = function.instructions[at].address;
    if (memory.index < 0) {
        const ScopedVariable* best = nullptr;
        long long offset = 0;
        bool starts = false;
        for (const ScopedVariable& variable : function.variables) {
            if (!in_scope(variable, address)) continue;
            const Location where = location(function, variable, address);
            const bool is_start = where.kind == Location::LocationKind::Start;
            if ((where.kind != Location::LocationKind::Memory && !is_start) || where.reg != memory.base)
                continue;
            const long long inside = memory.displacement - where.offset;
            const u64 bytes = is_start ? sizeof(u64) : room(variable.type);
            if (inside < 0 || inside >= static_cast<long long>(bytes)) continue;
            if (best != nullptr && best->depth >= variable.depth) continue;
            best = &variable;
            offset = inside;
            starts = is_start;
        }
        if (best != nullptr) return Stored{best->type, offset, name_of_pointer(*best), starts};
    }
    if (function.is_on_stack(memory.base)) return std::nullopt;
    // Through a pointer: the outermost scope has the whole object.
    for (const TypedPointer& pointer : pointers(function, at, memory.base, trail)) {
        const long long inside = pointer.offset + memory.displacement;
        const auto size = static_cast<long long>(types_.size(pointer.target));
        if (size == 0 || inside < 0) continue;
        if (inside < size) return Stored{pointer.target, inside};
        if (pointer.many || memory.index >= 0) return Stored{pointer.target, inside % size};
    }
    return std::nullopt;
}

// What the number in `reg` right before the instruction `at` is surely a multiple of.
Dataflow::Multiple Dataflow::multiple(const FunctionCode& function, std::size_t at, int reg, int depth) {
    const auto of_sum = [&](const Multiple& one, const Multiple& other, std::size_t place) -> Multiple {
        if (one.by == 0 || other.by == 0) return {};
        if (one.root == other.root) return {one.by + other.by, one.root};
        return {std::gcd(one.by, other.by), place};
    };
    while (at > 0 && reg >= 0 && depth < kDeepest) {
        if (function.jumps.contains(function.instructions[at].address)) return {};
        const Instruction& before = function.instructions[--at];
        if (before.kind == InstructionKind::Jump || before.kind == InstructionKind::Return) return {};
        if (!before.writes(reg)) continue;
        const auto of = [&](int source) { return multiple(function, at, source, depth + 1); };
        const MemoryOperand& memory = before.memory;
        switch (before.kind) {
            case InstructionKind::Copy: reg = before.from; continue;
            case InstructionKind::Scale: {
                const Multiple source = before.from >= 0 ? of(before.from) : Multiple{1, at};
                return {source.by * before.constant, source.root};
            }
            case InstructionKind::Add:
                if (before.from < 0) return {1, at};
                return of_sum(of(reg), of(before.from), at);
            case InstructionKind::AddressOf: {
                if (memory.displacement != 0 || memory.index < 0) return {1, at};
                const Multiple index = of(memory.index), scaled{index.by * memory.scale, index.root};
                return memory.base < 0 ? scaled : of_sum(of(memory.base), scaled, at);
            }
            default: return {1, at};
        }
    }
    // An argument.
    return at == 0 && reg >= 0 ? Multiple{1, function.instructions.size() + static_cast<std::size_t>(reg)}
                               : Multiple{};
}

std::vector<TypedPointer> Dataflow::sum(FunctionCode& function, std::size_t at, int base, int index,
                                        int scale, Trail& trail) {
    std::vector<TypedPointer> found = pointers(function, at, base, trail);
    std::vector<TypedPointer> second =
        scale == 1 ? pointers(function, at, index, trail) : std::vector<TypedPointer>();
    if (!found.empty() && !second.empty()) return {};
    const int number = found.empty() ? base : index;
    if (found.empty()) found = std::move(second);
    for (TypedPointer& each : found) {
        if (number < 0) continue;
        each.many = true;
        each.step = std::gcd(each.step, (number == index ? scale : 1) * multiple(function, at, number, 0).by);
    }
    return found;
}

// The content of `reg` right before the instruction `at`. Where several ways lead to it, all that say
// something must say the same.
std::vector<TypedPointer> Dataflow::pointers(FunctionCode& function, std::size_t at, int reg, Trail& trail) {
    if (reg < 0 || function.is_on_stack(reg)) return {};
    std::vector<TypedPointer> found;
    const auto add_way = [&](std::vector<TypedPointer> way) {
        if (!way.empty() && !found.empty() &&
            types_.name(types_.bare(way.front().target)) != types_.name(types_.bare(found.front().target)))
            trail.contradictory = true;
        if (found.empty()) found = std::move(way);
    };
    for (bool is_first = true;; is_first = false) {
        const u64 address = function.instructions[at].address;
        const auto [jump, last] = function.jumps.equal_range(address);
        if (is_first || jump != last) {
            if (trail.seen.size() > kMostSteps) return {};
            if (!trail.seen.insert({at, reg}).second) {
                trail.in_loop = true;
                return found;
            }
            add_way(in_variables(function, address, reg));
            if (!found.empty()) return found;
        }
        for (auto each = jump; each != last; ++each) add_way(pointers(function, each->second, reg, trail));
        if (at == 0) return found;
        const Instruction& before = function.instructions[--at];
        if (before.kind == InstructionKind::Jump || before.kind == InstructionKind::Return) return found;
        if (before.writes(reg)) break;
    }
    const Instruction& before = function.instructions[at];
    switch (before.kind) {
        case InstructionKind::Copy: add_way(pointers(function, at, before.from, trail)); break;
        case InstructionKind::Load: add_way(loaded(function, at, trail)); break;
        case InstructionKind::AddLoaded: {
            std::vector<TypedPointer> way = loaded(function, at, trail);
            for (TypedPointer& each : way) {
                each.many = true;
                each.step = multiple(function, at, reg, 0).by;
            }
            add_way(std::move(way));
            break;
        }
        case InstructionKind::AddressOf:
        case InstructionKind::Add: {
            const bool is_add = before.kind == InstructionKind::Add;
            const long long constant = is_add ? before.constant : before.memory.displacement;
            std::vector<TypedPointer> way = is_add ? sum(function, at, reg, before.from, 1, trail)
                                                   : sum(function, at, before.memory.base,
                                                         before.memory.index, before.memory.scale, trail);
            if (way.empty() && trail.in_loop) trail.step = std::gcd(trail.step, constant);
            for (TypedPointer& each : way) each.offset += constant;
            add_way(std::move(way));
            break;
        }
        case InstructionKind::Call:
            if (reg == kResult)
                if (const auto type = result_type(before.target))
                    if (const auto target = pointed_to(*type, 0, 0)) add_way({{*target, 0, false, 0, 0}});
            break;
        default: break;
    }
    return found;
}

// What the operand of the instruction holds.
std::vector<TypedPointer> Dataflow::loaded(FunctionCode& function, std::size_t at, Trail& trail) {
    if (const auto from = stored(function, at, function.instructions[at].memory, trail))
        if (const auto target = pointed_to(*from)) return {{*target, 0, false, 0, 0}};
    return {};
}

std::vector<TypedPointer> Dataflow::accessed(u64 address) {
    FunctionCode* const function = function_around(address);
    if (function == nullptr) return {};
    const std::size_t at = index_of(*function, address);
    if (at == function->instructions.size()) return {};
    const MemoryOperand& memory = function->instructions[at].memory;
    if (!function->instructions[at].has_memory || memory.is_static) return {};
    Trail trail;
    std::vector<TypedPointer> found = sum(*function, at, memory.base, memory.index, memory.scale, trail);
    if (trail.contradictory) return {};
    for (TypedPointer& each : found) {
        each.offset += memory.displacement;
        if (trail.in_loop) {
            each.many = true;
            each.step = std::gcd(each.step, trail.step);
        }
    }
    return found;
}

}  // namespace memspy::report::names
