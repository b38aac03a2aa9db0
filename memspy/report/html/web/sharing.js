// SPDX-License-Identifier: GPL-2.0-or-later
// What contends: objects, and the code that does it; columns that both tables have.
"use strict";
memspy.sharing = (() => {
    const { h, text, store, stacks } = memspy;
    const { sharing } = store;

    const count = (key, label, title, value, more = {}) => ({ key, label, title, value, text: (i) => text.count(value(i)), number: true, width: "minmax(98px, .7fr)", ...more });
    const columns = (table) => [
        count("accesses", "Accesses", "loads and stores, on shared lines", (i) => store.accesses(table, i)),
        count("modelled", "Modelled", "modelled events that repeat: misses by lost copies, and invalidations", (i) => store.contended(table, "m", i), { bar: true, width: "minmax(112px, .7fr)" }),
        count("observed", "Observed", "the same in the order in which Valgrind ran the threads", (i) => store.contended(table, "o", i)),
        { key: "ratio", label: "Ratio", title: "events (the larger of both) for each access", number: true, width: "76px",
            value: (i) => store.peak(table, i) / Math.max(1, store.accesses(table, i)),
            text: (i) => text.percent(store.peak(table, i), store.accesses(table, i)) },
        { key: "false", label: "False", title: "share of false sharing in the events", number: true, width: "76px",
            value: (i) => store.falseShare(table, i), text: (i) => (store.peak(table, i) ? text.percent(store.falseShare(table, i), 1) : "–") },
    ];

    const KIND = { heap: "heap", static: "static", frames: "stack", unknown: "other" };
    const verdict = (object) => {
        const group = store.data.groups[store.groupOf(object)];
        return group?.finding ? group.kind : "";
    };
    // Others are in the file because something else refers to them.
    const objectIds = store.memo(() => store.numbers(sharing.objects.length)
        .filter((i) => store.accesses(sharing.objects, i) > 0 || store.peak(sharing.objects, i) > 0));

    memspy.pages.objects = {
        nav: "Objects", group: "Contention",
        shown: () => Boolean(sharing),
        render: (main) => {
            const table = sharing.objects;
            const unknown = store.data.objects.length; // the last entry is what has no object
            memspy.put(main, h("header.page", {}, h("h1", {}, "Objects that threads share"),
                h("p.sub", {}, "Variables, heap blocks of one allocation, stacks. Choose one to see its cache lines.")));
            const list = memspy.own(new memspy.Table({
                label: "shared objects", ids: objectIds(), sort: { key: "modelled" },
                open: (i) => memspy.go("object", i === unknown ? -1 : i),
                columns: [
                    { key: "name", label: "Object", width: "minmax(200px, 3fr)", value: (i) => (i === unknown ? "not known" : store.objectName(i)) },
                    { key: "kind", label: "Kind", width: "68px", value: (i) => (i === unknown ? "" : KIND[store.data.objects[i].kind] ?? "other") },
                    { key: "verdict", label: "Finding", width: "128px", value: (i) => verdict(i), text: (i) => text.kind(verdict(i)),
                        node: (i) => (verdict(i) ? h(`span.badge.${verdict(i)}`, {}, text.kind(verdict(i))) : "") },
                    count("lines", "Lines", "cache lines with events that repeat", (i) => table.lines[i], { width: "68px" }),
                    count("threads", "Threads", "threads that touched its shared lines", (i) => table.threads[i], { width: "88px" }),
                    ...columns(table),
                    { key: "where", label: "Allocated at", width: "minmax(104px, 1.6fr)",
                        value: (i) => (i === unknown || store.data.objects[i].stack < 0 ? "" : stacks.title(store.data.objects[i].stack)) },
                ],
            }));
            memspy.put(main, list.element);
        },
    };

    const rowDetail = (i) => {
        const { rows } = sharing;
        const object = rows.object[i];
        return h("article.detail", { "aria-label": "Code" }, h("h2", {}, stacks.title(rows.stack[i])),
            h("p.sub", {}, store.threadName(rows.thread[i]), " on ", object < 0 ? "memory that is not known"
                : h("a", { href: memspy.link("object", object) }, store.objectName(object))),
            h("p.sub", {}, `${text.count(rows.loads[i])} loads, ${text.count(rows.stores[i])} stores on shared lines`), countsTable(rows, i), stacks.list(rows.stack[i]));
    };
    // `narrow`: beside an open row, which has the rest.
    const rowColumns = (withObject, narrow = false) => {
        const { rows } = sharing;
        return [
            { key: "code", label: "Code", width: "minmax(176px, 2.4fr)", value: (i) => stacks.title(rows.stack[i]) },
            ...(withObject ? [{ key: "object", label: "Object", width: "minmax(100px, 1.4fr)", value: (i) => store.objectName(rows.object[i]) }] : []),
            { key: "thread", label: "Thread", value: (i) => rows.thread[i], number: true, width: "88px" },
            ...(narrow ? [] : [count("loads", "Loads", "loads of shared lines", (i) => rows.loads[i]),
                count("stores", "Stores", "stores to shared lines", (i) => rows.stores[i])]),
            ...columns(rows).filter((c) => c.key !== "accesses" && !(narrow && c.key === "ratio")),
        ];
    };

    const countsTable = (table, i) => h("table.plain.counts", {},
        h("thead", {}, h("tr", {}, ["", "modelled", "observed"].map((t) => h("th.number", { scope: "col" }, t)))),
        h("tbody", {}, [["copy lost to another thread", "Misses"], ["invalidations of others' copies", "Invalidations"], ["first touches", "First"],
            ["misses: false sharing", "FalseMisses"], ["misses: true sharing", "TrueMisses"], ["invalidations: false sharing", "FalseInvalidations"],
            ["invalidations: true sharing", "TrueInvalidations"]].map(([label, key]) => h("tr", {}, h("th", { scope: "row" }, label),
            ["m", "o"].map((v) => h("td.number", {}, text.count(table[v + key][i])))))));

    memspy.pages.code = {
        nav: "Code", group: "Contention",
        badge: () => sharing.rows.length,
        shown: () => Boolean(sharing),
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Code that contends"),
                h("p.sub", {}, "Each row: one stack, one thread, one object.")));
            memspy.split(main, { label: "code that contends", ids: store.numbers(sharing.rows.length), sort: { key: "modelled" }, columns: rowColumns(true, true) },
                "code", number, rowDetail);
        },
    };
    return { columns, rowColumns, countsTable, count, objectIds };
})();
