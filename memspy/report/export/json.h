// SPDX-License-Identifier: GPL-2.0-or-later
//
// The whole content of profile and error files as one JSON document; docs/report-json.md describes it. It is
// written while records are read, so that little more than stacks, objects and the present record is in
// memory.
#pragma once

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/catalog.h"
#include "report/input.h"
#include "report/model.h"
#include "report/section.h"
#include "report/source_names.h"

namespace memspy::report {

class JsonExport : public Catalog {
public:
    // `names` may be null.
    JsonExport(std::ostream& out, SourceNames* names);

    void header(const Header& record) override;
    void run(const Run& record) override;
    void module(const Module& record) override;
    void stack(const Stack& record) override;
    void object(const Object& record) override;
    void thread(const Thread& record) override;
    void record(const AnyRecord& record) override;

    // Closes parts that the profile left open; `problems` are the messages about damaged inputs.
    void finish(const std::vector<ErrorFile>& errors, const std::vector<std::string>& problems);

private:
    using Json = nlohmann::ordered_json;

    // A part of the document that is written at once: single members first, then lists in their order.
    struct DocumentPart {
        std::string_view name;  // empty: members of the profile itself
        std::vector<std::string_view> lists;
        std::size_t next = 0;  // lists before this one were begun; the one just before is open
        bool begun = false, empty = true;
        const ConclusionKind* conclusion = nullptr;  // its lists are the last ones
        std::unique_ptr<Conclusion> concluded;
    };

    void enter(std::size_t part);
    void say_missing(DocumentPart& part);
    void leave();
    void conclude(const DocumentPart& part);
    void member(std::size_t part, std::string_view name, const Json& value);
    void element(std::size_t part, std::string_view list, const Json& value);
    void begin_member(std::string_view name);
    void begin_list(DocumentPart& part);
    void put(const Json& value);
    void add_fields_of_bytes(Json& record);

    static constexpr std::size_t kNone = ~std::size_t{0};

    std::ostream& out_;
    SourceNames* names_;
    // Objects without their texts; kept only if there are source names.
    std::unordered_map<u32, Object> named_objects_;
    bool has_profile_ = false;
    std::vector<DocumentPart> parts_;  // the profile itself, then each section
    std::size_t open_ = kNone;
};

}  // namespace memspy::report
