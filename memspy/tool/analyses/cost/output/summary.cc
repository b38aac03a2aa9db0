// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary on memory cost at the end of a run.
#include "analyses/cost/cost.h"
#include "analyses/order_note.h"
#include "options.h"
#include "places/names.h"
#include "places/stacks.h"
#include "places/variables.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::cost {
namespace {

constexpr usize kCycles = 16, kShare = 26, kFirstLevel = 38, kLastLevel = 50, kTlb = 60, kName = 63;

void end(rt::Text& line) {
    VG_(umsg)("%s\n", line.c_str());
    line.reset();
}

void add_object(rt::Text& text, const ObjectCost& cost) {
    if (cost.object == places::ObjectId::None) {
        text.add("small blocks of the heap");
        return;
    }
    places::describe_object(text, places::object(cost.object));
}

// What would change, in lines from other nodes and in cycles.
void print_advice(rt::Text& line, const ObjectPlacement& placement) {
    const PlacementStudy& study = placement.study;
    line.add("      ");
    u64 saves = 0;
    switch (placement.advice) {
        case PlacementAdvice::TouchByUsers:
            line.add("let the threads that use it touch it first, in the parallel loop: ");
            line.add_percent(study.remote_touched + study.taken_remote, study.lines + study.taken);
            line.add(" would be remote");
            saves = placement.touched_saves;
            break;
        case PlacementAdvice::Replicate:
            line.add("it is only read: with a copy on each node that uses it, ");
            if (study.taken_remote == 0)
                line.add("none");
            else
                line.add_percent(study.taken_remote, study.lines + study.taken);
            line.add(" would be remote");
            saves = placement.replicated_saves;
            break;
        case PlacementAdvice::Interleave:
            line.add("interleave its pages: one node gives ");
            line.add_percent(study.busiest, study.lines);
            line.add(" of its lines, and would give ");
            line.add_percent(study.busiest_interleaved, study.lines);
            saves = placement.interleaved_saves;
            break;
        case PlacementAdvice::None: break;
    }
    if (saves != 0) line.add("; saves ").add_number(saves).add(" cycles");
    end(line);
}

void print_object(rt::Text& line, const ObjectCost& object, u64 all_cycles) {
    const auto right = [&](usize column, u64 number) {
        const usize start = line.size();
        line.add_number(number).align_right(start, column);
    };
    right(kCycles, object.figures.cycles);
    const usize start = line.size();
    line.add_percent(object.figures.cycles, all_cycles).align_right(start, kShare);
    right(kFirstLevel, object.figures.l1_misses);
    right(kLastLevel, object.figures.llc_misses);
    right(kTlb, object.figures.tlb_misses);
    add_object(line.pad_to(kName), object);
    end(line);
    const u64 memory = object.figures.local + object.figures.remote;
    for (const ObjectPlacement& placement : report().placements) {
        if (placement.object != object.object) continue;
        line.add("      ").add_percent(object.figures.remote, memory);
        line.add(" of what missed the last cache was remote; first touched by thread ")
            .add_number(object.first_thread);
        places::describe_place(line.add(" in "), object.first_touch);
        end(line);
        print_advice(line, placement);
    }
}

}  // namespace

void print_summary(u32 top) {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    const Report& all = report();
    if (all.objects.empty()) return;
    rt::Text line;
    end(line);
    line.add("Memory cost of ").add_number(all.total.loads).add(" loads and ").add_number(all.total.stores);
    end(line.add(" stores: ").add_number(all.total.cycles).add(" cycles on ").add(machine_name()));
    end(line.add("  (").add(assumptions()).add(')'));
    if (add_order_note(line)) end(line);
    end(line.add("          cycles    of all   L1 misses  last level       TLB   object"));
    u32 shown = 0;
    for (const ObjectCost& object : all.objects) {
        if (shown++ == top || object.figures.cycles * 100 < all.total.cycles) break;
        print_object(line, object, all.total.cycles);
    }
    end(line);
}

}  // namespace memspy::cost
