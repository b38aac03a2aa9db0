// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/ranks/text.h"

#include <algorithm>

#include "report/sections/ranks/spread.h"
#include "report/text_part.h"

namespace memspy::report::ranks {
namespace {

class RankTable : public TextPart {
public:
    explicit RankTable(const TextView& view) : view_(view) {}

    void record(const AnyRecord& record) override {
        const auto* const finding = record.as<Finding>();
        if (finding == nullptr) return;
        const auto& objects = finding->objects;
        const bool wanted = objects.empty() ||
                            std::any_of(objects.begin(), objects.end(),
                                        [&](const FindingObject& each) { return view_.wants(each.object); });
        if (wanted && (finding->stack == StackId{} || view_.wants(finding->stack))) rows_.push_back(*finding);
    }

    // By kind and unit, the greatest sum first: figures of different units are not compared.
    void print(std::ostream& out) const override {
        std::vector<Finding> rows = rows_;
        std::stable_sort(rows.begin(), rows.end(), [](const Finding& a, const Finding& b) {
            if (a.unit != b.unit) return a.unit < b.unit;
            return a.sum > b.sum;
        });
        view_.cut(rows, "Findings by rank", out);
        Table table("ranks.findings", {{"finding", true},
                                       {"where", true},
                                       {"unit", true},
                                       {"sum"},
                                       {"ranks"},
                                       {"least"},
                                       {"median"},
                                       {"most"},
                                       {"outliers", true},
                                       {"which ranks", true, "which-ranks"}});
        for (const Finding& row : rows) {
            const Spread spread = spread_of(row);
            table.add({row.kind, where(row), row.unit, number(row.sum), number(spread.ranks),
                       number(spread.least), number(spread.median), number(spread.most), outliers(spread),
                       text_of(row.ranks)});
        }
        table.print(out, view_.options().format);
    }

private:
    std::string where(const Finding& finding) const {
        std::string text;
        for (const FindingObject& each : finding.objects)
            text += (text.empty() ? "" : " and ") + view_.label(each.object);
        if (const Frame* const frame = view_.site(finding.stack); frame != nullptr)
            text += (text.empty() ? "" : " in ") + view_.label(*frame);
        return text;
    }

    static std::string outliers(const Spread& spread) {
        std::string text;
        for (const NumberPair& each : spread.outliers)
            text += (text.empty() ? "" : ", ") + std::to_string(each.first) + ": " + with_commas(each.second);
        return spread.more ? text + ", ..." : text;
    }

    const TextView& view_;
    std::vector<Finding> rows_;
};

}  // namespace

std::unique_ptr<TextPart> text_part(const TextView& view) { return std::make_unique<RankTable>(view); }

}  // namespace memspy::report::ranks
