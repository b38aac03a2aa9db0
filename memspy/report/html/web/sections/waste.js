// SPDX-License-Identifier: GPL-2.0-or-later
// Wasted work: what a line can do without; pairs of a dead store and what killed it, with both source lines side by side; silent stores; repeated loads.
"use strict";
memspy.section("waste", (waste, name) => {
    const { h, text, store, stacks } = memspy;
    const { total, bursts, rate } = waste.values;
    const { advice } = waste.tables;
    const GROUP = "Waste";
    const ENDS = { stored: "stored again", freed: "freed", "frame-left": "left with its frame" };
    const place = (table, field) => ({ value: (i) => stacks.title(table[field][i]), text: (i) => stacks.title(table[field][i]) });
    const objectName = (table, i) => (table.object[i] < 0 ? "(not known)" : store.objectName(table.object[i]));
    const object = (table) => ["object", { label: "Object", value: (i) => objectName(table, i), text: (i) => objectName(table, i) }];
    const share = (table, whole) => ({ key: "share", label: "Share", title: "of all bytes of its kind", number: true, width: "76px", value: (i) => table.bytes[i] / Math.max(1, whole), text: (i) => text.percent(table.bytes[i], whole) });
    const ofLine = (table) => ({ key: "of", label: "Of line", title: "of all bytes that the place stores, or loads", number: true, width: "76px",
        value: (i) => table.bytes[i] / Math.max(1, table.all[i]), text: (i) => text.percent(table.bytes[i], table.all[i]) });
    const page = (list, nav, title, note, whole, more = []) => {
        const table = waste.tables[list];
        return { list, nav, title, note, sort: "bytes",
            columns: [["bytes", { label: "Bytes", bar: true, width: "minmax(112px, .7fr)" }], share(table, whole), ofLine(table), object(table),
                ["stack", { label: list === "again" ? "Loaded by" : "Stored by", ...place(table, "stack") }], ...more] };
    };
    const { dead } = waste.tables;
    const records = memspy.records(waste, name, {
        group: GROUP,
        pages: {
            "waste-dead": page("dead", "Dead stores", "Bytes stored and never loaded", "Each row: bytes of one object that one place stores and another kills before anything loads them.", total.stored,
                [["killer", { label: "Killed by", ...place(dead, "killer") }],
                    { key: "end", label: "How", width: "132px", value: (i) => ENDS[dead.end[i]], text: (i) => ENDS[dead.end[i]] }]),
            "waste-silent": page("silent", "Silent stores", "Bytes stored though they were there", "Each row: stores by one place, to one object, of the value that it has.", total.stored),
            "waste-again": page("again", "Repeated loads", "Bytes loaded again", "Each row: loads by one place, from one object, of the value that the thread last loaded there.", total.loaded),
        },
        metrics: [{ list: "dead", field: "bytes", label: "bytes stored and never loaded" }, { list: "silent", field: "bytes", label: "bytes stored though they were there" },
            { list: "again", field: "bytes", label: "bytes loaded again" }],
    });
    const MILLION = 1e6;
    const side = (head, frame) => h("div", {}, h("h3", {}, head), memspy.source.ofFrame(frame) ?? h("p.note", {}, "No source line is known."));
    const pair = (stored, then, killed) => h("div.pair", {}, side("Stored", stored), side(text.capital(then), killed));
    // The worst pairs that are no variables at a fixed place of the own frame.
    const pairs = () => store.numbers(dead.length).filter((i) => !dead.direct[i]).sort((a, b) => dead.bytes[b] - dead.bytes[a]).slice(0, 10);
    const lines = {
        nav: "Pairs", group: GROUP,
        shown: () => pairs().length > 0,
        render: (main) => memspy.put(main, h("header.page", {}, h("h1", {}, "Stores that nothing loads"),
            h("p.sub", {}, `${text.count(total.dead)} of ${text.count(total.stored)} bytes stored are never loaded, ${text.count(total.silent)} were there already; ${
                text.count(total.again)} of ${text.count(total.loaded)} loaded are loaded again.`)),
        pairs().map((i) => h("section", {}, h("h2", {}, `${text.count(dead.bytes[i])} bytes of ${objectName(dead, i)}`),
            h("p.note", {}, `${text.percent(dead.bytes[i], dead.all[i])} of what the first place stores is ${ENDS[dead.end[i]]} at the second, before any load.`),
            pair(store.leading(dead.stack[i]), ENDS[dead.end[i]], store.leading(dead.killer[i]))))),
    };
    const sampled = () => (bursts ? h("p.note", {}, `A sample of ${text.plural(bursts, "burst")}, ${text.percent(rate, MILLION)} of the run. Of the bytes stored at most ${text.percent(total.dead + (total["dead-open"] ?? 0), total.stored)} are never loaded, of those loaded at most ${text.percent(total.again + (total["again-open"] ?? 0), total.loaded)} are loaded again: a burst does not see what is far apart.`) : null);
    const adviceSource = (i) => {
        const [at, then] = [advice.stack[i], advice.killer[i]].map((stack) => store.frameAt(stack, advice.line[i]));
        return advice.killer[i] < 0 || at === then ? memspy.source.ofFrame(at) : pair(at, "Then", then);
    };
    const advised = memspy.advice(advice, {
        name: "waste-advice", group: GROUP, title: "What lines can do without", sub: "Where counts prove it; most bytes first.", lead: sampled, source: adviceSource,
        share: (i, part) => `${part} of all bytes ${advice.kind[i] === "load" ? "loaded" : "stored"}`, label: (i) => advice.label[i],
    });
    return {
        ...records,
        pages: { "waste-advice": advised.page, "waste-pairs": lines, ...records.pages },
        findings: advised.findings,
        tiles: (tile) => [tile("Waste", text.percent(total.dead, total.stored), `of bytes stored are never loaded, ${text.percent(total.again, total.loaded)} loaded again`, memspy.link("waste-dead"))],
    };
});
