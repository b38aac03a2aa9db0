// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/zeros/text.h"

#include <algorithm>
#include <map>
#include <optional>

#include "advice/zeros.h"
#include "report/sections/zeros/records.h"
#include "report/text_part.h"

namespace memspy::report::zeros {
namespace {

// The advice on several places of one line, as one. All of them must fit the type that one of them needs.
class AdviceOfPlaces {
public:
    void add(const Row& row) {
        ++places_;
        for (const Advice& advice : row.advice) {
            if (advice.kind == "constant") {
                ++constant_.places;
                constant_.text = advice.text;
            } else if (advice.kind == "narrow") {
                ++narrow_.places;
                if (narrow_.text.empty() || is_wider(advice.type, narrow_type_)) {
                    narrow_.text = advice.text;
                    narrow_type_ = advice.type;
                }
            } else {
                ++skip_.places;
                zero_ += row.zero;
                elements_ += row.elements;
            }
        }
    }
    std::string text() const {
        std::string all;
        auto say = [&](u64 places, const std::string& text) {
            if (places == 0) return;
            all += all.empty() ? "" : "; ";
            if (places < places_)
                all += "at " + std::to_string(places) + " of " + std::to_string(places_) + " places ";
            all += text;
        };
        rt::Text skip;
        advice::add_sentence(skip, {.remedy = advice::ZeroRemedy::Skip, .zero = zero_, .all = elements_});
        say(skip_.places, skip.c_str());
        // Zero fits every integer's type. What is a float in some places only says nothing.
        if (narrow_.places > 0 && (narrow_type_ != "float" || narrow_.places == places_))
            say(narrow_.places + constant_.places, narrow_.text);
        else
            say(constant_.places, constant_.text);
        return all;
    }

private:
    struct OneRemedy {
        u64 places = 0;
        std::string text;
    };
    // Of C's unsigned types: uint8_t, uint16_t, and so on.
    static bool is_wider(std::string_view type, std::string_view other) {
        return type.size() != other.size() ? type.size() > other.size() : type > other;
    }
    u64 places_ = 0, zero_ = 0, elements_ = 0;
    OneRemedy constant_, narrow_, skip_;
    std::string narrow_type_;
};

// Adds the texts that are not in the list yet.
void add_texts(std::vector<std::string>& texts, const std::vector<Advice>& list) {
    for (const Advice& each : list)
        if (std::string text(each.text); std::find(texts.begin(), texts.end(), text) == texts.end())
            texts.push_back(std::move(text));
}

// Earlier profiles have no cells.
u64 cells(const ObjectCounts& counts) { return counts.cells == 0 ? counts.accessed : counts.cells; }

// Cells: those that are redundant at every load, or by the share of all loads if that is larger.
u64 weight(const ObjectCounts& counts) {
    const double share = counts.loaded == 0 ? 0
                                            : static_cast<double>(counts.loaded_redundant) /
                                                  static_cast<double>(counts.loaded);
    return std::max(counts.redundant, static_cast<u64>(share * static_cast<double>(cells(counts))));
}

// From when on much more of it is redundant.
std::string since(const ObjectCounts& counts) {
    const Change& change = counts.change;
    if (change.thousandths == 0) return {};
    constexpr u64 kWhole = 1000;
    return percent(change.thousandths, kWhole) + " of the run: " + percent(change.redundant, change.loaded) +
           " of loads, " + percent(change.redundant_before, change.loaded_before) + " before";
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
        AdviceOfPlaces advice;
    };
    void add(const Row& record);
    void add(const ObjectCounts& record);
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
    if (view_.may_change(record.stack)) sums.advice.add(record);
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

void ZeroTables::print_code(std::ostream& out) const {
    std::vector<const decltype(by_code_)::value_type*> rows;
    for (const auto& each : by_code_) rows.push_back(&each);
    std::stable_sort(rows.begin(), rows.end(),
                     [](auto* a, auto* b) { return a->second.redundant > b->second.redundant; });
    // People can only change their own code. Programs get all.
    const auto is_other = [&](auto* row) {
        return row->first.first == kNoCode || !view_.is_own(view_.frame(row->first.first));
    };
    const auto others = static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), is_other));
    const bool leaves_out = view_.plain() && others > 0 && others < rows.size();
    if (leaves_out) std::erase_if(rows, is_other);
    view_.cut(rows, leaves_out ? "By code of the program's own" : "By code", out);
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
                   sums.advice.text()});
    }
    table.print(out, view_.options().format);
    if (leaves_out) out << "and " << plural(others, "line") << " of libraries (all lines: --format=tsv)\n";
}

void ZeroTables::print_objects(std::ostream& out) const {
    std::vector<ObjectCounts> objects = objects_;
    std::stable_sort(objects.begin(), objects.end(),
                     [](const ObjectCounts& a, const ObjectCounts& b) { return weight(a) > weight(b); });
    // As with code: people see what is theirs.
    const auto is_library = [&](const ObjectCounts& counts) { return !view_.may_change(counts.object); };
    const auto libraries =
        static_cast<std::size_t>(std::count_if(objects.begin(), objects.end(), is_library));
    const bool leaves_out = view_.plain() && libraries > 0 && libraries < objects.size();
    if (leaves_out) std::erase_if(objects, is_library);
    view_.cut(objects, leaves_out ? "By object of the program's own" : "By object", out);
    Table table("zeros.by-object", {{"redundant"},
                                    {"of its cells", false, "redundant-percent"},
                                    {"accessed"},
                                    {"bytes"},
                                    {"object", true},
                                    {"advice", true},
                                    {"of loads", false, "loaded-redundant-percent"},
                                    {"since", true, "since"}});
    for (const ObjectCounts& each : objects) {
        std::vector<std::string> texts;
        if (!is_library(each)) add_texts(texts, each.advice);
        table.add({number(each.redundant), share(each.redundant, cells(each)), number(each.accessed),
                   number(each.size), view_.label(each.object), joined(texts),
                   share(each.loaded_redundant, each.loaded), since(each)});
    }
    table.print(out, view_.options().format);
    if (leaves_out)
        out << "and " << plural(libraries, "object")
            << " of libraries and of the linker (all: --format=tsv)\n";
}

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<ZeroTables>(view); }

}  // namespace memspy::report::zeros
