// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/bounds.h"

#include <new>

#include "dwarf/bounds.h"
#include "places/debug_sections.h"
#include "places/variables.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::places {
namespace {

template <typename T>
T* make() {
    return new (rt::allocate(sizeof(T), "memspy.bounds")) T;
}

struct StaticBounds {
    VariableBounds bounds;
    u64 unit, type;
};

// What has been read of a module's units.
struct ReadModule {
    rt::Vector<PlainFunction*> functions;
    rt::Vector<StaticBounds*> statics;
    rt::HashMap<bool> units;  // by offset: read
    bool whole = false;       // every unit has been asked for its static variables
    bool silent = false;      // it has no debug information
};
rt::Global<rt::HashMap<ReadModule*>> modules;
rt::Global<rt::HashMap<PlainFunction*>> by_code;
rt::Global<rt::HashMap<const VariableBounds*>> by_address[2];  // the second: exactly there
u32 functions_read = 0;

// Another module may have come to the addresses of one that is gone.
void forget_old_modules() {
    static u32 modules_known = 0;
    if (modules_known == vg::module_count()) return;
    modules_known = vg::module_count();
    by_code->clear();
    for (auto& addresses : by_address) addresses->clear();
}

const VariableBounds* with_doubt(const VariableBounds& bounds, u64 doubtful) {
    if (doubtful == 0) return &bounds;
    VariableBounds* const copy = make<VariableBounds>();
    *copy = bounds;
    copy->doubtful = doubtful;
    return copy;
}

ReadModule& read_module(vg::ModuleId id) {
    ReadModule*& module = (*modules)[static_cast<u64>(id)];
    if (module == nullptr) module = make<ReadModule>();
    return *module;
}

}  // namespace

class FunctionTable {
public:
    explicit FunctionTable(vg::ModuleId id) : id_(id), module_(vg::module(id)), read_(read_module(id)) {}

    PlainFunction* at(Address code) {
        if (read_.silent) return nullptr;
        if (PlainFunction* known = find(code)) return plain_or_none(known);
        bool is_there = false;
        with_debug_sections(module_, [&](const dwarf::Sections& sections) {
            is_there = is_there || !sections.info.empty();
            return dwarf::with_unit_of(sections, code - module_.bias, [&](const dwarf::InfoUnit& unit) {
                read(unit);
                return true;
            });
        });
        read_.silent = !is_there;
        return plain_or_none(find(code));
    }

    const VariableBounds* static_array_at(Address a, bool exact) {
        read_all();
        return search(a, exact);
    }

private:
    static PlainFunction* plain_or_none(PlainFunction* function) {
        return function != nullptr && function->plain_ ? function : nullptr;
    }

    PlainFunction* find(Address code) const {
        for (PlainFunction* function : read_.functions)
            if (code >= function->begin_ && code < function->end_) return function;
        return nullptr;
    }

    void read(const dwarf::InfoUnit& unit) {
        bool& known = read_.units[unit.start()];
        if (known) return;
        known = true;
        unit_ = unit.start();
        dwarf::for_each_function(
            unit,
            [](const dwarf::CodeFunction& told, void* self) { static_cast<FunctionTable*>(self)->add(told); },
            this);
        dwarf::for_each_static(
            unit,
            [](const dwarf::StaticVariable& told, void* self) {
                static_cast<FunctionTable*>(self)->add(told);
            },
            this);
    }

    // Another unit may define the variable that this one only declares.
    void read_all() {
        constexpr u64 kMostSearched = u64{16} << 20;  // bytes of .debug_info: a tenth of a second
        if (read_.whole) return;
        read_.whole = true;
        with_debug_sections(module_, [&](const dwarf::Sections& sections) {
            if (sections.info.size > kMostSearched) return !sections.info.empty();
            dwarf::any_unit(sections, [&](const dwarf::InfoUnit& unit) {
                read(unit);
                return false;
            });
            return !sections.info.empty();
        });
    }

    void add(const dwarf::CodeFunction& told) {
        PlainFunction* const function = make<PlainFunction>();
        function->number_ = ++functions_read;
        function->module_ = id_;
        function->begin_ = told.begin + module_.bias;
        function->end_ = told.end + module_.bias;
        function->unit_ = unit_;
        function->entry_ = told.entry;
        function->plain_ = told.plain;
        function->folds_ = told.folds;
        function->name_ = told.name == nullptr ? "???" : vg::intern(told.name);
        read_.functions.push_back(function);
    }

    void add(const dwarf::StaticVariable& told) {
        StaticBounds* const variable = make<StaticBounds>();
        variable->bounds = {.begin = static_cast<i64>(told.begin + module_.bias),
                            .bytes = told.bytes,
                            .name = vg::intern(told.name),
                            .function = told.function == nullptr ? nullptr : vg::intern(told.function),
                            .is_static = true};
        variable->unit = unit_;
        variable->type = told.type;
        read_.statics.push_back(variable);
    }

    const VariableBounds* search(Address a, bool exact) const {
        const StaticBounds* found = nullptr;
        u64 doubtful = 0;
        for (const StaticBounds* variable : read_.statics) {
            const u64 offset = a - static_cast<u64>(variable->bounds.begin);
            // Compilers make `buf + sizeof buf` the address of what comes next.
            if (exact && offset == variable->bounds.bytes) doubtful = offset;
            if (offset < variable->bounds.bytes && found == nullptr) found = variable;
        }
        if (found == nullptr) return nullptr;
        bool is_base = false;
        with_debug_sections(module_, [&](const dwarf::Sections& sections) {
            if (found->unit >= sections.info.size) return false;
            const dwarf::InfoUnit unit(sections, found->unit);
            is_base = dwarf::is_index_base(unit, found->type, a - static_cast<u64>(found->bounds.begin));
            return true;
        });
        return is_base ? with_doubt(found->bounds, doubtful) : nullptr;
    }

    const vg::ModuleId id_;
    const vg::Module& module_;
    ReadModule& read_;
    u64 unit_ = 0;  // that is being read
};

PlainFunction* plain_function(Address code) {
    forget_old_modules();
    if (PlainFunction* const* known = by_code->find(code)) return *known;
    const vg::ModuleId id = vg::module_of_code(code);
    PlainFunction* const function = id == vg::ModuleId::None ? nullptr : FunctionTable(id).at(code);
    return (*by_code)[code] = function;
}

const PlainFunction::ScopeLayout& PlainFunction::layout_at(Address code) {
    for (const ScopeLayout* known : layouts_)
        if (code >= known->begin && code < known->end) return *known;
    ScopeLayout* const layout = make<ScopeLayout>();
    layout->begin = code;
    layout->end = code + 1;
    layouts_.push_back(layout);
    struct LayoutListing {
        PlainFunction& function;
        ScopeLayout& layout;
    } listing{*this, *layout};
    const vg::Module& module = vg::module(module_);
    with_debug_sections(module, [&](const dwarf::Sections& sections) {
        if (unit_ >= sections.info.size) return false;
        const dwarf::InfoUnit unit(sections, unit_);
        dwarf::FrameByte frame;
        frame.pc = code - module.bias;
        frame.from_frame_pointer = dwarf::FrameByte::kUnknownFramePointer;
        const dwarf::SameScope same = dwarf::for_each_variable_of(
            unit, sections, entry_, frame,
            [](const dwarf::ListedVariable& told, void* argument) {
                const LayoutListing& to = *static_cast<LayoutListing*>(argument);
                to.layout.variables.push_back({{.begin = told.from_end,
                                                .bytes = told.bytes,
                                                .name = vg::intern(told.name),
                                                .function = to.function.name_,
                                                .is_static = false},
                                               told.type});
            },
            &listing);
        if (same.begin >= same.end) return false;
        layout->begin = same.begin + module.bias;
        layout->end = same.end + module.bias;
        return true;
    });
    return *layout;
}

template <typename F>
bool PlainFunction::in_unit(F f) const {
    bool answer = false;
    with_debug_sections(vg::module(module_), [&](const dwarf::Sections& sections) {
        if (unit_ >= sections.info.size) return false;
        answer = f(dwarf::InfoUnit(sections, unit_));
        return true;
    });
    return answer;
}

const VariableBounds* PlainFunction::array_at(Address code, i64 from_end) {
    const BoundedVariable* found = nullptr;
    u64 doubtful = 0;
    for (const BoundedVariable& variable : layout_at(code).variables) {
        const u64 offset = static_cast<u64>(from_end - variable.bounds.begin);
        if (folds_ && offset == variable.bounds.bytes) doubtful = offset;
        if (offset >= variable.bounds.bytes || variable.type == 0) continue;
        if (found != nullptr) return nullptr;
        found = &variable;
    }
    if (found == nullptr) return nullptr;
    const u64 offset = static_cast<u64>(from_end - found->bounds.begin);
    if (!in_unit(
            [&](const dwarf::InfoUnit& unit) { return dwarf::is_index_base(unit, found->type, offset); }))
        return nullptr;
    return with_doubt(found->bounds, doubtful);
}

bool PlainFunction::is_pointer_at(Address code, i64 from_end) {
    const ScopeLayout& layout = layout_at(code);
    const u64 key = layout.begin ^ static_cast<u64>(from_end) << 40;
    if (const bool* known = pointers_.find(key)) return *known;
    bool found = false;
    for (const BoundedVariable& variable : layout.variables) {
        const u64 offset = static_cast<u64>(from_end - variable.bounds.begin);
        if (offset < variable.bounds.bytes)
            found = found || (variable.type == 0 && offset == 0) || in_unit([&](const dwarf::InfoUnit& unit) {
                        return dwarf::is_pointer_part(unit, variable.type, offset);
                    });
    }
    return pointers_[key] = found;
}

const VariableBounds* PlainFunction::static_array_at(Address a, bool exact) const {
    constexpr Address kLeast = 1 << 16;
    if (a < kLeast || a >> kClientAddressBits != 0) return nullptr;
    forget_old_modules();
    auto& known = by_address[exact];
    if (const VariableBounds* const* answer = known->find(a)) return *answer;
    const vg::ModuleId id = vg::module_of_data(a);
    const VariableBounds* const found =
        id == vg::ModuleId::None ? nullptr : FunctionTable(id).static_array_at(a, exact);
    return (*known)[a] = found;
}

}  // namespace memspy::places
