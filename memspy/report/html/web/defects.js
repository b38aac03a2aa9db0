// SPDX-License-Identifier: GPL-2.0-or-later
// Heap defects and leaks: a list, and one of them with its stacks and source.
"use strict";
(() => {
    const { h, text, store, stacks } = memspy;
    const { defects } = store.data;

    const firstStack = (defect) => defect.parts.find((part) => part.stack !== undefined)?.stack ?? -1;
    memspy.defectPlace = (defect) => stacks.place(firstStack(defect));

    const detail = (number) => {
        const defect = defects[number];
        return h("article.detail", { "aria-label": "Defect" },
            h("h2", {}, defect.text || defect.kind),
            h("p.sub", {}, h("span.badge.defect", {}, defect.kind), ` ${text.plural(defect.count, "time")}, thread ${defect.thread}`,
                defect.leakedBytes ? `, ${text.bytes(defect.leakedBytes)} in ${text.plural(defect.leakedBlocks, "block")}` : ""),
            // The leading stack has its source below it, those of the allocation and the free too.
            defect.parts.map((part) => (part.stack !== undefined ? stacks.list(part.stack, { metric: "defects" }) : h("p.auxiliary", {}, part.text))));
    };

    memspy.pages.defects = {
        nav: "Heap defects", group: "Findings",
        badge: () => defects.length,
        shown: () => store.data.hasErrors,
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
})();
