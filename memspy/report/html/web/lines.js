// SPDX-License-Identifier: GPL-2.0-or-later
// All shared cache lines, and one of them as a picture.
"use strict";
(() => {
    const { h, text, store, linemap, layout } = memspy;
    const { sharing } = store;

    const names = (line) => text.list([...new Set(store.extentsOf(line).map((e) => store.objectName(e.object)))], 3);
    const detail = (line) => {
        const objects = [...new Set(store.extentsOf(line).map((e) => e.object))];
        const apart = layout.draw(line);
        return h("article.detail", { "aria-label": "Cache line" }, h("h2.mono", {}, `Line ${sharing.lines.address[line]}`),
            h("p.sub", {}, objects.map((o, i) => [i ? ", " : "", o < 0 ? "not known" : h("a", { href: memspy.link("object", o) }, store.objectName(o))])),
            linemap.draw(line), linemap.table(line), memspy.sharing.countsTable(sharing.lines, line),
            apart ? h("section", {}, h("h3", {}, "Layout"), apart) : null);
    };

    memspy.pages.line = {
        nav: "Cache lines", group: "Contention",
        badge: () => sharing.lines.length,
        shown: () => Boolean(sharing?.lines.length),
        render: (main, [number]) => {
            const { lines } = sharing;
            const { count } = memspy.sharing;
            const users = store.memo(() => store.numbers(lines.length).map((i) => new Set(store.rangesOf(i).map((r) => r.thread)).size));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Cache lines that threads share")));
            memspy.split(main, {
                label: "cache lines", ids: store.numbers(lines.length), sort: { key: "modelled" }, below: true,
                columns: [
                    { key: "address", label: "Line", value: (i) => lines.address[i], width: "130px" },
                    { key: "objects", label: "Objects", value: names, width: "minmax(180px, 3fr)" },
                    count("threads", "Threads", "threads that touched it", (i) => users()[i], { width: "80px" }),
                    ...memspy.sharing.columns(lines).filter((c) => !["accesses", "ratio"].includes(c.key)),
                    count("first", "First", "modelled first touches by further threads", (i) => lines.mFirst[i]),
                ],
            }, "line", number ?? (lines.length ? 0 : undefined), detail);
        },
    };
})();
