// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the commands of this folder read of profiles.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/catalog.h"
#include "report/command_line.h"
#include "report/input.h"
#include "report/section.h"
#include "report/sections/locality/records.h"

namespace memspy::report::locality {

class LocalityReport : public Catalog {
public:
    void record(const AnyRecord& record) override {
        if (const auto* model = record.as<Model>()) model_ = *model;
        if (const auto* stream = record.as<Stream>()) streams_.push_back(*stream);
        if (const auto* zone = record.as<Zone>()) zones_.push_back(*zone);
        if (const auto* map = record.as<AccessMap>()) maps_.push_back(*map);
    }
    // False where a file is cut short. Throws UsageError where there is nothing of locality.
    bool read(Inputs& inputs, const std::vector<std::string>& files) {
        const bool whole = inputs.read_profiles(files, *this);
        if (!model_)
            throw UsageError(files[0] +
                             " has nothing of locality: run the program with --locality=yes or exact");
        return whole;
    }

    const Model& model() const { return *model_; }
    const std::vector<Stream>& streams() const { return streams_; }
    const std::vector<Zone>& zones() const { return zones_; }
    const std::vector<AccessMap>& maps() const { return maps_; }

private:
    std::optional<Model> model_;
    std::vector<Stream> streams_;
    std::vector<Zone> zones_;
    std::vector<AccessMap> maps_;
};

}  // namespace memspy::report::locality
