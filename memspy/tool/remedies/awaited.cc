// SPDX-License-Identifier: GPL-2.0-or-later
#include "remedies/awaited.h"

#include <algorithm>

#include "rt/prefix.h"

namespace memspy::remedies {
namespace {

using lines::Time;
using replay::WaitRow;
using rt::Text;

void add_part(SharingReport& report, u32 wait, const replay::WaitPart& part) {
    for (replay::WaitPart& known : report.wait_parts)
        if (known.row == wait && known.thread == part.thread && known.whom == part.whom)
            return known.figures.add(part.figures);
    report.wait_parts.push_back({wait, part.thread, part.whom, part.figures});
}

void add_times(SharingReport& report, const rt::Vector<u32>& wait_of_row) {
    for (u32 thread = 1; thread <= replay::ThreadTimes::kNamedThreads; ++thread)
        for (replay::WaitSpan span : report.settings.waits->times().find(thread)->spans) {
            span.row = wait_of_row[span.row];
            if (span.row != ~u32{0}) report.thread_waits.push_back({thread, span});
        }
}

// Both are words of one thing. What lies in a heap block has no name; there a library that was called at one
// place sleeps on words of one condition variable.
bool are_one(const Awaited& a, const Awaited& b) {
    constexpr u64 kConditionBytes = 48;
    if (a.own_place != b.own_place) return false;
    const bool in_library =
        a.kind == replay::WaitKind::Word && a.place != a.own_place && b.place != b.own_place;
    return is_of_one_name(a, b) ||
           (in_library && a.kind == b.kind && a.object == b.object && a.object != ObjectId::None &&
            a.name[0] == '\0' && b.name[0] == '\0' &&
            std::max(a.offset, b.offset) - std::min(a.offset, b.offset) < kConditionBytes);
}

}  // namespace

bool add_variable(Text& text, const ReportSettings& settings, ObjectId object, Address code, u64 offset) {
    Text path;
    if (settings.add_fields == nullptr || object == ObjectId::None ||
        !settings.add_fields(path, object, code, offset, 1))
        return false;
    constexpr char kOf[] = " of ", kInside[] = "._";
    const char* const all = path.c_str();
    const auto find = [&](const char* wanted, usize length) {
        usize at = 0;
        while (at < path.size() &&
               !(at + length <= path.size() && std::equal(wanted, wanted + length, all + at)))
            ++at;
        return at;
    };
    const usize owner = find(kOf, sizeof kOf - 1);
    const usize end = std::min(owner, find(kInside, sizeof kInside - 1));
    Text rest;
    rest.add(all + owner);
    path.cut(end);
    text.add(path.c_str()).add(rest.c_str());
    return true;
}

bool is_of_one_name(const Awaited& a, const Awaited& b) {
    if (a.kind != b.kind || a.object != b.object) return false;
    if (a.name[0] == '\0') return b.name[0] == '\0' && a.offset == b.offset;
    return rt::starts_with(a.name, b.name) && rt::starts_with(b.name, a.name);
}

void collect_waits(SharingReport& report) {
    const ReportSettings& settings = report.settings;
    if (settings.waits == nullptr) return;
    const rt::Vector<WaitRow>& rows = settings.waits->rows();
    Time most = 0;
    for (const WaitRow& row : rows) {
        report.waited += row.figures.waited;
        most = std::max(most, row.figures.waited);
    }
    rt::Vector<u32> wait_of_row;
    rt::Vector<Time> longest_of;  // by wait: the time of the row whose place it has
    for (const WaitRow& row : rows) {
        wait_of_row.push_back(~u32{0});
        if (row.figures.waited < most / 1000) continue;
        Text name;
        add_variable(name, settings, row.object, row.place.instruction, row.offset);
        Awaited one{.kind = row.kind,
                    .object = row.object,
                    .offset = row.offset,
                    .place = row.place,
                    .own_place = settings.own_place == nullptr ? row.place : settings.own_place(row.place),
                    .name = name.c_str(),
                    .figures = {}};
        u32& number = wait_of_row.back();
        for (number = 0; number < report.waits.size(); ++number)
            if (const Awaited& known = report.waits[number]; are_one(known, one)) break;
        if (number == report.waits.size()) {
            one.name = name.empty() ? "" : report.keep(name);
            report.waits.push_back(one);
            longest_of.push_back(0);
        }
        Awaited& wait = report.waits[number];
        wait.figures.add(row.figures);
        wait.offset = std::min(wait.offset, row.offset);
        if (row.figures.waited > longest_of[number]) {
            longest_of[number] = row.figures.waited;
            wait.place = row.place;
        }
    }
    for (const replay::WaitPart& part : settings.waits->parts())
        if (const u32 wait = wait_of_row[part.row]; wait != ~u32{0}) add_part(report, wait, part);
    add_times(report, wait_of_row);
}

}  // namespace memspy::remedies
