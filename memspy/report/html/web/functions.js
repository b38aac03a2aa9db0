// SPDX-License-Identifier: GPL-2.0-or-later
// A metric by line, function, file, module, thread or object: what each has itself and with what it calls; its callers
// and callees. Callers are those of the outermost call of a recursion, so that the figures of callers, and those of
// callees with its own, add up to what it has with its calls.
"use strict";
(() => {
    const { h, text, store } = memspy;
    const OUTSIDE = "";

    const { frames, modulePaths, files } = store.data;
    // Of a frame.
    const GROUPS = {
        function: { label: "function", of: store.groupName },
        line: { label: "line", of: store.frameName },
        file: { label: "source file", of: (frame) => (frames.file[frame] >= 0 ? files[frames.file[frame]].path : "no source file") },
        module: { label: "module", of: (frame) => (frames.module[frame] >= 0 ? modulePaths[frames.module[frame]] : "no module") },
    };
    // Of a row of the metric's table; these have no callers.
    const ROWS = {
        thread: { label: "thread", of: (table, row) => (table.thread[row] ? store.threadName(table.thread[row]) : "short threads") },
        object: { label: "object", of: (table, row) => (table.object[row] >= 0 ? store.objectName(table.object[row]) : "not known") },
    };
    const usable = (metric) => [...Object.keys(GROUPS), ...Object.keys(ROWS).filter((key) => metric.table[key])];

    const sums = (metric, group) => {
        const found = new Map();
        const entry = (name, frame) => {
            if (!found.has(name)) found.set(name, { name, frame, own: 0, all: 0, best: 0 });
            return found.get(name);
        };
        for (const [stack, n, row] of metric.entries) {
            if (ROWS[group]) {
                const e = entry(ROWS[group].of(metric.table, row), -1);
                e.own += n;
                e.all += n;
                continue;
            }
            const seen = new Set(); // recursion counts once
            store.shownStack(stack).forEach((frame, depth) => {
                const e = entry(GROUPS[group].of(frame), frame);
                if (depth === 0) e.own += n;
                if (seen.has(e)) return;
                seen.add(e);
                e.all += n;
                // The line with most stands for a function.
                if (n > e.best) { e.best = n; e.frame = frame; }
            });
        }
        return [...found.values()];
    };

    const neighbours = (metric, group, name) => {
        const callers = new Map(), callees = new Map(), threads = new Map(), objects = new Map();
        const add = (map, key, n) => map.set(key, (map.get(key) ?? 0) + n);
        for (const [stack, n, row] of metric.entries) {
            const names = ROWS[group] ? null : store.shownStack(stack).map(GROUPS[group].of);
            const at = names ? names.lastIndexOf(name) : -1;
            if (names ? at < 0 : ROWS[group].of(metric.table, row) !== name) continue;
            if (names) {
                add(callers, names[at + 1] ?? OUTSIDE, n);
                add(callees, at ? names[at - 1] : OUTSIDE, n);
            }
            for (const [key, map] of [["thread", threads], ["object", objects]])
                if (metric.table[key] && key !== group) add(map, ROWS[key].of(metric.table, row), n);
        }
        return { callers, callees, threads, objects };
    };

    const list = (title, map, total, metric, group, outside) => (map.size ? h("section", {}, h("h3", {}, title),
        h("table.plain", { "aria-label": title }, h("tbody", {}, [...map].sort((a, b) => b[1] - a[1]).slice(0, 40).map(([name, n]) => h("tr", {},
            h("td", {}, group && name !== OUTSIDE ? h("a", { href: memspy.link("functions", metric.key, group, name) }, name) : name === OUTSIDE ? h("i", {}, outside) : name),
            h("td.number", {}, text.count(n)), h("td.number", {}, text.percent(n, total)))))),
        map.size > 40 ? h("p.note", {}, `and ${text.count(map.size - 40)} more`) : null) : null);

    memspy.pages.functions = {
        nav: "Functions", group: "Code",
        shown: () => store.stackMetrics().length > 0,
        render: (main, [key, wanted = "function", chosen]) => {
            const metric = store.metric(key, store.stackMetrics());
            const group = usable(metric).includes(wanted) ? wanted : "function";
            const label = (GROUPS[group] ?? ROWS[group]).label;
            const entries = sums(metric, group);
            const ids = store.numbers(entries.length);
            memspy.put(main, h("header.page", {}, h("h1", {}, "Functions"),
                memspy.metricChoice(metric.key, (next) => memspy.go("functions", next, group), store.stackMetrics()),
                h("label.choice", {}, "By: ", h("select", { "aria-label": "Group by", onchange: (event) => memspy.go("functions", metric.key, event.target.value) },
                    usable(metric).map((name) => h("option", { value: name, selected: name === group }, (GROUPS[name] ?? ROWS[name]).label)))),
                GROUPS[group] ? memspy.librariesChoice(memspy.again) : null,
                h("p.sub", {}, GROUPS[group] ? "Its own: at its code, and in the libraries that it calls. With its calls: also what the functions do that it calls." : `By ${label}.`)));
            const detail = (i) => {
                const e = entries[i];
                const { callers, callees, threads, objects } = neighbours(metric, group, e.name);
                return h("article.detail", { "aria-label": label }, h("h2", {}, e.name),
                    h("p.sub", {}, `${text.count(e.all)} ${metric.label}, ${text.percent(e.all, metric.total)} of all`, GROUPS[group] ? `; ${text.count(e.own)} of its own` : ""),
                    h("div.sides", {}, list("Called by", callers, e.all, metric, group, "nothing: the stack begins here"),
                        list("Calls", callees, e.all, metric, group, "its own code"),
                        list("Threads", threads, e.all, metric, null, ""), list("Objects", objects, e.all, metric, null, "")),
                    memspy.source.ofFrame(e.frame, { metric: metric.key }));
            };
            const index = entries.findIndex((e) => e.name === chosen);
            const cells = (name, title, value) => memspy.Table.count(name, title, `${metric.label}: ${title.toLowerCase()}`, value, { bar: true, width: "minmax(118px, .8fr)" });
            const table = memspy.own(new memspy.Table({
                label: `metrics by ${label}`, ids, sort: { key: GROUPS[group] ? "own" : "all" }, compare: "all",
                open: (i) => { memspy.here("functions", metric.key, group, entries[i].name); table.select(i); pane.replaceChildren(detail(i)); },
                columns: [
                    { key: "name", label: label[0].toUpperCase() + label.slice(1), width: "minmax(160px, 3fr)", value: (i) => entries[i].name },
                    ...(GROUPS[group] ? [cells("own", "Its own", (i) => entries[i].own)] : []),
                    cells("all", GROUPS[group] ? "With its calls" : "Sum", (i) => entries[i].all),
                    { key: "share", label: "Of all", title: "share of the whole, with its calls", number: true, width: "84px", value: (i) => entries[i].all / metric.total, text: (i) => text.percent(entries[i].all, metric.total) },
                ],
            }));
            const pane = h("div.pane", {}, index >= 0 ? detail(index) : h("p.note", {}, "Choose a row to see its callers and callees."));
            memspy.put(main, h("div.split", {}, table.element, pane));
            if (index >= 0) { table.select(index); table.mark(table.shown.indexOf(index)); }
        },
    };
})();
