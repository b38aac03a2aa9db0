// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary of wasted work at the end of a run.
#include "analyses/waste/waste.h"
#include "options.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::waste {
namespace {

constexpr usize kBytes = 17, kShare = 25, kName = 28;

void end(rt::Text& line) {
    VG_(umsg)("%s\n", line.c_str());
    line.reset();
}

void add_sample(rt::Text& line, const WasteSample& sample) {
    constexpr u64 kMillion = 1'000'000;
    const auto add_part = [&](double part) { line.add_percent(static_cast<u64>(part * 1e6), kMillion); };
    line.add("  a sample of ").add_number(sample.bursts).add(" bursts, ");
    add_part(sample.rate);
    line.add(" of the run; standard errors of the shares: ");
    for (u32 i = 0; i < kWasteRowKinds; ++i) {
        if (i != 0) line.add(", ");
        add_part(sample.errors[i]);
    }
    end(line);
}

void add_total(rt::Text& line, const WasteReport& report, WasteRowKind kind, const char* what, u64 all) {
    const u32 i = static_cast<u32>(kind);
    const u64 wasted = report.totals.wasted[i];
    line.add("  ").add(what).add_number(wasted).add(" (").add_percent(wasted, all);
    line.add(")");
    if (report.sample.bursts != 0 && report.totals.open(kind) != 0)
        line.add(", at most ").add_percent(wasted + report.totals.open(kind), all);
    if (report.direct[i] != 0)
        line.add(", ").add_percent(report.direct[i], wasted).add(" of them fixed places of the own frame");
    end(line);
}

// Only what the program's own code does.
bool is_shown(const WasteRow& row) {
    return !row.direct && !places::is_library_source(places::own_place(row.place).instruction);
}

void print_rows(const WasteReport& report, WasteRowKind kind, const char* head, u64 all, u32 top) {
    rt::Text line;
    u32 shown = 0;
    for (const WasteRow& row : report.rows) {
        if (row.kind != kind || !is_shown(row)) continue;
        if (shown++ == top) break;
        if (shown == 1) VG_(umsg)("%s\n", head);
        const usize start = line.size();
        line.add_number(row.bytes).align_right(start, kBytes);
        const usize share = line.size();
        line.add_percent(row.bytes, all).align_right(share, kShare);
        line.pad_to(kName);
        places::describe_place(line, row.place);
        line.add(": ");
        places::describe_object(line, places::object(row.object));
        if (kind == WasteRowKind::Dead) {
            line.add(row.end == WasteRow::WasteEnd::Stored  ? ", stored again by "
                     : row.end == WasteRow::WasteEnd::Freed ? ", freed by "
                                                            : ", left by ");
            places::describe_place(line, row.killer);
        }
        end(line);
    }
}

}  // namespace

void print_summary(const WasteReport& report, u32 top) {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    const WasteTotals& totals = report.totals;
    rt::Text line;
    end(line);
    line.add("Waste: ").add_number(totals.stored).add(" bytes stored, ").add_number(totals.loaded);
    end(line.add(" bytes loaded"));
    if (report.sample.bursts != 0) add_sample(line, report.sample);
    if (options().waste == WasteMode::Sampled && report.sample.bursts == 0)
        VG_(umsg)("  the run was too short for a sample; --waste=yes counts all\n");
    add_total(line, report, WasteRowKind::Dead, "stored and never loaded: ", totals.stored);
    add_total(line, report, WasteRowKind::Silent, "stored though it was there: ", totals.stored);
    add_total(line, report, WasteRowKind::Load, "loaded again: ", totals.loaded);
    print_rows(report, WasteRowKind::Dead, "      bytes dead   share   stored by", totals.stored, top);
    print_rows(report, WasteRowKind::Silent, "    bytes silent   share   stored by", totals.stored, top);
    print_rows(report, WasteRowKind::Load, "     bytes again   share   loaded by", totals.loaded, top);
    end(line);
}

}  // namespace memspy::waste
