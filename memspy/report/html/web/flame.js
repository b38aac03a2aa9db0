// SPDX-License-Identifier: GPL-2.0-or-later
// Stacks as a flame graph; the width is the charged figure. Callers are below or above what they call; or the code that
// is charged comes first, with its callers behind it, so that a function called from everywhere is one. Each thread may
// have a graph of its own.
"use strict";
(() => {
    const { h, text, store, charts } = memspy;
    const ROW = 22;
    const THINNEST = 0.6; // pixels; narrower nodes are not drawn, and their siblings keep their places

    const ORDERS = {
        up: { label: "callers below", down: false, merged: false },
        down: { label: "callers above", down: true, merged: false },
        merged: { label: "the charged code first, its callers below", down: true, merged: true },
    };

    // Frames of one function are one node, whatever their line.
    const tree = (metric, merged, threads, { shownStack, groupName, threadName } = store) => {
        const root = { name: "all", children: new Map(), value: 0, self: 0, frame: -1 };
        for (const [stack, n, row] of metric.entries) {
            let node = root;
            node.value += n;
            const shown = shownStack(stack);
            const way = merged ? shown : shown.slice().reverse();
            const steps = threads ? [-1, ...way] : way;
            for (const frame of steps) {
                const thread = metric.table.thread?.[row];
                const name = frame >= 0 ? groupName(frame) : thread ? threadName(thread) : "short threads";
                let next = node.children.get(name);
                if (!next) node.children.set(name, (next = { name, children: new Map(), value: 0, self: 0, frame, best: 0 }));
                next.value += n;
                if (n > next.best) { next.best = n; next.frame = frame; }
                node = next;
            }
            node.self += n;
        }
        return root;
    };

    const hash = (name) => { let x = 7; for (const c of name) x = (x * 31 + c.codePointAt(0)) % 9973; return x / 9973; };
    const colour = (name) => d3.interpolateYlOrBr(0.16 + 0.3 * hash(name));

    // Beside another run: red has more now than before, blue less, by the share of all that this is. Text must stay readable.
    const MOST_COLOUR = 0.25;
    const gained = (d) => (memspy.quiet ? d.data.other - d.value : d.value - d.data.other);
    const difference = (d, all) => d3.interpolateRdYlBu(0.5 + Math.max(-MOST_COLOUR, Math.min(MOST_COLOUR, -gained(d) / all)));
    const addOther = (node, other) => {
        node.other = other?.value ?? 0;
        for (const [name, child] of node.children) addOther(child, other?.children.get(name));
    };

    const graph = (metric, { down, merged }, threads, detail) => {
        const other = memspy.compare.metric(metric);
        const drawn = tree(metric, merged, threads);
        drawn.self += metric.beside ?? 0;
        if (other) addOther(drawn, tree(other, merged, threads, memspy.other().store));
        const root = d3.hierarchy(drawn, (node) => [...node.children.values()].sort((a, b) => b.value - a.value)).sum((node) => node.self);
        d3.partition()(root); // x in 0…1
        const width = 1200, height = (root.height + 1) * ROW;
        const box = h("div.flame");
        const svg = d3.create("svg").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "group").attr("aria-label", `Flame graph of ${metric.label}`);
        box.append(svg.node());
        let words = "";
        const zoom = (focus) => {
            const x = d3.scaleLinear().domain([focus.x0, focus.x1]).range([0, width]);
            const visible = root.descendants().filter((d) => d.x1 > focus.x0 && d.x0 < focus.x1
                && (Math.min(d.x1, focus.x1) - Math.max(d.x0, focus.x0)) / (focus.x1 - focus.x0) * width > THINNEST);
            const left = (d) => Math.max(0, x(d.x0));
            const wide = (d) => Math.min(width, x(d.x1)) - left(d);
            const nodes = svg.selectAll("g").data(visible, (d) => d.data.name + d.depth + d.x0).join("g")
                .attr("tabindex", 0).attr("role", "button").attr("transform", (d) => `translate(${left(d)},${down ? d.depth * ROW : height - (d.depth + 1) * ROW})`)
                .attr("class", (d) => `${d.depth < focus.depth ? "above" : ""}${words && !d.data.name.toLowerCase().includes(words) ? " off" : ""}`)
                .attr("aria-label", (d) => `${d.data.name}, ${text.percent(d.value, root.value)}`);
            nodes.selectAll("*").remove();
            nodes.append("rect").attr("width", (d) => Math.max(0.5, wide(d) - 1)).attr("height", ROW - 2).attr("rx", 2)
                .attr("fill", (d) => (!d.depth ? "var(--track)" : other ? difference(d, Math.max(root.value, other.total)) : colour(d.data.name)));
            charts.clipped(nodes.filter((d) => wide(d) > 34), (d) => wide(d) - 5, ROW, (d) => d.data.name);
            const chosen = (d) => { zoom(d); detail(d); };
            nodes.on("click", chosen).on("keydown", (d) => {
                if (d3.event.key === "Enter" || d3.event.key === " ") { d3.event.preventDefault(); chosen(d); }
                if (d3.event.key === "Escape") zoom(root);
            });
            charts.tip(nodes, (d) => [d.data.frame >= 0 ? store.frameName(d.data.frame) : d.data.name,
                `${text.count(d.value)} ${metric.label} (${text.percent(d.value, root.value)})`,
                other ? `${text.count(d.data.other)} ${memspy.quiet ? "now" : "before"}, ${memspy.compare.more(gained(d))}` : "", merged ? "" : `${text.count(d.data.self)} in itself`].filter(Boolean));
            current = focus;
            // Of the figures, those of functions that the search matches, with what they call.
            const matched = (d) => (d.depth && d.data.name.toLowerCase().includes(words) ? d.value : d3.sum(d.children ?? [], matched));
            found.textContent = words ? `${text.percent(matched(root), root.value)} matched` : "";
        };
        const found = h("span.counter", { role: "status" });
        let current = root;
        zoom(root);
        return { element: box, found, search: (typed) => { words = typed.toLowerCase(); zoom(current); }, reset: () => zoom(root) };
    };

    // The graph, and below it the function that was chosen. `metric` as store.metrics() has them, or {label, entries, total,
    // table, beside, charged}: `beside` has no stack, the graph has room for it; source is shown with the metric `charged`.
    memspy.flames = (metric, order = "up", threads = false) => {
        const below = h("div");
        const detail = (d) => below.replaceChildren(d.data.frame < 0 ? "" : h("section", {}, h("h2", {}, store.frameName(d.data.frame)),
            h("p.sub", {}, `${text.count(d.value)} ${metric.label}, ${text.percent(d.value, metric.total)} of all; ${text.count(d.data.self)} in itself`),
            memspy.quiet ? "" : memspy.source.ofFrame(d.data.frame, { metric: metric.charged ?? metric.key }) ?? ""));
        const made = graph(metric, ORDERS[order], threads, detail);
        return { ...made, element: h("div", {}, made.element, below) };
    };

    memspy.pages.flame = {
        nav: "Flame graph", group: "Code",
        shown: () => store.stackMetrics().length > 0,
        render: (main, [key, wanted = "up", split, run]) => {
            const metric = store.metric(key, store.stackMetrics());
            const order = Object.hasOwn(ORDERS, wanted) ? wanted : "up";
            const threads = split === "threads" && Boolean(metric.table.thread);
            // What is gone is in the graph of the run before only.
            const there = memspy.compare.metric(metric), before = run === "before" && Boolean(there);
            const go = (next) => memspy.go("flame", ...Object.values({ key: metric.key, order, split: threads ? "threads" : "", run: before ? "before" : "", ...next }));
            const flames = before ? memspy.before().flames(there, order, threads) : memspy.flames(metric, order, threads);
            memspy.put(main, h("header.page", {}, h("h1", {}, "Flame graph"),
                memspy.metricChoice(metric.key, (next) => go({ key: next }), store.stackMetrics()),
                h("label.choice", {}, "Order: ", h("select", { "aria-label": "Order", onchange: (event) => go({ order: event.target.value }) },
                    Object.entries(ORDERS).map(([name, { label }]) => h("option", { value: name, selected: name === order }, label)))),
                metric.table.thread ? h("label.choice", {}, h("input", { type: "checkbox", checked: threads, onchange: (event) => go({ split: event.target.checked ? "threads" : "" }) }), " by thread") : null,
                there ? h("label.choice", {}, h("input", { type: "checkbox", checked: before, onchange: (event) => go({ run: event.target.checked ? "before" : "" }) }), " as it was before") : null,
                memspy.librariesChoice(memspy.again),
                h("input", { type: "search", placeholder: "Find a function…", "aria-label": "Find a function", oninput: (e) => flames.search(e.target.value) }), flames.found,
                h("button", { type: "button", onclick: flames.reset }, "Whole")),
            h("p.sub", {}, `${text.count((before ? there : metric).total)} ${metric.label}${before ? ` in ${store.data.changes.before}` : ""}, by the stacks that they are charged to. Choose a function to enlarge it.`
                + (there ? ` Red: more ${before ? `now, when it is ${text.count(metric.total)}` : `than in ${store.data.changes.before}, where it is ${text.count(there.total)}`}; blue: less.` : "")),
            flames.element);
        },
    };
})();
