// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that processes share: the lines that they take from each other, and what each does to them.
"use strict";
memspy.section("shared-memory", (section, name) => {
    const { h, text, stacks, store } = memspy;
    const { lines, users } = section.tables;
    const GROUP = "Shared memory";
    const SHARING = { false: "False sharing", true: "True sharing" };
    const of = (i) => store.numbers(users.length).filter((u) => users.number[u] === lines.number[i]);
    const most = (i) => lines["false-fetches"][i] + lines["true-fetches"][i];
    const MEANING = "A process fetches a line when another one has stored to it: at most so often. The order between processes is not known.";
    const detail = (i) => h("article.detail", { "aria-label": "Shared line" }, h("h2", {}, `${SHARING[lines.sharing[i]]} in ${lines.memory[i]}`),
        memspy.facts([["Offset", text.count(lines.offset[i])], ["Lines", text.count(lines.lines[i])], ["False, at most", text.count(lines["false-fetches"][i])],
            ["True, at most", text.count(lines["true-fetches"][i])]]), lines.advice[i] ? h("p.fix", {}, h("b", {}, "Fix: "), lines.advice[i], ".") : null,
        h("table.plain.counts", {}, h("thead", {}, h("tr", {}, ["process", "stores", "bytes stored", "loads", "bytes loaded", "code"].map((t) => h("th", { scope: "col" }, t)))),
            h("tbody", {}, of(i).map((u) => h("tr", {}, h("td", {}, users.process[u]), h("td.number", {}, text.count(users.stores[u])), h("td", {}, users.stored[u]),
                h("td.number", {}, text.count(users.loads[u])), h("td", {}, users.loaded[u]), h("td", {}, stacks.place(users.stack[u])))))),
        of(i).slice(0, 2).map((u) => [h("h3", {}, users.process[u]), stacks.list(users.stack[u])]));
    const count = (key, label, title) => ({ key, label, title, number: true, width: "104px", value: (i) => lines[key][i], text: (i) => text.count(lines[key][i]) });
    const page = {
        nav: "Shared lines", group: GROUP,
        shown: () => lines.length > 0,
        badge: () => lines.length,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Lines that processes take from each other"), h("p.sub", {}, MEANING)));
            memspy.split(main, { label: "shared lines", ids: store.numbers(lines.length), sort: { key: "false-fetches", descending: true }, empty: "none was found", columns: [
                { key: "memory", label: "Memory", value: (i) => lines.memory[i], width: "minmax(110px, 1.5fr)" }, count("offset", "Offset", "in the memory"), count("lines", "Lines", ""),
                { key: "sharing", label: "Sharing", value: (i) => lines.sharing[i], width: "84px" },
                count("false-fetches", "False", "fetches at most"), count("true-fetches", "True", "fetches at most")] }, "shared-lines", number ?? 0, detail);
        },
    };
    const isFalse = (i) => lines.sharing[i] === "false";
    return {
        ...memspy.records(section, name, { group: GROUP, pages: {}, metrics: [] }),
        pages: { "shared-lines": page },
        harm: () => store.numbers(lines.length).filter(isFalse).length,
        said: () => (lines.length && isFalse(0) ? [{ weight: 2.5, sentence: `Processes share lines falsely, first of all in ${lines.memory[0]}: up to ${text.plural(most(0), "fetch", "fetches")}.` }] : []),
    };
});
