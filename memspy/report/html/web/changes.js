// SPDX-License-Identifier: GPL-2.0-or-later
// What has changed since another run.
"use strict";
(() => {
    const { h, store } = memspy;
    const { before = "", after = "", tables = [] } = store.data.changes ?? {};
    const TITLES = { objects: "objects by events", "objects-and-code": "code by events", "zeros-by-code": "redundant zeros by code" };
    const named = tables.map((table) => ({ ...table, title: TITLES[table.name] ?? table.name.replaceAll("-", " ") }));
    memspy.pages.changes = {
        nav: "Changes", group: "Run",
        shown: () => Boolean(store.data.changes),
        badge: () => d3.sum(named, (table) => table.rows.length),
        render: (main, [chosen]) => {
            const table = named.find((t) => t.name === chosen) ?? named[0];
            memspy.put(main, h("header.page", {}, h("h1", {}, "Changes"), named.length > 1 ? h("label.choice", {}, "Of: ", h("select", { "aria-label": "Table", onchange: (event) => memspy.go("changes", event.target.value) },
                named.map((t) => h("option", { value: t.name, selected: t === table }, `${t.title} (${t.rows.length})`)))) : null),
            h("p.sub", {}, `From ${before} to ${after}.`));
            if (!table) { memspy.put(main, h("p.good", {}, "Nothing has changed.")); return; }
            const { rows } = table;
            const number = (field) => (i) => Number(rows[i][field]) || 0;
            memspy.put(main, memspy.own(new memspy.Table({ label: table.title, ids: store.numbers(rows.length), sort: { key: "change" }, columns: [
                { key: "state", label: "Change", width: "112px", value: (i) => rows[i].state, node: (i) => h(`span.badge.${rows[i].state}`, {}, rows[i].state) },
                memspy.Table.count("before", "Before", "in the other run", number("before")),
                memspy.Table.count("after", "After", "in this run", number("after")),
                { key: "change", label: "More", title: "after, less before", number: true, width: "minmax(98px, .7fr)", value: (i) => number("after")(i) - number("before")(i),
                    text: (i) => memspy.compare.more(number("after")(i) - number("before")(i)) },
                { key: "what", label: "What", width: "minmax(240px, 5fr)", value: (i) => rows[i].what },
            ] })).element);
        },
    };
})();
