// SPDX-License-Identifier: GPL-2.0-or-later
#include "findings/recap.h"

#include <algorithm>

#include "findings/kept.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "rt/text.h"

namespace memspy::findings {
namespace {

constexpr u32 kMostLines = 8;
constexpr usize kMostText = 240;  // room for the gain behind a long file name

// Of sums, in the order of printing.
struct Lines {
    char text[kMostLines][kMostText + 1];
    u32 count;
};
rt::Global<Lines> summed;

void print_line(rt::Text& line) {
    VG_(umsg)("  %s\n", line.c_str());
    line.reset();
}

// Consumers of Memcheck's text look for its sentences, so these lines have none of them.
void describe(const KeptFindings& kept, const KeptFindings::KeptFinding& finding, rt::Text& line) {
    line.reset();
    line.add(kind_name(finding.kind)).add(": ");
    if (finding.leaked_blocks != 0) line.add_number(finding.leaked_bytes).add(" bytes allocated in ");
    if (finding.part_count > 0) places::describe_allocation(line, kept.parts(finding)[0].stack);
}

// Findings one after the other that differ in nothing that a line tells are one.
void print_kept(const KeptFindings& kept, u32& printed) {
    rt::Text line, next;
    u64 times = 0;
    const auto print = [&] {
        if (times == 0 || printed++ >= kMostLines) return;
        if (times > 1) line.add(", ").add_number(times).add(" times");
        print_line(line);
    };
    for (const KeptFindings::KeptFinding& finding : kept.all()) {
        const bool leak = finding.leaked_blocks != 0;
        if (finding.times == 0 || (leak && finding.kind != FindingKind::Leak_DefinitelyLost)) continue;
        describe(kept, finding, next);
        if (times == 0 || !VG_STREQ(line.c_str(), next.c_str())) {
            print();
            line.reset();
            line.add(next.c_str());
            times = 0;
        }
        times += finding.times;
    }
    print();
}

}  // namespace

void note_for_recap(const SummedRecord& record) {
    const u32 number = summed->count++;
    if (number >= kMostLines) return;
    rt::Text line;
    line.add(record.what);
    if (record.gain[0] != '\0') line.add(": ").add(record.gain);
    rt::Text cut;
    cut.add_short(line.c_str(), kMostText);
    std::copy(cut.c_str(), cut.c_str() + cut.size() + 1, summed->text[number]);
}

void print_recap() {
    if (summed->count == 0) return;
    VG_(umsg)("FINDINGS, once more:\n");
    u32 printed = 0;
    print_kept(kept_errors(), printed);
    rt::Text line;
    for (u32 i = 0; i < summed->count; ++i)
        if (printed++ < kMostLines) print_line(line.add(summed->text[i]));
    print_kept(kept_leaks(), printed);
    if (printed > kMostLines) VG_(umsg)("  ... and %u more\n", printed - kMostLines);
    VG_(umsg)("\n");
}

}  // namespace memspy::findings
