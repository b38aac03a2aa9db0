// SPDX-License-Identifier: GPL-2.0-or-later
// The page's data, and everything computed from it. Tables are objects of columns; an entry is identified by
// its number.
"use strict";
memspy.store = (() => {
    const { text } = memspy;
    const { frames, functions, modulePaths, stacks, own, files } = data;
    const memo = (make) => { let value; return () => (value ??= make()); };
    const numbers = (n) => Array.from({ length: n }, (_, i) => i);

    // Code

    const functionName = (frame) => {
        const f = frames.function[frame];
        return f < 0 ? (frames.address[frame] || "unknown") : (data.names[f] ?? functions[f]);
    };
    // With parameters.
    const fullName = (frame) => (frames.function[frame] < 0 ? functionName(frame) : functions[frames.function[frame]]);
    const placeName = (frame) => {
        const file = frames.file[frame];
        if (file >= 0) return `${files[file].name}:${frames.line[frame]}`;
        const module = frames.module[frame];
        return module >= 0 ? `in ${text.bare(modulePaths[module])}` : "";
    };
    // Code without a name is one for each module where functions are summed.
    const groupName = (frame) => (frames.function[frame] < 0 && frames.module[frame] >= 0 ? `(no name, in ${text.bare(modulePaths[frames.module[frame]])})` : functionName(frame));
    const frameName = (frame) => { const place = placeName(frame); return place ? `${functionName(frame)} (${place})` : functionName(frame); };
    const hasSource = (frame) => frames.file[frame] >= 0 && files[frames.file[frame]].parts.length > 0;
    // The most useful frame of a stack: the first of the program's own code, else the innermost one whose source is in
    // the page.
    const leading = (stack) => {
        const list = stack >= 0 ? stacks[stack] : [];
        return list.length ? (list[own[stack]] ?? list.find(hasSource) ?? list[0]) : -1;
    };
    // The stack's frame at a place (`file.c:3`), else the most useful one.
    const frameAt = (stack, place) => (stack >= 0 ? stacks[stack].find((frame) => placeName(frame) === place) : undefined) ?? leading(stack);
    const foreign = new Set(data.foreign);
    const isOwn = (stack) => stack >= 0 && !foreign.has(stack);
    // Without the library's frames that the program's own code called, unless the user asks for them.
    const withLibraries = () => memspy.chosen("libraries") === "yes";
    const shownStack = (stack) => (withLibraries() || !isOwn(stack) ? stacks[stack] : stacks[stack].slice(Math.max(0, own[stack])));
    memspy.librariesChoice = (changed) => memspy.h("label.choice", {}, memspy.h("input", { type: "checkbox", checked: withLibraries(),
        onchange: (event) => { memspy.choose("libraries", event.target.checked ? "yes" : null); changed(); } }), " with the frames of libraries");
    const innermost = (stack) => (stack >= 0 && stacks[stack].length ? stacks[stack][0] : -1);

    // Objects and threads

    const objectName = (i) => (i < 0 ? "not known" : data.objects[i].name);
    const threadName = (t) => `thread ${t}`;

    // Metrics that can be charged to code: each has entries of a stack, a number and the row of its table.
    const metrics = memo(() => {
        const out = [];
        const add = (key, label, table, value) => {
            if (!table?.length) return;
            let total = 0;
            const entries = [];
            for (let i = 0; i < table.length; i++) {
                const n = value(i);
                if (n > 0 && table.stack[i] >= 0) { entries.push([table.stack[i], n, i]); total += n; }
            }
            if (total) out.push({ key, label, entries, total, table });
        };
        const all = memspy.sections.gather("metrics");
        // The first one is the default.
        for (const { key, label, table, value } of [...all.filter((m) => !m.last), ...all.filter((m) => m.last)]) add(key, label, table, value);
        return [...out, ...all.filter((m) => m.lines)];
    });
    const stackMetrics = () => metrics().filter((m) => !m.lines);
    const metric = (key, known = metrics()) => known.find((m) => m.key === key) ?? known[0] ?? null;

    // file -> line -> {self, all} of a metric: at the line itself, and including the functions that it calls.
    const lineCounts = (() => {
        const known = new Map();
        return (key) => {
            const m = metric(key);
            if (!m) return new Map();
            if (m.lines) return m.lines();
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
                const charged = leading(stack);
                stacks[stack].forEach((frame) => {
                    const entry = at(frame);
                    if (!entry) return;
                    if (frame === charged && !seen.has("charged")) { entry.self += n; seen.add("charged"); }
                    if (!seen.has(entry)) { entry.all += n; seen.add(entry); }
                });
            }
            known.set(m.key, byFile);
            return byFile;
        };
    })();

    return { data, numbers, memo, functionName, groupName, fullName, placeName, frameName, hasSource, leading, frameAt, isOwn, shownStack, innermost,
        objectName, threadName, metrics, stackMetrics, metric, lineCounts };
})();
// The run to compare with, a `memspy` of its own: null if there is none.
memspy.before = memspy.store.memo(() => (memspy.store.data.before ? memspyOf(memspy.store.data.before, memspy) : null));
// Of both runs the other one.
memspy.other = () => shown ?? memspy.before();
