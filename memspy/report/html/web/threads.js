// SPDX-License-Identifier: GPL-2.0-or-later
// The threads, and each section's data on them.
"use strict";
(() => {
    const { h, store, sections } = memspy;
    const { threads } = store.data;

    memspy.pages.threads = {
        nav: "Threads", group: "Run",
        badge: () => threads.length,
        shown: () => threads.length > 0,
        render: (main) => {
            const parent = new Map(threads.map((t) => [t.id, t.parent ?? 0]));
            const table = memspy.own(new memspy.Table({ label: "threads", ids: [...parent.keys()], sort: { key: "thread", descending: false }, columns: [
                { key: "thread", label: "Thread", number: true, name: true, width: "90px", value: (id) => id,
                    node: (id) => h("span", {}, h("span.swatch", { style: { background: memspy.theme.thread(id) } }), id) },
                { key: "parent", label: "Made by", number: true, name: true, width: "90px", value: (id) => parent.get(id), text: (id) => parent.get(id) || "–" },
                ...sections.gather("threadColumns"),
            ] }));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Threads")), table.element, sections.gather("threadParts"));
        },
    };
})();
