// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/text_report.h"

#include <algorithm>

#include "report/section.h"

namespace memspy::report {

TextReport::TextReport(const TextOptions& options, SourceNames* names) : TextView(options, names) {
    for (const Section* section : all_sections())
        sections_.push_back({*section, section->text == nullptr ? nullptr : section->text(*this)});
}

void TextReport::record(const AnyRecord& record) {
    const auto text = std::find_if(sections_.begin(), sections_.end(),
                                   [&](const SectionText& each) { return &each.section == &record.section; });
    text->measured = true;
    if (text->part != nullptr) text->part->record(record);
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
    if (!header_record().finished) out << "not of a whole run: counts are those up to then\n";
}

void TextReport::print(const std::string& file, std::ostream& out) const {
    if (plain()) print_head(file, out);
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
        out << "\nNothing was measured: no analysis that was on has figures of this run.\n";
}

}  // namespace memspy::report
