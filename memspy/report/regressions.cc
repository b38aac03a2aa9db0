// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/regressions.h"

#include <deque>
#include <set>
#include <tuple>

#include "report/error_writer.h"
#include "report/table.h"

namespace memspy::report {

void write_regressions(const std::vector<Regression>& regressions, const ErrorRun& run, std::ostream& out) {
    std::deque<std::string> texts;
    const auto keep = [&](std::string text) -> Text { return texts.emplace_back(std::move(text)); };
    ErrorFile file;
    file.run = run;
    file.finished = true;
    // An object is in a table of objects, and in one of objects and code.
    std::set<std::tuple<std::string, std::string, u64>> places;
    for (const Regression& each : regressions) {
        const FigurePlace& place = each.place;
        if (!place.file.empty() && !places.emplace(place.dir, place.file, place.line).second) continue;
        Error error;
        error.unique = keep("0x" + std::to_string(file.errors.size()));
        error.kind = "Regression";
        error.thread = 1;
        error.what =
            keep(each.what + (each.before == 0 ? ": new, " : ": " + with_commas(each.before) + " before, ") +
                 with_commas(each.after) + " now (" + each.of + ")");
        error.parts.emplace_back();
        if (!place.object.empty() || !place.function.empty())
            error.parts.front().stack.push_back(
                {"0x0", place.object, place.function, place.dir, place.file, place.line});
        file.errors.push_back(std::move(error));
        file.counts.push_back(1);
    }
    write_error_file(out, file, "memspy", "4");
}

}  // namespace memspy::report
