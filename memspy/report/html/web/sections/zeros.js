// SPDX-License-Identifier: GPL-2.0-or-later
// Redundant zeros: by the code that loads them and by the object that they lie in.
"use strict";
memspy.section("zeros", (zeros) => {
    const { h, text, store, stacks } = memspy;
    const { rows, objects } = zeros;

    const typeName = (i) => {
        const base = rows.type[i] === "float" ? { 4: "float", 8: "double" }[rows.bytes[i]] ?? `float of ${rows.bytes[i]} bytes` : `int${8 * rows.bytes[i]}`;
        return `${base}${rows.lanes[i] > 1 ? ` × ${rows.lanes[i]}` : ""}${rows.known[i] ? "" : "?"}`;
    };
    // The names of the redmap's cells; docs/profile.md has the order.
    const cellNames = (i) => {
        if (rows.type[i] !== "float") return store.numbers(rows.redmap[i].length).map((c) => `byte ${c}`);
        const mantissa = rows.bytes[i] === 4 ? 3 : 7, exponent = rows.bytes[i] === 4 ? 1 : 2;
        return [...store.numbers(mantissa).map((c) => `mantissa ${c}`), ...store.numbers(exponent).map((c) => `exponent ${c}`), "sign"];
    };
    const adviceText = (list) => list.map((a) => a.text || [a.kind, a.type].filter(Boolean).join(": ")).join("; ");
    const adviceKinds = (list) => list.map((a) => [a.kind, a.type].filter(Boolean).join(" ")).join(", ");
    const adviceBox = (list) => (list.length ? h("p.advice", {}, h("b", {}, "Advice: "), adviceText(list)) : null);

    // The redmap of a value: a bar for each cell, the most significant at the left.
    const redmap = (i) => {
        const names = cellNames(i);
        const n = rows.elements[i] || 1;
        return h("div.redmap", { role: "img", "aria-label": `Redmap: ${names.map((name, c) => `${name} ${text.percent(rows.redmap[i][c], n)}`).join(", ")}` },
            h("div.cells", {}, names.map((name, c) => h("div.cell", { title: `${name}: redundant in ${text.percent(rows.redmap[i][c], n)} of ${text.count(n)} values` },
                h("span.level", { style: { height: `${(100 * rows.redmap[i][c]) / n}%` } }), h("span.value", {}, text.percent(rows.redmap[i][c], n)))).reverse()),
            h("div.names", {}, names.map((name) => h("span", {}, name)).reverse()),
            h("figcaption", {}, "How often each part of the value was zeros that need not be stored; most significant part left."));
    };

    const codeDetail = (i) => h("article.detail", { "aria-label": "Loads" }, h("h2", {}, stacks.title(rows.stack[i])),
        h("p.sub", {}, `${text.count(rows.loads[i])} loads of ${typeName(i)}${rows.known[i] ? "" : " (unknown type: counted as an integer)"}, `
            + `${text.percent(rows.redundant[i], rows.cells[i])} redundant, all zero in ${text.percent(rows.zero[i], rows.elements[i])}`),
        adviceBox(rows.advice[i]), redmap(i), stacks.list(rows.stack[i], { metric: "zeros" }));

    const share = (key, label, title, part, all, more = {}) => ({ key, label, title, number: true, width: "minmax(96px, .6fr)",
        value: (i) => (all(i) ? part(i) / all(i) : 0), text: (i) => text.percent(part(i), all(i)), ...more });
    const count = (key, label, title, value, more = {}) => memspy.Table.count(key, label, title, value, { width: "minmax(104px, .7fr)", ...more });
    const whole = zeros.total.integer.redundant + zeros.total.float.redundant;

    const codePage = {
        nav: "Loads", group: "Zeros",
        badge: () => rows.length,
        shown: () => rows.length > 0,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Redundant zeros, by code"),
                h("p.sub", {}, "Each row: one load instruction, and who called it.")));
            memspy.split(main, {
                label: "loads", ids: store.numbers(rows.length), sort: { key: "redundant" },
                columns: [
                    { key: "code", label: "Code", width: "minmax(116px, 2fr)", value: (i) => stacks.title(rows.stack[i]) },
                    { key: "type", label: "Type", name: false, width: "78px", value: typeName },
                    count("redundant", "Redundant", "redundant cells loaded", (i) => rows.redundant[i], { bar: true, width: "minmax(118px, .7fr)" }),
                    share("fraction", "Fraction", "redundant, of loaded data", (i) => rows.redundant[i], (i) => rows.cells[i], { width: "86px" }),
                    share("share", "Share", "of all redundancy of the program", (i) => rows.redundant[i], () => whole, { width: "74px" }),
                    share("zero", "Zero", "values that were all zero", (i) => rows.zero[i], (i) => rows.elements[i], { width: "74px" }),
                    { key: "advice", label: "Advice", name: false, width: "minmax(90px, .8fr)", value: (i) => adviceKinds(rows.advice[i]) },
                ],
            }, "zeros", number ?? 0, codeDetail);
        },
    };

    // The heat map: the object from its start on, as lines of cells with the share of accessed bytes that
    // were always zero.
    const heat = (i) => {
        const cells = objects.map[i];
        if (!cells.length) return h("p.note", {}, "No map of it is known.");
        const size = 26, left = 84;
        const perLine = cells.length > 512 ? 32 : 16;
        const lines = Math.ceil(cells.length / perLine);
        const svg = d3.create("svg").attr("class", "heat").attr("viewBox", `0 0 ${left + perLine * size} ${lines * size + 2}`).attr("role", "img")
            .attr("aria-label", `Redmap of the object: ${text.percent(objects.redundant[i], objects.cells[i])} of the cells always redundant`);
        svg.style("max-width", `${left + perLine * size}px`);
        const marks = svg.selectAll("rect").data(cells).join("rect").attr("x", (_, c) => left + (c % perLine) * size + 1)
            .attr("y", (_, c) => Math.floor(c / perLine) * size + 1).attr("width", size - 2).attr("height", size - 2).attr("rx", 3)
            .attr("class", ([accessed]) => (accessed ? "used" : "unused"))
            .attr("fill", ([accessed, redundant]) => (accessed ? d3.interpolateViridis(redundant / accessed) : null));
        memspy.charts.tip(marks.data(cells.map((cell, c) => [...cell, c])), ([accessed, redundant, c]) => [
            `bytes ${text.count(c * objects.cell[i])}–${text.count((c + 1) * objects.cell[i] - 1)}`,
            accessed ? `${text.percent(redundant, accessed)} of ${text.plural(accessed, "accessed byte")} always redundant` : "never loaded"]);
        svg.append("g").attr("class", "ruler").selectAll("text").data(d3.range(lines)).join("text").attr("x", left - 8).attr("text-anchor", "end")
            .attr("y", (l) => l * size + size / 2).attr("dy", ".35em").text((l) => `+${text.count(l * perLine * objects.cell[i])}`);
        const scale = h("span.scale", { "aria-hidden": "true", style: { background: `linear-gradient(90deg, ${d3.range(0, 1.01, 0.125).map(d3.interpolateViridis).join(", ")})` } });
        return h("figure.map", {}, memspy.scrolls(svg.node()),
            h("figcaption", {}, `A square: ${text.bytes(objects.cell[i])}${objects.blocks[i] > 1 ? ", all blocks together" : ""}. Never zero `, scale,
                " always redundant; hollow: never loaded."));
    };

    const pattern = (i) => {
        const items = objects.zeroBlocks[i].map(([bytes, accessed, zero]) => [`blocks of ${bytes} bytes`, zero, accessed]);
        if (objects.zeroRows[i]) items.push([`rows of ${text.bytes(objects.zeroRows[i].stride)}`, objects.zeroRows[i].zero ?? 0, objects.zeroRows[i].accessed ?? 0]);
        const columns = objects.zeroColumns[i];
        return [items.length ? h("table.plain.counts", {}, h("thead", {}, h("tr", {}, ["zero pattern", "all zero", "accessed", "share"].map((t, c) => h(c ? "th.number" : "th", { scope: "col" }, t)))),
            h("tbody", {}, items.map(([label, zero, accessed]) => h("tr", {}, h("th", { scope: "row" }, label), h("td.number", {}, text.count(zero)),
                h("td.number", {}, text.count(accessed)), h("td.number", {}, text.percent(zero, accessed)))))) : null,
        columns ? h("p", {}, `In every ${text.bytes(columns.stride)}, these were always redundant: bytes ${columns.ranges.map(([a, b]) => (a === b ? a : `${a}–${b}`)).join(", ")}.`) : null];
    };
    const figures = (i) => h("p.sub", {}, `${text.bytes(objects.size[i])}${objects.blocks[i] > 1 ? ` in ${text.count(objects.blocks[i])} blocks` : ""}; `
        + `${text.count(objects.accessed[i])} loaded at least once, ${text.count(objects.redundant[i])} of their ${text.plural(objects.cells[i], "cell")} redundant at every load `
        + `(${text.percent(objects.redundant[i], objects.cells[i])})`
        + (objects.loaded[i] ? `; ${text.percent(objects.loadedRedundant[i], objects.loaded[i])} of what loads read from it is redundant` : ""));
    // From when on it is: one early pass of other values spoils the figure by byte.
    const since = (i) => {
        const change = objects.change[i];
        if (!change) return null;
        return h("p", {}, `From ${text.percent(change.thousandths, 1000)} of the run on ${text.percent(change.redundant ?? 0, change.loaded ?? 0)} of what loads read from it is redundant, `,
            `${text.percent(change["redundant-before"] ?? 0, change["loaded-before"] ?? 0)} before.`);
    };
    const objectDetail = (i) => {
        const o = objects.object[i];
        return h("article.detail", { "aria-label": "Object" }, h("h2", {}, store.objectName(o)), figures(i), since(i), adviceBox(objects.advice[i]), heat(i), pattern(i),
            o >= 0 && store.data.objects[o].stack >= 0 ? h("section", {}, h("h3", {}, "Allocated"), stacks.list(store.data.objects[o].stack, { metric: "zeros" })) : null);
    };

    const objectPage = {
        nav: "Zeros in objects", group: "Zeros",
        badge: () => objects.length,
        shown: () => objects.length > 0,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Redundant zeros, by object"),
                h("p.sub", {}, "Bytes that were zeros and need not have been stored at every load of them.")));
            memspy.split(main, {
                label: "objects with zeros", ids: store.numbers(objects.length), sort: { key: "redundant" },
                columns: [
                    { key: "name", label: "Object", width: "minmax(116px, 2fr)", value: (i) => store.objectName(objects.object[i]) },
                    count("size", "Size", "bytes, of all blocks", (i) => objects.size[i]),
                    count("redundant", "Redundant", "bytes that were redundant at every load", (i) => objects.redundant[i], { bar: true, width: "minmax(118px, .7fr)" }),
                    share("fraction", "Fraction", "redundant, of the cells loaded", (i) => objects.redundant[i], (i) => objects.cells[i], { width: "92px" }),
                    share("loads", "Of loads", "redundant, of all that loads read from it", (i) => objects.loadedRedundant[i], (i) => objects.loaded[i], { width: "92px" }),
                    { key: "since", label: "Since", title: "from when on much more of it is redundant, as a share of the run", number: true, width: "76px",
                        value: (i) => (objects.change[i]?.thousandths ?? 0) / 1000, text: (i) => (objects.change[i] ? text.percent(objects.change[i].thousandths, 1000) : "") },
                    share("unused", "Unused", "bytes that were never loaded", (i) => objects.size[i] - objects.accessed[i], (i) => objects.size[i], { width: "88px" }),
                    { key: "advice", label: "Advice", name: false, width: "minmax(90px, .8fr)", value: (i) => adviceKinds(objects.advice[i]) },
                ],
            }, "zeroobjects", number ?? (objects.length ? 0 : undefined), objectDetail);
        },
    };

    const LEAST_SHARE = 0.05; // of all redundancy: as --zeros-threshold has it
    const loadsCounted = zeros.mode !== "data";
    const totals = ["integer", "float"].map((kind) => [kind, zeros.total[kind]]);
    const cells = totals.reduce((sum, [, t]) => sum + t.cells, 0);
    return {
        pages: { zeros: codePage, zeroobjects: objectPage },
        metrics: () => [{ key: "zeros", label: "redundant cells loaded", table: rows, value: (i) => rows.redundant[i] }],
        tiles: (tile) => (loadsCounted ? [tile("Redundant zeros", text.percent(whole, cells), "of loaded data", memspy.link("zeros"))] : []),
        // No `gain`: a share of the data that is loaded is no share of the time.
        findings: () => advised(rows).filter((place) => place.redundant >= LEAST_SHARE * whole).slice(0, 8).map((place) => ({ href: memspy.link("zeros", place.first), advised: true, places: [stacks.title(rows.stack[place.first])],
            draw: () => h("article.card.finding.zeros", {}, h("header", {}, h("span.badge", {}, "Redundant zeros"),
                h("h3", {}, h("a", { href: memspy.link("zeros", place.first) }, `Zeros loaded by ${stacks.title(rows.stack[place.first])}`))),
            memspy.facts([["Predicted", `at most ${text.percent(place.redundant, cells)} of the data that is loaded saved`], ["Code", stacks.place(rows.stack[place.first])], ["Loads", `${text.count(place.loads)} of ${typeName(place.first)}, ${text.percent(place.redundant, place.cells)} redundant`
                + (place.places > 1 ? `, by ${text.count(place.places)} instructions` : "")]]),
            adviceBox(place.advice)) })),
        said: () => {
            const [place] = advised(rows).filter((each) => each.redundant >= LEAST_SHARE * whole);
            return place ? [{ weight: 1, sentence: `${text.percent(whole, cells)} of the data that is loaded are zeros that need not be there, most of them at ${stacks.title(rows.stack[place.first])}.` }] : [];
        },
        cards: () => [h("article.card", {}, h("header", {}, h("h3", {}, h("a", { href: memspy.link(rows.length ? "zeros" : "zeroobjects") }, "Redundant zeros"))),
            loadsCounted ? h("table.plain", {}, h("thead", {}, h("tr", {}, ["", "loads", "redundant", "all zero"].map((t) => (t ? h("th.number", { scope: "col" }, t) : h("td"))))),
                h("tbody", {}, totals.map(([kind, t]) => h("tr", {}, h("th", { scope: "row" }, kind), h("td.number", {}, text.count(t.loads)),
                    h("td.number", {}, text.percent(t.redundant, t.cells)), h("td.number", {}, text.percent(t.zero, t.elements)))))) : null,
            worst(rows, "zeros", (i) => stacks.title(rows.stack[i]), "Loads with advice"),
            worst(objects, "zeroobjects", (i) => store.objectName(objects.object[i]), "Objects with advice"))],
        objectParts: (object) => {
            const i = objects.object.indexOf(object);
            return i < 0 ? [] : h("section", {}, h("h2", {}, "Redundant zeros"), figures(i), since(i), adviceBox(objects.advice[i]), heat(i), pattern(i));
        },
        threadColumns: () => {
            const of = new Map(zeros.threads.map((t) => [t.thread, t]));
            const sum = (id, name) => ["integer", "float"].reduce((n, kind) => n + (of.get(id)?.[kind][name] ?? 0), 0);
            return of.size ? [{ key: "zeros", label: "Redundant", title: "zeros, of loaded data", number: true, width: "110px",
                value: (id) => sum(id, "redundant") / Math.max(1, sum(id, "cells")), text: (id) => text.percent(sum(id, "redundant"), sum(id, "cells")) }] : [];
        },
    };

    // In the program's own code, or of its objects: nobody changes the types inside of std::map. Loads of one type in one line are one place: the load with most zeros stands
    // for them, as {first, redundant, loads, cells, places, advice}.
    function advised(table) {
        const places = new Map();
        for (const i of store.numbers(table.length)) {
            if (table.stack && !(store.isOwn(table.stack[i]) && store.leading(table.stack[i]) === store.innermost(table.stack[i]))) continue;
            const key = table.stack ? `${stacks.title(table.stack[i])} ${typeName(i)}` : String(i);
            if (!places.has(key)) places.set(key, { first: i, redundant: 0, loads: 0, cells: 0, rows: [] });
            const place = places.get(key);
            if (table.redundant[i] > table.redundant[place.first]) place.first = i;
            place.redundant += table.redundant[i];
            place.loads += table.loads?.[i] ?? 0;
            place.cells += table.cells?.[i] ?? 0;
            place.rows.push(i);
        }
        return [...places.values()].map(({ rows: all, ...place }) => ({ ...place, places: all.length, advice: together(table, all) }))
            .filter((place) => place.advice.length).sort((a, b) => b.redundant - a.redundant);
    }
    // The advice on several rows as one: as memspy-report's. A type must hold the values of all that can be narrower; zero fits each.
    function together(table, all) {
        const of = (kind) => all.flatMap((i) => table.advice[i].filter((a) => a.kind === kind).map((a) => ({ ...a, row: i })));
        const size = (a) => [a.type?.length ?? 0, a.type ?? ""].join(" ");
        const narrow = of("narrow").sort((a, b) => memspy.Table.collator.compare(size(b), size(a))), constant = of("constant"), skip = of("skip"), others = of("sparse");
        const say = (list, words) => (list.length ? [{ ...list[0], text: list.length < all.length ? `at ${list.length} of ${all.length} places ${words}` : words }] : []);
        const zeros = () => text.percent(d3.sum(skip, (a) => table.zero[a.row]), d3.sum(skip, (a) => table.elements[a.row]));
        return [...say(skip, skip.length > 1 ? `${zeros()} of the values are zero: test for zero and skip the calculation` : skip[0]?.text),
            ...(narrow.length && (narrow[0].type !== "float" || narrow.length === all.length) ? say([...narrow, ...constant], narrow[0].text)
                : say(constant, constant[0]?.text)), ...others.slice(0, 1)];
    }
    function worst(table, page, name, title) {
        const found = advised(table);
        if (!found.length) return null;
        return [h("h4", {}, `${title}: ${text.count(found.length)}`), h("ul.short", {}, found.slice(0, 4).map(({ first, advice }) => h("li", {},
            h("a", { href: memspy.link(page, first) }, name(first)), " ", h("span.note", {}, adviceText(advice)))))];
    }
});
