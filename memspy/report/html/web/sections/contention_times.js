// SPDX-License-Identifier: GPL-2.0-or-later
// The threads in virtual time: when each ran, and when it waited for what. A row for each thread.
"use strict";
memspy.contention.times = (sharing) => {
    const { h, text, store, stacks, charts } = memspy;
    const { waits, waitSpans: spans, threads } = sharing;
    const COLOURS = ["hot", "true", "good", "numeral", "keyword", "accent", "comment", "string"].map((colour) => `var(--${colour})`);
    const REST = "var(--muted)";
    const LEFT = 84, WIDTH = 900, RIGHT = 76, TOP = 24, ROW = 24;

    const lock = (i) => waits.name[i] || (waits.object[i] >= 0 ? store.objectName(waits.object[i]) : "");
    const whatFor = (i) => (waits.kind[i] === "end" ? "the end of a thread" : `${waits.kind[i] === "lock" ? "lock " : ""}${lock(i)}`.trim() || "another thread");
    const title = (i) => `${whatFor(i)}, at ${stacks.title(waits.stack[i])}`;

    // Of each thread its life, and the numbers of its spans in ascending time.
    const rows = store.memo(() => {
        const found = new Map(store.numbers(threads.length).filter((i) => threads.thread[i] && threads.end[i] > threads.begin[i])
            .map((i) => [threads.thread[i], { thread: threads.thread[i], begin: threads.begin[i], end: threads.end[i], spans: [] }]));
        for (const s of store.numbers(spans.length).sort((a, b) => spans.from[a] - spans.from[b])) found.get(spans.thread[s])?.spans.push(s);
        return [...found.values()].sort((a, b) => a.thread - b.thread);
    });
    const whole = store.memo(() => [d3.min(rows(), (row) => row.begin), d3.max(rows(), (row) => row.end)]);
    // What is waited for longest has a colour of its own. The ends of several threads at one place are one.
    const first = store.memo(() => {
        const longest = new Map();
        for (const wait of store.numbers(waits.length).sort((a, b) => waits.waited[b] - waits.waited[a]))
            if (!longest.has(title(wait))) longest.set(title(wait), wait);
        return Array.from(waits.kind, (_, wait) => longest.get(title(wait)));
    });
    const colour = store.memo(() => new Map([...new Set(first())].sort((a, b) => waits.waited[b] - waits.waited[a]).slice(0, COLOURS.length).map((wait, order) => [wait, COLOURS[order]])));
    // The part of a span's waiting that lies in the window.
    const inside = (s, [from, to]) => spans.waited[s] * (Math.max(0, Math.min(to, spans.until[s]) - Math.max(from, spans.from[s])) / (spans.until[s] - spans.from[s]));
    const waitedOf = (row, window) => d3.sum(row.spans, (s) => inside(s, window));

    const said = (s) => {
        const times = spans.times[s], length = spans.until[s] - spans.from[s];
        const by = spans.whom[s] ? `, until ${store.threadName(spans.whom[s])} lets it go on` : "";
        return [`${store.threadName(spans.thread[s])} waits for ${title(spans.wait[s])}`,
            times === 1 ? `${text.count(spans.waited[s])} units, from ${text.count(spans.from[s])} on${by}`
                : `${text.count(times)} waits near each other, most for this: ${text.count(spans.waited[s])} of ${text.count(length)} units, from ${text.count(spans.from[s])} on`];
    };

    const draw = (view, state) => {
        const [from, to] = view.window, x = d3.scaleLinear().domain(view.window).range([LEFT, LEFT + WIDTH]).clamp(true);
        const bottom = TOP + rows().length * ROW, at = (row) => TOP + rows().indexOf(row) * ROW;
        const svg = d3.create("svg").attr("class", "timeline matrix").attr("role", "img").attr("width", LEFT + WIDTH + RIGHT).attr("height", bottom + 6)
            .attr("aria-label", `When ${text.plural(rows().length, "thread")} ran and waited: ${rows().slice(0, 20).map((row) => `${store.threadName(row.thread)} waits ${text.percent(waitedOf(row, view.window), to - from)}`).join(", ")}`);
        for (const tick of x.ticks(7)) {
            svg.append("line").attr("class", "tick").attr("x1", x(tick)).attr("x2", x(tick)).attr("y1", TOP - 4).attr("y2", bottom);
            svg.append("text").attr("class", "axis").attr("x", x(tick)).attr("y", 14).attr("text-anchor", "middle").text(text.brief(tick));
        }
        svg.append("text").attr("class", "axis").attr("x", LEFT + WIDTH + RIGHT - 4).attr("y", 14).attr("text-anchor", "end").text("waits");
        for (const row of rows()) {
            const end = Math.min(row.end, to), begin = Math.max(row.begin, from);
            svg.append("text").attr("x", LEFT - 8).attr("y", at(row) + ROW / 2).attr("dy", ".1em").attr("text-anchor", "end").text(store.threadName(row.thread));
            if (end > begin) {
                svg.append("rect").attr("class", "working").attr("x", x(begin)).attr("y", at(row)).attr("width", Math.max(1, x(end) - x(begin))).attr("height", ROW - 6);
                svg.append("text").attr("x", LEFT + WIDTH + RIGHT - 4).attr("y", at(row) + ROW / 2).attr("dy", ".1em").attr("text-anchor", "end").text(text.percent(waitedOf(row, view.window), end - begin));
            }
            const bars = svg.append("g").selectAll("rect").data(row.spans.filter((s) => spans.until[s] > from && spans.from[s] < to)).join("rect").attr("class", "span")
                .attr("x", (s) => x(spans.from[s])).attr("y", at(row)).attr("width", (s) => Math.max(0.7, x(spans.until[s]) - x(spans.from[s]))).attr("height", ROW - 6)
                .attr("fill", (s) => colour().get(first()[spans.wait[s]]) ?? REST).attr("opacity", (s) => 0.35 + 0.65 * (spans.waited[s] / (spans.until[s] - spans.from[s])));
            charts.tip(bars, said);
        }
        if (state.span >= 0) svg.append("rect").attr("class", "chosen").attr("fill", "none").attr("stroke", "currentColor").attr("stroke-width", 2).attr("x", x(spans.from[state.span]) - 2)
            .attr("y", at(rows().find((row) => row.thread === spans.thread[state.span])) - 2).attr("width", x(spans.until[state.span]) - x(spans.from[state.span]) + 4).attr("height", ROW - 2);
        // A drag chooses a window, a click the span under the pointer.
        const place = () => x.invert(d3.mouse(svg.node())[0]);
        let begun = null;
        svg.on("mousedown", () => { begun = place(); d3.event.preventDefault(); });
        svg.on("mouseup", () => {
            const ended = place(), hit = d3.event.target.classList.contains("span") ? d3.event.target.__data__ : -1;
            if (begun !== null && Math.abs(x(ended) - x(begun)) > 4) view.zoom(Math.min(begun, ended), Math.max(begun, ended));
            else view.choose(hit);
            begun = null;
        });
        return svg.node();
    };

    // What is waited for in the window, the longest first.
    const sums = (window) => {
        const of = new Map();
        for (const row of rows()) for (const s of row.spans) of.set(first()[spans.wait[s]], (of.get(first()[spans.wait[s]]) ?? 0) + inside(s, window));
        const all = d3.sum(rows(), (row) => Math.max(0, Math.min(row.end, window[1]) - Math.max(row.begin, window[0])));
        return h("ul.waitsums", {}, [...of].filter(([, waited]) => waited > 0).sort((a, b) => b[1] - a[1]).slice(0, COLOURS.length).map(([wait, waited]) =>
            h("li", {}, h("span.swatch", { style: { background: colour().get(wait) ?? REST } }), h("a", { href: memspy.link("wait", wait) }, title(wait)),
                ` ${text.percent(waited, all)} of the threads' time`)));
    };

    const LEAST = 10; // units in a window
    const page = {
        nav: "Threads in time", group: "Contention",
        shown: () => spans.length > 0 && rows().length > 0,
        render: (main) => {
            const state = { span: -1 };
            const picture = h("div.keys", { tabindex: 0, role: "group", "aria-label": "Timeline: arrow keys choose a wait, plus and minus zoom" });
            const told = h("p.note", { "aria-live": "polite" }), below = h("div"), all = h("button", { type: "button" }, "The whole run");
            const view = { window: whole() };
            const again = () => {
                all.hidden = view.window[0] === whole()[0] && view.window[1] === whole()[1];
                picture.replaceChildren(memspy.scrolls(draw(view, state)));
                told.replaceChildren(...(state.span < 0 ? ["Drag over the picture, or press + and −: these units only. Click, or use the arrow keys: one wait."]
                    : [said(state.span).join(": "), ". ", h("a", { href: memspy.link("wait", spans.wait[state.span]) }, "All waits there")]));
                below.replaceChildren(sums(view.window));
            };
            view.choose = (span) => { state.span = span; again(); };
            view.zoom = (from, to) => {
                const middle = (from + to) / 2, half = Math.max(LEAST, to - from) / 2;
                view.window = [Math.max(whole()[0], middle - half), Math.min(whole()[1], middle + half)];
                again();
            };
            const nearer = (factor) => {
                const middle = state.span < 0 ? (view.window[0] + view.window[1]) / 2 : (spans.from[state.span] + spans.until[state.span]) / 2;
                const half = ((view.window[1] - view.window[0]) * factor) / 2;
                view.zoom(middle - half, middle + half);
            };
            // The span next to the chosen one: in its thread, or in the next thread with any.
            const step = (along, down) => {
                const filled = rows().filter((row) => row.spans.length);
                const now = filled.findIndex((row) => row.spans.includes(state.span));
                if (now < 0) return view.choose(filled[0].spans[0]);
                const row = filled[Math.min(filled.length - 1, Math.max(0, now + down))];
                const time = spans.from[state.span];
                const place = down ? d3.scan(row.spans, (a, b) => Math.abs(spans.from[a] - time) - Math.abs(spans.from[b] - time)) : row.spans.indexOf(state.span) + along;
                view.choose(row.spans[Math.min(row.spans.length - 1, Math.max(0, place))]);
                const span = state.span;
                if (spans.until[span] < view.window[0] || spans.from[span] > view.window[1]) nearer(1);
            };
            const KEYS = { ArrowRight: () => step(1, 0), ArrowLeft: () => step(-1, 0), ArrowDown: () => step(0, 1), ArrowUp: () => step(0, -1), "+": () => nearer(0.5), "-": () => nearer(2) };
            picture.addEventListener("keydown", (event) => {
                if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
                event.preventDefault();
                KEYS[event.key]();
            });
            all.addEventListener("click", () => view.zoom(...whole()));
            again();
            memspy.put(main, h("header.page", {}, h("h1", {}, "Threads in virtual time"),
                h("p.sub", {}, "As if each thread had a processor of its own, on which an instruction takes one unit. Gray: the thread runs. In colour: it waits.")),
            h("figure.map", {}, picture), told, all, below);
        },
    };
    return page;
};
