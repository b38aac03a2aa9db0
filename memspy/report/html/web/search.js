// SPDX-License-Identifier: GPL-2.0-or-later
// A search over all pages, and the keys: / goes to the search of the page, or to this one; ? lists the keys.
"use strict";
memspy.search = (() => {
    const { h, text, store, sections } = memspy;
    const { data } = store;
    const MOST = 300;

    // Everything that has a name: {kind, text, href}. The pages are those of the navigation.
    const entries = store.memo(() => {
        const metric = store.metric(null, store.stackMetrics());
        const seen = new Set();
        const own = (list) => list.filter(({ kind, text: words }) => { const key = `${kind}\n${words}`; return words && !seen.has(key) && seen.add(key); });
        return own([
            ...sections.gather("searched"),
            ...store.numbers(data.objects.length).map((i) => ({ kind: "Object", text: store.objectName(i), href: memspy.link("object", i) })),
            ...(metric ? store.numbers(data.frames.length).filter((frame) => data.frames.function[frame] >= 0)
                .map((frame) => ({ kind: "Function", text: store.groupName(frame), href: memspy.link("functions", metric.key, "function", store.groupName(frame)) })) : []),
            ...store.numbers(data.files.length).filter((file) => data.files[file].parts.length)
                .map((file) => ({ kind: "Source", text: data.files[file].path, href: memspy.link("source", file, "") })),
            ...Object.entries(memspy.shownPages()).filter(([, page]) => page.nav).map(([name, page]) => ({ kind: "Page", text: [page.group, page.nav].filter(Boolean).join(": "), href: memspy.link(name) })),
        ]);
    });
    const found = (words) => {
        const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
        return wanted.length ? entries().filter((entry) => wanted.every((word) => entry.text.toLowerCase().includes(word))) : [];
    };
    memspy.pages.search = {
        render: (main, [words = ""]) => {
            const hits = found(words);
            memspy.put(main, h("header.page", {}, h("h1", {}, "Search"), h("p.sub", { role: "status" }, `${text.plural(hits.length, "hit")} for “${words}”`)),
                h("table.plain", { "aria-label": "Hits" }, h("tbody", {}, hits.slice(0, MOST).map(({ kind, text: name, href }) =>
                    h("tr", {}, h("td", {}, kind), h("td", {}, h("a", { href }, name)))))),
                hits.length > MOST ? h("p.note", {}, `and ${text.count(hits.length - MOST)} more`) : null);
        },
    };
    const box = () => h("input.search", { type: "search", placeholder: "Search all pages…", "aria-label": "Search all pages",
        onkeydown: (event) => { if (event.key === "Enter" && event.target.value.trim()) memspy.go("search", event.target.value.trim()); } });

    const KEYS = [["/", "go to the filter of the page, or to the search over all pages"], ["?", "show these keys"], ["↑ ↓ Page Home End", "move in a table"],
        ["Enter", "open the row; enlarge the function in the flame graph"], ["Esc", "show the whole flame graph; close this"],
        ["words in a filter", "rows that have all of them"], ["modelled>1000, false>=50%", "rows by a number: the column's name, < <= = >= > and the number (k, M, %)"]];
    const help = () => {
        const dialog = h("dialog.keys", { "aria-label": "Keys" }, h("h2", {}, "Keys and filters"), memspy.facts(KEYS.map(([key, words]) => [h("kbd", {}, key), words])),
            h("form", { method: "dialog" }, h("button", {}, "Close")));
        dialog.addEventListener("close", () => dialog.remove());
        document.body.append(dialog);
        dialog.showModal();
    };
    const listen = () => document.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea, dialog")) return;
        if (event.key === "/") {
            event.preventDefault();
            (document.querySelector("main input[type=search]") ?? document.querySelector("#side input[type=search]"))?.focus();
        } else if (event.key === "?") help();
    });
    return { listen, box };
})();
