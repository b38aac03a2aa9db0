// SPDX-License-Identifier: GPL-2.0-or-later
// Defects and leaks: a list, and a page for each with its stacks and source.
"use strict";
memspy.section(["errors", "defects"], ({ list: defects, suppressions = [] }) => {
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
        nav: "Defects", group: "Findings",
        badge: () => defects.length,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Defects")));
            memspy.split(main, {
                label: "defects", ids: store.numbers(defects.length), sort: { key: "order", descending: false }, empty: "no defects were found",
                columns: [
                    { key: "order", label: "#", name: false, value: (i) => i + 1, number: true, width: "56px" },
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
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("defects") }, "Defects"))),
            h("table.plain", {}, h("thead", {}, h("tr", {}, ["Kind", "Places", "Times", "First"].map((t, i) => h(`th${i === 1 || i === 2 ? ".number" : ""}`, { scope: "col" }, t)))),
                h("tbody", {}, defectKinds().map(([kind, list]) => h("tr", {}, h("td", {}, h("a", { href: memspy.link("defects", defects.indexOf(list[0])) }, kind)),
                    h("td.number", {}, text.count(list.length)), h("td.number", {}, text.count(d3.sum(list, (d) => d.count))),
                    h("td", {}, stacks.place(firstStack(list[0]))))))));
    };

    // What the defect is about: what memspy says behind it of a block, variable or origin, [{text, stack}]. A freed block has
    // where it was freed, and then where it was allocated.
    const blockOf = (defect) => {
        const said = [];
        for (const part of defect.parts) {
            if (part.text !== undefined) said.push({ text: part.text.replace(/^Address 0x[0-9a-f]+ is /i, ""), stack: -1 });
            else if (said.length) said.at(-1).stack = part.stack;
        }
        return said;
    };
    // One mistake may be seen by several instructions: those of one function on one block, whatever they do to it, are one card.
    const LEAKS = { Leak_DefinitelyLost: Number.MAX_VALUE };
    const bugs = () => {
        const found = new Map();
        defects.forEach((defect, i) => {
            if (defect.leakedBlocks && !LEAKS[defect.kind]) return;
            const block = blockOf(defect);
            const frame = store.leading(firstStack(defect));
            const access = defect.kind.replace(/^(Invalid|Uninit)(Read|Write|Condition|Value)$/, "$1");
            const origin = block.at(-1)?.stack ?? -1;
            const key = origin >= 0 ? [access, frame < 0 ? "" : store.functionName(frame), stacks.title(origin)].join("\n") : String(i);
            if (!found.has(key)) found.set(key, []);
            found.get(key).push(i);
        });
        return [...found.values()];
    };
    const bugCard = (ids) => {
        const defect = defects[ids[0]], block = blockOf(defect);
        const places = new Map(ids.map((i) => [stacks.title(firstStack(defects[i])), firstStack(defects[i])]));
        return h("article.card.finding.defect", {}, h("header", {}, h("span.badge", {}, defect.leakedBlocks ? "Leak" : defect.kind),
            h("h3", {}, h("a", { href: memspy.link("defects", ids[0]) }, defect.text || defect.kind))),
        memspy.facts([[defect.leakedBlocks ? "Allocated" : "Code", [...places.values()].slice(0, 4).map((stack, i) => [i ? ", " : "", stacks.place(stack)])],
            ["Block", block.length ? block.map((part) => h("div", {}, part.text, part.stack >= 0 ? [part.text.endsWith(" at") ? " " : " at ", stacks.place(part.stack)] : "")) : null],
            ["Times", defect.leakedBlocks ? null : text.count(d3.sum(ids, (i) => defects[i].count))],
            ["Reports", ids.length > 1 ? ids.map((i, n) => [n ? ", " : "", h("a", { href: memspy.link("defects", i) }, `#${i + 1}`)]) : null]]));
    };

    const first = defects.map(firstStack);
    return {
        pages: { defects: page },
        metrics: () => [{ key: "defects", label: "defects", table: { length: first.length, stack: first }, value: (i) => defects[i].count, last: true }],
        tiles: (tile) => [tile("Defects", text.count(defects.length),
            defects.length ? `${text.plural(d3.sum(defects, (d) => d.count), "time")} in all` : "none found", memspy.link("defects"))],
        said: () => {
            const lost = defects.filter((defect) => defect.kind === "Leak_DefinitelyLost"), wrong = defects.filter((defect) => !defect.leakedBlocks);
            const out = [];
            if (wrong.length) out.push({ weight: 3, sentence: `${text.plural(wrong.length, "defect")} in ${text.plural(new Set(wrong.map((d) => stacks.title(firstStack(d)))).size, "line")}, first of all ${wrong[0].kind} in ${stacks.title(firstStack(wrong[0]))}.` });
            if (lost.length) out.push({ weight: 2.5, sentence: `${text.bytes(d3.sum(lost, (d) => d.leakedBytes))} in ${text.plural(d3.sum(lost, (d) => d.leakedBlocks), "block")} are lost, most of them allocated in ${stacks.title(firstStack(lost.reduce((a, b) => (b.leakedBytes > a.leakedBytes ? b : a))))}.` });
            return out;
        },
        searched: () => defects.map((defect, i) => ({ kind: defect.kind, text: `${defect.text} ${stacks.title(firstStack(defect))}`, href: memspy.link("defects", i) })),
        suppressions: () => suppressions,
        harm: () => defects.length,
        // Errors come first, whatever else costs time, and then what is lost for ever.
        findings: () => bugs().map((ids) => ({ gain: LEAKS[defects[ids[0]].kind] ?? Infinity, href: memspy.link("defects", ids[0]), draw: () => bugCard(ids) })),
        cards: () => [card()],
    };
}, { absent: "Defects were not looked for." });
