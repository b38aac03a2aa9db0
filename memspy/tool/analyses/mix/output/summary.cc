// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary of the instruction mix at the end of a run.
#include "analyses/mix/mix.h"
#include "places/stacks.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::mix {
namespace {

using enum OperationCount;

constexpr usize kInstructions = 18, kShare = 26, kOperations = 42, kIntensity = 53, kName = 56;

void end(rt::Text& line) {
    VG_(umsg)("%s\n", line.c_str());
    line.reset();
}

void add_class(rt::Text& line, const char* name, u64 count, u64 all) {
    if (count == 0) return;
    if (line.size() > 2) line.add(", ");
    line.add(name).add(' ').add_percent(count, all);
}

// Operations for each byte that left the last cache; without its model, for each byte accessed.
void add_intensity(rt::Text& line, const MixFigures& f) {
    const u64 bytes = cache_bytes() != 0 ? f.fetched + f.written : f.accessed_bytes();
    line.add_ratio(f.operations(), bytes);
}

void print_totals(rt::Text& line, const MixFigures& f) {
    const u64 all = f.instructions();
    end(line.add("Instruction mix of ").add_number(all).add(" instructions"));
    line.add("  ");
    add_class(line, "integer", f[Integer], all);
    add_class(line, "vector", f[Vector], all);
    add_class(line, "conversions", f[Conversions], all);
    add_class(line, "f32", f[F32Scalar], all);
    add_class(line, "f32 x 2", f[F32Vector64], all);
    add_class(line, "f32 x 4", f[F32Vector128], all);
    add_class(line, "f32 x 8", f[F32Vector256], all);
    add_class(line, "f64", f[F64Scalar], all);
    add_class(line, "f64 x 2", f[F64Vector128], all);
    add_class(line, "f64 x 4", f[F64Vector256], all);
    add_class(line, "branches", f[Branches], all);
    add_class(line, "jumps", f[Jumps], all);
    add_class(line, "calls", f[Calls], all);
    add_class(line, "returns", f[Returns], all);
    add_class(line, "system calls", f[SystemCalls], all);
    end(line);
    line.add("  ").add_number(f[Loads]).add(" loads of ").add_number(f[LoadedBytes]).add(" bytes, ");
    end(line.add_number(f[Stores]).add(" stores of ").add_number(f[StoredBytes]));
    line.add("  ").add_percent(f.taken + f[StaticallyTaken], f[Branches]).add(" of the branches taken, ");
    end(line.add_percent(f.mispredicted, f[Branches]).add(" mispredicted (gshare, 4096 counters)"));
    line.add("  ").add_number(f.operations()).add(" floating operations, ");
    add_intensity(line, f);
    if (cache_bytes() == 0) {
        end(line.add(" for each byte accessed"));
        return;
    }
    line.add(" for each byte that left the last cache (").add_brief(cache_bytes());
    end(line.add("B): ").add_number(f.fetched).add(" fetched, ").add_number(f.written).add(" written back"));
    end(line.add("  ").add_number(f.pages).add(" pages touched"));
}

}  // namespace

void print_summary(const MixReport& report, u32 top) {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml) || report.rows.empty()) return;
    rt::Text line;
    end(line);
    print_totals(line, report.total);
    if (!report.complete) end(line.add("  there was more code than counters: the last of it is missing"));
    end(line.add("      instructions   of all  floating operations  intensity   function"));
    const u64 all = report.total.instructions();
    u32 shown = 0;
    for (const MixRow& row : report.rows) {
        if (shown++ == top || row.figures.instructions() * 100 < all) break;
        usize start = line.size();
        line.add_number(row.figures.instructions()).align_right(start, kInstructions);
        start = line.size();
        line.add_percent(row.figures.instructions(), all).align_right(start, kShare);
        start = line.size();
        line.add_number(row.figures.operations()).align_right(start, kOperations);
        start = line.size();
        add_intensity(line, row.figures);
        line.align_right(start, kIntensity);
        line.pad_to(kName);
        if (row.entry == 0)
            line.add("other functions");
        else
            places::describe_instruction(line, row.entry);
        if (row.thread > 1) line.add(", thread ").add_number(row.thread);
        end(line);
    }
    shown = 0;
    for (const IoRow& row : report.io) {
        if (shown++ == top) break;
        if (row.read + row.written == 0) continue;
        line.add("  ").add(row.call).add(": ").add_number(row.calls).add(" calls, ");
        line.add_number(row.read + row.written).add(" bytes, ").add_number(row.microseconds).add(" us, ");
        const places::Frames frames = places::frames_of(context_of(static_cast<ContextId>(row.stack)));
        Addr at = frames.addresses[0];
        for (u32 i = frames.count; i-- > 0;)
            if (!places::is_library_code(frames.addresses[i])) at = frames.addresses[i];
        places::describe_instruction(line, at);
        end(line);
    }
    end(line);
}

}  // namespace memspy::mix
