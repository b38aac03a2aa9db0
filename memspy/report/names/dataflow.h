// SPDX-License-Identifier: GPL-2.0-or-later
//
// The type of a pointer in a register: from the variables that, by debug information, are in registers and
// stack slots there, and from the way in which instructions pass addresses on.
//
//   forwards   the result of a call: the variables and members it is stored to, the functions that get it
//   backwards  the object that an instruction accesses: the source of the address in its operand
//
// Nothing is guessed: if a value cannot be followed, there is no answer. Location lists of split debug
// information are not read, so less is known of optimised code in .dwo files.
#pragma once

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <map>
#include <set>

#include "report/names/code.h"
#include "report/names/machine_code.h"
#include "report/names/variables.h"

namespace memspy::report::names {

inline bool is_pointer(Dwarf_Die bare) { return dwarf_tag(&bare) == DW_TAG_pointer_type; }

// A pointer to `target` whose value is `offset` bytes behind its start; `many`: an index or the steps of a
// loop were added to it, so that it may point into another element of an array. `step` divides what was
// added; 0: it is not known.
struct TypedPointer {
    Dwarf_Die target{};
    long long offset = 0;
    bool many = false;
    long long step = 0;
    int depth =
        0;  // of the scope with the answer: a function inlined deeper sees a smaller part of the whole
    std::string variable{};  // that is this pointer, of the function itself or static; "": another place
};

struct ResultUse {
    std::vector<TypedPointer> pointers;  // that hold the result, in the order of the code
    bool returned = false;               // to its caller by the function itself
};

class Dataflow {
public:
    Dataflow(Dwfl_Module* module, Units& units, Types& types, Code& code, const Variables& variables);

    // For the call whose last byte is at `call`.
    ResultUse follow_result(u64 call);
    // The objects that may contain the operand of the instruction at `address`, by the pointer in its base
    // register: its offset is that of the operand.
    std::vector<TypedPointer> accessed(u64 address);
    // The one variable of the function that is declared at the line of the call, and can own a block of
    // `type`: a pointer to it, or an object of a template for it (std::vector); of several the last one
    // before the call, by the columns. Optimised code may not say where the variable is. "" if there is none,
    // or several.
    std::string declared_at(u64 call, Dwarf_Die type);

private:
    struct ScopedVariable {
        std::vector<CodeExtent> ranges;  // of the scope; empty: the whole function
        Dwarf_Die die{}, type{};
        int depth = 0;
        bool inlined = false;  // of a function that is inlined here
    };
    struct FunctionCode {
        Unit* unit = nullptr;
        Dwarf_Die die{};
        CodeExtent range{};
        std::vector<Instruction> instructions;
        std::multimap<u64, std::size_t> jumps;  // by target
        std::vector<ScopedVariable> variables;
        std::vector<Dwarf_Die> declared;  // variables of the function's own text, with or without a location
        bool has_frame_pointer = false;   // else that register is as any other
        bool is_on_stack(int reg) const {
            return reg == kStackPointer || (reg == kFramePointer && has_frame_pointer);
        }
    };
    struct Location {
        // Start: the variable is where the word in memory points, as Fortran's automatic arrays are.
        enum class LocationKind { None, Register, Memory, Static, Value, Start } kind = LocationKind::None;
        int reg = -1;  // Value: the variable's value is the register's plus `offset`
        long long offset = 0;
    };
    struct StackSlot {
        int reg;
        long long offset;
        auto operator<=>(const StackSlot&) const = default;
    };
    // The way back from one use.
    struct Trail {
        std::set<std::pair<std::size_t, int>> seen;  // instruction, register
        bool in_loop = false;                        // the value depends on itself
        long long step = 0;                          // what the loop adds to it
        bool contradictory = false;                  // two ways lead to different types
    };
    struct FlowState {
        std::size_t at;
        std::uint32_t registers;
        std::set<StackSlot> slots;
    };

    FunctionCode* function_around(u64 address);
    void add_variables(FunctionCode& function, Dwarf_Die scope, const std::vector<CodeExtent>& ranges,
                       int depth, bool inlined);
    static std::size_t index_of(const FunctionCode& function, u64 address);
    Location location(FunctionCode& function, const ScopedVariable& variable, u64 address);
    std::optional<StackSlot> frame_base(FunctionCode& function, u64 address);
    static bool in_scope(const ScopedVariable& variable, u64 address);

    // The type that a value of `type` points to, at `offset` bytes behind the start of `type`.
    std::optional<Dwarf_Die> pointed_to(Dwarf_Die type, long long offset, int depth);
    u64 room(Dwarf_Die type);
    // The type of the value stored at an operand, and the offset in it.
    struct Stored {
        Dwarf_Die type;
        long long offset;
        std::string variable{};  // "": the operand is no variable
        bool is_start = false;   // the address of an object of `type`
    };
    std::optional<Dwarf_Die> pointed_to(const Stored& value);
    // An array without a length of its own and without a descriptor: a word that no variable is says where it is.
    bool is_placed_by_word(Dwarf_Die type);
    // Its name, if the program's text has it and it is a pointer, or such an array, or one with a descriptor.
    std::string name_of_pointer(const ScopedVariable& variable);
    std::optional<Stored> stored(FunctionCode& function, std::size_t at, const MemoryOperand& memory,
                                 Trail& trail);
    std::vector<TypedPointer> pointers(FunctionCode& function, std::size_t at, int reg, Trail& trail);
    std::vector<TypedPointer> loaded(FunctionCode& function, std::size_t at, Trail& trail);
    // Of base + index * scale, one is a pointer and the other a number.
    std::vector<TypedPointer> sum(FunctionCode& function, std::size_t at, int base, int index, int scale,
                                  Trail& trail);
    struct Multiple {
        long long by = 0;      // 0: it comes from several places
        std::size_t root = 0;  // the instruction that made the number of which it is a multiple
    };
    static Multiple multiple(const FunctionCode& function, std::size_t at, int reg, int depth);
    std::vector<TypedPointer> in_variables(FunctionCode& function, u64 address, int reg);
    std::optional<Dwarf_Die> parameter(u64 called, unsigned number);
    std::optional<Dwarf_Die> result_type(u64 called);
    void walk(FunctionCode& function, FlowState state, ResultUse& use, std::set<std::size_t>& seen);

    Dwfl_Module* module_;
    Units& units_;
    Types& types_;
    Code& code_;
    const Variables& variables_;
    MachineCode machine_code_;
    std::map<u64, FunctionCode> functions_;  // by begin
};

}  // namespace memspy::report::names
