// SPDX-License-Identifier: GPL-2.0-or-later
// One object, or the objects of a finding: lines with their maps, advice, code, and which threads meet.
"use strict";
(() => {
    const { h, text, store, stacks, source, charts, linemap, layout } = memspy;
    const { data, sharing } = store;
    const MOST_LINES = 200;

    const facts = (i) => {
        const o = data.objects[i];
        const rows = [];
        const add = (label, value) => { if (value) rows.push(h("dt", {}, label), h("dd", {}, value)); };
        add("Kind", { heap: `heap, by ${o.by}`, static: "static variable", frames: `stack of thread ${o.thread}`, unknown: "other memory" }[o.kind]);
        add("Type", o.type && h("span.mono", {}, o.type));
        add("Size", o.size ? text.bytes(o.size) : null);
        add("Address", o.start && h("span.mono", {}, o.start));
        add("Module", o.module ? text.bare(o.module) : o.path);
        add("Declared", o.declared && h("a", { href: memspy.link("source", o.declared.file, o.declared.line) },
            `${data.files[o.declared.file].name}:${o.declared.line}`));
        return h("dl.facts", {}, rows);
    };

    // The lines of some objects: one is drawn, the others can be chosen.
    const lineViewer = (lines, object) => {
        if (!lines.length) return h("p.note", {}, "No line of it went to and fro between threads.");
        const box = h("div");
        const show = (line) => {
            const apart = layout.draw(line);
            box.replaceChildren(linemap.draw(line, { object }), linemap.table(line),
                apart ? h("section", {}, h("h3", {}, "Layout"), apart) : "");
        };
        const label = (line) => `${sharing.lines.address[line]} – ${text.count(store.contended(sharing.lines, "m", line))} modelled, `
            + `${text.count(store.contended(sharing.lines, "o", line))} observed`;
        const choice = lines.length === 1 ? h("p.sub", {}, "Line ", h("a.mono", { href: memspy.link("line", lines[0]) }, label(lines[0])))
            : h("label.choice", {}, `Line (${text.count(lines.length)}): `, h("select", { onchange: (event) => show(Number(event.target.value)) },
                lines.slice(0, MOST_LINES).map((line) => h("option", { value: line }, label(line)))));
        show(lines[0]);
        return h("div.lineviewer", {}, choice, box);
    };

    const pairsOf = (objects) => {
        const { pairs } = sharing;
        const sums = new Map();
        for (let i = 0; i < pairs.length; i++) {
            if (!objects.includes(pairs.object[i]) || !pairs.other[i]) continue;
            const key = `${pairs.thread[i]} ${pairs.other[i]}`;
            const entry = sums.get(key) ?? { thread: pairs.thread[i], other: pairs.other[i], value: 0, falseValue: 0 };
            const modelled = pairs.m[i] >= pairs.o[i];
            entry.value += modelled ? pairs.m[i] : pairs.o[i];
            entry.falseValue += modelled ? pairs.mFalse[i] : pairs.oFalse[i];
            sums.set(key, entry);
        }
        return [...sums.values()].filter((p) => p.value);
    };

    const codeSection = (objects) => {
        const ids = objects.flatMap((o) => store.rowsByObject().get(o) ?? []);
        if (!ids.length) return null;
        const lead = ids.reduce((a, b) => (store.peak(sharing.rows, b) > store.peak(sharing.rows, a) ? b : a));
        const below = h("div", {}, stacks.list(sharing.rows.stack[lead]));
        const table = memspy.own(new memspy.Table({
            label: "code", ids, sort: { key: "modelled" }, columns: memspy.sharing.rowColumns(objects.length > 1), height: "330px",
            open: (i) => { table.select(i); below.replaceChildren(stacks.list(sharing.rows.stack[i])); },
        }));
        table.select(lead);
        return h("section", {}, h("h2", {}, "Code"), table.element, below);
    };

    const page = (main, objects) => {
        const lines = [...new Set(objects.flatMap((o) => store.linesByObject().get(o) ?? []))]
            .filter((line) => store.peak(sharing.lines, line) > 0).sort((a, b) => a - b);
        memspy.put(main, h("section", {}, h("h2", {}, lines.length > 1 ? "Cache lines" : "Cache line"), lineViewer(lines, objects.length === 1 ? objects[0] : null)));
        memspy.put(main, codeSection(objects) ?? "");
        const pairs = pairsOf(objects);
        if (pairs.length) memspy.put(main, h("section", {}, h("h2", {}, "Threads that meet"), charts.matrix(pairs, "Events between pairs of threads")));
        for (const o of objects)
            if (o >= 0 && data.objects[o].stack >= 0)
                memspy.put(main, h("section", {}, h("h2", {}, `Allocated: ${store.objectName(o)}`), stacks.list(data.objects[o].stack)));
    };
    const declarations = (main, objects) => {
        const found = objects.map((o) => data.objects[o]?.declared).filter(Boolean).slice(0, 4);
        for (const { file, line } of found)
            if (data.files[file].parts.length) memspy.put(main, source.panel(file, line, { around: 5 }));
    };
    // memspy words only the first groups.
    const groupTitle = (group) => group.what || group.title || text.list(group.objects.map(store.objectName));
    const adviceBox = (group) => (group?.advice ? h("p.advice", {}, h("b", {}, "Advice: "), group.advice) : null);

    memspy.pages.object = {
        parent: "objects",
        render: (main, [id]) => {
            const i = Number(id);
            // The last entry of the figures is what has no object; its page is that of -1.
            if (i !== -1 && !data.objects[i]) { memspy.put(main, h("p.note", {}, "No such object.")); return; }
            const group = i >= 0 ? store.groupOf(i) : -1;
            const finding = data.groups[group];
            memspy.put(main, h("header.page", {}, h("h1", {}, store.objectName(i)),
                finding?.finding ? h("p.sub", {}, h(`span.badge.${finding.kind}`, {}, text.kind(finding.kind)), " ",
                    h("a", { href: memspy.link("finding", group) }, groupTitle(finding))) : null),
            i >= 0 ? facts(i) : "", adviceBox(finding) ?? "");
            declarations(main, [i]);
            if (sharing) page(main, [i]);
            memspy.put(main, memspy.zeros.objectSection?.(i) ?? "");
        },
    };

    memspy.pages.finding = {
        parent: "objects",
        render: (main, [number]) => {
            const group = data.groups[Number(number)];
            if (!group) { memspy.put(main, h("p.note", {}, "No such finding.")); return; }
            const line = Math.min(...group.objects.flatMap((o) => store.linesByObject().get(o) ?? []));
            const fields = Number.isFinite(line) ? group.objects.flatMap((o) => store.fieldsUsed(o, line)) : [];
            memspy.put(main, h("header.page", {}, h("h1", {}, groupTitle(group)),
                h("p.sub", {}, h(`span.badge.${group.kind}`, {}, text.kind(group.kind)), ` ${group.figures}${group.finding ? "" : " No finding: too little of it harms."}`)),
            adviceBox(group) ?? "",
            h("dl.facts", {},
                h("dt", {}, group.objects.length > 1 ? "Objects" : "Object"), h("dd", {}, group.objects.map((o, i) => [i ? ", " : "",
                    h("a", { href: memspy.link("object", o) }, store.objectName(o)),
                    data.objects[o].declared ? [" (", h("a", { href: memspy.link("source", data.objects[o].declared.file, data.objects[o].declared.line) },
                        `${data.files[data.objects[o].declared.file].name}:${data.objects[o].declared.line}`), ")"] : null])),
                fields.length ? [h("dt", {}, fields.length > 1 ? "Fields" : "Field"), h("dd.mono", {}, text.list(fields, 12))] : null));
            declarations(main, group.objects);
            page(main, group.objects);
        },
    };
})();
