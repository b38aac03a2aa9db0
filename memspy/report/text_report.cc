// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_report.h"

#include <algorithm>

#include "report/section.h"
#include "report/sections/ranks/spread.h"

namespace memspy::report {

TextReport::TextReport(const TextOptions& options, SourceNames* names) : TextView(options, names) {
    for (const bool comes_first : {true, false}) {
        for (const Section* section : all_sections()) {
            if (section->comes_first != comes_first) continue;
            sections_.push_back({*section, section->text == nullptr ? nullptr : section->text(*this)});
        }
    }
}

void TextReport::record(const AnyRecord& record) {
    const auto text = std::find_if(sections_.begin(), sections_.end(),
                                   [&](const SectionText& each) { return &each.section == &record.section; });
    text->measured = true;
    if (text->part != nullptr) text->part->record(record);
}

// Which ranks of a parallel program there are, and which not.
void TextReport::print_ranks(std::ostream& out) const {
    ranks::RankSet present, missing;
    u64 size = 0;
    for (const Run& run : runs()) {
        if (run.rank == kNobody) continue;
        present.runs.push_back({run.rank, run.rank});
        size = std::max({size, run.ranks, run.rank + 1});
    }
    if (present.runs.empty()) return;
    fold(present, {});
    u64 next = 0;
    for (const NumberPair& run : present.runs) {
        if (next < run.first) missing.runs.push_back({next, run.first - 1});
        next = run.second + 1;
    }
    if (next < size) missing.runs.push_back({next, size - 1});
    out << "rank " << text_of(present) << " of " << size;
    if (!missing.runs.empty()) out << "; there is no profile of rank " << text_of(missing);
    out << '\n';
}

void TextReport::print_head(const std::string& file, std::ostream& out) const {
    out << file;
    if (!runs().empty()) {
        const Run& run = runs().front();
        out << ": " << run.command.exe;
        for (const Argument& each : run.command.arguments) out << " " << each.text;
        if (runs().size() > 1) {
            out << " and " << plural(runs().size() - 1, "process") << " more\n";
        } else {
            out << " (process " << run.pid << ", " << run.arch << ", " << run.start << ")\n";
        }
    } else {
        out << '\n';
    }
    print_ranks(out);
    if (!header_record().finished) out << "not of a whole run: counts are those up to then\n";
}

void TextReport::print(const std::string& file, bool whole, std::ostream& out) const {
    if (plain()) print_head(file, out);
    if (plain() && !whole) out << "the file is cut off or broken: figures may be missing\n";
    bool measured = false;
    for (const SectionText& text : sections_) {
        if (!text.measured) continue;
        measured = true;
        if (text.part != nullptr) text.part->print(out);
        if (text.part == nullptr && plain())
            out << "\nThe tables of " << text.section.name << ": memspy-report "
                << text.section.commands.front()->name << " " << file << '\n';
    }
    if (!measured && plain())
        out << (whole ? "\nNothing was measured: no analysis that was on has figures of this run.\n"
                      : "\nThere are no figures in the part that could be read.\n");
}

}  // namespace memspy::report
