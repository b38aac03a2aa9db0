// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/defects/text.h"

#include "report/text_part.h"

namespace memspy::report::defects {

std::string what_of(const Defect& defect) {
    if (defect.leaked_blocks == 0) return std::string(defect.what);
    return with_commas(defect.leaked_bytes) + (defect.leaked_bytes == 1 ? " byte" : " bytes") + " in " +
           plural(defect.leaked_blocks, "block") + (defect.leaked_bytes == 1 ? " is " : " are ") +
           std::string(defect.what);
}

namespace {

class DefectTable : public TextPart {
public:
    explicit DefectTable(const TextView& view) : view_(view) {}

    void record(const AnyRecord& record) override {
        if (const auto* search = record.as<Search>()) searched_ = search->leaks;
        if (const auto* defect = record.as<Defect>(); defect != nullptr && wanted(*defect))
            rows_.push_back(*defect);
    }

    void print(std::ostream& out) const override {
        if (rows_.empty()) {
            if (!view_.plain()) return;
            out << (searched_ ? "\nNo defects and no leaks were found.\n" : "\nNo defects were found.\n");
            return;
        }
        std::vector<Defect> rows = rows_;
        view_.cut(rows, "Defects and leaks", out);
        Table table("defects", {{"times"}, {"kind", true}, {"what", true}, {"where", true}});
        for (const Defect& row : rows) {
            const Frame* const at = view_.site(row.stack);
            table.add({number(row.times), std::string(row.kind), what_of(row),
                       at == nullptr ? std::string() : view_.label(*at)});
        }
        table.print(out, view_.options().format);
    }

private:
    bool wanted(const Defect& defect) const {
        return view_.wants(defect.thread) && (defect.stack == StackId{} || view_.wants(defect.stack));
    }

    const TextView& view_;
    std::vector<Defect> rows_;
    bool searched_ = false;
};

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<DefectTable>(view); }

}  // namespace memspy::report::defects
