// SPDX-License-Identifier: GPL-2.0-or-later
// The first page: what to mend first, and the totals of each analysis.
"use strict";
(() => {
    const { h, text, store, charts, linemap, stacks } = memspy;
    const { data, sharing } = store;

    const tile = (label, value, note, href = null) => {
        const inside = [h("span.label", {}, label), h("span.value", {}, value), h("span.note", {}, note)];
        return href ? h("a.tile", { href }, inside) : h("div.tile", {}, inside);
    };


    // The most contended line of the group, and which of its objects have it.
    const worstLine = (group) => {
        const lines = group.objects.flatMap((o) => store.linesByObject().get(o) ?? []);
        return lines.length ? Math.min(...lines) : -1;
    };
    const sidesOf = (group) => {
        const places = new Map();
        for (const side of group.sides) if (side.stack >= 0) places.set(stacks.title(side.stack), side.stack);
        return [...places.values()];
    };

    const findingCard = (group, number) => {
        const line = worstLine(group);
        const object = group.objects[0];
        const fields = group.objects.flatMap((o) => (line >= 0 ? store.fieldsUsed(o, line) : []));
        const href = memspy.link("finding", number);
        return h(`article.card.finding.${group.kind}`, {},
            h("header", {}, h("span.badge", {}, text.kind(group.kind)),
                h("h3", {}, h("a", { href }, group.what || group.title || store.objectName(object)))),
            h("dl.facts", {},
                fields.length ? [h("dt", {}, fields.length > 1 ? "Fields" : "Field"), h("dd.mono", {}, text.list(fields, 6))] : null,
                line >= 0 ? [h("dt", {}, "Cache line"), h("dd", {}, h("a.mono", { href: memspy.link("line", line) }, sharing.lines.address[line]))] : null,
                sidesOf(group).length ? [h("dt", {}, "Code"), h("dd", {}, sidesOf(group).map((s, i) => [i ? ", " : "", stacks.place(s)]))] : null,
                group.figures ? [h("dt", {}, "Events"), h("dd", {}, group.figures)] : null),
            line >= 0 ? linemap.draw(line, { object, small: true }) : null,
            group.advice ? h("p.advice", {}, h("b", {}, "Advice: "), group.advice) : null);
    };

    // The same defect at several places is one row.
    const defectKinds = () => {
        const kinds = d3.rollups ? d3.rollups(data.defects, (list) => list, (d) => d.kind) : [];
        return kinds.sort((a, b) => b[1].length - a[1].length);
    };
    const defectsCard = () => {
        if (!data.defects.length) return null;
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("defects") }, "Heap defects"))),
            h("table.plain", {}, h("thead", {}, h("tr", {}, ["Kind", "Places", "Times", "First"].map((t, i) => h(`th${i === 1 || i === 2 ? ".number" : ""}`, { scope: "col" }, t)))),
                h("tbody", {}, defectKinds().map(([kind, list]) => h("tr", {}, h("td", {}, h("a", { href: memspy.link("defects", data.defects.indexOf(list[0])) }, kind)),
                    h("td.number", {}, text.count(list.length)), h("td.number", {}, text.count(d3.sum(list, (d) => d.count))),
                    h("td", {}, memspy.defectPlace(list[0])))))));
    };

    const EVENT_PARTS = (counts, view) => {
        const get = (name) => counts[view + name] ?? 0;
        const falses = get("FalseMisses") + get("FalseInvalidations"), trues = get("TrueMisses") + get("TrueInvalidations");
        const all = get("First") + get("Misses") + get("Invalidations");
        const parts = [{ label: "false sharing", value: falses, colour: "var(--false)" },
            { label: "true sharing", value: trues, colour: "var(--true)" }];
        if (all > falses + trues) parts.push({ label: "not divided", value: all - falses - trues, colour: "var(--muted)" });
        return parts;
    };

    const sharingCard = () => {
        if (!sharing) return null;
        const total = sharing.total;
        const all = (view) => (total[`${view}First`] ?? 0) + (total[`${view}Misses`] ?? 0) + (total[`${view}Invalidations`] ?? 0);
        const touches = (total.loads ?? 0) + (total.stores ?? 0);
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("objects") }, "Contention and sharing"))),
            ["m", "o"].map((view) => h("div.viewbar", {},
                h("div.viewname", {}, h("b", {}, store.VIEWS[view]), ` ${text.count(all(view))} events`,
                    h("span.note", {}, ` ${text.percent(all(view), touches)} of ${text.brief(touches)} accesses`)),
                charts.stacked(EVENT_PARTS(total, view), store.VIEWS[view]),
                charts.legend(EVENT_PARTS(total, view)))),
            h("table.plain.counts", {}, h("thead", {}, h("tr", {}, ["", "modelled", "observed"].map((t) => h("th.number", { scope: "col" }, t)))),
                h("tbody", {}, [["first touch by anyone (cold, no event)", "Cold"], ["first touch by a further thread", "First"],
                    ["copy lost to another thread", "Misses"], ["invalidations of others' copies", "Invalidations"]].map(([label, key]) =>
                    h("tr", {}, h("th", { scope: "row" }, label), ["m", "o"].map((v) => h("td.number", {}, text.count(total[v + key] ?? 0))))))),
            h("p.note", {}, "Modelled: as if each thread had a core of its own. Observed: the order in which Valgrind ran them, one at a time."));
    };

    const threadsCard = () => {
        if (!sharing || sharing.threads.length < 2) return null;
        const t = sharing.threads;
        const ids = store.numbers(t.length).sort((a, b) => store.contended(t, "m", b) - store.contended(t, "m", a));
        const most = d3.max(ids, (i) => store.contended(t, "m", i)) || 1;
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("threads") }, "Threads"))),
            h("div.bars", {}, ids.slice(0, 10).map((i) => h("div", {}, h("span.name", {}, store.threadName(t.thread[i])),
                h("span.track", {}, h("span", { style: { width: `${(100 * store.contended(t, "m", i)) / most}%`, background: memspy.theme.thread(t.thread[i]) } })),
                h("span.number", {}, text.brief(store.contended(t, "m", i)))))),
            h("p.note", {}, `modelled events that repeat; ${text.plural(t.length, "thread")} in all`));
    };

    const banners = () => {
        const out = [];
        const q = sharing?.quality;
        for (const run of data.runs)
            if (run.finished === false) out.push(`Process ${run.pid} had not come to its end when its figures were written (${data.madeBy}).`);
        if (q && q.exact === false)
            out.push(`Modelled counts are estimates: the log of accesses was full, and ${text.plural(q.lifted ?? 0, "thread")} could not be waited for. A larger --access-log-size helps.`);
        out.push(...data.problems);
        // Most libraries have no debug information, and nobody misses it; the program's own is another matter.
        const own = new Set(data.runs.map((run) => text.bare(run.exe ?? "")));
        const missing = data.modules.filter((m) => m.status && m.status !== "ok"
            && (!m.status.endsWith("has no debug information") || own.has(text.bare(m.path))));
        if (missing.length) out.push(`Names may be missing: ${text.list(missing.map((m) => m.status), 3)}.`);
        return out.map((words) => h("p.banner", { role: "note" }, words));
    };

    memspy.pages.overview = {
        nav: "Overview", group: "",
        render: (main) => {
            const found = data.groups.map((g, i) => [g, i]).filter(([g]) => g.finding);
            const run = data.runs[0];
            memspy.put(main, h("header.page", {}, h("h1", {}, data.title),
                run ? h("p.sub.mono", {}, [run.exe, ...(run.arguments ?? [])].join(" ")) : null,
                data.runs.length > 1 ? h("p.sub", {}, `${text.plural(data.runs.length, "process", "processes")} together`) : null), banners());
            const tiles = [];
            if (data.hasErrors) tiles.push(tile("Heap defects", text.count(data.defects.length),
                data.defects.length ? `${text.plural(d3.sum(data.defects, (d) => d.count), "time")} in all` : "none found", memspy.link("defects")));
            if (sharing) {
                const t = sharing.total;
                const events = (v) => (t[`${v}Misses`] ?? 0) + (t[`${v}Invalidations`] ?? 0);
                const divided = (v, k) => (t[`${v}${k}Misses`] ?? 0) + (t[`${v}${k}Invalidations`] ?? 0);
                tiles.push(tile("Sharing findings", text.count(found.length), `in ${text.plural(memspy.sharing.objectIds().length, "shared object")}`, memspy.link("objects")),
                    tile("Modelled events", text.brief(events("m")), "lost copies and invalidations", memspy.link("code")),
                    tile("False sharing", text.percent(divided("m", "False"), divided("m", "False") + divided("m", "True")), "of modelled events", memspy.link("objects")),
                    tile("Observed events", text.brief(events("o")), "in Valgrind's own order", memspy.link("objects")));
            }
            tiles.push(...(memspy.zeros.tiles?.(tile) ?? []));
            tiles.push(tile("Threads", text.count(data.threads.length || 1), sharing ? `${text.plural(sharing.lines.length, "shared line")}` : "", memspy.link("threads")));
            memspy.put(main, h("div.tiles", {}, tiles));

            if (found.length) memspy.put(main, h("h2", {}, "Mend first"), h("div.cards.wide", {}, found.slice(0, 5).map(([g, i]) => findingCard(g, i))));
            if (found.length > 5) memspy.put(main, h("p", {}, h("a", { href: memspy.link("objects") }, `${text.plural(found.length - 5, "further finding")}`)));
            if (!found.length && !data.defects.length) memspy.put(main, data.hasErrors ? h("p.good", {}, "Nothing that harms was found.")
                : h("p.sub", {}, sharing ? "No finding on sharing. " : "", "Heap defects stand in the error file (--xml-file), which this page was made without."));
            memspy.put(main, h("h2", {}, "Totals"), h("div.cards", {}, defectsCard(), sharingCard(), memspy.zeros.card?.(), threadsCard()));
        },
    };
})();
