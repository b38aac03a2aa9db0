// SPDX-License-Identifier: GPL-2.0-or-later
// The threads and their figures.
"use strict";
(() => {
    const { h, text, store, charts } = memspy;
    const { data, sharing } = store;

    memspy.pages.threads = {
        nav: "Threads", group: "Run",
        badge: () => data.threads.length,
        shown: () => data.threads.length > 0,
        render: (main) => {
            const known = new Map(data.threads.map((t) => [t.id, t]));
            const counted = sharing ? new Map(Array.from(sharing.threads.thread, (t, i) => [t, i])) : new Map();
            const at = (id, value) => (counted.has(id) ? value(counted.get(id)) : 0);
            const { count } = memspy.sharing;
            const columns = [
                { key: "thread", label: "Thread", number: true, width: "90px", value: (id) => id,
                    node: (id) => h("span", {}, h("span.swatch", { style: { background: memspy.theme.thread(id) } }), id) },
                { key: "parent", label: "Made by", number: true, width: "90px", value: (id) => known.get(id).parent ?? 0, text: (id) => known.get(id).parent || "–" },
            ];
            if (sharing) {
                const t = sharing.threads;
                columns.push(count("instructions", "Instructions", "since there were two threads", (id) => at(id, (i) => t.instructions[i]), { bar: true, width: "minmax(118px, .7fr)" }),
                    count("loads", "Loads", "all of them, private lines too", (id) => at(id, (i) => t.loads[i])),
                    count("stores", "Stores", "all of them, private lines too", (id) => at(id, (i) => t.stores[i])),
                    count("mMisses", "Misses", "modelled: copies lost to other threads", (id) => at(id, (i) => t.mMisses[i])),
                    count("mInvalidations", "Invalidations", "modelled: of other threads' copies", (id) => at(id, (i) => t.mInvalidations[i]), { bar: true, width: "minmax(118px, .7fr)" }),
                    count("observed", "Observed", "misses and invalidations, as Valgrind ran them", (id) => at(id, (i) => store.contended(t, "o", i))));
            }
            columns.push(...(memspy.zeros.threadColumns?.() ?? []));
            const table = memspy.own(new memspy.Table({ label: "threads", ids: [...known.keys()], sort: { key: "thread", descending: false }, columns }));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Threads")), table.element);
            if (!sharing) return;
            const { pairs } = sharing;
            const sums = new Map();
            for (let i = 0; i < pairs.length; i++) {
                if (!pairs.other[i] || !pairs.m[i]) continue;
                const key = `${pairs.thread[i]} ${pairs.other[i]}`;
                const entry = sums.get(key) ?? { thread: pairs.thread[i], other: pairs.other[i], value: 0, falseValue: 0 };
                entry.value += pairs.m[i];
                entry.falseValue += pairs.mFalse[i];
                sums.set(key, entry);
            }
            if (sums.size) memspy.put(main, h("section", {}, h("h2", {}, "Who meets whom"),
                h("p.sub", {}, "Modelled events on all objects."), charts.matrix([...sums.values()], "Modelled events between pairs of threads")));
        },
    };
})();
