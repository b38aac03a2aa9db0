// SPDX-License-Identifier: GPL-2.0-or-later
//
// The summary on memory cost at the end of a run, for people.
#include "analyses/cost/cost.h"
#include "options.h"
#include "places/names.h"
#include "places/stacks.h"
#include "rt/text.h"
#include "vg/vg.h"

namespace memspy::cost {
namespace {

void add_object(rt::Text& text, const ObjectCost& cost) {
    if (cost.object == places::ObjectId::None) {
        text.add("small blocks of the heap");
        return;
    }
    const places::Object& object = places::object(cost.object);
    switch (object.kind) {
        case places::Object::Kind::Heap:
            text.add("heap blocks from ");
            places::describe_allocation(text, object.allocated);
            return;
        case places::Object::Kind::Static: text.add(object.name != nullptr ? object.name : "static"); return;
        case places::Object::Kind::Stack: text.add("stack of thread ").add_number(object.thread); return;
        case places::Object::Kind::Unknown: break;
    }
    text.add(object.name != nullptr ? object.name : "unknown");
}

}  // namespace

void print_summary(u32 top) {
    if (VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    const Report& all = report();
    if (all.objects.empty()) return;
    VG_(umsg)("\n");
    VG_(umsg)("MEMORY COST on %s\n", machine_name());
    VG_(umsg)("  (%s)\n", assumptions());
    rt::Text line;
    const auto say = [&] {
        VG_(umsg)("%s\n", line.c_str());
        line.reset();
    };
    line.add("  ")
        .add_number(all.total.cycles)
        .add(" cycles for ")
        .add_number(all.total.loads)
        .add(" loads and ");
    line.add_number(all.total.stores).add(" stores");
    say();
    u32 shown = 0;
    for (const ObjectCost& object : all.objects) {
        if (shown++ == top || object.figures.cycles * 100 < all.total.cycles) break;
        line.add("  ").add_percent(object.figures.cycles, all.total.cycles).add("  ");
        add_object(line, object);
        line.add(": ").add_number(object.figures.cycles).add(" cycles, misses L1 ");
        line.add_number(object.figures.l1_misses).add(", last level ").add_number(object.figures.llc_misses);
        line.add(", TLB ").add_number(object.figures.tlb_misses);
        say();
        const u64 memory = object.figures.local + object.figures.remote;
        if (options().numa_nodes > 1 && object.figures.remote * 20 >= memory && object.figures.remote > 0) {
            line.add("        ").add_percent(object.figures.remote, memory);
            line.add(" of what came from memory was remote; first touched by thread ")
                .add_number(object.first_thread);
            line.add(" in ");
            places::describe_instruction(line, object.first_touch.instruction);
            say();
            line.add("        let the threads that use it touch it first, in the parallel loop");
            say();
        }
    }
}

}  // namespace memspy::cost
