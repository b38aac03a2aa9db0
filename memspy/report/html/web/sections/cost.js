// SPDX-License-Identifier: GPL-2.0-or-later
// Memory cost: by object, and by the code that accesses it.
"use strict";
memspy.section("cost", (cost, name) => {
    const { h, text, store } = memspy;
    const { objects, rows, uses, placements } = cost.tables;
    const accesses = (table, i) => table.loads[i] + table.stores[i];
    // Share of the accesses that missed the last cache.
    const remote = (table) => ({ key: "away", label: "Remote", title: "of the accesses that left the last cache, those to another node's memory", number: true, width: "88px",
        value: (i) => table.remote[i] / Math.max(1, table.local[i] + table.remote[i]), text: (i) => text.percent(table.remote[i], table.local[i] + table.remote[i]) });
    const columns = (table) => [
        memspy.Table.count("accesses", "Accesses", "loads and stores", (i) => accesses(table, i)),
        ["cycles", { bar: true, width: "minmax(112px, .7fr)", title: "latencies of its accesses, added" }],
        { key: "each", label: "Each", title: "cycles for each access", number: true, width: "76px",
            value: (i) => table.cycles[i] / Math.max(1, accesses(table, i)), text: (i) => text.real(table.cycles[i] / Math.max(1, accesses(table, i)), 1) },
        ...[["l1-misses", "L1", "the first cache"], ["l2-misses", "L2", "the second cache"], ["llc-misses", "LLC", "the last cache"],
            ["tlb-misses", "TLB", "the TLB"]].map(([field, label, what]) => [field, { label, title: `misses in ${what}`, width: "minmax(78px, .5fr)" }]),
        remote(table),
    ];
    const MISSES = "L1, L2, LLC, TLB: misses there.";
    const object = ["object", { width: "minmax(160px, 3fr)", text: (i) => objectName(objects.object[i]), value: (i) => objectName(objects.object[i]) }];
    const objectName = (i) => (i < 0 ? "small blocks, or not known" : store.objectName(i));
    const placeName = (i) => memspy.costContexts.placeName(rows.stack[i]);
    const place = ["stack", { label: "Code", value: placeName, text: placeName }];
    const total = d3.sum(store.numbers(objects.length), (i) => objects.cycles[i]);
    const all = d3.sum(store.numbers(objects.length), (i) => accesses(objects, i));

    // What could be saved: by another home of an object's pages, as the study of placements predicts it, or, as a bound, if no
    // access missed. An access that misses nothing takes as long as the cheapest row's. An atomic instruction is a load and a
    // store in the time of one access, so the larger of the two counts; rows of loads alone say it exactly.
    const LEAST_SHARE = 0.02, MOST_FINDINGS = 8;
    const hit = store.memo(() => Math.floor(d3.min(store.numbers(rows.length).filter((i) => accesses(rows, i)),
        (i) => rows.cycles[i] / Math.max(rows.loads[i], rows.stores[i])) ?? 0));
    const SAVES = { "touch-by-users": "touched-saves", interleave: "interleaved-saves", replicate: "replicated-saves" };
    const REMEDIES = {
        "touch-by-users": "let the threads that use it touch it first, in the parallel loop: a page's home is the node of the thread that touches it first.",
        interleave: "interleave its pages over the nodes (numactl --interleave, numa_alloc_interleaved).",
        replicate: "it is only read: give each node that uses it a copy.",
    };
    const costliest = (object) => store.numbers(rows.length).filter((i) => rows.object[i] === object && rows.stack[i] >= 0).sort((a, b) => rows.cycles[b] - rows.cycles[a])[0];
    const finding = (i, gain, badge, title, saved, advice) => ({ gain, href: memspy.link("cost-objects", i), advised: Boolean(advice),
        places: [objectName(objects.object[i]), ...(costliest(objects.object[i]) === undefined ? [] : [memspy.stacks.title(rows.stack[costliest(objects.object[i])])])],
        draw: () => h("article.card.finding", {}, h("header", {}, h("span.badge", {}, badge), h("h3", {}, h("a", { href: memspy.link("cost-objects", i) }, title))),
            memspy.facts([["Predicted", saved], ["Code", costliest(objects.object[i]) === undefined ? null : memspy.stacks.place(rows.stack[costliest(objects.object[i])])],
                ["Misses", [["l1-misses", "first cache"], ["llc-misses", "last cache"], ["tlb-misses", "TLB"]].filter(([field]) => objects[field][i])
                    .map(([field, what]) => `${text.count(objects[field][i])} in the ${what}`).join(", ")]]),
            advice ? h("p.advice", {}, h("b", {}, "Advice: "), advice) : null) });
    const findings = () => {
        const ids = store.numbers(objects.length).filter((i) => objects.object[i] >= 0);
        const missed = (i) => Math.max(0, objects.cycles[i] - hit() * accesses(objects, i));
        const placed = store.numbers(placements?.length ?? 0).filter((p) => SAVES[placements.advice[p]]).map((p) => {
            const i = ids.find((known) => objects.object[known] === placements.object[p]) ?? -1;
            const saves = placements[SAVES[placements.advice[p]]][p];
            return i < 0 ? null : finding(i, saves / Math.max(1, total), "Placement of pages", `${objectName(objects.object[i])} comes from another node's memory`,
                `${text.percent(saves, total)} of the cycles for memory saved`, REMEDIES[placements.advice[p]]);
        });
        const costly = ids.map((i) => [i, missed(i)]).filter(([, cycles]) => cycles > LEAST_SHARE * total).sort((a, b) => b[1] - a[1]).slice(0, MOST_FINDINGS)
            .map(([i, cycles]) => finding(i, cycles / total, "Memory cost", `Misses on ${objectName(objects.object[i])}`,
                `at most ${text.percent(cycles, total)} of the cycles for memory saved, if no access to it missed`, null));
        return [...placed.filter(Boolean), ...costly];
    };

    const made = memspy.records(cost, name, {
        group: "Memory cost",
        pages: {
            "cost-objects": { list: "objects", title: "What memory costs, by object", note: `Cycles of a simulated machine: latencies of all accesses, added. ${MISSES}`,
                sort: "cycles", columns: [object, ...columns(objects), ["first-touch", { name: false, width: "minmax(116px, 1.2fr)", title: "where its memory was touched first, which decides on its node" }],
                    ["first-thread", { label: "By", name: false, width: "52px", title: "the thread that touched it first" }]] },
            "cost-rows": { list: "rows", nav: "Code", title: "What memory costs, by code", note: `Each row: one stack, one object. ${MISSES}`,
                sort: "cycles", columns: [place, ["object", { value: (i) => objectName(rows.object[i]), text: (i) => objectName(rows.object[i]) }],
                    ...columns(rows)] },
            "cost-uses": { list: "uses", nav: "Threads", title: "Who uses what", note: `Each row: one object, one thread, of objects that several threads use. ${MISSES}`,
                sort: "cycles", columns: [["object", { value: (i) => objectName(uses.object[i]), text: (i) => objectName(uses.object[i]) }],
                    ["thread", { label: "Thread" }], ...columns(uses)] },
            "cost-placements": { list: "placements", nav: "Placement", title: "Placement of pages", sort: "remote",
                note: "Lines from another node's memory, and the cycles saved, if pages had other homes.",
                columns: [["object", { value: (i) => objectName(placements.object[i]), text: (i) => objectName(placements.object[i]) }],
                    ["advice", { label: "Advice", name: false }], ...[["lines", "Lines", "from memory"], ["remote", "Remote", "from another node's memory"],
                        ["remote-touched", "Touched", "would be remote if its users touched it first"],
                        ["touched-saves", "Saves", "cycles, if its users touched it first"],
                        ["remote-interleaved", "Interleaved", "would be remote if its pages were interleaved"],
                        ["interleaved-saves", "Saves", "cycles, if its pages were interleaved"],
                        ["replicated-saves", "Copies", "cycles saved by a copy for each node; for objects that are only read"],
                        ["busiest", "Busiest", "lines from the node that gives most"],
                        ["busiest-interleaved", "Interleaved", "the same if its pages were interleaved"]].map(([field, label, title]) =>
                        [field, { label, title, width: "minmax(78px, .5fr)" }])] },
        },
        metrics: [{ list: "rows", field: "cycles", label: "cycles for memory" }],
        objects: { objects: columns(objects), rows: [place, ...columns(rows)] },
    });
    return {
        ...made,
        pages: { ...made.pages, "cost-contexts": memspy.costContexts.page(cost.tables.rows, objectName) },
        findings,
        tiles: (tile) => [tile("Memory cost", text.brief(total), `cycles, ${text.real(total / Math.max(1, all), 1)} for each access`, memspy.link("cost-objects"))],
    };
});
