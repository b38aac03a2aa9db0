// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/block_accesses.h"

#include <algorithm>

#include "report/flat_record.h"

namespace memspy::report {
namespace {

struct AccessFields : Flatten {
    explicit AccessFields(const AnyRecord& record) {
        record.visit(*this);
        for (const FlatValue& each : values) {
            if (each.name == "object") object = static_cast<u32>(each.value.number);
            if (each.name == "stack") stack = static_cast<u32>(each.value.number);
            if (each.name == "loads" || each.name == "stores") times += each.value.number;
        }
    }
    u32 object = 0, stack = 0;
    u64 times = 0;
};

}  // namespace

void BlockAccesses::begin_file() {
    module_numbers_.clear();
    stacks_.clear();
    blocks_.clear();
}

u32 BlockAccesses::number_of(const names::Module& module) const {
    return static_cast<u32>(std::find(modules_.begin(), modules_.end(), module) - modules_.begin());
}

void BlockAccesses::module(const Module& record) {
    const names::Module named{std::string(record.path), std::string(record.build_id)};
    const u32 number = number_of(named);
    if (number == modules_.size()) modules_.push_back(named);
    module_numbers_[static_cast<u32>(record.id)] = number;
}

void BlockAccesses::stack(const Stack& record) {
    AllocationCalls& calls = stacks_[static_cast<u32>(record.id)];
    for (const Frame& frame : record.frames) {
        if (frame.inlined || calls.size() == kMostCalls) continue;
        const auto module = module_numbers_.find(static_cast<u32>(frame.module));
        if (module == module_numbers_.end()) return;
        calls.push_back({module->second, frame.offset.value});
    }
}

void BlockAccesses::object(const Object& record) {
    if (record.kind != ObjectKind::Heap) return;
    if (const auto stack = stacks_.find(static_cast<u32>(record.stack)); stack != stacks_.end())
        blocks_[static_cast<u32>(record.id)] = &accesses_[stack->second];
}

void BlockAccesses::record(const AnyRecord& record) {
    const AccessFields fields(record);
    if (fields.times == 0 || fields.stack == 0) return;
    const auto block = blocks_.find(fields.object);
    const auto stack = stacks_.find(fields.stack);
    if (block == blocks_.end() || stack == stacks_.end() || stack->second.empty()) return;
    (*block->second)[stack->second.front()] += fields.times;
}

std::vector<names::BlockQuestion::BlockAccess> BlockAccesses::of(
    const std::vector<names::CodePlace>& allocation, std::size_t limit) const {
    AllocationCalls calls;
    for (const names::CodePlace& place : allocation) {
        const u32 module = number_of(place.module);
        if (module == modules_.size()) return {};
        calls.push_back({module, place.address});
    }
    std::vector<names::BlockQuestion::BlockAccess> found;
    const auto known = accesses_.find(calls);
    if (known == accesses_.end()) return found;
    for (const auto& [place, times] : known->second)
        found.push_back({{modules_[place.module], place.offset}, times});
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.times > b.times; });
    found.resize(std::min(found.size(), limit));
    return found;
}

}  // namespace memspy::report
