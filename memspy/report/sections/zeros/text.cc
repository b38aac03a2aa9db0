// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/zeros/text.h"

#include <algorithm>
#include <map>
#include <optional>

#include "report/sections/zeros/records.h"
#include "report/text_part.h"

namespace memspy::report::zeros {
namespace {

// Adds the texts that are not in the list yet.
void add_texts(std::vector<std::string>& texts, const std::vector<Advice>& list) {
    for (const Advice& each : list)
        if (std::string text(each.text); std::find(texts.begin(), texts.end(), text) == texts.end())
            texts.push_back(std::move(text));
}

std::string joined(const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : "; ") + text;
    return all;
}

class ZeroTables : public TextPart {
public:
    explicit ZeroTables(const TextView& view) : view_(view) {}
    void record(const AnyRecord& record) override;
    void print(std::ostream& out) const override;

private:
    struct LoadSums {
        u64 loads = 0, elements = 0, bytes = 0, redundant = 0, zero = 0;
        u64 rows = 0;
        std::map<std::string, u64> advice;  // the number of rows that have it
    };
    void add(const Row& record);
    void add(const ObjectCounts& record);
    static std::string advice_of(const LoadSums& sums);
    void print_totals(std::ostream& out) const;
    void print_code(std::ostream& out) const;
    void print_objects(std::ostream& out) const;

    const TextView& view_;
    std::optional<Model> model_;
    std::optional<Total> total_;
    std::map<std::pair<CodeKey, std::string>, LoadSums> by_code_;  // and type
    std::vector<ObjectCounts> objects_;
};

void ZeroTables::record(const AnyRecord& record) {
    if (const auto* model = record.as<Model>()) model_ = *model;
    if (const auto* total = record.as<Total>()) total_ = *total;
    if (const auto* row = record.as<Row>()) add(*row);
    if (const auto* object = record.as<ObjectCounts>()) add(*object);
}

void ZeroTables::add(const Row& record) {
    if (!view_.wants(record.stack)) return;
    std::string type =
        (record.known ? "" : "unknown ") + std::string(record.type) + " of " + std::to_string(record.bytes);
    LoadSums& sums = by_code_[{view_.code_of(record.stack), std::move(type)}];
    sums.loads += record.loads;
    sums.elements += record.elements;
    sums.bytes += record.elements * record.redmap.cells.size();
    sums.redundant += record.redundant;
    sums.zero += record.zero;
    ++sums.rows;
    std::vector<std::string> texts;
    add_texts(texts, record.advice);
    for (std::string& text : texts) ++sums.advice[std::move(text)];
}

void ZeroTables::add(const ObjectCounts& record) {
    if (!view_.wants(record.object)) return;
    objects_.push_back(record);
    objects_.back().map = {};  // not shown
}

void ZeroTables::print(std::ostream& out) const {
    if (!model_) return;
    if (view_.plain()) print_totals(out);
    if (!by_code_.empty()) print_code(out);
    if (!objects_.empty()) print_objects(out);
}

void ZeroTables::print_totals(std::ostream& out) const {
    out << "\nRedundant zeros (--zeros=" << model_->mode << ")\n";
    if (!total_) return;
    auto say = [&](const char* what, const auto& counts) {
        if (counts.loads == 0) return;
        out << what << ": " << with_commas(counts.loads) << " loads, "
            << percent(counts.redundant, counts.cells) << " redundant, "
            << percent(counts.zero, counts.elements) << " zero\n";
    };
    say("integers", total_->integer);
    say("floats", total_->floating);
}

// What only some of the rows have is said with their number.
std::string ZeroTables::advice_of(const LoadSums& sums) {
    std::vector<std::string> texts;
    for (const auto& [text, rows] : sums.advice)
        texts.push_back(rows == sums.rows
                            ? text
                            : std::to_string(rows) + " of " + std::to_string(sums.rows) + " places: " + text);
    return joined(texts);
}

void ZeroTables::print_code(std::ostream& out) const {
    std::vector<const decltype(by_code_)::value_type*> rows;
    for (const auto& each : by_code_) rows.push_back(&each);
    std::stable_sort(rows.begin(), rows.end(),
                     [](auto* a, auto* b) { return a->second.redundant > b->second.redundant; });
    view_.cut(rows, "By code", out);
    Table table("zeros.by-code", {{"redundant"},
                                  {"of its cells", false, "redundant-percent"},
                                  {"zero", false, "zero-percent"},
                                  {"loads"},
                                  {"type", true},
                                  {"code", true},
                                  {"advice", true}});
    for (const auto* row : rows) {
        const LoadSums& sums = row->second;
        table.add({number(sums.redundant), share(sums.redundant, sums.bytes), share(sums.zero, sums.elements),
                   number(sums.loads), row->first.second, view_.code_label(row->first.first),
                   advice_of(sums)});
    }
    table.print(out, view_.options().format);
}

void ZeroTables::print_objects(std::ostream& out) const {
    std::vector<ObjectCounts> objects = objects_;
    std::stable_sort(objects.begin(), objects.end(),
                     [](const ObjectCounts& a, const ObjectCounts& b) { return a.redundant > b.redundant; });
    view_.cut(objects, "By object", out);
    Table table("zeros.by-object", {{"redundant"},
                                    {"of accessed", false, "redundant-percent"},
                                    {"accessed"},
                                    {"bytes"},
                                    {"object", true},
                                    {"advice", true}});
    for (const ObjectCounts& each : objects) {
        std::vector<std::string> texts;
        add_texts(texts, each.advice);
        table.add({number(each.redundant), share(each.redundant, each.accessed), number(each.accessed),
                   number(each.size), view_.label(each.object), joined(texts)});
    }
    table.print(out, view_.options().format);
}

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<ZeroTables>(view); }

}  // namespace memspy::report::zeros
