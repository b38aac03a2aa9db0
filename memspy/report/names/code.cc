// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/code.h"

#include <dwarf.h>

#include <algorithm>

namespace memspy::report::names {
namespace {

constexpr int kDeepest = 256;

std::string_view file_of(Dwarf_Line* line) {
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    return file == nullptr ? "" : file;
}

// Code that belongs to no line has the one of the code before it, as in the tool (vg/code_lines.cc).
int number_of_line(Unit& unit, Dwarf_Line* line) {
    int number = 0;
    dwarf_lineno(line, &number);
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    Dwarf_Addr address = 0;
    if (number != 0 || dwarf_getsrclines(&unit.skeleton, &lines, &count) != 0 ||
        dwarf_lineaddr(line, &address) != 0)
        return number;
    for (std::size_t i = 0; i < count; ++i) {
        Dwarf_Line* const before = dwarf_onesrcline(lines, i);
        bool ends = false;
        Dwarf_Addr at = 0;
        if (dwarf_lineaddr(before, &at) != 0 || at > address || before == line) break;
        int known = 0;
        dwarf_lineno(before, &known);
        dwarf_lineendsequence(before, &ends);
        if (known == 0 && !ends && file_of(before) == file_of(line)) continue;
        number = ends || file_of(before) != file_of(line) ? 0 : known;
    }
    return number;
}

SourceLine line_at(Unit& unit, u64 address, unsigned* column) {
    Dwarf_Line* line = dwarf_getsrc_die(&unit.skeleton, address);
    if (line == nullptr) return {};
    int at = 0;
    if (dwarf_linecol(line, &at) == 0 && at > 0) *column = static_cast<unsigned>(at);
    const int number = number_of_line(unit, line);
    const std::string folder = text_of(unit.skeleton, DW_AT_comp_dir);
    return number > 0 ? make_source(dwarf_linesrc(line, nullptr, nullptr), folder.c_str(),
                                    static_cast<unsigned>(number))
                      : SourceLine{};
}

bool covers(const std::vector<CodeExtent>& ranges, u64 address) {
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const CodeExtent& range) { return range.contains(address); });
}

}  // namespace

const std::vector<Code::FunctionRange>& Code::functions(Unit& unit) {
    auto [place, is_new] = functions_.try_emplace(&unit);
    if (is_new) {
        if (const Dwarf_Die* die = units_.die(unit)) add_functions(unit, *die, place->second, 0);
        std::sort(
            place->second.begin(), place->second.end(),
            [](const FunctionRange& a, const FunctionRange& b) { return a.range.begin < b.range.begin; });
    }
    return place->second;
}

void Code::add_functions(Unit& unit, Dwarf_Die die, std::vector<FunctionRange>& functions, int depth) {
    if (depth > kDeepest) return;
    for_each_child(die, [&](Dwarf_Die child) {
        switch (dwarf_tag(&child)) {
            case DW_TAG_subprogram:
                for (const CodeExtent& range : units_.ranges(unit, child))
                    functions.push_back({range, child});
                // With some compilers functions contain functions: lambdas and methods of local classes.
                add_functions(unit, child, functions, depth + 1);
                break;
            case DW_TAG_namespace:
            case DW_TAG_module:
            case DW_TAG_lexical_block:
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type: add_functions(unit, child, functions, depth + 1); break;
            default: break;
        }
        return true;
    });
}

void Code::add_inlined(Unit& unit, Dwarf_Die scope, u64 address, std::vector<Dwarf_Die>& chain) const {
    if (chain.size() > kDeepest) return;
    for_each_child(scope, [&](Dwarf_Die child) {
        const int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine) {
            if (!covers(units_.ranges(unit, child), address)) return true;
            chain.push_back(child);
            add_inlined(unit, child, address, chain);
            return false;
        }
        if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block) {
            const std::size_t before = chain.size();
            // A block may have no addresses of its own.
            const std::vector<CodeExtent> ranges = units_.ranges(unit, child);
            if (ranges.empty() || covers(ranges, address)) add_inlined(unit, child, address, chain);
            return chain.size() == before;
        }
        return true;
    });
}

std::optional<Code::Placed> Code::function_around(u64 address) {
    Unit* unit = units_.with_code(address);
    if (unit == nullptr) return std::nullopt;
    std::optional<Placed> found;
    for (const FunctionRange& function : functions(*unit)) {
        if (function.range.begin > address) break;
        // The last match is the innermost function.
        if (function.range.contains(address)) found = Placed{unit, function.die, function.range};
    }
    return found;
}

std::vector<Dwarf_Die> Code::scopes(const Placed& function, u64 address) const {
    std::vector<Dwarf_Die> chain{function.die};
    add_inlined(*function.unit, function.die, address, chain);
    return chain;
}

std::vector<SourceFrame> Code::frames(u64 address) {
    Unit* unit = units_.with_code(address);
    if (unit == nullptr) return {};
    std::vector<Dwarf_Die> chain;
    if (const auto function = function_around(address)) chain = scopes(*function, address);

    unsigned column = 0;
    SourceLine source = line_at(*unit, address, &column);
    std::vector<SourceFrame> frames;
    for (std::size_t i = chain.size(); i-- > 0;) {
        frames.push_back({types_.function_name(chain[i]), source, i != 0, column});
        if (i == 0) break;
        source = units_.source(*unit, chain[i], DW_AT_call_file, DW_AT_call_line);
        column = static_cast<unsigned>(number_of(chain[i], DW_AT_call_column).value_or(0));
    }
    if (frames.empty() && !source.file.empty()) frames.push_back({"", source, false, column});
    return frames;
}

}  // namespace memspy::report::names
