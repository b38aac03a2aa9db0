// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary of the heap profile at the end of a run, and errors where it is above a limit.
#include <algorithm>

#include "analyses/heap_profile/heap_profile.h"
#include "findings/findings.h"
#include "places/stacks.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::heap_profile {
namespace {

constexpr usize kPeak = 16, kShare = 24, kEnd = 40, kBlocks = 54, kLifetime = 70, kName = 73;

void end(rt::Text& line) {
    VG_(umsg)("%s\n", line.c_str());
    line.reset();
}

void add_column(rt::Text& line, u64 value, usize column) {
    const usize start = line.size();
    line.add_number(value).align_right(start, column);
}

u64 figure_of(const HeapTotal& total, LimitedFigure which) {
    switch (which) {
        case LimitedFigure::Peak: return total.peak_bytes;
        case LimitedFigure::End: return total.live_bytes;
        case LimitedFigure::Total: return total.bytes;
        case LimitedFigure::Blocks: return total.blocks;
    }
    return 0;
}
u64 figure_of(const HeapRow& row, LimitedFigure which) {
    switch (which) {
        case LimitedFigure::Peak: return row.peak_bytes;
        case LimitedFigure::End: return row.live_bytes;
        case LimitedFigure::Total: return row.bytes;
        case LimitedFigure::Blocks: return row.blocks;
    }
    return 0;
}

}  // namespace

void print_summary(const HeapReport& report, u32 top) {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    const HeapTotal& total = report.total;
    rt::Text line;
    end(line);
    line.add("Heap: ").add_number(total.blocks).add(" blocks of ").add_number(total.bytes);
    end(line.add(" bytes allocated in ").add_number(total.end_time).add(" instructions"));
    line.add("  peak: ").add_number(total.peak_bytes).add(" bytes in ").add_number(total.peak_blocks);
    end(line.add(" blocks, after ").add_percent(total.peak_time, total.end_time).add(" of the run"));
    line.add("  end: ").add_number(total.live_bytes).add(" bytes in ").add_number(total.live_blocks);
    end(line.add(" blocks"));
    if (report.rows.empty()) return end(line);
    end(line.add("   bytes at peak   share  bytes at end        blocks  mean lifetime   allocated by"));
    u32 shown = 0;
    for (const HeapRow& row : report.rows) {
        if (shown++ == top) break;
        add_column(line, row.peak_bytes, kPeak);
        const usize start = line.size();
        if (row.custom)
            line.add("-");
        else
            line.add_percent(row.peak_bytes, total.peak_bytes);
        line.align_right(start, kShare);
        add_column(line, row.live_bytes, kEnd);
        add_column(line, row.blocks, kBlocks);
        add_column(line, row.lifetimes / std::max<u64>(row.blocks, 1), kLifetime);
        line.pad_to(kName);
        places::describe_allocation(line, row.context);
        if (row.temporary != 0) line.add(", ").add_percent(row.temporary, row.blocks).add(" temporary");
        end(line);
    }
    end(line);
}

void report_limits(const HeapReport& report, u32 guest_thread) {
    for (u32 i = 0; i < kLimitedFigures; ++i) {
        const auto which = static_cast<LimitedFigure>(i);
        const u64 figure = figure_of(report.total, which), limit = limit_of(which);
        if (limit == kNoLimit || figure <= limit) continue;
        const HeapRow* most = nullptr;
        for (const HeapRow& row : report.rows)
            if (!row.custom && (most == nullptr || figure_of(row, which) > figure_of(*most, which)))
                most = &row;
        rt::Text what, figures;
        what.add("The heap is above its limit ").add(kLimitNames[i]).add(':').add_plain(limit);
        figures.add_number(figure).add(which == LimitedFigure::Blocks ? " blocks" : " bytes");
        findings::SummedRecord record;
        record.kind = findings::FindingKind::HeapLimit;
        record.what = what.c_str();
        if (most != nullptr) {
            record.sides[0].stack = most->context;
            figures.add(", of which ").add_number(figure_of(*most, which)).add(" allocated here");
        }
        record.figures = figures.c_str();
        findings::report_summed(guest_thread, record);
    }
}

}  // namespace memspy::heap_profile
