// SPDX-License-Identifier: GPL-2.0-or-later
// The run, the machine, the assumptions, modules, and the licences of this file's parts.
"use strict";
(() => {
    const { h, text, store, sections } = memspy;
    const { data } = store;
    const MOST_RUNS = 50;

    const yes = (value) => (value ? "yes" : "no");
    const line = (words) => h("span.mono", {}, (words ?? []).map((w) => (/[\s'"]/.test(w) || w === "" ? JSON.stringify(w) : w)).join(" "));

    memspy.pages.about = {
        nav: "This run", group: "Run",
        render: (main) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "This run")));
            for (const run of data.runs.slice(0, MOST_RUNS))
                memspy.put(main, h("section", {}, h("h2", {}, `Process ${run.pid}`), memspy.facts([
                    ["Command", line([run.exe, ...(run.arguments ?? [])])], ["Valgrind's options", line(run.options)],
                    ["Started", run.start], ["Written", run.end], ["Processor", run.arch],
                    ["Finished", run.finished === null || run.finished === undefined ? null : `${yes(run.finished)}${data.madeBy ? ` (${data.madeBy})` : ""}`]])));
            if (data.runs.length > MOST_RUNS) memspy.put(main, h("p.note", {}, `and ${text.count(data.runs.length - MOST_RUNS)} more`));
            memspy.put(main, h("section", {}, h("h2", {}, "Made with"), memspy.facts([["memspy", data.version], ["Valgrind", data.valgrind]])));
            memspy.put(main, sections.gather("about"));
            if (data.modules.length) {
                const table = memspy.own(new memspy.Table({
                    label: "modules", ids: store.numbers(data.modules.length), sort: { key: "path", descending: false }, height: "330px",
                    columns: [
                        { key: "path", label: "Module", value: (i) => data.modules[i].path, width: "minmax(220px, 2fr)" },
                        { key: "build", label: "Build id", value: (i) => data.modules[i].buildId, width: "minmax(160px, 1.4fr)" },
                        { key: "begin", label: "From", value: (i) => data.modules[i].begin, width: "150px" },
                        { key: "status", label: "Debug information", value: (i) => data.modules[i].status, width: "minmax(120px, 1fr)" },
                    ],
                }));
                memspy.put(main, h("section", {}, h("h2", {}, "Modules"), table.element));
            }
            memspy.put(main, h("section", {}, h("h2", {}, "In this file"), h("p", {},
                "The pictures are made with parts of D3, whose licence follows. memspy itself is free software under the GNU General Public License, version 2 or later."),
            h("pre.licences", { tabindex: "0" }, document.getElementById("licences").content.textContent)));
        },
    };
})();
