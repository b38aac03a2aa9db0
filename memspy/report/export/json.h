// SPDX-License-Identifier: GPL-2.0-or-later
//
// All that profile and error files say, as one JSON document; docs/report-json.md describes it. It is written
// as records come in, so little but the record at hand is in memory.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/input.h"
#include "report/model.h"
#include "report/source_names.h"

namespace memspy::report {

class JsonExport : public ProfileHandler {
public:
    // `names` may be null.
    JsonExport(std::ostream& out, SourceNames* names);

    void header(const Header& record) override;
    void run(const Run& record) override;
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread& record) override;
    void contention_model(const ContentionModel& record) override;
    void quality(const Quality& record) override;
    void total(const Total& record) override;
    void thread_counts(const ThreadCounts& record) override;
    void row(const Row& record) override;
    void pair(const Pair& record) override;
    void line(const Line& record) override;
    void group(const Group& record) override;
    void zeros_model(const ZerosModel& record) override;
    void zero_total(const ZeroTotal& record) override;
    void zero_row(const ZeroRow& record) override;
    void zero_object(const ZeroObject& record) override;

    // Closes what the profile left open; `problems` are the messages about broken inputs.
    void finish(const std::vector<ErrorFile>& errors, const std::vector<std::string>& problems);

private:
    using Json = nlohmann::ordered_json;

    // A part of the document that is written in one go: single members first, then lists in their order.
    struct Section {
        std::string_view name;  // empty: members of the profile itself
        std::vector<std::string_view> lists;
        std::size_t next = 0;  // lists before were begun; the one just before is open
        bool begun = false, ended = false, empty = true;
    };

    void enter(Section& section);
    void say_missing(Section& section);
    void leave();
    void member(Section& section, std::string_view name, const Json& value);
    void element(Section& section, std::string_view list, const Json& value);
    void begin_member(std::string_view name);
    void begin_list(Section& section);
    void put(const Json& value);
    Json fields_of(const Extent& extent);

    std::ostream& out_;
    SourceNames* names_;
    // Only their places, and kept only where there are names for them.
    std::unordered_map<u32, Object> static_objects_;
    bool has_profile_ = false;
    Section profile_, contention_, zeros_;
    Section* open_ = nullptr;
};

}  // namespace memspy::report
