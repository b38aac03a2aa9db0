// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/names.h"

#include <dwarf.h>

#include <algorithm>
#include <map>

#include "report/names/block_type.h"
#include "report/names/code.h"
#include "report/names/module_file.h"
#include "report/names/variables.h"

namespace memspy::report::names {
namespace {

// The parts of one module, in the order of their dependence.
class ModuleNames {
public:
    ModuleNames(const Module& module, const NameOptions& options)
        : file(module, options), split_(file.binaries(), options.debug_dirs) {
        if (file.dwarf() == nullptr) return;
        units_.emplace(file.dwarf(), split_, file.status());
        types_.emplace(*units_);
        code_.emplace(*units_, *types_);
    }

    std::vector<SourceFrame> frames(u64 address) {
        std::vector<SourceFrame> frames;
        if (code_) frames = code_->frames(address);
        if (frames.empty() || frames.back().function.empty()) {
            const std::string symbol = file.function_symbol(address);
            if (frames.empty() && !symbol.empty()) frames.emplace_back();
            if (!frames.empty()) frames.back().function = demangled(symbol);
        }
        return frames;
    }

    std::vector<const Variables::VariableEntry*> variables(CodeExtent range) {
        if (!units_) return {};
        if (!variables_)
            variables_.emplace(
                *units_, *types_,
                [](void* module, u64 address) {
                    return static_cast<ModuleFile*>(module)->object_size(address);
                },
                &file);
        return variables_->in(range);
    }

    Variable describe(const Variables::VariableEntry& entry) {
        // The object at the address of a COMMON block's first member is the whole block.
        if (const auto block = types_->common_block(entry.die))
            return {"/" + text_of(*block, DW_AT_name) + "/", "COMMON block", entry.address,
                    file.object_size(entry.address),
                    units_->source(*entry.unit, *block, DW_AT_decl_file, DW_AT_decl_line)};
        return {types_->qualified_name(entry.die), types_->name(units_->type(entry.die)), entry.address,
                entry.size, units_->source(*entry.unit, entry.die, DW_AT_decl_file, DW_AT_decl_line)};
    }

    // None if the type is not known.
    std::optional<LayoutObject> object(const Variables::VariableEntry& entry) {
        auto type = units_->type(entry.die);
        if (!type) return std::nullopt;
        return LayoutObject(types_->qualified_name(entry.die), *type, entry.address, entry.size);
    }

    // That of the function which begins at `function`, or of one that is inlined there.
    std::optional<Dwarf_Die> frame_variable(u64 function, const std::string& name, u64 line) {
        const auto within = units_ ? code_->function_around(function) : std::nullopt;
        return within ? variable_below(within->die, name, line, 0) : std::nullopt;
    }
    SourceLine declared(Dwarf_Die die) const { return types_->declared(origin_of(*units_, die)); }
    std::optional<Dwarf_Die> type_of(Dwarf_Die die) const { return units_->type(die); }

    Types& types() { return *types_; }
    bool has_debug_information() const { return units_.has_value(); }

    // The use of the block that is the result of the call whose last byte is at `call`.
    const ResultUse& follow_result(u64 call) {
        auto [place, is_new] = results_.try_emplace(call);
        if (!is_new || !units_) return place->second;
        if (const auto function = code_->function_around(call))
            for (const Dwarf_Die& scope : code_->scopes(*function, call))
                if (const auto type = allocator_type(*units_, scope))
                    return place->second = {{{*type, 0, false, 0, 0}}, false};
        return place->second = dataflow().follow_result(call);
    }

    std::string declared_at(u64 call, Dwarf_Die type) {
        return units_ ? dataflow().declared_at(call, type) : std::string();
    }

    // Pointers to the objects that the instruction may access.
    const std::vector<TypedPointer>& accessed(u64 instruction) {
        auto [place, is_new] = accessed_.try_emplace(instruction);
        if (is_new && units_) place->second = dataflow().accessed(instruction);
        return place->second;
    }

    ModuleFile file;

private:
    std::optional<Dwarf_Die> variable_below(Dwarf_Die scope, const std::string& name, u64 line,
                                            int depth) const {
        constexpr int kDeepest = 256;
        std::optional<Dwarf_Die> found;
        for_each_child(scope, [&](Dwarf_Die child) {
            switch (dwarf_tag(&child)) {
                case DW_TAG_variable:
                case DW_TAG_formal_parameter:
                    if (text_of(child, DW_AT_name) == name &&
                        number_of(origin_of(*units_, child), DW_AT_decl_line).value_or(0) == line)
                        found = child;
                    break;
                case DW_TAG_lexical_block:
                case DW_TAG_try_block:
                case DW_TAG_catch_block:
                case DW_TAG_inlined_subroutine:
                    if (depth < kDeepest) found = variable_below(child, name, line, depth + 1);
                    break;
                default: break;
            }
            return !found;
        });
        return found;
    }

    Dataflow& dataflow() {
        if (!dataflow_) {
            variables({0, 0});
            dataflow_.emplace(file.module(), *units_, *types_, *code_, *variables_);
        }
        return *dataflow_;
    }

    SplitUnits split_;
    std::optional<Units> units_;
    std::optional<Types> types_;
    std::optional<Code> code_;
    std::optional<Variables> variables_;
    std::optional<Dataflow> dataflow_;
    std::map<u64, ResultUse> results_;                   // by call
    std::map<u64, std::vector<TypedPointer>> accessed_;  // by instruction
};

// The name of the only variable that gets the result.
std::string only_variable(const ResultUse& use) {
    std::string name;
    for (const TypedPointer& each : use.pointers) {
        if (each.variable.empty() || each.variable == name || is_reserved(each.variable)) continue;
        if (!name.empty()) return {};
        name = each.variable;
    }
    return name;
}

}  // namespace

const char* name_of(DebugInfoState state) {
    switch (state) {
        case DebugInfoState::Good: return "good";
        case DebugInfoState::Unverified: return "unverified";
        case DebugInfoState::NoDebug: return "no debug information";
        case DebugInfoState::Missing: return "missing";
        case DebugInfoState::Changed: return "changed";
        case DebugInfoState::Unreadable: return "unreadable";
    }
    return "";
}

class Names::Implementation {
public:
    explicit Implementation(NameOptions options) : options_(std::move(options)) {}
    ModuleNames& of(const Module& module) {
        auto& known = modules_[{module.path, module.build_id}];
        if (known == nullptr) known = std::make_unique<ModuleNames>(module, options_);
        return *known;
    }

    struct KnownBlock {
        ModuleNames* known;
        Dwarf_Die type;
        std::string path;  // that its fields' paths begin with
    };
    BlockType keep(ModuleNames& known, const BlockShape& shape, bool by_accesses, std::string variable = {}) {
        blocks.push_back({&known, shape.type, {}});
        return {known.types().name(known.types().unqualified(shape.type)),
                by_accesses,
                shape.size,
                shape.first,
                shape.count,
                std::move(variable),
                blocks.size() - 1};
    }
    // The variable that a block is made for: where its address goes to, or what is declared at the line of
    // one of the calls that lead to its allocation.
    std::string variable_for(const BlockQuestion& question, const CodePlace& end, const ResultUse& use,
                             const BlockShape& shape) {
        std::string name = only_variable(use);
        for (const CodePlace& place : question.allocation) {
            if (!name.empty()) break;
            ModuleNames& known = of(place.module);
            // Types are those of one module.
            if (known.has_debug_information() && place.module == end.module)
                name = known.declared_at(place.address, shape.type);
            if (is_reserved(name)) name.clear();
        }
        return name;
    }
    std::vector<KnownBlock> blocks;

private:
    NameOptions options_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<ModuleNames>> modules_;
};

Names::Names(NameOptions options) : implementation_(std::make_unique<Implementation>(std::move(options))) {}
Names::~Names() = default;

const DebugInfoStatus& Names::status(const Module& module) {
    return implementation_->of(module).file.status();
}

std::vector<SourceFrame> Names::frames(const Module& module, u64 address) {
    return implementation_->of(module).frames(address);
}

std::optional<Variable> Names::variable(const Module& module, u64 address) {
    ModuleNames& known = implementation_->of(module);
    const auto found = known.variables({address, address + 1});
    if (found.empty()) return std::nullopt;
    return known.describe(*found.front());
}

std::optional<VariablePart> Names::part(const Module& module, u64 address, u64 bytes) {
    ModuleNames& known = implementation_->of(module);
    const CodeExtent range{address, address + std::max<u64>(bytes, 1)};
    const auto found = known.variables(range);
    // Bytes of several variables have no common name.
    if (found.size() != 1) return std::nullopt;
    const auto object = known.object(*found.front());
    if (!object) return std::nullopt;
    return find_part(known.types(), *object, range);
}

std::vector<MemberPath> Names::fields(const Module& module, u64 begin, u64 end, std::size_t limit) {
    std::vector<MemberPath> fields;
    if (begin >= end) return fields;
    ModuleNames& known = implementation_->of(module);
    const CodeExtent range{begin, end};
    for (const Variables::VariableEntry* entry : known.variables(range))
        if (const auto object = known.object(*entry))
            add_fields(known.types(), *object, range, limit, fields);
    std::stable_sort(fields.begin(), fields.end(), [](const MemberPath& a, const MemberPath& b) {
        return a.address != b.address ? a.address < b.address : a.bit < b.bit;
    });
    return fields;
}

std::optional<BlockType> Names::block_type(const BlockQuestion& question) {
    for (const CodePlace& place : question.allocation) {
        ModuleNames& known = implementation_->of(place.module);
        // Allocation functions themselves, and `operator new`, only pass the block on.
        if (!known.has_debug_information()) {
            const auto frames = known.frames(place.address);
            const bool passes_on = place.module.path.find("vgpreload_") != std::string::npos ||
                                   (!frames.empty() && frames.back().function.starts_with("operator new"));
            if (passes_on) continue;
            break;
        }
        const ResultUse& use = known.follow_result(place.address);
        // Contradictory uses say more than accesses: the memory has several purposes.
        if (const auto shape = choose_type(known.types(), use.pointers, question.bytes, question.array))
            return implementation_->keep(known, *shape, false,
                                         implementation_->variable_for(question, place, use, *shape));
        if (!use.returned) break;
    }
    // Types of different modules cannot be compared, so the module with most accesses counts.
    std::map<ModuleNames*, std::pair<u64, std::vector<AccessedType>>> modules;
    for (const BlockQuestion::BlockAccess& access : question.accesses) {
        ModuleNames& known = implementation_->of(access.place.module);
        if (!known.has_debug_information()) continue;
        auto& [times, types] = modules[&known];
        times += access.times;
        types.push_back({known.accessed(access.place.address), access.times});
    }
    const auto most = std::max_element(modules.begin(), modules.end(), [](const auto& a, const auto& b) {
        return a.second.first < b.second.first;
    });
    if (most == modules.end()) return std::nullopt;
    const auto shape =
        choose_accessed_type(most->first->types(), most->second.second, question.bytes, question.array);
    return shape ? std::optional(implementation_->keep(*most->first, *shape, true)) : std::nullopt;
}

std::optional<FrameVariable> Names::frame_variable(const Module& module, u64 function,
                                                   const std::string& name, u64 line) {
    ModuleNames& known = implementation_->of(module);
    const auto die = known.frame_variable(function, name, line);
    const auto type = die ? known.type_of(*die) : std::nullopt;
    if (!type) return std::nullopt;
    FrameVariable found;
    found.name = known.types().name(*type);
    found.size = known.types().size(*type);
    found.count = 1;
    found.variable = name;
    found.handle = implementation_->blocks.size();
    found.declared = known.declared(*die);
    implementation_->blocks.push_back({&known, *type, name});
    return found;
}

std::vector<MemberPath> Names::block_fields(const BlockType& type, u64 begin, u64 end, std::size_t limit) {
    std::vector<MemberPath> fields;
    const Implementation::KnownBlock& block = implementation_->blocks.at(type.handle);
    if (begin >= end || type.size == 0) return fields;
    const u64 last = std::min((end - 1) / type.size, type.count);
    for (u64 i = begin < type.first ? 0 : (begin - type.first) / type.size; i <= last && i < type.count;
         ++i) {
        const std::string path = block.path + (type.count > 1 ? "[" + std::to_string(i) + "]" : "");
        const LayoutObject object(path, block.type, type.first + i * type.size, type.size);
        add_fields(block.known->types(), object, {begin, end}, limit, fields);
    }
    // For a single object the members' names have no index.
    for (MemberPath& field : fields)
        if (field.path.starts_with(".")) field.path.erase(0, 1);
    std::stable_sort(fields.begin(), fields.end(), [](const MemberPath& a, const MemberPath& b) {
        return a.address != b.address ? a.address < b.address : a.bit < b.bit;
    });
    return fields;
}

}  // namespace memspy::report::names
