// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/differences.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/table.h"

namespace memspy::report {
namespace {

struct Difference {
    u64 before, after;
    std::string shown;
    double error_before = 0, error_after = 0;
    u64 size() const { return after > before ? after - before : before - after; }
    // Without overflow, and without a division that would round.
    bool grew_by_more_than(u64 percent) const {
        return after > before && static_cast<unsigned __int128>(after - before) * 100 >
                                     static_cast<unsigned __int128>(before) * percent;
    }
};

std::string score_of(u64 value, double error, int digits) {
    return with_error(static_cast<double>(value) / kScore, error / kScore, digits);
}

// Of two scores: differs by more than two standard errors of the difference, and by a hundredth.
bool is_sure(const Difference& difference) {
    const double error = std::hypot(difference.error_before, difference.error_after);
    return static_cast<double>(difference.size()) > std::max(2 * error, kScore / 100.0);
}

void print(const char* title, std::vector<Difference>& rows, bool are_scores, std::ostream& out) {
    if (rows.empty()) return;
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Difference& a, const Difference& b) { return a.size() > b.size(); });
    out << title << ": " << rows.size() << '\n';
    Table table(title, {{"before"}, {"after"}, {"change"}, {"", true, "what"}});
    for (const Difference& row : rows) {
        const std::string sign = row.after >= row.before ? "+" : "-";
        if (are_scores) {
            table.add({score_of(row.before, row.error_before, 3), score_of(row.after, row.error_after, 3),
                       sign + score_of(row.size(), 0, 3), row.shown});
            continue;
        }
        std::string change = sign + with_commas(row.size());
        if (row.before != 0 && row.after != 0) change = sign + percent(row.size(), row.before);
        table.add({number(row.before), number(row.after), change, row.shown});
    }
    table.print(out);
}

}  // namespace

std::string FigureValue::shown() const {
    if (labels.empty()) return {};
    const auto most = std::max_element(labels.begin(), labels.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return most->first + (labels.size() > 1 ? " and " + std::to_string(labels.size() - 1) + " more" : "");
}

Figures interval_of(const std::vector<Figures>& runs) {
    Figures all = runs.front();
    for (auto& [name, figure] : all.by_name) figure.least = figure.value;
    for (std::size_t i = 1; i < runs.size(); ++i) {
        for (const auto& [name, figure] : runs[i].by_name) {
            // What is not in each run: from 0 on.
            const auto [at, is_new] = all.by_name.try_emplace(name, figure);
            FigureValue& interval = at->second;
            interval.least = is_new ? 0 : std::min(interval.least, figure.value);
            interval.value = std::max(interval.value, figure.value);
            interval.error = std::max(interval.error, figure.error);
        }
        for (auto& [name, figure] : all.by_name)
            if (!all.are_scores && !runs[i].by_name.contains(name)) figure.least = 0;
    }
    return all;
}

std::vector<Regression> print_differences(const Figures& before, const Figures& after,
                                          const DiffOptions& options, std::ostream& out) {
    std::vector<Difference> added, gone, changed;
    std::vector<Regression> regressions;
    const auto fail = [&](const FigureValue& figure, u64 was) {
        if (figure.own) regressions.push_back({after.of, figure.shown(), was, figure.value, figure.place});
    };
    for (const auto& [name, figure] : after.by_name) {
        const auto old = before.by_name.find(name);
        if (old == before.by_name.end()) {
            if (after.are_scores || figure.value < options.floor) continue;
            added.push_back({0, figure.value, figure.shown()});
            if (options.fail_on_new) fail(figure, 0);
            continue;
        }
        const u64 nearest = std::clamp(figure.value, old->second.least, old->second.value);
        const Difference difference{nearest, figure.value, figure.shown(), old->second.error, figure.error};
        const Difference reversed{difference.after, difference.before, difference.shown};
        const Difference& worse = after.are_scores ? reversed : difference;
        if (after.are_scores ? !is_sure(difference)
                             : std::max(difference.before, difference.after) < options.floor)
            continue;
        if (options.fail_on_regress && worse.grew_by_more_than(options.regress_percent))
            fail(figure, difference.before);
        if (after.are_scores || difference.grew_by_more_than(options.percent) ||
            reversed.grew_by_more_than(options.percent))
            changed.push_back(difference);
    }
    for (const auto& [name, figure] : before.by_name) {
        if (!after.are_scores && !after.by_name.contains(name) && figure.least > 0 &&
            figure.value >= options.floor)
            gone.push_back({figure.value, 0, figure.shown()});
    }
    if (options.format == TableFormat::Tsv) {
        Table table("diff." + after.table,
                    {{"state", true}, {"before"}, {"after"}, {"what", true}, {"table", true}});
        auto add = [&](const char* state, const std::vector<Difference>& rows) {
            for (const Difference& row : rows)
                if (after.are_scores)
                    table.add({state, score_of(row.before, 0, 5), score_of(row.after, 0, 5), row.shown,
                               after.table});
                else
                    table.add({state, number(row.before), number(row.after), row.shown, after.table});
        };
        add("new", added);
        add("gone", gone);
        add("changed", changed);
        table.print(out, options.format);
        return regressions;
    }
    out << after.of << '\n';
    print("new", added, after.are_scores, out);
    print("gone", gone, after.are_scores, out);
    print("changed", changed, after.are_scores, out);
    if (added.empty() && gone.empty() && changed.empty()) out << "no difference\n";
    return regressions;
}

}  // namespace memspy::report
