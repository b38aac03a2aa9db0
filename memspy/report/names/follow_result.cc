// SPDX-License-Identifier: GPL-2.0-or-later
//
// Dataflow: what becomes of a call's result, as of an allocation.
#include <dwarf.h>

#include <algorithm>

#include "report/names/dataflow.h"
#include "rt/nearest_declaration.h"

namespace memspy::report::names {
namespace {

using InstructionKind = Instruction::InstructionKind;

// A result is stored long before this many instructions.
constexpr std::size_t kMostFollowed = 600;

}  // namespace

std::string Dataflow::declared_at(u64 call, Dwarf_Die type) {
    FunctionCode* const function = function_around(call);
    const std::vector<SourceFrame> frames = code_.frames(call);
    if (function == nullptr || frames.empty()) return {};
    const SourceLine& line = frames.back().source;
    const std::string wanted = types_.name(types_.bare(type));
    const auto owns = [&](Dwarf_Die variable) {
        const std::optional<Dwarf_Die> whole = units_.type(variable);
        if (!whole) return false;
        Dwarf_Die bare = types_.bare(*whole);
        if (is_pointer(bare)) {
            const auto target = units_.type(bare);
            return target && types_.name(types_.bare(*target)) == wanted;
        }
        bool found = false;
        if (Types::is_aggregate(bare))
            for_each_child(bare, [&](Dwarf_Die child) {
                if (dwarf_tag(&child) != DW_TAG_template_type_parameter) return true;
                const auto argument = units_.type(child);
                found = argument && types_.name(types_.bare(*argument)) == wanted;
                return false;
            });
        return found;
    };
    rt::NearestDeclaration nearest(frames.back().column);
    std::string name;
    for (const Dwarf_Die& variable : function->declared) {
        const Dwarf_Die origin = origin_of(units_, variable);
        if (number_of(origin, DW_AT_decl_line) != line.line || !owns(origin)) continue;
        if (nearest.take(number_of(origin, DW_AT_decl_column).value_or(0)))
            name = text_of(origin, DW_AT_name);
    }
    return nearest.is_sure() ? name : std::string();
}

std::optional<Dwarf_Die> Dataflow::parameter(u64 called, unsigned number) {
    const auto function = code_.function_around(called);
    if (!function || function->range.begin != called) return std::nullopt;
    std::optional<Dwarf_Die> found;
    unsigned seen = 0;
    for_each_child(function->die, [&](Dwarf_Die child) {
        if (dwarf_tag(&child) != DW_TAG_formal_parameter || seen++ != number) return true;
        found = units_.type(child);
        return false;
    });
    return found;
}

std::optional<Dwarf_Die> Dataflow::result_type(u64 called) {
    const auto function = code_.function_around(called);
    if (!function || function->range.begin != called) return std::nullopt;
    return units_.type(origin_of(units_, function->die));
}

void Dataflow::walk(FunctionCode& function, FlowState state, ResultUse& use, std::set<std::size_t>& seen) {
    const auto add = [&](const Stored& value, int depth) {
        if (const auto target = pointed_to(value))
            use.pointers.push_back({*target, 0, false, 0, depth, value.variable});
    };
    while (state.at < function.instructions.size() && seen.size() < kMostFollowed &&
           seen.insert(state.at).second) {
        const Instruction& now = function.instructions[state.at];
        const auto is_held = [&](int reg) { return reg >= 0 && (state.registers >> reg & 1) != 0; };
        for (const ScopedVariable& variable : function.variables) {
            if (!in_scope(variable, now.address)) continue;
            const Location at = location(function, variable, now.address);
            // An array behind a register without a length of its own begins there.
            const bool is_start = at.kind == Location::LocationKind::Memory && at.offset == 0 &&
                                  is_placed_by_word(variable.type);
            if ((at.kind == Location::LocationKind::Register || is_start) && is_held(at.reg))
                add({variable.type, 0, name_of_pointer(variable), is_start}, variable.depth);
        }
        const StackSlot slot{now.memory.base, now.memory.displacement};
        const bool is_slot = now.has_memory && now.memory.index < 0 && function.is_on_stack(slot.reg);
        const auto set = [&](int reg, bool held) {
            state.registers = held ? state.registers | 1u << reg : state.registers & ~(1u << reg);
        };
        switch (now.kind) {
            case InstructionKind::Copy: set(now.to, is_held(now.from)); break;
            case InstructionKind::Load: set(now.to, is_slot && state.slots.contains(slot)); break;
            case InstructionKind::Store:
                if (is_held(now.from)) {
                    if (Trail trail; const auto to = stored(function, state.at, now.memory, trail))
                        add(*to, 0);
                    if (is_slot) state.slots.insert(slot);
                } else if (is_slot) {
                    state.slots.erase(slot);
                }
                break;
            case InstructionKind::Call:
            case InstructionKind::Jump: {
                const bool leaves = now.kind == InstructionKind::Jump && !function.range.contains(now.target);
                // The cold part of a function is separate from it.
                if (const auto part = leaves ? code_.function_around(now.target) : std::nullopt;
                    part && part->die.addr == function.die.addr)
                    return;
                if (now.kind == InstructionKind::Call || leaves)
                    for (unsigned i = 0; i < std::size(kArguments); ++i)
                        if (is_held(kArguments[i]))
                            if (const auto type = parameter(now.target, i)) add({*type, 0}, 0);
                if (leaves) return;
                state.registers &= ~now.written;
                if (now.kind == InstructionKind::Jump) {
                    state.at = index_of(function, now.target);
                    continue;
                }
                break;
            }
            case InstructionKind::Branch:
                if (function.range.contains(now.target)) {
                    FlowState other = state;
                    other.at = index_of(function, now.target);
                    walk(function, std::move(other), use, seen);
                }
                break;
            case InstructionKind::Return:
                if (is_held(kResult)) {
                    use.returned = true;
                    if (const auto type = units_.type(origin_of(units_, function.die))) add({*type, 0}, 0);
                }
                return;
            default: state.registers &= ~now.written; break;
        }
        if (state.registers == 0 && state.slots.empty()) return;
        ++state.at;
    }
}

ResultUse Dataflow::follow_result(u64 call) {
    ResultUse use;
    FunctionCode* const function = function_around(call);
    if (function == nullptr) return use;
    const std::size_t at = index_of(*function, call);
    if (at == function->instructions.size()) return use;
    std::set<std::size_t> seen;
    if (function->instructions[at].kind == InstructionKind::Call)
        walk(*function, {at + 1, 1u << kResult, {}}, use, seen);
    return use;
}

}  // namespace memspy::report::names
