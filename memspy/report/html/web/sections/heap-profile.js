// SPDX-License-Identifier: GPL-2.0-or-later
// The heap over time: live bytes by allocation, what lived at a chosen moment, and the table by allocation stack.
"use strict";
memspy.section("heap-profile", (heap, name) => {
    const { h, text, store, stacks, charts } = memspy;
    const { contexts, moments, advice, members } = heap.tables;
    const { total } = heap.values;
    const GROUP = "Heap";
    const history = (i) => contexts["history.bytes"][i] ?? [];
    const title = (i) => (contexts.stack[i] < 0 ? "(not known)" : stacks.title(contexts.stack[i]));
    const COLOURS = ["hot", "true", "good", "numeral", "keyword", "accent", "comment", "string"].map((colour) => `var(--${colour})`);
    const REST = "var(--muted)";

    // The contexts with most bytes at the peak have an area each; all others are one.
    const areas = store.memo(() => {
        const named = store.numbers(contexts.length).filter((i) => history(i).length && !contexts.custom[i]).slice(0, COLOURS.length)
            .map((i, order) => ({ label: title(i), colour: COLOURS[order], bytes: history(i), context: i }));
        const rest = store.numbers(moments.length).map((m) => Math.max(0, moments.bytes[m] - d3.sum(named, (area) => area.bytes[m])));
        return rest.some((bytes) => bytes > 0) ? [...named, { label: "all others", colour: REST, bytes: rest, context: -1 }] : named;
    });

    // The moments [from, to] that the picture shows; dragging over it chooses them.
    const range = { from: 0, to: Math.max(1, moments.length - 1) };
    let chosen = 0;

    const draw = (choose, zoom) => {
        const left = 80, top = 12, width = 740, height = 260;
        const shown = store.numbers(moments.length).filter((m) => m >= range.from && m <= range.to);
        const x = d3.scaleLinear().domain([range.from, range.to]).range([left, left + width]);
        const y = d3.scaleLinear().domain([0, Math.max(1, d3.max(shown, (m) => moments.bytes[m]))]).nice().range([top + height, top]);
        const svg = d3.create("svg").attr("class", "missratio").attr("viewBox", `0 0 ${left + width + 20} ${top + height + 44}`).attr("role", "img")
            .attr("aria-label", `Live bytes over time: at most ${text.count(d3.max(shown, (m) => moments.bytes[m]) ?? 0)} of the moments shown`);
        for (const tick of y.ticks(5)) {
            svg.append("line").attr("class", "rule").attr("x1", left).attr("x2", left + width).attr("y1", y(tick)).attr("y2", y(tick));
            svg.append("text").attr("x", left - 8).attr("y", y(tick)).attr("dy", ".35em").attr("text-anchor", "end").text(text.brief(tick));
        }
        for (const tick of x.ticks(6).filter(Number.isInteger))
            svg.append("text").attr("x", x(tick)).attr("y", top + height + 16).attr("text-anchor", "middle").text(text.brief(moments.time[tick] ?? 0));
        svg.append("text").attr("x", left + width / 2).attr("y", top + height + 36).attr("text-anchor", "middle").text("instructions");
        const below = new Array(moments.length).fill(0);
        for (const area of areas()) {
            const edge = (m, more) => `${x(m)},${y(below[m] + more)}`;
            svg.append("polygon").attr("fill", area.colour).attr("opacity", 0.8)
                .attr("points", [...shown.map((m) => edge(m, area.bytes[m])), ...[...shown].reverse().map((m) => edge(m, 0))].join(" "));
            for (const m of shown) below[m] += area.bytes[m];
        }
        svg.append("line").attr("x1", x(chosen)).attr("x2", x(chosen)).attr("y1", top).attr("y2", top + height).attr("stroke", "currentColor").attr("stroke-dasharray", "4 3");
        const at = (event) => {
            const box = svg.node().getBoundingClientRect();
            const place = ((event.clientX - box.left) / box.width) * (left + width + 20);
            return Math.min(range.to, Math.max(range.from, Math.round(x.invert(place))));
        };
        let begun = null;
        svg.on("mousedown", () => { begun = at(d3.event); d3.event.preventDefault(); });
        svg.on("mouseup", () => {
            const ended = at(d3.event);
            if (begun !== null && Math.abs(ended - begun) > 1) zoom(Math.min(begun, ended), Math.max(begun, ended));
            else choose(ended);
            begun = null;
        });
        return h("figure.map", {}, memspy.scrolls(svg.node()), charts.legend(areas().map(({ label, colour }) => ({ label, colour }))),
            h("figcaption", {}, "Click: the moment of the bars below. Drag: these moments only."));
    };

    // What lived at the chosen moment: an area for each allocation stack.
    const MOST_AREAS = 300;
    const treemap = () => {
        const width = 840, height = 300, ROW = 18;
        const living = store.numbers(contexts.length).filter((i) => !contexts.custom[i] && history(i)[chosen] > 0)
            .sort((a, b) => history(b)[chosen] - history(a)[chosen]).slice(0, MOST_AREAS);
        if (!living.length) return null;
        const root = d3.hierarchy({ living: living.map((context) => ({ context })) }, (d) => d.living).sum((d) => (d.context === undefined ? 0 : history(d.context)[chosen]));
        d3.treemap().size([width, height]).paddingInner(1)(root);
        const colour = new Map(areas().map((area) => [area.context, area.colour]));
        const svg = d3.create("svg").attr("class", "treemap").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "group")
            .attr("aria-label", `Live bytes at the moment, by allocation: ${living.length} areas`);
        const cells = svg.selectAll("a").data(root.leaves()).join("a").attr("href", (d) => memspy.link("heap-contexts", d.data.context))
            .attr("transform", (d) => `translate(${d.x0},${d.y0})`).attr("aria-label", (d) => `${title(d.data.context)}: ${text.count(d.value)} bytes`);
        cells.append("rect").attr("width", (d) => d.x1 - d.x0).attr("height", (d) => d.y1 - d.y0).attr("rx", 2).attr("opacity", 0.35).attr("fill", (d) => colour.get(d.data.context) ?? REST);
        const LEAST = 40; // pixels
        charts.clipped(cells.filter((d) => d.x1 - d.x0 > LEAST && d.y1 - d.y0 > ROW), (d) => d.x1 - d.x0 - 4, ROW, (d) => title(d.data.context));
        charts.tip(cells, (d) => [title(d.data.context), `${text.count(d.value)} bytes (${text.percent(d.value, moments.bytes[chosen])})`]);
        return h("figure.map", {}, memspy.scrolls(svg.node()));
    };

    // The same by its callers. Only allocations with a history have a place; the graph has room for the others.
    const flames = () => {
        const entries = store.numbers(contexts.length).filter((i) => !contexts.custom[i] && contexts.stack[i] >= 0 && history(i)[chosen] > 0)
            .map((i) => [contexts.stack[i], history(i)[chosen], i]);
        if (!entries.length) return null;
        const total = moments.bytes[chosen], beside = Math.max(0, total - d3.sum(entries, ([, bytes]) => bytes));
        return h("section", {}, h("h3", {}, "By callers"),
            memspy.flames({ charged: "heap-profile-peak-bytes", label: "live bytes", entries, total, table: contexts, beside }).element,
            beside ? h("p.note", {}, `Not in it: ${text.count(beside)} bytes (${text.percent(beside, total)}) of allocations that never had a 200th of the peak, or whose stack is not known.`) : null);
    };

    const atMoment = () => {
        const parts = areas().map((area) => ({ label: area.label, value: area.bytes[chosen], colour: area.colour, context: area.context }));
        return h("section", {}, h("h2", {}, `After ${text.count(moments.time[chosen])} instructions: ${text.count(moments.bytes[chosen])} bytes in ${text.count(moments.blocks[chosen])} blocks`),
            moments.mapped[chosen] ? h("p.note", {}, `Besides, ${text.count(moments.mapped[chosen])} bytes are mapped.`) : null,
            charts.stacked(parts, "Live bytes"), treemap(), flames(),
            h("ul", {}, parts.filter((part) => part.value > 0).sort((a, b) => b.value - a.value)
                .map((part) => h("li", {}, part.context < 0 ? part.label : h("a", { href: memspy.link("heap-contexts", part.context) }, part.label),
                    ` ${text.count(part.value)} bytes (${text.percent(part.value, moments.bytes[chosen])})`))));
    };

    const timeline = {
        nav: "Timeline", group: GROUP,
        shown: () => moments.length > 1 && total["peak-bytes"] > 0,
        render: (main) => {
            chosen = store.numbers(moments.length).reduce((most, m) => (moments.bytes[m] > moments.bytes[most] ? m : most), 0);
            const picture = h("div"), bars = h("div");
            const slider = h("input", { type: "range", min: 0, max: moments.length - 1, step: 1, "aria-label": "the moment", style: { width: "100%" } });
            const whole = h("button", { type: "button" }, "The whole run");
            const again = () => {
                slider.value = chosen;
                whole.hidden = range.from === 0 && range.to === moments.length - 1;
                picture.replaceChildren(draw(choose, zoom));
                bars.replaceChildren(atMoment());
            };
            const choose = (moment) => { chosen = moment; again(); };
            const zoom = (from, to) => { range.from = from; range.to = to; again(); };
            slider.addEventListener("input", () => choose(Number(slider.value)));
            whole.addEventListener("click", () => zoom(0, moments.length - 1));
            again();
            memspy.put(main, h("header.page", {}, h("h1", {}, "The heap over time"),
                h("p.sub", {}, `${text.count(total.blocks)} blocks of ${text.count(total.bytes)} bytes allocated; at the peak ${text.count(total["peak-bytes"])} bytes in ${
                    text.count(total["peak-blocks"])} blocks, at the end ${text.count(total["end-bytes"])} in ${text.count(total["end-blocks"])}.`)),
            picture, slider, whole, bars);
        },
    };

    // What could be changed, and the figure that it is a share of.
    const OF = { growth: "instructions", temporary: "instructions", cold: "bytes loaded from blocks" };
    const advised = memspy.advice(advice, {
        name: "heap-advice", group: GROUP, title: "What could be allocated otherwise", sub: "Where counts prove it; most first.",
        share: (i, part) => `${part} of ${OF[advice.kind[i]] ? `the run's ${OF[advice.kind[i]]}` : "the peak"}`,
    });

    const accesses = heap.values.mode === "accesses";
    const mean = (i) => contexts.lifetimes[i] / Math.max(1, contexts.blocks[i]);
    const count = (field, label) => [field, { label, width: "minmax(84px, .6fr)" }];
    const records = memspy.records(heap, name, {
        group: GROUP,
        pages: {
            "heap-contexts": { list: "contexts", nav: "Allocations", title: "Blocks by allocation", note: "Each row: the blocks of one allocation stack.", sort: "peak-bytes",
                columns: [["stack", { label: "Allocated by", value: title, text: title }], ["peak-bytes", { label: "At peak", bar: true, width: "minmax(132px, .8fr)" }],
                    count("end-bytes", "At end"), count("bytes", "Bytes"), count("blocks", "Blocks"),
                    memspy.Table.count("lifetime", "Lifetime", "mean, in instructions; to the end for blocks that are never freed", mean, { width: "minmax(84px, .6fr)" }),
                    count("temporary", "Temporary"), ...(accesses ? [count("never-read", "Never read"), count("never-written", "Never written")] : [])] },
            "heap-members": { list: "members", nav: "Members", title: "Members of blocks", sort: "loaded",
                note: "Each row: bytes of a member, in all blocks of the type that a line allocates, and all elements of an array.",
                columns: [["type", { width: "minmax(120px, 1fr)" }], ["field", { label: "Member", width: "minmax(96px, .8fr)" }], count("offset", "At"), count("size", "Size"),
                    ["loaded", { label: "Loaded", bar: true, width: "minmax(132px, .8fr)" }], count("stored", "Stored"), ["stack", { label: "Allocated by", value: (i) => stacks.title(members.stack[i]), text: (i) => stacks.title(members.stack[i]) }]] },
        },
        metrics: [["peak-bytes", "bytes at the heap's peak"], ["end-bytes", "bytes of the heap at the end"], ["bytes", "bytes allocated"]]
            .map(([field, label]) => ({ list: "contexts", field, label, counts: (i) => !contexts.custom[i] })),
    });
    const { "heap-contexts": table, "heap-members": membersPage } = records.pages;
    return {
        ...records,
        pages: { "heap-timeline": timeline, "heap-advice": advised.page, "heap-contexts": table, ...(membersPage ? { "heap-members": membersPage } : {}) },
        findings: advised.findings,
        tiles: (tile) => [tile("Heap", text.brief(total["peak-bytes"]), `bytes at the peak, ${text.brief(total["end-bytes"])} at the end`, memspy.link(timeline.shown() ? "heap-timeline" : "heap-contexts"))],
    };
});
