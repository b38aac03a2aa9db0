// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap profile of one or more profile files, with its stacks, for commands and exports.
#pragma once

#include <vector>

#include "report/catalog.h"
#include "report/sections/heap_profile/records.h"

namespace memspy::report::heap_profile {

// The section's records as they are in the profile.
class HeapRecords {
public:
    void take(const AnyRecord& record) {
        if (const auto* model = record.as<Model>()) model_ = *model;
        if (const auto* total = record.as<Total>()) total_ = *total;
        if (const auto* context = record.as<Context>()) contexts_.push_back(*context);
        if (const auto* use = record.as<Use>()) uses_.push_back(*use);
        if (const auto* moment = record.as<Moment>()) moments_.push_back(*moment);
    }
    bool empty() const { return model_.mode.empty(); }
    bool has_accesses() const { return model_.mode == "accesses"; }
    const Model& model() const { return model_; }
    const Total& total() const { return total_; }
    const std::vector<Context>& contexts() const { return contexts_; }
    const std::vector<Use>& uses() const { return uses_; }
    const std::vector<Moment>& moments() const { return moments_; }

private:
    Model model_;
    Total total_;
    std::vector<Context> contexts_;
    std::vector<Use> uses_;
    std::vector<Moment> moments_;
};

class HeapReader : public Catalog, public HeapRecords {
public:
    void record(const AnyRecord& record) override { take(record); }
};

}  // namespace memspy::report::heap_profile
