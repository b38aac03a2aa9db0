// SPDX-License-Identifier: GPL-2.0-or-later
// When parties (threads, ranks) ran, and when each waited for what: a row for each. Dragging and keys choose a part of the time and a wait.
"use strict";
(() => {
    const { h, text, charts } = memspy;
    const COLOURS = ["hot", "true", "good", "numeral", "keyword", "accent", "comment", "string"].map((colour) => `var(--${colour})`);
    const REST = "var(--muted)";
    const LEFT = 84, WIDTH = 900, RIGHT = 76, TOP = 24, ROW = 24;

    // rows: [{ name, begin, end, spans }], `spans` by number in ascending time. Of a span: from, until, waited (time), group (what is waited
    // for, a number), said (two lines). Of a group: title, link. parties: "thread"; tick(time): as text; least: time in a window.
    memspy.timeline = ({ rows, from, until, waited, group, said, title, link, parties, tick, least }) => {
        const whole = [d3.min(rows, (row) => row.begin), d3.max(rows, (row) => row.end)];
        // The part of a span's waiting that lies in the window.
        const inside = (s, window) => waited(s) * (Math.max(0, Math.min(window[1], until(s)) - Math.max(window[0], from(s))) / (until(s) - from(s)));
        const waitedOf = (row, window) => d3.sum(row.spans, (s) => inside(s, window));
        // What is waited for in the window, the longest first.
        const sums = (window) => {
            const of = new Map();
            for (const row of rows) for (const s of row.spans) of.set(group(s), (of.get(group(s)) ?? 0) + inside(s, window));
            return [...of].filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]).slice(0, COLOURS.length);
        };
        // What is waited for longest has a colour of its own.
        const colour = new Map(sums(whole).map(([which], order) => [which, COLOURS[order]]));
        const state = { window: whole, span: -1 };

        const draw = () => {
            const [begin, end] = state.window, x = d3.scaleLinear().domain(state.window).range([LEFT, LEFT + WIDTH]).clamp(true);
            const bottom = TOP + rows.length * ROW, at = (row) => TOP + rows.indexOf(row) * ROW;
            const svg = d3.create("svg").attr("class", "timeline matrix").attr("role", "img").attr("width", LEFT + WIDTH + RIGHT).attr("height", bottom + 6)
                .attr("aria-label", `When ${text.plural(rows.length, parties)} ran and waited: ${rows.slice(0, 20).map((row) => `${row.name} waits ${text.percent(waitedOf(row, state.window), end - begin)}`).join(", ")}`);
            for (const mark of x.ticks(7)) {
                svg.append("line").attr("class", "tick").attr("x1", x(mark)).attr("x2", x(mark)).attr("y1", TOP - 4).attr("y2", bottom);
                svg.append("text").attr("class", "axis").attr("x", x(mark)).attr("y", 14).attr("text-anchor", "middle").text(tick(mark));
            }
            svg.append("text").attr("class", "axis").attr("x", LEFT + WIDTH + RIGHT - 4).attr("y", 14).attr("text-anchor", "end").text("waits");
            for (const row of rows) {
                const first = Math.max(row.begin, begin), last = Math.min(row.end, end);
                svg.append("text").attr("x", LEFT - 8).attr("y", at(row) + ROW / 2).attr("dy", ".1em").attr("text-anchor", "end").text(row.name);
                if (last > first) {
                    svg.append("rect").attr("class", "working").attr("x", x(first)).attr("y", at(row)).attr("width", Math.max(1, x(last) - x(first))).attr("height", ROW - 6);
                    svg.append("text").attr("x", LEFT + WIDTH + RIGHT - 4).attr("y", at(row) + ROW / 2).attr("dy", ".1em").attr("text-anchor", "end").text(text.percent(waitedOf(row, state.window), last - first));
                }
                const bars = svg.append("g").selectAll("rect").data(row.spans.filter((s) => until(s) > begin && from(s) < end)).join("rect").attr("class", "span")
                    .attr("x", (s) => x(from(s))).attr("y", at(row)).attr("width", (s) => Math.max(0.7, x(until(s)) - x(from(s)))).attr("height", ROW - 6)
                    .attr("fill", (s) => colour.get(group(s)) ?? REST).attr("opacity", (s) => 0.35 + 0.65 * (waited(s) / (until(s) - from(s))));
                charts.tip(bars, said);
            }
            if (state.span >= 0) svg.append("rect").attr("class", "chosen").attr("fill", "none").attr("stroke", "currentColor").attr("stroke-width", 2).attr("x", x(from(state.span)) - 2)
                .attr("y", at(rows.find((row) => row.spans.includes(state.span))) - 2).attr("width", x(until(state.span)) - x(from(state.span)) + 4).attr("height", ROW - 2);
            // A drag chooses a window, a click the span under the pointer.
            const place = () => x.invert(d3.mouse(svg.node())[0]);
            let begun = null;
            svg.on("mousedown", () => { begun = place(); d3.event.preventDefault(); });
            svg.on("mouseup", () => {
                const ended = place(), hit = d3.event.target.classList.contains("span") ? d3.event.target.__data__ : -1;
                if (begun !== null && Math.abs(x(ended) - x(begun)) > 4) zoom(Math.min(begun, ended), Math.max(begun, ended));
                else choose(hit);
                begun = null;
            });
            return svg.node();
        };

        const picture = h("div.keys", { tabindex: 0, role: "group", "aria-label": "Timeline: arrow keys choose a wait, plus and minus zoom" });
        const told = h("p.note", { "aria-live": "polite" }), below = h("div"), all = h("button", { type: "button" }, "The whole run");
        const again = () => {
            all.hidden = state.window[0] === whole[0] && state.window[1] === whole[1];
            picture.replaceChildren(memspy.scrolls(draw()));
            told.replaceChildren(...(state.span < 0 ? ["Drag over the picture, or press + and −: this part only. Click, or use the arrow keys: one wait."]
                : [said(state.span).join(": "), ". ", h("a", { href: link(group(state.span)) }, "All waits there")]));
            const time = d3.sum(rows, (row) => Math.max(0, Math.min(row.end, state.window[1]) - Math.max(row.begin, state.window[0])));
            below.replaceChildren(h("ul.waitsums", {}, sums(state.window).map(([which, waits]) =>
                h("li", {}, h("span.swatch", { style: { background: colour.get(which) ?? REST } }), h("a", { href: link(which) }, title(which)), ` ${text.percent(waits, time)} of the ${parties}s' time`))));
        };
        const choose = (span) => { state.span = span; again(); };
        const zoom = (first, last) => {
            const middle = (first + last) / 2, half = Math.max(least, last - first) / 2;
            state.window = [Math.max(whole[0], middle - half), Math.min(whole[1], middle + half)];
            again();
        };
        const nearer = (factor) => {
            const middle = state.span < 0 ? (state.window[0] + state.window[1]) / 2 : (from(state.span) + until(state.span)) / 2;
            const half = ((state.window[1] - state.window[0]) * factor) / 2;
            zoom(middle - half, middle + half);
        };
        // The span next to the chosen one: in its row, or in the next row with any.
        const step = (along, down) => {
            const filled = rows.filter((row) => row.spans.length);
            const now = filled.findIndex((row) => row.spans.includes(state.span));
            if (now < 0) return choose(filled[0].spans[0]);
            const row = filled[Math.min(filled.length - 1, Math.max(0, now + down))];
            const time = from(state.span);
            const place = down ? d3.scan(row.spans, (a, b) => Math.abs(from(a) - time) - Math.abs(from(b) - time)) : row.spans.indexOf(state.span) + along;
            choose(row.spans[Math.min(row.spans.length - 1, Math.max(0, place))]);
            if (until(state.span) < state.window[0] || from(state.span) > state.window[1]) nearer(1);
        };
        const KEYS = { ArrowRight: () => step(1, 0), ArrowLeft: () => step(-1, 0), ArrowDown: () => step(0, 1), ArrowUp: () => step(0, -1), "+": () => nearer(0.5), "-": () => nearer(2) };
        picture.addEventListener("keydown", (event) => {
            if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
            event.preventDefault();
            KEYS[event.key]();
        });
        all.addEventListener("click", () => zoom(...whole));
        again();
        return [h("figure.map", {}, picture), told, all, below];
    };
})();
