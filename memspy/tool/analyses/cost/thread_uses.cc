// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/thread_uses.h"

#include "analyses/cost/owners.h"
#include "analyses/cost/rows.h"
#include "rt/global.h"
#include "rt/hash_map.h"

namespace memspy::cost {
namespace {

rt::Global<rt::Vector<ThreadUse>> uses;
rt::Global<rt::HashMap<u32>> use_numbers;  // object and thread -> number + 1
rt::Global<PageUses> pages;
u32 all_nodes = 1;

// Used lately, by object and thread.
constexpr u32 kKnown = 1 << 8;
u32 known_uses[kKnown];

ThreadUse& use_of(u32 object, u32 thread) {
    u32& known = known_uses[(object * 7 + thread) % kKnown];
    if (known < uses->size() && (*uses)[known].object_number == object && (*uses)[known].thread == thread)
        return (*uses)[known];
    u32& number = (*use_numbers)[u64{object} << 32 | thread];
    if (number == 0) {
        ThreadUse fresh{};
        fresh.object_number = object;
        fresh.thread = thread;
        uses->push_back(fresh);
        number = static_cast<u32>(uses->size());
    }
    known = number - 1;
    return (*uses)[known];
}

}  // namespace

void start_uses(u32 nodes) {
    all_nodes = nodes;
    pages->start(nodes);
}

void note_use(threads::Thread t, const log::AccessUse& use, Address a, u32 object, const Outcome& outcome,
              const Hierarchy& hierarchy) {
    CostFigures& figures = use_of(object, t.serial).figures;
    figures.loads += use.loads;
    figures.stores += use.stores;
    charge(figures, outcome);
    if (all_nodes == 1) return;
    const u32 node = hierarchy.node_of(t.serial - 1);
    const u32 page = pages->accessed(object, hierarchy.page_of(a), node, use.stores);
    for (u32 line = 0; line < outcome.local + outcome.remote; ++line)
        pages->fetched(page, node, outcome.from, outcome.transferred);
    // What its first thread stores to it is for others to use.
    if (t.serial != objects()[object].first_thread || use.stores == 0)
        pages->used(page, hierarchy.group_of_page(a), t.serial, node, outcome.cycles, outcome.remote != 0);
}

void forget_uses() {
    uses->clear();
    use_numbers->clear();
    pages->clear();
}

rt::Vector<ThreadUse>& thread_uses() { return *uses; }
PageUses& page_uses() { return *pages; }

}  // namespace memspy::cost
