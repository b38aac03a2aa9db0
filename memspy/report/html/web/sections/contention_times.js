// SPDX-License-Identifier: GPL-2.0-or-later
// The threads in virtual time: when each ran, and when it waited for what. A row for each thread.
"use strict";
memspy.contention.times = (sharing) => {
    const { h, text, store, stacks } = memspy;
    const { waits, waitSpans: spans, threads } = sharing;

    const lock = (i) => waits.name[i] || (waits.object[i] >= 0 ? store.objectName(waits.object[i]) : "");
    const whatFor = (i) => (waits.kind[i] === "end" ? "the end of a thread" : `${waits.kind[i] === "lock" ? "lock " : ""}${lock(i)}`.trim() || "another thread");
    const title = (i) => `${whatFor(i)}, at ${stacks.title(waits.stack[i])}`;

    // Of each thread its life, and the numbers of its spans in ascending time.
    const rows = store.memo(() => {
        const found = new Map(store.numbers(threads.length).filter((i) => threads.thread[i] && threads.end[i] > threads.begin[i])
            .map((i) => [threads.thread[i], { thread: threads.thread[i], name: store.threadName(threads.thread[i]), begin: threads.begin[i], end: threads.end[i], spans: [] }]));
        for (const s of store.numbers(spans.length).sort((a, b) => spans.from[a] - spans.from[b])) found.get(spans.thread[s])?.spans.push(s);
        return [...found.values()].sort((a, b) => a.thread - b.thread);
    });
    // The ends of several threads at one place are one.
    const first = store.memo(() => {
        const longest = new Map();
        for (const wait of store.numbers(waits.length).sort((a, b) => waits.waited[b] - waits.waited[a]))
            if (!longest.has(title(wait))) longest.set(title(wait), wait);
        return Array.from(waits.kind, (_, wait) => longest.get(title(wait)));
    });

    const said = (s) => {
        const times = spans.times[s], length = spans.until[s] - spans.from[s];
        const by = spans.whom[s] ? `, until ${store.threadName(spans.whom[s])} lets it go on` : "";
        return [`${store.threadName(spans.thread[s])} waits for ${title(spans.wait[s])}`,
            times === 1 ? `${text.count(spans.waited[s])} units, from ${text.count(spans.from[s])} on${by}`
                : `${text.count(times)} waits near each other, most for this: ${text.count(spans.waited[s])} of ${text.count(length)} units, from ${text.count(spans.from[s])} on`];
    };

    return {
        nav: "Threads in time", group: "Contention",
        shown: () => spans.length > 0 && rows().length > 0,
        render: (main) => memspy.put(main, h("header.page", {}, h("h1", {}, "Threads in virtual time"),
            h("p.sub", {}, "As if each thread had a processor of its own, on which an instruction takes one unit. Gray: the thread runs. In colour: it waits.")),
        memspy.timeline({ rows: rows(), parties: "thread", from: (s) => spans.from[s], until: (s) => spans.until[s], waited: (s) => spans.waited[s],
            group: (s) => first()[spans.wait[s]], said, title, link: (wait) => memspy.link("wait", wait), tick: text.brief, least: 10 })),
    };
};
