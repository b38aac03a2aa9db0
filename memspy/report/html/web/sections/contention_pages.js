// SPDX-License-Identifier: GPL-2.0-or-later
// Contention and sharing: objects, code, cache lines, findings; totals, and the threads that collide.
"use strict";
memspy.section("contention", (sharing) => {
    const { h, text, store, stacks, charts, contention } = memspy;
    const { data } = store;
    const { map, extentsOf, rangesOf, linesByObject, rowsByObject, groupOf, fieldsUsed, peak, kindText, countsTable } = contention;
    const { link, declarations, allocations } = memspy.object;
    const { count } = memspy.Table;
    const MOST_LINES = 200;
    const found = sharing.groups.map((group, number) => ({ group, number })).filter(({ group }) => group.finding);
    const yes = (value) => (value ? "yes" : "no");

    const matrix = (pairs, label) => charts.matrix(pairs, { label, parties: "threads", from: "events of thread", to: "with thread", colour: memspy.theme.thread,
        tip: (p) => [`${store.threadName(p.from)}: ${text.count(p.value)} events with ${store.threadName(p.to)}`, `${text.percent(p.falseValue, p.value)} false sharing`] });
    // `events(i)`: the events of a pair, and how many of them are false sharing.
    const pairsWith = (events) => {
        const { pairs } = sharing;
        const sums = new Map();
        for (let i = 0; i < pairs.length; i++) {
            const [all, falses] = events(i);
            if (!all || !pairs.other[i]) continue;
            const key = `${pairs.thread[i]} ${pairs.other[i]}`;
            const entry = sums.get(key) ?? { from: pairs.thread[i], to: pairs.other[i], value: 0, falseValue: 0 };
            entry.value += all;
            entry.falseValue += falses;
            sums.set(key, entry);
        }
        return [...sums.values()];
    };
    const pairsOf = (objects) => pairsWith((i) => {
        const { pairs } = sharing;
        if (!objects.includes(pairs.object[i])) return [0, 0];
        return pairs.m[i] >= pairs.o[i] ? [pairs.m[i], pairs.mFalse[i]] : [pairs.o[i], pairs.oFalse[i]];
    });

    // Where the variable is declared, or the block allocated; a library without symbols goes by its file.
    const origin = (object) => {
        const { declared, stack } = store.data.objects[object];
        if (declared) return `${store.data.files[declared.file].name}:${declared.line}`;
        const frame = store.leading(stack);
        if (frame < 0) return "";
        return store.data.frames.function[frame] < 0 && store.placeName(frame) ? store.placeName(frame) : store.frameName(frame);
    };

    const KIND = { heap: "heap", static: "static", frames: "stack", unknown: "other" };
    const verdict = (object) => {
        const group = sharing.groups[groupOf(object)];
        return group?.finding ? group.kind : "";
    };
    const objectsPage = {
        nav: "Objects", group: "Contention",
        render: (main) => {
            const table = sharing.objects;
            const unknown = store.data.objects.length; // the last entry is for events without an object
            memspy.put(main, h("header.page", {}, h("h1", {}, "Objects that threads share"),
                h("p.sub", {}, "Variables, heap blocks of one allocation, stacks. Choose one to see its cache lines.")));
            const list = memspy.own(new memspy.Table({
                label: "shared objects", ids: contention.objectIds(), sort: { key: "modelled" },
                open: (i) => memspy.go("object", i === unknown ? -1 : i),
                columns: [
                    { key: "name", label: "Object", width: "minmax(clamp(150px, 20vw, 290px), 3fr)", value: (i) => (i === unknown ? "not known" : store.objectName(i)) },
                    { key: "kind", label: "Kind", width: "68px", value: (i) => (i === unknown ? "" : KIND[store.data.objects[i].kind] ?? "other") },
                    // Without findings there is more room for names.
                    ...(contention.objectIds().some(verdict) ? [{ key: "verdict", label: "Finding", width: "128px", name: false, value: (i) => verdict(i), text: (i) => kindText(verdict(i)),
                        node: (i) => (verdict(i) ? h(`span.badge.${verdict(i)}`, {}, kindText(verdict(i))) : "") }] : []),
                    count("lines", "Lines", "cache lines with events that repeat", (i) => table.lines[i], { width: "68px" }),
                    count("threads", "Threads", "threads that touched its shared lines", (i) => table.threads[i], { width: "88px" }),
                    ...contention.columns(table),
                    { key: "where", label: "Declared or allocated at", name: false, width: "minmax(clamp(104px, 13vw, 190px), 1.6fr)", value: (i) => (i === unknown ? "" : origin(i)) },
                ],
            }));
            memspy.put(main, list.element);
        },
    };

    const rowDetail = (i) => {
        const { rows } = sharing;
        const object = rows.object[i];
        return h("article.detail", { "aria-label": "Code" }, h("h2", {}, stacks.title(rows.stack[i])),
            h("p.sub", {}, store.threadName(rows.thread[i]), " on ", object < 0 ? "memory that is not known"
                : link(object)),
            h("p.sub", {}, `${text.count(rows.loads[i])} loads, ${text.count(rows.stores[i])} stores on shared lines`), countsTable(rows, i), stacks.list(rows.stack[i]));
    };
    const codePage = {
        nav: "Code", group: "Contention",
        badge: () => sharing.rows.length,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Code that contends"),
                h("p.sub", {}, "Each row: one stack, one thread, one object.")));
            memspy.split(main, { label: "code that contends", ids: store.numbers(sharing.rows.length), sort: { key: "modelled" }, columns: contention.rowColumns(true, true) },
                "code", number, rowDetail);
        },
    };

    const WAITS = { lock: "lock", word: "other thread", end: "end of thread" };
    const waitDetail = (i) => {
        const { waits, waitPairs } = sharing;
        const pairs = store.numbers(waitPairs.length).filter((p) => waitPairs.wait[p] === i && waitPairs.whom[p] && waitPairs.thread[p])
            .map((p) => ({ from: waitPairs.thread[p], to: waitPairs.whom[p], value: waitPairs.waited[p], times: waitPairs.times[p] }));
        return h("article.detail", { "aria-label": "Wait" }, h("h2", {}, stacks.title(waits.stack[i])),
            h("p.sub", {}, `${text.plural(waits.times[i], "wait")}, the longest ${text.count(waits.longest[i])} units`),
            waits.object[i] < 0 ? null : h("p.sub", {}, waits.name[i] ? `${waits.name[i]}: ` : "", link(waits.object[i]), waits.offset[i] ? `, byte ${waits.offset[i]}` : ""),
            pairs.length ? charts.matrix(pairs, { label: "Waits between pairs of threads", parties: "threads", from: "thread", to: "waits for thread",
                colour: memspy.theme.thread, tip: (p) => [`${store.threadName(p.from)} waits for ${store.threadName(p.to)}`, `${text.count(p.value)} units, ${text.count(p.times)} times`] }) : null,
            stacks.list(waits.stack[i]));
    };
    const waitPage = {
        nav: "Waits", group: "Contention",
        badge: () => sharing.waits.length,
        shown: () => sharing.waits.length > 0,
        render: (main, [number]) => {
            const { waits } = sharing;
            memspy.put(main, h("header.page", {}, h("h1", {}, "Waits in virtual time"),
                h("p.sub", {}, "For locks that were held, and for other threads: barriers, conditions, ends of threads.")));
            memspy.split(main, { label: "waits", ids: store.numbers(waits.length), sort: { key: "waited" }, columns: [
                { key: "code", label: "Code", width: "minmax(140px, 2fr)", value: (i) => stacks.title(waits.stack[i]) },
                { key: "kind", label: "For", width: "110px", value: (i) => WAITS[waits.kind[i]] ?? waits.kind[i] },
                { key: "object", label: "Object", width: "minmax(100px, 1.4fr)", value: (i) => waits.name[i] || store.objectName(waits.object[i]) },
                count("waited", "Waited", "units of virtual time, of all threads together", (i) => waits.waited[i], { bar: true, width: "minmax(112px, .7fr)" }),
                count("times", "Times", "number of waits", (i) => waits.times[i]),
                count("longest", "Longest", "the longest wait", (i) => waits.longest[i]),
            ] }, "wait", number, waitDetail);
        },
    };

    // A better layout is drawn where one is advised, or nothing is.
    const layoutOf = (line) => {
        const advised = extentsOf(line).map((e) => sharing.groups[groupOf(e.object)]).filter((group) => group?.remedies.length);
        return advised.length && !advised.some((group) => group.remedies.some((remedy) => remedy.layout)) ? null : map.apart(line);
    };
    const namesIn = (line) => text.list([...new Set(extentsOf(line).map((e) => store.objectName(e.object)))], 3);
    const lineDetail = (line) => {
        const objects = [...new Set(extentsOf(line).map((e) => e.object))];
        const apart = layoutOf(line);
        return h("article.detail", { "aria-label": "Cache line" }, h("h2.mono", {}, `Line ${sharing.lines.address[line]}`),
            h("p.sub", {}, objects.map((o, i) => [i ? ", " : "", link(o)])),
            map.draw(line), map.table(line), countsTable(sharing.lines, line),
            apart ? h("section", {}, h("h3", {}, "Layout"), apart) : null);
    };

    const linePage = {
        nav: "Cache lines", group: "Contention",
        badge: () => sharing.lines.length,
        shown: () => sharing.lines.length > 0,
        render: (main, [number]) => {
            const { lines } = sharing;
            const users = store.memo(() => store.numbers(lines.length).map((i) => new Set(rangesOf(i).map((r) => r.thread)).size));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Cache lines that threads share"),
                sharing.linesLeftOut ? h("p.sub", {}, "The lines with most events in all, and the worst of each object; the profile does not list the others.") : ""));
            memspy.split(main, {
                label: "cache lines", ids: store.numbers(lines.length), sort: { key: "modelled" }, below: true,
                columns: [
                    { key: "address", label: "Line", name: false, value: (i) => lines.address[i], width: "130px" },
                    { key: "objects", label: "Objects", value: namesIn, width: "minmax(180px, 3fr)" },
                    count("threads", "Threads", "threads that touched it", (i) => users()[i], { width: "80px" }),
                    ...contention.columns(lines).filter((c) => !["accesses", "ratio"].includes(c.key)),
                    count("first", "First", "modelled first touches by further threads", (i) => lines.mFirst[i]),
                ],
            }, "line", number ?? (lines.length ? 0 : undefined), lineDetail);
        },
    };

    // The lines of some objects: one is drawn, the others can be chosen.
    const lineViewer = (lines, object) => {
        if (!lines.length) return h("p.note", {}, "No line of it went to and fro between threads.");
        const box = h("div");
        const show = (line) => {
            const apart = layoutOf(line);
            box.replaceChildren(map.draw(line, { object }), map.table(line),
                apart ? h("section", {}, h("h3", {}, "Layout"), apart) : "");
        };
        const label = (line) => `${sharing.lines.address[line]} – ${text.count(contention.contended(sharing.lines, "m", line))} modelled, `
            + `${text.count(contention.contended(sharing.lines, "o", line))} observed`;
        const choice = lines.length === 1 ? h("p.sub", {}, "Line ", h("a.mono", { href: memspy.link("line", lines[0]) }, label(lines[0])))
            : h("label.choice", {}, `Line (${text.count(lines.length)}): `, h("select", { onchange: (event) => show(Number(event.target.value)) },
                lines.slice(0, MOST_LINES).map((line) => h("option", { value: line }, label(line)))));
        show(lines[0]);
        return h("div.lineviewer", {}, choice, box);
    };

    const codeSection = (objects) => {
        const ids = objects.flatMap((o) => rowsByObject().get(o) ?? []);
        if (!ids.length) return null;
        const lead = ids.reduce((a, b) => (peak(sharing.rows, b) > peak(sharing.rows, a) ? b : a));
        const below = h("div", {}, stacks.list(sharing.rows.stack[lead]));
        const table = memspy.own(new memspy.Table({
            label: "code", ids, sort: { key: "modelled" }, columns: contention.rowColumns(objects.length > 1), height: "330px",
            open: (i) => { table.select(i); below.replaceChildren(stacks.list(sharing.rows.stack[i])); },
        }));
        table.select(lead);
        return h("section", {}, h("h2", {}, "Code"), table.element, below);
    };

    // Lines, code and threads of objects.
    const parts = (objects) => {
        const lines = [...new Set(objects.flatMap((o) => linesByObject().get(o) ?? []))]
            .filter((line) => peak(sharing.lines, line) > 0).sort((a, b) => a - b);
        const pairs = pairsOf(objects);
        return [h("section", {}, h("h2", {}, lines.length > 1 ? "Cache lines" : "Cache line"), lineViewer(lines, objects.length === 1 ? objects[0] : null)),
            codeSection(objects), pairs.length ? h("section", {}, h("h2", {}, "Threads that meet"), matrix(pairs, "Events between pairs of threads")) : null];
    };
    // Only the first groups have texts.
    const costly = sharing.time["costly-end"] ?? 0;
    const ratio = (of, to) => (of / to).toFixed(of / to < 10 ? 2 : 1);
    const gain = (end) => `${ratio(costly, end)} x`;
    // How much sooner the run would have ended without it, if that is more than a hundredth.
    const gains = (group) => group.endWithout && costly - group.endWithout >= costly / 100;
    // Where threads meet by chance: from what to what in other runs.
    const others = (group) => { const more = (costly - group.endWithout) * group.varies / 1000; return group.varies ? ` (${ratio(costly - more, group.endWithout)} to ${ratio(costly + more, group.endWithout)} in other runs)` : ""; };
    const gainOf = (group) => (group.kind === "FalseSharing" && gains(group) ? `: ${gain(group.endWithout)}${others(group)} on these ${text.plural(sharing.threads.length, "thread")}` : "");
    // A remedy that takes away what it says: the last one, with all before it.
    const removed = (group) => { const last = group.remedies.findLast((remedy) => remedy.events); return last ? `; the advice removes ${text.count(last.removes)} of ${text.count(last.events)} events` : ""; };
    const MEETINGS = { FalseSharing: "this false sharing", TrueSharing: "this true sharing" };
    const predicted = (group) => (gains(group) ? [h("dt", {}, "Predicted"),
        h("dd", {}, `the run is ${gain(group.endWithout)}${others(group)} as fast without ${MEETINGS[group.kind] ?? "these events"}${removed(group)}`)] : null);
    const groupTitle = (group) => (group.what || group.title || text.list(group.objects.map(store.objectName))) + gainOf(group);
    const adviceBox = (group) => (group?.advice ? h("p.advice", {}, h("b", {}, "Advice: "), group.advice) : null);

    // Of the errors that say the same: the error file has their stacks.
    const suppressionsOf = (group) => {
        const lines = new Set(group.sides.map((side) => stacks.title(side.stack)));
        return memspy.sections.gather("suppressions").filter(({ kind, stack }) => kind === group.kind
            && data.stacks[stack].some((frame) => lines.has(store.frameName(frame))));
    };
    const findingPage = {
        parent: "objects",
        there: ([number], other) => {
            const names = (objects, of) => objects.map(of.objectName).join("\n"), mine = sharing.groups[Number(number)]?.objects ?? [];
            const i = (other.contention.data?.groups ?? []).findIndex((group) => names(group.objects, other.store) === names(mine, store));
            return i < 0 ? null : [String(i)];
        },
        render: (main, [number]) => {
            const group = sharing.groups[Number(number)];
            if (!group) { memspy.put(main, h("p.note", {}, "No such finding.")); return; }
            const line = Math.min(...group.objects.flatMap((o) => linesByObject().get(o) ?? []));
            const fields = Number.isFinite(line) ? group.objects.flatMap((o) => fieldsUsed(o, line)) : [];
            memspy.put(main, h("header.page", {}, h("h1", {}, groupTitle(group)),
                h("p.sub", {}, h(`span.badge.${group.kind}`, {}, kindText(group.kind)), ` ${group.figures}${group.finding ? "" : " No finding: too little of it harms."}`)),
            adviceBox(group) ?? "", suppressionsOf(group).slice(0, 1).map(({ text: words }) => memspy.copyButton("Copy a suppression", words)),
            h("dl.facts", {},
                h("dt", {}, group.objects.length > 1 ? "Objects" : "Object"), h("dd", {}, group.objects.map((o, i) => [i ? ", " : "",
                    link(o),
                    data.objects[o].declared ? [" (", h("a", { href: memspy.link("source", data.objects[o].declared.file, data.objects[o].declared.line) },
                        `${data.files[data.objects[o].declared.file].name}:${data.objects[o].declared.line}`), ")"] : null])),
                predicted(group),
                fields.length ? [h("dt", {}, fields.length > 1 ? "Fields" : "Field"), h("dd.mono", {}, text.list(text.ownPaths(fields), 12))] : null),
            declarations(group.objects), parts(group.objects), allocations(group.objects));
        },
    };

    // The most contended line of the group, and the objects of the group in it.
    const worstLine = (group) => {
        const lines = group.objects.flatMap((o) => linesByObject().get(o) ?? []);
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
        const fields = group.objects.flatMap((o) => (line >= 0 ? fieldsUsed(o, line) : []));
        const href = memspy.link("finding", number);
        return h(`article.card.finding.${group.kind}`, {},
            h("header", {}, h("span.badge", {}, kindText(group.kind)),
                h("h3", {}, h("a", { href }, groupTitle(group)))),
            h("dl.facts", {},
                predicted(group),
                fields.length ? [h("dt", {}, fields.length > 1 ? "Fields" : "Field"), h("dd.mono", {}, text.list(text.ownPaths(fields), 6))] : null,
                line >= 0 ? [h("dt", {}, "Cache line"), h("dd", {}, h("a.mono", { href: memspy.link("line", line) }, sharing.lines.address[line]))] : null,
                sidesOf(group).length ? [h("dt", {}, "Code"), h("dd", {}, sidesOf(group).map((s, i) => [i ? ", " : "", stacks.place(s)]))] : null,
                group.figures ? [h("dt", {}, "Events"), h("dd", {}, group.figures)] : null),
            line >= 0 ? map.draw(line, { object, small: true }) : null,
            group.advice ? h("p.advice", {}, h("b", {}, "Advice: "), group.advice) : null);
    };

    const eventParts = (counts, view) => {
        const get = (name) => counts[view + name] ?? 0;
        const falses = get("FalseMisses") + get("FalseInvalidations"), trues = get("TrueMisses") + get("TrueInvalidations");
        const all = get("First") + get("Misses") + get("Invalidations");
        const parts = [{ label: "false sharing", value: falses, colour: "var(--false)" },
            { label: "true sharing", value: trues, colour: "var(--true)" }];
        if (all > falses + trues) parts.push({ label: "not divided", value: all - falses - trues, colour: "var(--muted)" });
        return parts;
    };

    const sharingCard = () => {
        const total = sharing.total;
        const all = (view) => (total[`${view}First`] ?? 0) + (total[`${view}Misses`] ?? 0) + (total[`${view}Invalidations`] ?? 0);
        const touches = (total.loads ?? 0) + (total.stores ?? 0);
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("objects") }, "Contention and sharing"))),
            ["m", "o"].map((view) => h("div.viewbar", {},
                h("div.viewname", {}, h("b", {}, contention.VIEWS[view]), ` ${text.count(all(view))} events`,
                    h("span.note", {}, ` ${text.percent(all(view), touches)} of ${text.brief(touches)} accesses`)),
                charts.stacked(eventParts(total, view), contention.VIEWS[view]),
                charts.legend(eventParts(total, view)))),
            h("table.plain.counts", {}, h("thead", {}, h("tr", {}, ["", "modelled", "observed"].map((t) => (t ? h("th.number", { scope: "col" }, t) : h("td"))))),
                h("tbody", {}, [["first touch by anyone (cold, no event)", "Cold"], ["first touch by a further thread", "First"],
                    ["copy lost to another thread", "Misses"], ["invalidations of others' copies", "Invalidations"]].map(([label, key]) =>
                    h("tr", {}, h("th", { scope: "row" }, label), ["m", "o"].map((v) => h("td.number", {}, text.count(total[v + key] ?? 0))))))),
            h("p.note", {}, "Modelled: as if each thread had a core of its own. Observed: the order in which Valgrind ran them, one at a time."));
    };

    const threadsCard = () => {
        if (sharing.threads.length < 2) return null;
        const t = sharing.threads;
        const ids = store.numbers(t.length).sort((a, b) => contention.contended(t, "m", b) - contention.contended(t, "m", a));
        const most = d3.max(ids, (i) => contention.contended(t, "m", i)) || 1;
        return h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link("threads") }, "Threads"))),
            h("div.bars", {}, ids.slice(0, 10).map((i) => h("div", {}, h("span.name", {}, store.threadName(t.thread[i])),
                h("span.track", {}, h("span", { style: { width: `${(100 * contention.contended(t, "m", i)) / most}%`, background: memspy.theme.thread(t.thread[i]) } })),
                h("span.number", {}, text.brief(contention.contended(t, "m", i)))))),
            h("p.note", {}, `modelled events that repeat; ${text.plural(t.length, "thread")} in all`));
    };

    const tiles = (tile) => {
        const t = sharing.total;
        const events = (v) => (t[`${v}Misses`] ?? 0) + (t[`${v}Invalidations`] ?? 0);
        const divided = (v, k) => (t[`${v}${k}Misses`] ?? 0) + (t[`${v}${k}Invalidations`] ?? 0);
        return [tile("Sharing findings", text.count(found.length), `in ${text.plural(contention.objectIds().length, "shared object")}`, memspy.link("objects")),
            tile("Modelled events", text.brief(events("m")), "lost copies and invalidations", memspy.link("code")),
            tile("False sharing", text.percent(divided("m", "False"), divided("m", "False") + divided("m", "True")), "of modelled events", memspy.link("objects")),
            tile("Observed events", text.brief(events("o")), "in Valgrind's own order", memspy.link("objects"))];
    };

    const threadColumns = () => {
        const t = sharing.threads;
        const row = new Map(Array.from(t.thread, (id, i) => [id, i]));
        const at = (id, value) => (row.has(id) ? value(row.get(id)) : 0);
        return [count("instructions", "Instructions", "since there were two threads", (id) => at(id, (i) => t.instructions[i]), { bar: true, width: "minmax(118px, .7fr)" }),
            count("loads", "Loads", "all of them, private lines too", (id) => at(id, (i) => t.loads[i])),
            count("stores", "Stores", "all of them, private lines too", (id) => at(id, (i) => t.stores[i])),
            count("mMisses", "Misses", "modelled: copies lost to other threads", (id) => at(id, (i) => t.mMisses[i])),
            count("mInvalidations", "Invalidations", "modelled: of other threads' copies", (id) => at(id, (i) => t.mInvalidations[i]), { bar: true, width: "minmax(118px, .7fr)" }),
            count("observed", "Observed", "misses and invalidations, as Valgrind ran them", (id) => at(id, (i) => contention.contended(t, "o", i)))];
    };
    const threadParts = () => {
        const { pairs } = sharing;
        const met = pairsWith((i) => [pairs.m[i], pairs.mFalse[i]]);
        return met.length ? [h("section", {}, h("h2", {}, "Who meets whom"), h("p.sub", {}, "Modelled events on all objects."),
            matrix(met, "Modelled events between pairs of threads"))] : [];
    };

    const about = () => {
        const { model: m, quality: q } = sharing;
        return [h("section", {}, h("h2", {}, "The model"), h("p", {}, m.assumptions ?? ""), memspy.facts([
            ["Line", text.bytes(sharing.lineSize)], ["True and false sharing distinguished", yes(m.sharing)],
            ["A miss or invalidation costs", `${text.count(m["coherence-latency"] ?? 0)} units of time`],
            ["The run's end, in virtual time", sharing.time.end ? `${text.count(sharing.time.end)}; ${text.count(costly)} if an event takes ${text.count(sharing.time["event-cost"])} units` : null],
            ["Without false sharing", sharing.time["without-false"] ? `${text.count(sharing.time["without-false"])} (${gain(sharing.time["without-false"])})` : null],
            ["Interleave", String(m.interleave ?? "")], ["Access log", m["access-log-bytes"] ? text.bytes(m["access-log-bytes"]) : null],
            ["Counts exact", yes(q.exact)], ["Accesses in the model", text.count(q.merged ?? 0)], ["The log was full", text.plural(q.forced ?? 0, "time")],
            ["Threads that it could not wait for", text.count(q.lifted ?? 0)]]))];
    };
    const banners = () => (sharing.quality?.exact === false
        ? [`Modelled counts are estimates: the log of accesses was full, and ${text.plural(sharing.quality.lifted ?? 0, "thread")} could not be waited for. A larger --access-log-size helps.`] : []);
    const metrics = () => {
        const { rows } = sharing;
        return [
            { key: "modelled", label: "modelled events", value: (i) => contention.contended(rows, "m", i) },
            { key: "false", label: "modelled false sharing", value: (i) => contention.falseEvents(rows, "m", i) },
            { key: "observed", label: "observed events", value: (i) => contention.contended(rows, "o", i) },
            { key: "stores", label: "stores to shared lines", value: (i) => rows.stores[i] },
            { key: "loads", label: "loads of shared lines", value: (i) => rows.loads[i] },
        ].map((metric) => ({ table: rows, ...metric }));
    };
    const objectHead = (i) => {
        const group = i >= 0 ? groupOf(i) : -1;
        const finding = sharing.groups[group];
        return [finding?.finding ? h("p.sub", {}, h(`span.badge.${finding.kind}`, {}, kindText(finding.kind)), " ",
            h("a", { href: memspy.link("finding", group) }, groupTitle(finding))) : null];
    };

    return {
        pages: { objects: objectsPage, code: codePage, line: linePage, wait: waitPage, "thread-times": contention.times(sharing), finding: findingPage },
        metrics, tiles, banners, about, threadColumns, threadParts, objectHead,
        objectParts: (i) => [adviceBox(sharing.groups[i >= 0 ? groupOf(i) : -1]), ...parts([i])],
        findings: () => found.map(({ group, number }) => ({ draw: () => findingCard(group, number), href: memspy.link("finding", number),
            gain: group.endWithout && costly ? Math.max(0, 1 - group.endWithout / costly) : 0,
            advised: group.remedies.length > 0 || Boolean(group.advice), places: [...sidesOf(group).map(stacks.title), ...group.objects.map(store.objectName)] })),
        said: () => {
            const first = found[0]?.group;
            if (!first) return [];
            const gained = found.map(({ group }) => group).filter(gains);
            const best = gained.length ? gained.reduce((a, b) => (b.endWithout < a.endWithout ? b : a)) : first;
            return [{ weight: 2, sentence: `${best.what || best.title || kindText(best.kind)}${gains(best) ? `: the run is ${gain(best.endWithout)} as fast without it` : ""}`
                + `${found.length > 1 ? `; ${text.plural(found.length - 1, "further finding")} on cache lines` : ""}.` }];
        },
        searched: () => found.map(({ group, number }) => ({ kind: kindText(group.kind), text: groupTitle(group), href: memspy.link("finding", number) })),
        harm: () => found.length,
        clean: () => "No finding on sharing.",
        threadNote: () => text.plural(sharing.lines.length, "shared line"),
        cards: () => [sharingCard(), threadsCard()],
    };
});
