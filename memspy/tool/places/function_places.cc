// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/function_places.h"

#include <algorithm>
#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::places {
namespace {

// Of one file with debug information.
struct FileFunctions {
    rt::Vector<dwarf::FunctionPiece> pieces;  // sorted, of the units that were read
    rt::HashMap<bool> units;                  // that were read, by offset + 1

    dwarf::FunctionPlace find(u64 pc) const {
        const auto after =
            std::upper_bound(pieces.begin(), pieces.end(), pc,
                             [](u64 at, const dwarf::FunctionPiece& piece) { return at < piece.begin; });
        if (after == pieces.begin()) return {};
        const dwarf::FunctionPiece& piece = *(after - 1);
        return pc < piece.end ? piece.function : dwarf::FunctionPlace{};
    }
    // False: it was read before.
    bool read(const dwarf::InfoUnit& unit) {
        bool& known = units[unit.start() + 1];
        if (known) return false;
        known = true;
        rt::Vector<dwarf::FunctionPiece> own, all;
        dwarf::list_functions(
            unit,
            [](const dwarf::FunctionPiece& piece, void* argument) {
                static_cast<rt::Vector<dwarf::FunctionPiece>*>(argument)->push_back(piece);
            },
            &own);
        // Of two with the same code, which the linker made one, the first is found.
        const auto is_before = [](const dwarf::FunctionPiece& a, const dwarf::FunctionPiece& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.function.entry > b.function.entry;
        };
        std::sort(own.begin(), own.end(), is_before);
        all.resize(pieces.size() + own.size());
        std::merge(pieces.begin(), pieces.end(), own.begin(), own.end(), all.begin(), is_before);
        pieces = static_cast<rt::Vector<dwarf::FunctionPiece>&&>(all);
        return true;
    }
};

rt::Global<rt::HashMap<FileFunctions*>> files;  // by module and size of .debug_info

}  // namespace

dwarf::FunctionPlace place_of_function(vg::ModuleId module, const dwarf::Sections& sections, u64 pc) {
    if (sections.info.size == 0) return {};
    FileFunctions*& file = (*files)[sections.info.size << 16 ^ static_cast<u32>(module)];
    if (file == nullptr) file = new (rt::allocate(sizeof(FileFunctions), "memspy.functions")) FileFunctions;
    dwarf::FunctionPlace found = file->find(pc);
    if (found.entry != 0) return found;
    dwarf::with_unit_of(sections, pc, [&](const dwarf::InfoUnit& unit) {
        if (file->read(unit)) found = file->find(pc);
        return true;
    });
    return found;
}

}  // namespace memspy::places
