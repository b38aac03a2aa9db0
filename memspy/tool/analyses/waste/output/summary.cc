// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary of wasted work at the end of a run.
#include <algorithm>
#include <tuple>

#include "analyses/waste/waste.h"
#include "options.h"
#include "places/frames.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/prefix.h"
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

// What a user can change: not variables of the system's libraries, nor the linker's tables of addresses.
bool is_users(const places::Object& object) {
    return !places::is_library_data(object) &&
           !(places::is_section(object) && object.name != nullptr && rt::starts_with(object.name, ".got"));
}

// What a line of the program's own does to an object, in its own code and in the libraries that it calls.
struct LineWaste {
    places::Place place, killer;  // own
    WasteRow::WasteEnd end{};
    places::ObjectId object{};
    u64 bytes = 0;

    auto key() const {
        return std::tuple(place.instruction, static_cast<u64>(object), killer.instruction, end);
    }
};
bool more_bytes(const LineWaste& a, const LineWaste& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.key() < b.key();
}

// Most bytes first. Of code that has no caller of the program's own (the loader's) nothing.
rt::Vector<LineWaste> lines_of(const WasteReport& report, WasteRowKind kind) {
    rt::Vector<LineWaste> parts, sums;
    for (const WasteRow& row : report.rows) {
        if (row.kind != kind || row.direct || !is_users(places::object(row.object))) continue;
        LineWaste part{places::own_place(row.place), {}, row.end, row.object, row.bytes};
        if (kind == WasteRowKind::Dead) part.killer = places::own_place(row.killer);
        if (!places::is_library_code(part.place.instruction)) parts.push_back(part);
    }
    std::sort(parts.begin(), parts.end(),
              [](const LineWaste& a, const LineWaste& b) { return a.key() < b.key(); });
    for (const LineWaste& part : parts)
        if (!sums.empty() && sums.back().key() == part.key())
            sums.back().bytes += part.bytes;
        else
            sums.push_back(part);
    std::sort(sums.begin(), sums.end(), more_bytes);
    return sums;
}

void describe(rt::Text& line, const LineWaste& of, WasteRowKind kind) {
    places::describe_place(line, of.place);
    line.add(": ");
    places::describe_object(line, places::object(of.object));
    if (kind != WasteRowKind::Dead) return;
    line.add(of.end == WasteRow::WasteEnd::Stored  ? ", stored again by "
             : of.end == WasteRow::WasteEnd::Freed ? ", freed by "
                                                   : ", left by ");
    places::describe_place(line, of.killer);
}

// Instructions of one line are one row. What is less than a thousandth of all stands in the profile only.
void print_rows(const WasteReport& report, WasteRowKind kind, const char* head, u64 all, u32 top) {
    constexpr u64 kLeastPart = 1'000;
    struct ShownRow {
        usize name;  // where it begins in `names`
        u64 bytes;
    };
    rt::Vector<ShownRow> rows;
    rt::Vector<char> names;
    rt::Text line;
    for (const LineWaste& each : lines_of(report, kind)) {
        if (each.bytes * kLeastPart < all) break;
        line.reset();
        describe(line, each, kind);
        ShownRow* same = std::find_if(rows.begin(), rows.end(), [&](const ShownRow& row) {
            return rt::are_same(&names[row.name], line.c_str());
        });
        if (same != rows.end()) {
            same->bytes += each.bytes;
            continue;
        }
        rows.push_back({names.size(), each.bytes});
        for (const char* c = line.c_str(); *c != '\0'; ++c) names.push_back(*c);
        names.push_back('\0');
    }
    std::sort(rows.begin(), rows.end(), [](const ShownRow& a, const ShownRow& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
    });
    if (rows.size() > top) rows.resize(top);
    if (!rows.empty()) VG_(umsg)("%s\n", head);
    for (const ShownRow& row : rows) {
        line.reset();
        line.add_number(row.bytes).align_right(0, kBytes);
        const usize share = line.size();
        line.add_percent(row.bytes, all).align_right(share, kShare);
        end(line.pad_to(kName).add(&names[row.name]));
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
