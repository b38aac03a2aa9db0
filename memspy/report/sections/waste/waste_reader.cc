// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/waste/waste_reader.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/source_names.h"

namespace memspy::report::waste {

std::string field_of(ObjectId object, u64 offset, u64 width, SourceNames* names) {
    if (names == nullptr || object == ObjectId{} || offset == kNoOffset || width == 0) return {};
    const std::vector<names::MemberPath> found = names->fields(object, offset, width);
    if (found.size() != 1) return {};
    std::string path = found[0].path_of_all();
    return path.find('.') == path.npos && path.find("->") == path.npos ? std::string() : path;
}

void WasteRecords::take(const AnyRecord& record) {
    if (const auto* model = record.as<Model>()) model_ = *model;
    if (const auto* total = record.as<Total>()) total_ = *total;
    if (const auto* dead = record.as<Dead>()) dead_.push_back(*dead);
    if (const auto* silent = record.as<Silent>()) silent_.push_back(*silent);
    if (const auto* again = record.as<Again>()) again_.push_back(*again);
    if (const auto* thread = record.as<ThreadWaste>()) threads_.push_back(*thread);
}

u64 WasteRecords::wasted(u32 kind) const {
    const u64 by_kind[kKinds] = {total_.dead, total_.silent, total_.again};
    return by_kind[kind];
}
u64 WasteRecords::direct(u32 kind) const {
    const u64 by_kind[kKinds] = {total_.dead_direct, total_.silent_direct, total_.again_direct};
    return by_kind[kind];
}

u64 WasteRecords::open(u32 kind) const {
    const u64 by_kind[kKinds] = {total_.dead_open, 0, total_.again_open};
    return by_kind[kind];
}

void set_place(const Catalog& catalog, StackId stack, std::string& function, std::string& line) {
    const Frame* const at = catalog.site(stack);
    if (at == nullptr) return;
    if (std::string known = catalog.function_of(*at); !known.empty()) function = std::move(known);
    line = source_place(*at);
}

template <typename T>
WasteLine WasteReader::line_of(const T& record, u32 kind, SourceNames* names) const {
    WasteLine line;
    line.kind = kind;
    line.direct = record.direct;
    line.bytes = record.bytes;
    if (record.object != ObjectId{}) line.object = label(record.object);
    line.field = field_of(record, names);
    set_place(*this, record.stack, line.function, line.line);
    return line;
}

void WasteReader::make_lines(SourceNames* names) {
    std::map<
        std::tuple<u32, bool, std::string, std::string, std::string, std::string, std::string, std::string>,
        u64>
        sums;
    const auto add = [&](const WasteLine& line) {
        sums[{line.kind, line.direct, line.object, line.field, line.function, line.line, line.killer,
              line.killer_line}] += line.bytes;
    };
    for (const Dead& record : dead()) {
        WasteLine line = line_of(record, kDead, names);
        set_place(*this, record.killer, line.killer, line.killer_line);
        add(line);
    }
    for (const Silent& record : silent()) add(line_of(record, kSilent, names));
    for (const Again& record : again()) add(line_of(record, kLoad, names));
    for (const auto& [key, bytes] : sums) {
        const auto& [kind, direct, object, field, function, line, killer, killer_line] = key;
        lines_.push_back({kind, direct, object, field, function, line, killer, killer_line, bytes});
    }
    std::ranges::stable_sort(lines_, std::ranges::greater{}, &WasteLine::bytes);
}

}  // namespace memspy::report::waste
