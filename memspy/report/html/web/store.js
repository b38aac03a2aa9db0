// SPDX-License-Identifier: GPL-2.0-or-later
// The data of the page, and what is worked out from it. Tables are objects of columns; an entry is named by its number.
"use strict";
memspy.store = (() => {
    const { text } = memspy;
    const data = JSON.parse(document.getElementById("data").textContent);
    const { frames, functions, modulePaths, stacks, files } = data;
    const sharing = data.contention ?? null;
    const memo = (make) => { let value; return () => (value ??= make()); };
    const numbers = (n) => Array.from({ length: n }, (_, i) => i);

    // Code

    const functionName = (frame) => {
        const f = frames.function[frame];
        return f < 0 ? (frames.address[frame] || "unknown") : functions[f];
    };
    const placeName = (frame) => {
        const file = frames.file[frame];
        if (file >= 0) return `${files[file].name}:${frames.line[frame]}`;
        const module = frames.module[frame];
        return module >= 0 ? text.bare(modulePaths[module]) : "";
    };
    const frameName = (frame) => { const place = placeName(frame); return place ? `${functionName(frame)} (${place})` : functionName(frame); };
    const hasSource = (frame) => frames.file[frame] >= 0 && files[frames.file[frame]].parts.length > 0;
    // Where somebody who looks for the cause looks first: the innermost frame whose source is here.
    const leading = (stack) => {
        const list = stack >= 0 ? stacks[stack] : [];
        return list.length ? (list.find(hasSource) ?? list[0]) : -1;
    };
    const innermost = (stack) => (stack >= 0 && stacks[stack].length ? stacks[stack][0] : -1);

    // Objects and threads

    const objectName = (i) => (i < 0 ? "not known" : data.objects[i].name);
    const threadName = (t) => `thread ${t}`;

    // Counts

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
    // Of each object its lines, worst first, as the lines are.
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
    const groupOf = (object) => data.groups.findIndex((group) => group.objects.includes(object));
    // The names of the fields of an object that its threads' bytes lie in; of the line named, or all.
    const fieldsUsed = (object, line) => {
        const names = new Set();
        const ranges = rangesOf(line);
        for (const extent of extentsOf(line)) {
            if (extent.object !== object) continue;
            for (const field of extent.fields)
                if (ranges.some((r) => r.first < field.first + field.bytes && field.first < r.first + r.bytes))
                    names.add(field.name);
        }
        return text.fields([...names]);
    };

    // What can be charged to code: each gives pairs of a stack and a number.
    const metrics = memo(() => {
        const out = [];
        const add = (key, label, table, value, unit = "") => {
            if (!table?.length) return;
            let total = 0;
            const entries = [];
            for (let i = 0; i < table.length; i++) {
                const n = value(i);
                if (n > 0 && table.stack[i] >= 0) { entries.push([table.stack[i], n]); total += n; }
            }
            if (total) out.push({ key, label, entries, total, unit });
        };
        if (sharing) {
            const { rows } = sharing;
            add("modelled", "modelled events", rows, (i) => contended(rows, "m", i));
            add("false", "modelled false sharing", rows, (i) => falseEvents(rows, "m", i));
            add("observed", "observed events", rows, (i) => contended(rows, "o", i));
            add("stores", "stores to shared lines", rows, (i) => rows.stores[i]);
            add("loads", "loads of shared lines", rows, (i) => rows.loads[i]);
        }
        memspy.zeros.metrics?.(add);
        const first = data.defects.map((d) => d.parts.find((p) => p.stack !== undefined)?.stack ?? -1);
        add("defects", "defects", { length: first.length, stack: first }, (i) => data.defects[i].count);
        return out;
    });
    const metric = (key) => metrics().find((m) => m.key === key) ?? metrics()[0] ?? null;

    // file -> line -> {self, all} of a metric: at the line itself, and with what it calls.
    const lineCounts = (() => {
        const known = new Map();
        return (key) => {
            const m = metric(key);
            if (!m) return new Map();
            if (known.has(m.key)) return known.get(m.key);
            const byFile = new Map();
            const at = (frame) => {
                const file = frames.file[frame];
                if (file < 0) return null;
                if (!byFile.has(file)) byFile.set(file, new Map());
                const lines = byFile.get(file);
                const line = frames.line[frame];
                if (!lines.has(line)) lines.set(line, { self: 0, all: 0 });
                return lines.get(line);
            };
            for (const [stack, n] of m.entries) {
                const seen = new Set(); // recursion counts once
                stacks[stack].forEach((frame, depth) => {
                    const entry = at(frame);
                    if (!entry) return;
                    if (depth === 0) entry.self += n;
                    if (!seen.has(entry)) { entry.all += n; seen.add(entry); }
                });
            }
            known.set(m.key, byFile);
            return byFile;
        };
    })();

    return { data, sharing, numbers, memo, VIEWS, functionName, placeName, frameName, hasSource, leading, innermost,
        objectName, threadName, contended, falseEvents, trueEvents, accesses, peak, falseShare, extentsOf,
        rangesOf, linesByObject, rowsByObject, groupOf, fieldsUsed, metrics, metric, lineCounts };
})();
