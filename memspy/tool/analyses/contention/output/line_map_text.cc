// SPDX-License-Identifier: GPL-2.0-or-later
#include <algorithm>

#include "analyses/contention/output/summary_lines.h"

namespace memspy::contention {
namespace {

constexpr usize kMapColumn = 15;

struct MapUse {
    u32 thread;
    AccessCounts accesses;
};

class LineMap {
public:
    LineMap(SummaryLines& lines, const SharingReport& from, const ReportLine& about)
        : to(lines),
          report(from),
          line(about),
          bytes(from.settings.line_bytes),
          step(bytes <= 64 ? 1 : bytes / 64),
          width(bytes / step) {}

    void print() {
        print_head();
        print_threads();
        print_owners();
    }

private:
    const ReportRange* begin() const { return report.ranges.data() + line.ranges.begin; }
    const ReportRange* end() const { return report.ranges.data() + line.ranges.end; }
    void print_head();
    void collect_uses(rt::Vector<MapUse>& uses) const;
    void print_threads();
    void print_owners();

    SummaryLines& to;
    const SharingReport& report;
    const ReportLine& line;
    const u32 bytes, step, width;  // step: bytes for each character
};

void LineMap::print_head() {
    to.text.add("    line ").add_hex(line.line * bytes).add(": ");
    for (View view : {View::Modelled, View::Observed}) {
        to.text.add_number(contended(line.figures.in(view))).add(" events ");
        to.text.add(view == View::Modelled         ? "modelled, "
                    : line.figures.observed_more() ? "observed*; "
                                                   : "observed; ");
    }
    to.text.add("r read, w written, + both");
    to.end();
    to.text.add("    byte").pad_to(kMapColumn);
    for (u32 byte = 0; byte < bytes; byte += 8 * step) {
        to.text.pad_to(kMapColumn + byte / step);
        to.text.add_number(byte);
    }
    to.text.pad_to(kMapColumn + width).add("  r/w");
    to.end();
}

void LineMap::collect_uses(rt::Vector<MapUse>& uses) const {
    for (const ReportRange* range = begin(); range != end(); ++range) {
        MapUse* use = std::find_if(uses.begin(), uses.end(),
                                   [&](const MapUse& u) { return u.thread == range->thread; });
        if (use == uses.end()) {
            uses.push_back({range->thread, {}});
            use = &uses.back();
        }
        use->accesses.loads += range->accesses.loads;
        use->accesses.stores += range->accesses.stores;
    }
}

// Those with most accesses, by serial.
void LineMap::print_threads() {
    rt::Vector<MapUse> uses;
    collect_uses(uses);
    std::sort(uses.begin(), uses.end(), [](const MapUse& a, const MapUse& b) {
        return a.accesses.all() != b.accesses.all() ? a.accesses.all() > b.accesses.all()
                                                    : a.thread < b.thread;
    });
    const usize shown = std::min<usize>(uses.size(), to.options().threads);
    std::sort(uses.begin(), uses.begin() + shown,
              [](const MapUse& a, const MapUse& b) { return a.thread < b.thread; });
    constexpr u8 kRead = 1, kWritten = 2;
    for (usize i = 0; i < shown; ++i) {
        u8 marks[64] = {};
        for (const ReportRange* range = begin(); range != end(); ++range) {
            if (range->thread != uses[i].thread) continue;
            for (u32 byte = range->first; byte < u32{range->first} + range->bytes && byte < bytes; ++byte) {
                if (range->accesses.loads > 0) marks[byte / step] |= kRead;
                if (range->accesses.stores > 0) marks[byte / step] |= kWritten;
            }
        }
        if (uses[i].thread == 0)
            to.text.add("    others");
        else
            to.text.add("    thread ").add_number(uses[i].thread);
        to.text.pad_to(kMapColumn);
        for (u32 column = 0; column < width; ++column) to.text.add(".rw+"[marks[column]]);
        to.text.add(' ').add_brief(uses[i].accesses.loads).add('/').add_brief(uses[i].accesses.stores);
        to.end();
    }
    if (uses.size() > shown) {
        to.text.add("    ... and ").add_number(uses.size() - shown).add(" more threads");
        to.end();
    }
}

// Letters stand for blocks and symbols, in the order of their addresses.
void LineMap::print_owners() {
    rt::Vector<const ReportRange*> owners;  // the first range of each
    char letters[64];
    for (char& letter : letters) letter = '.';
    for (const ReportRange* range = begin(); range != end(); ++range) {
        usize number = 0;
        while (number < owners.size() &&
               (owners[number]->start != range->start || owners[number]->object != range->object))
            ++number;
        if (number == owners.size()) owners.push_back(range);
        const char letter = number < 26 ? static_cast<char>('a' + number) : '#';
        for (u32 byte = range->first; byte < u32{range->first} + range->bytes && byte < bytes; ++byte)
            letters[byte / step] = letter;
    }
    to.text.add("    object").pad_to(kMapColumn);
    for (u32 column = 0; column < width; ++column) to.text.add(letters[column]);
    to.end();
    rt::Text names;
    for (usize number = 0; number < owners.size() && number < 8; ++number) {
        const ReportRange& range = *owners[number];
        names.add(number == 0 ? "" : "; ").add(static_cast<char>('a' + number)).add(": ");
        add_object_name(names, object(range.object));
        if (range.offset != 0) names.add(" from byte ").add_number(range.offset);
    }
    if (owners.size() > 8) names.add("; ...");
    to.wrapped(names.c_str(), kMapColumn);
}

}  // namespace

void print_line_map(SummaryLines& to, const SharingReport& report, const ReportLine& line) {
    LineMap(to, report, line).print();
}

}  // namespace memspy::contention
