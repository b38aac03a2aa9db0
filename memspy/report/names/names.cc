// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/names.h"

#include <dwarf.h>

#include <algorithm>
#include <map>

#include "report/names/code.h"
#include "report/names/module_file.h"
#include "report/names/variables.h"

namespace memspy::report::names {
namespace {

// Of one module, in the order in which one part needs the other.
class Known {
public:
    Known(const Module& module, const Options& options)
        : file(module, options), split_(file.binaries(), options.debug_dirs) {
        if (file.dwarf() == nullptr) return;
        units_.emplace(file.dwarf(), split_, file.status());
        types_.emplace(*units_);
        code_.emplace(*units_, *types_);
    }

    std::vector<Frame> frames(u64 address) {
        std::vector<Frame> frames;
        if (code_) frames = code_->frames(address);
        if (frames.empty() || frames.back().function.empty()) {
            const std::string symbol = file.function_symbol(address);
            if (frames.empty() && !symbol.empty()) frames.emplace_back();
            if (!frames.empty()) frames.back().function = demangled(symbol);
        }
        return frames;
    }

    std::vector<const Variables::Entry*> variables(Range range) {
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

    Variable describe(const Variables::Entry& entry) {
        return {types_->qualified_name(entry.die), types_->name(units_->type(entry.die)), entry.address,
                entry.size, units_->source(*entry.unit, entry.die, DW_AT_decl_file, DW_AT_decl_line)};
    }

    // None where the type is not known.
    std::optional<Object> object(const Variables::Entry& entry) {
        auto type = units_->type(entry.die);
        if (!type) return std::nullopt;
        return Object(types_->qualified_name(entry.die), *type, entry.address, entry.size);
    }

    Types& types() { return *types_; }

    ModuleFile file;

private:
    SplitUnits split_;
    std::optional<Units> units_;
    std::optional<Types> types_;
    std::optional<Code> code_;
    std::optional<Variables> variables_;
};

}  // namespace

const char* name_of(State state) {
    switch (state) {
        case State::Good: return "good";
        case State::Unverified: return "unverified";
        case State::NoDebug: return "no debug information";
        case State::Missing: return "missing";
        case State::Changed: return "changed";
        case State::Unreadable: return "unreadable";
    }
    return "";
}

class Names::Implementation {
public:
    explicit Implementation(Options options) : options_(std::move(options)) {}
    Known& of(const Module& module) {
        auto& known = modules_[{module.path, module.build_id}];
        if (known == nullptr) known = std::make_unique<Known>(module, options_);
        return *known;
    }

private:
    Options options_;
    std::map<std::pair<std::string, std::string>, std::unique_ptr<Known>> modules_;
};

Names::Names(Options options) : implementation_(std::make_unique<Implementation>(std::move(options))) {}
Names::~Names() = default;

const Status& Names::status(const Module& module) { return implementation_->of(module).file.status(); }

std::vector<Frame> Names::frames(const Module& module, u64 address) {
    return implementation_->of(module).frames(address);
}

std::optional<Variable> Names::variable(const Module& module, u64 address) {
    Known& known = implementation_->of(module);
    const auto found = known.variables({address, address + 1});
    if (found.empty()) return std::nullopt;
    return known.describe(*found.front());
}

std::optional<Part> Names::part(const Module& module, u64 address, u64 bytes) {
    Known& known = implementation_->of(module);
    const Range range{address, address + std::max<u64>(bytes, 1)};
    const auto found = known.variables(range);
    // Bytes of several variables have no one name.
    if (found.size() != 1) return std::nullopt;
    const auto object = known.object(*found.front());
    if (!object) return std::nullopt;
    return find_part(known.types(), *object, range);
}

std::vector<Field> Names::fields(const Module& module, u64 begin, u64 end, std::size_t limit) {
    std::vector<Field> fields;
    if (begin >= end) return fields;
    Known& known = implementation_->of(module);
    const Range range{begin, end};
    for (const Variables::Entry* entry : known.variables(range))
        if (const auto object = known.object(*entry))
            add_fields(known.types(), *object, range, limit, fields);
    std::stable_sort(fields.begin(), fields.end(), [](const Field& a, const Field& b) {
        return a.address != b.address ? a.address < b.address : a.bit < b.bit;
    });
    return fields;
}

}  // namespace memspy::report::names
