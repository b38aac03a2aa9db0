// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which instructions access heap blocks, from all sections of profiles: any record that has an object, the
// stack of code and loads or stores. They are collected before the objects get their names, so a profile is
// read twice; blocks are known by where they were allocated, which stays the same when profiles are merged.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "report/model.h"
#include "report/names/names.h"

namespace memspy::report {

class BlockAccesses : public ProfileHandler {
public:
    // Before each profile: its ids are its own.
    void begin_file();

    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void record(const AnyRecord& record) override;

    // Of blocks that these calls allocated, those with most accesses first, at most `limit`.
    std::vector<names::BlockQuestion::BlockAccess> of(const std::vector<names::CodePlace>& allocation,
                                                      std::size_t limit) const;

    // Few calls lie between an allocation and the function that knows its purpose.
    static constexpr std::size_t kMostCalls = 8;

private:
    struct PlaceKey {
        u32 module;
        u64 offset;
        auto operator<=>(const PlaceKey&) const = default;
    };
    using AllocationCalls = std::vector<PlaceKey>;
    u32 number_of(const names::Module& module) const;

    std::vector<names::Module> modules_;
    std::map<AllocationCalls, std::map<PlaceKey, u64>> accesses_;
    // Of the present file.
    std::unordered_map<u32, u32> module_numbers_;
    std::unordered_map<u32, AllocationCalls> stacks_;  // their first functions that are not inlined
    std::unordered_map<u32, std::map<PlaceKey, u64>*> blocks_;
};

}  // namespace memspy::report
