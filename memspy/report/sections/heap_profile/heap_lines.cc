// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/heap_profile/heap_lines.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "report/source_names.h"

namespace memspy::report::heap_profile {
namespace {

void add(Context& sum, const Context& context) {
    constexpr u64 Context::*kSummed[] = {
        &Context::blocks,     &Context::bytes,      &Context::peak_blocks,   &Context::peak_bytes,
        &Context::end_blocks, &Context::end_bytes,  &Context::max_bytes,     &Context::temporary,
        &Context::lifetimes,  &Context::never_read, &Context::never_written, &Context::resized,
        &Context::copied,     &Context::used_once,  &Context::grown,         &Context::grown_bytes,
        &Context::loaded,     &Context::stored,     &Context::unused_end};
    for (const auto member : kSummed) sum.*member += context.*member;
    sum.least = sum.blocks == context.blocks ? context.least : std::min(sum.least, context.least);
    sum.most = std::max(sum.most, context.most);
}

HeapLine line_at(const Catalog& catalog, const Frame* at) {
    HeapLine place{.function = "(not known)", .line = {}, .sum = {}, .history = {}};
    if (at == nullptr) return place;
    if (std::string known = catalog.function_of(*at); !known.empty()) place.function = std::move(known);
    place.line = source_place(*at);
    place.may_change = !place.line.empty() && catalog.may_change(*at);
    return place;
}

HeapLine place_of(const Catalog& catalog, const Context& context) {
    HeapLine place = line_at(catalog, catalog.site(context.stack, Catalog::SiteOf::Allocation));
    if (context.custom) place.function += " (own allocator)";
    place.sum.stack = context.stack;
    return place;
}

}  // namespace

std::vector<HeapLine> heap_lines(const Catalog& catalog, const HeapRecords& records) {
    std::map<std::pair<std::string, std::string>, HeapLine> sums;
    for (const Context& context : records.contexts()) {
        HeapLine place = place_of(catalog, context);
        HeapLine& to = sums.try_emplace({place.function, place.line}, place).first->second;
        add(to.sum, context);
        const std::vector<u64>& history = context.history.bytes;
        to.history.resize(std::max(to.history.size(), history.size()));
        for (std::size_t i = 0; i < history.size(); ++i) to.history[i] += history[i];
    }
    std::vector<HeapLine> lines;
    for (auto& each : sums) lines.push_back(std::move(each.second));
    std::ranges::stable_sort(lines, [](const HeapLine& left, const HeapLine& right) {
        return left.sum.peak_bytes != right.sum.peak_bytes ? left.sum.peak_bytes > right.sum.peak_bytes
                                                           : left.sum.bytes > right.sum.bytes;
    });
    return lines;
}

std::vector<HeapLine> callers_of(const HeapLine& line, u64 (*figure)(const Context&), const Catalog& catalog,
                                 const HeapRecords& records) {
    struct Chain {
        const Context* context;
        std::vector<std::size_t> frames;  // of the program's own code, in the stack
    };
    std::vector<Chain> chains;
    std::size_t longest = 0;
    for (const Context& context : records.contexts()) {
        const HeapLine place = place_of(catalog, context);
        if (place.function != line.function || place.line != line.line) continue;
        chains.push_back({&context, catalog.program_frames(context.stack)});
        longest = std::max(longest, chains.back().frames.size());
    }
    std::vector<HeapLine> callers;
    for (std::size_t depth = 1; depth < longest; ++depth) {
        std::map<std::pair<std::string, std::string>, HeapLine> sums;
        for (const auto& [context, frames] : chains) {
            if (frames.empty()) continue;
            const FrameIndex at =
                catalog.frames_of(context->stack)[frames[std::min(depth, frames.size() - 1)]];
            HeapLine place = line_at(catalog, &catalog.frame(at));
            add(sums.try_emplace({place.function, place.line}, place).first->second.sum, *context);
        }
        if (sums.size() < 2) continue;
        std::vector<HeapLine> these;
        for (auto& each : sums) these.push_back(std::move(each.second));
        std::ranges::stable_sort(these, std::ranges::greater{},
                                 [&](const HeapLine& each) { return figure(each.sum); });
        if (callers.empty() || figure(these[0].sum) < figure(callers[0].sum)) callers = std::move(these);
        if (2 * figure(callers[0].sum) <= figure(line.sum)) break;
    }
    return callers;
}

namespace {

// "[3].name[12]" is "name[]".
std::string path_in_element(const names::MemberPath& member) {
    std::string all = member.path_of_all();
    for (const std::string_view element : {"[].", "[]"})
        if (all.starts_with(element)) return all.substr(element.size());
    return all;
}

// The members of a block's first element, those of all elements of an array in it as one, and whose each byte is.
std::vector<FieldUse> members(ObjectId object, const BlockName& block, SourceNames& names,
                              std::vector<std::size_t>& of_byte) {
    std::vector<FieldUse> fields;
    std::map<std::string, std::size_t> numbers;
    for (const names::MemberPath& member : names.fields(object, block.first, block.element_size)) {
        const u64 place = member.address - block.first;
        std::string path = path_in_element(member);
        const auto [at, is_new] = numbers.try_emplace(path, fields.size());
        if (is_new) fields.push_back({std::move(path), place});
        fields[at->second].size += member.size;
        for (u64 i = place; i < std::min<u64>(place + member.size, of_byte.size()); ++i)
            of_byte[i] = at->second;
    }
    return fields;
}

}  // namespace

std::vector<StructUse> struct_uses(const Catalog& catalog, const HeapRecords& records, SourceNames* names) {
    std::vector<StructUse> result;
    if (names == nullptr) return result;
    std::map<ObjectId, std::vector<const Use*>> uses;
    for (const Use& use : records.uses()) uses[use.object].push_back(&use);
    std::map<std::tuple<std::string, std::string, std::string>, StructUse> sums;
    for (const Context& context : records.contexts()) {
        const auto found = uses.find(context.object);
        const std::optional<BlockName> block = names->block_name(context.object);
        if (found == uses.end() || !block || block->element_size == 0) continue;
        // Places of larger blocks are those of several elements.
        if (context.most > records.model().period && records.model().period % block->element_size != 0)
            continue;
        constexpr auto kPadding = ~std::size_t{0};
        std::vector<std::size_t> of_byte(block->element_size, kPadding);
        std::vector<FieldUse> fields = members(context.object, *block, *names, of_byte);
        if (fields.size() < 2) continue;
        for (const Use* const use : found->second)
            for (u64 place = std::max(use->place, block->first); place < use->place + use->bytes; ++place) {
                const std::size_t field = of_byte[(place - block->first) % block->element_size];
                if (field == kPadding) continue;
                fields[field].loaded += use->loads;
                fields[field].stored += use->stores;
            }
        const HeapLine place = place_of(catalog, context);
        StructUse& to = sums[{place.function, place.line, std::string(block->element)}];
        if (to.fields.empty()) {
            to.function = place.function;
            to.line = place.line;
            to.type = block->element;
            to.stack = context.stack;
            to.may_change = place.may_change;
            to.size = block->element_size;
            to.fields = fields;
        } else {
            for (std::size_t i = 0; i < std::min(fields.size(), to.fields.size()); ++i) {
                to.fields[i].loaded += fields[i].loaded;
                to.fields[i].stored += fields[i].stored;
            }
        }
        to.max_bytes += context.max_bytes;
        for (const FieldUse& field : fields) to.loaded += field.loaded, to.stored += field.stored;
    }
    for (auto& each : sums) result.push_back(std::move(each.second));
    std::ranges::stable_sort(result, std::ranges::greater{},
                             [](const StructUse& each) { return each.loaded + each.stored; });
    return result;
}

}  // namespace memspy::report::heap_profile
