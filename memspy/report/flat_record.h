// SPDX-License-Identifier: GPL-2.0-or-later
//
// A record as a row of a table.
#pragma once

#include <string>
#include <vector>

#include "report/record_type.h"

namespace memspy::report {

struct FlatValue {
    std::string name;
    Role role = Role::Key;
    Value value;
};
// Values of a record and of its parts, which are named `part.name`. Lists are left out.
class Flatten : public RecordVisitor {
public:
    std::vector<FlatValue> values;

    void value(std::string_view name, Role role, const Value& value, bool) override {
        if (in_record()) values.push_back({path(name), role, value});
    }
    void begin_part(std::string_view element, JsonForm, bool) override {
        lengths_.push_back(prefix_.size());
        prefix_ += std::string(element) + ".";
    }
    void end_part() override {
        prefix_.resize(lengths_.back());
        lengths_.pop_back();
    }
    void begin_list(std::string_view) override { ++lists_; }
    void begin_item(std::string_view, JsonForm) override {}
    void end_item() override {}
    void end_list() override { --lists_; }
    void words(std::string_view element, Text text) override { say(element, text); }
    void text(std::string_view json, Text text) override { say(json, text); }
    void numbers(std::string_view, std::span<const u64>) override {}
    void pairs(std::string_view, char, std::span<const NumberPair>) override {}

protected:
    bool in_record() const { return lists_ == 0; }
    std::string path(std::string_view name) const { return prefix_ + std::string(name); }

private:
    void say(std::string_view name, Text text) {
        if (in_record()) values.push_back({path(name), Role::Least, {Value::Kind::String, 0, 0, text}});
    }

    std::string prefix_;
    std::vector<std::size_t> lengths_;
    int lists_ = 0;
};

}  // namespace memspy::report
