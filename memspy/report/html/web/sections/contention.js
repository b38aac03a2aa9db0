// SPDX-License-Identifier: GPL-2.0-or-later
// Contention and sharing: the data, everything computed from it, and columns that its tables share.
"use strict";
memspy.contention = (() => {
    const { h, text, store, stacks } = memspy;
    const { memo } = store;
    const { count } = memspy.Table;
    const sharing = store.data.sections.contention ?? null;

    const VIEWS = { o: "observed", m: "modelled" };
    const contended = (table, view, i) => table[`${view}Misses`][i] + table[`${view}Invalidations`][i];
    const falseEvents = (table, view, i) => table[`${view}FalseMisses`][i] + table[`${view}FalseInvalidations`][i];
    const trueEvents = (table, view, i) => table[`${view}TrueMisses`][i] + table[`${view}TrueInvalidations`][i];
    const accesses = (table, i) => table.loads[i] + table.stores[i];
    const peak = (table, i) => Math.max(contended(table, "o", i), contended(table, "m", i));
    const falseShare = (table, i) => {
        const view = contended(table, "o", i) > contended(table, "m", i) ? "o" : "m";
        const all = falseEvents(table, view, i) + trueEvents(table, view, i);
        return all ? falseEvents(table, view, i) / all : 0;
    };

    const begin = (ends, i) => (i > 0 ? ends[i - 1] : 0);
    const extentsOf = (line) => {
        const { extents, fields, lines } = sharing;
        const out = [];
        for (let e = begin(lines.extentsEnd, line); e < lines.extentsEnd[line]; e++) {
            const inside = [];
            for (let f = begin(extents.fieldsEnd, e); f < extents.fieldsEnd[e]; f++)
                inside.push({ first: fields.first[f], bytes: fields.bytes[f], name: fields.name[f], type: fields.type[f] });
            out.push({ object: extents.object[e], first: extents.first[e], bytes: extents.bytes[e],
                offset: extents.offset[e], fields: inside });
        }
        return out;
    };
    const rangesOf = (line) => {
        const { lines, ranges } = sharing;
        const out = [];
        for (let r = begin(lines.rangesEnd, line); r < lines.rangesEnd[line]; r++)
            out.push({ thread: ranges.thread[r], first: ranges.first[r], bytes: ranges.bytes[r],
                loads: ranges.loads[r], stores: ranges.stores[r] });
        return out;
    };
    // For each object its lines in their order, worst first.
    const linesByObject = memo(() => {
        const found = new Map();
        const { lines, extents } = sharing;
        for (let line = 0; line < lines.length; line++)
            for (let e = begin(lines.extentsEnd, line); e < lines.extentsEnd[line]; e++) {
                const object = extents.object[e];
                if (!found.has(object)) found.set(object, []);
                if (found.get(object).at(-1) !== line) found.get(object).push(line);
            }
        return found;
    });
    const rowsByObject = memo(() => {
        const found = new Map();
        for (let i = 0; i < sharing.rows.length; i++) {
            const object = sharing.rows.object[i];
            if (!found.has(object)) found.set(object, []);
            found.get(object).push(i);
        }
        return found;
    });
    const groupOf = (object) => sharing.groups.findIndex((group) => group.objects.includes(object));
    // The names of the fields of an object that hold its threads' bytes in the line, the most used ones first. A field with hardly
    // any of the accesses is not why threads meet.
    const HARDLY = 0.001;
    const fieldsUsed = (object, line) => {
        const uses = new Map();
        const ranges = rangesOf(line);
        for (const extent of extentsOf(line)) {
            if (extent.object !== object) continue;
            for (const field of extent.fields)
                for (const r of ranges)
                    if (r.first < field.first + field.bytes && field.first < r.first + r.bytes)
                        uses.set(field.name, (uses.get(field.name) ?? 0) + r.loads + r.stores);
        }
        const most = Math.max(0, ...uses.values());
        return text.fields([...uses].filter(([, n]) => n >= HARDLY * most).sort((a, b) => b[1] - a[1]).map(([name]) => name));
    };
    // Other objects are in the file only because something refers to them.
    const objectIds = store.memo(() => store.numbers(sharing.objects.length)
        .filter((i) => accesses(sharing.objects, i) > 0 || peak(sharing.objects, i) > 0));

    const KINDS = { FalseSharing: "False sharing", TrueSharing: "True sharing" };
    const kindText = (name) => KINDS[name] ?? name;

    const columns = (table) => [
        count("accesses", "Accesses", "loads and stores, on shared lines", (i) => accesses(table, i)),
        count("modelled", "Modelled", "modelled events that repeat: misses by lost copies, and invalidations", (i) => contended(table, "m", i), { bar: true, width: "minmax(112px, .7fr)" }),
        count("observed", "Observed", "the same in the order in which Valgrind ran the threads", (i) => contended(table, "o", i)),
        { key: "ratio", label: "Ratio", title: "events (the larger of both) for each access", number: true, width: "76px",
            value: (i) => peak(table, i) / Math.max(1, accesses(table, i)),
            text: (i) => text.percent(peak(table, i), accesses(table, i)) },
        { key: "false", label: "False", title: "share of false sharing in the events", number: true, width: "76px",
            value: (i) => falseShare(table, i), text: (i) => (peak(table, i) ? text.percent(falseShare(table, i), 1) : "–") },
    ];
    // `narrow`: beside an open row, which shows the other columns.
    const rowColumns = (withObject, narrow = false) => {
        const { rows } = sharing;
        return [
            { key: "code", label: "Code", width: "minmax(176px, 2.4fr)", value: (i) => stacks.title(rows.stack[i]) },
            ...(withObject ? [{ key: "object", label: "Object", width: "minmax(100px, 1.4fr)", value: (i) => store.objectName(rows.object[i]) }] : []),
            { key: "thread", label: "Thread", value: (i) => rows.thread[i], number: true, name: true, width: "88px" },
            ...(narrow ? [] : [count("loads", "Loads", "loads of shared lines", (i) => rows.loads[i]),
                count("stores", "Stores", "stores to shared lines", (i) => rows.stores[i])]),
            ...columns(rows).filter((c) => c.key !== "accesses" && !(narrow && c.key === "ratio")),
        ];
    };
    const countsTable = (table, i) => h("table.plain.counts", {},
        h("thead", {}, h("tr", {}, ["", "modelled", "observed"].map((t) => (t ? h("th.number", { scope: "col" }, t) : h("td"))))),
        h("tbody", {}, [["copy lost to another thread", "Misses"], ["invalidations of others' copies", "Invalidations"], ["first touches", "First"],
            ["misses: false sharing", "FalseMisses"], ["misses: true sharing", "TrueMisses"], ["invalidations: false sharing", "FalseInvalidations"],
            ["invalidations: true sharing", "TrueInvalidations"]].map(([label, key]) => h("tr", {}, h("th", { scope: "row" }, label),
            ["m", "o"].map((v) => h("td.number", {}, text.count(table[v + key][i])))))));

    return { data: sharing, VIEWS, contended, falseEvents, accesses, peak, extentsOf, rangesOf, linesByObject, rowsByObject,
        groupOf, fieldsUsed, objectIds, kindText, columns, rowColumns, countsTable };
})();
