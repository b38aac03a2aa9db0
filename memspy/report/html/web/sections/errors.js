// SPDX-License-Identifier: GPL-2.0-or-later
// Heap defects and leaks: a list, and a page for each with its stacks and source.
"use strict";
memspy.section("errors", ({ list: defects, suppressions = [] }) => {
    const { h, text, store, stacks } = memspy;

    const firstStack = (defect) => defect.parts.find((part) => part.stack !== undefined)?.stack ?? -1;
    const detail = (number) => {
        const defect = defects[number];
        return h("article.detail", { "aria-label": "Defect" },
            h("h2", {}, defect.text || defect.kind),
            h("p.sub", {}, h("span.badge.defect", {}, defect.kind), ` ${text.plural(defect.count, "time")}, thread ${defect.thread}`,
                defect.leakedBytes ? `, ${text.bytes(defect.leakedBytes)} in ${text.plural(defect.leakedBlocks, "block")}` : ""),
            defect.suppression ? memspy.copyButton("Copy a suppression", defect.suppression) : null,
            // The leading stack has its source below it, and so do those of the allocation and the free.
            defect.parts.map((part) => (part.stack !== undefined ? stacks.list(part.stack, { metric: "defects" }) : h("p.auxiliary", {}, part.text))));
    };

    const page = {
        nav: "Heap defects", group: "Findings",
        badge: () => defects.length,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Heap defects")));
            memspy.split(main, {
                label: "heap defects", ids: store.numbers(defects.length), sort: { key: "order", descending: false }, empty: "no defects were found",
                columns: [
                    { key: "order", label: "#", value: (i) => i + 1, number: true, width: "56px" },
                    { key: "kind", label: "Kind", value: (i) => defects[i].kind, width: "minmax(110px, 1fr)" },
                    { key: "text", label: "What", value: (i) => defects[i].text, width: "minmax(100px, 2fr)" },
                    { key: "place", label: "Where", value: (i) => stacks.title(firstStack(defects[i])), width: "minmax(110px, 1.5fr)" },
                    { key: "count", label: "Times", value: (i) => defects[i].count, text: (i) => text.count(defects[i].count), number: true, width: "84px" },
                ],
            }, "defects", number ?? (defects.length ? 0 : undefined), detail);
        },
    };

    // The same defect at several places is one row.
    const defectKinds = () => {
        const kinds = new Map();
        for (const defect of defects) {
            if (!kinds.has(defect.kind)) kinds.set(defect.kind, []);
            kinds.get(defect.kind).push(defect);
        }
        return [...kinds].sort((a, b) => b[1].length - a[1].length);
    };
    const card = () => {
        if (!defects.length) return null;
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("defects") }, "Heap defects"))),
            h("table.plain", {}, h("thead", {}, h("tr", {}, ["Kind", "Places", "Times", "First"].map((t, i) => h(`th${i === 1 || i === 2 ? ".number" : ""}`, { scope: "col" }, t)))),
                h("tbody", {}, defectKinds().map(([kind, list]) => h("tr", {}, h("td", {}, h("a", { href: memspy.link("defects", defects.indexOf(list[0])) }, kind)),
                    h("td.number", {}, text.count(list.length)), h("td.number", {}, text.count(d3.sum(list, (d) => d.count))),
                    h("td", {}, stacks.place(firstStack(list[0]))))))));
    };

    const first = defects.map(firstStack);
    return {
        pages: { defects: page },
        metrics: () => [{ key: "defects", label: "defects", table: { length: first.length, stack: first }, value: (i) => defects[i].count, last: true }],
        tiles: (tile) => [tile("Heap defects", text.count(defects.length),
            defects.length ? `${text.plural(d3.sum(defects, (d) => d.count), "time")} in all` : "none found", memspy.link("defects"))],
        suppressions: () => suppressions,
        harm: () => defects.length,
        // Errors come first, whatever else costs time; kinds that are as frequent as each other, in their order.
        findings: () => store.numbers(defects.length).filter((i) => !defects[i].leakedBytes).map((i) => ({ gain: Infinity, href: memspy.link("defects", i),
            draw: () => h("article.card.finding.defect", {}, h("header", {}, h("span.badge", {}, defects[i].kind),
                h("h3", {}, h("a", { href: memspy.link("defects", i) }, defects[i].text || defects[i].kind))),
            memspy.facts([["Code", stacks.place(firstStack(defects[i]))], ["Times", text.count(defects[i].count)]])) })),
        cards: () => [card()],
    };
}, { absent: "Heap defects stand in the error file (--xml-file), which this page was made without." });
