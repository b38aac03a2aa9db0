// SPDX-License-Identifier: GPL-2.0-or-later
// Small pictures, and the text beside the pointer.
"use strict";
memspy.charts = (() => {
    const { h, text } = memspy;
    const tipBox = document.getElementById("tip");

    const showTip = (lines, x, y) => {
        tipBox.replaceChildren(...lines.map((line) => h("div", {}, line)));
        tipBox.hidden = false;
        const box = tipBox.getBoundingClientRect();
        tipBox.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
        tipBox.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
    };
    const hideTip = () => { tipBox.hidden = true; };
    // `lines(datum)` returns the text for the element that is under the pointer or has the focus.
    const tip = (selection, lines) => selection
        .on("mousemove.tip", (datum) => showTip(lines(datum), d3.event.clientX, d3.event.clientY))
        .on("mouseleave.tip", hideTip)
        .on("focus.tip", function (datum) {
            const box = this.getBoundingClientRect();
            showTip(lines(datum), box.left, box.bottom - 18);
        })
        .on("blur.tip", hideTip);

    // The whole name in as much room as there is: what is cut off here is still found and read aloud.
    const clipped = (boxes, width, height, name) => boxes.append("svg").attr("width", width).attr("height", height)
        .append("text").attr("x", 5).attr("y", height / 2 - 1).attr("dy", ".35em").text(name);

    // One bar made of parts: [{label, value, colour}].
    const stacked = (parts, label) => {
        const total = d3.sum(parts, (p) => p.value);
        const bar = h("div.stacked", { role: "img", "aria-label": `${label}: ${parts.map((p) => `${p.label} ${text.count(p.value)}`).join(", ")}` },
            parts.filter((p) => p.value > 0).map((p) => h("span", { style: { width: `${(100 * p.value) / total}%`, background: p.colour },
                title: `${p.label}: ${text.count(p.value)} (${text.percent(p.value, total)})` })));
        if (!total) bar.classList.add("none");
        return bar;
    };
    const legend = (parts) => h("ul.legend", {}, parts.map((p) => h("li", {},
        h("span.swatch", { style: { background: p.colour } }), p.label,
        p.value === undefined ? null : h("b", {}, ` ${text.brief(p.value)}`))));

    // A matrix with a square for each pair. `pairs`: [{from, to, value}]. `words`: {label, parties, from, to,
    // tip(pair), colour(party) if parties have colours, name(party) if it is not the party, link(pair) if a square leads somewhere,
    // unheard: {parties, tip(from)} if of some nothing is known as the first of a pair: hatched, where no pair says more}.
    const MOST_PARTIES = 48;
    const matrix = (pairs, words) => {
        const totals = new Map();
        for (const t of words.unheard?.parties ?? []) totals.set(t, 0);
        for (const p of pairs) for (const t of new Set([p.from, p.to])) totals.set(t, (totals.get(t) ?? 0) + p.value);
        const parties = [...totals].sort((a, b) => b[1] - a[1]).slice(0, MOST_PARTIES).map(([t]) => t).sort((a, b) => a - b);
        const cell = parties.length > 24 ? 16 : parties.length > 10 ? 24 : 38;
        const name = words.name ?? String, longest = d3.max(parties, (party) => name(party).length) ?? 0;
        // Names that are longer than a square is wide stand upright.
        const corner = `${words.from} ↓`;
        const upright = 7 * longest + 4 > cell, left = Math.max(70, 20 + 7 * longest, 7 * corner.length), top = 54 + (upright ? 7 * Math.max(0, longest - 2) : 0);
        const most = d3.max(pairs, (p) => p.value) ?? 1;
        const strength = d3.scaleSqrt().domain([0, most]).range([0.06, 1]);
        const svg = d3.create("svg").attr("class", "matrix").attr("role", "img").attr("aria-label", words.label)
            .attr("width", Math.max(280, left + parties.length * cell + 6)).attr("height", top + parties.length * cell + 6);
        const at = new Map(parties.map((t, i) => [t, i]));
        const square = (cells) => cells.append("rect").attr("x", (p) => left + at.get(p.to) * cell + 1).attr("y", (p) => top + at.get(p.from) * cell + 1)
            .attr("width", cell - 2).attr("height", cell - 2).attr("rx", 3);
        const unheard = words.unheard?.parties.filter((t) => at.has(t)) ?? [];
        if (unheard.length) {
            const known = new Set(pairs.map((p) => `${p.from} ${p.to}`));
            svg.append("defs").append("pattern").attr("id", "unheard").attr("width", 5).attr("height", 5).attr("patternUnits", "userSpaceOnUse")
                .attr("patternTransform", "rotate(45)").append("rect").attr("class", "hatch").attr("width", 1.5).attr("height", 5);
            const cells = square(svg.append("g").selectAll("g").data(unheard.flatMap((from) => parties.map((to) => ({ from, to }))).filter((p) => !known.has(`${p.from} ${p.to}`))).join("g"));
            tip(cells.attr("class", "unheard").attr("fill", "url(#unheard)"), (p) => [words.unheard.tip(p.from)]);
        }
        const squares = svg.append("g").selectAll("g").data(pairs.filter((p) => at.has(p.from) && at.has(p.to)));
        const cells = square(words.link ? squares.join("a").attr("href", words.link).attr("aria-label", (p) => words.tip(p).join(", ")) : squares.join("g"))
            .attr("class", "hot").attr("opacity", (p) => strength(p.value));
        tip(cells, words.tip);
        if (cell >= 38)
            svg.append("g").selectAll("text").data(pairs.filter((p) => at.has(p.from) && at.has(p.to))).join("text")
                .attr("class", (p) => (strength(p.value) > 0.55 ? "inside" : "")).attr("x", (p) => left + (at.get(p.to) + 0.5) * cell)
                .attr("y", (p) => top + (at.get(p.from) + 0.5) * cell).attr("dy", ".35em").attr("text-anchor", "middle")
                .attr("pointer-events", "none").text((p) => (p.value < 1000 ? p.value : d3.format(".2~s")(p.value)));
        const names = (side) => {
            const group = svg.append("g").selectAll("g").data(parties).join("g");
            if (words.colour) group.append("rect").attr("width", 8).attr("height", 8).attr("rx", 2).attr("fill", words.colour)
                .attr("x", (party) => (side === "row" ? left - 12 : left + (at.get(party) + 0.5) * cell - 4))
                .attr("y", (party) => (side === "row" ? top + (at.get(party) + 0.5) * cell - 4 : top - 12));
            const x = (party) => (side === "row" ? left - 17 : left + (at.get(party) + 0.5) * cell);
            const y = (party) => (side === "row" ? top + (at.get(party) + 0.5) * cell : top - (upright ? 15 : 22));
            const turned = side === "column" && upright;
            group.append("text").text(name).attr("text-anchor", turned ? "start" : side === "row" ? "end" : "middle").attr("dy", ".35em")
                .attr("transform", (party) => `translate(${x(party)},${y(party)})${turned ? " rotate(-90)" : ""}`);
        };
        names("row");
        names("column");
        svg.append("text").attr("class", "axis").attr("x", left).attr("y", 14).text(`${words.to} →`);
        svg.append("text").attr("class", "axis").attr("x", 0).attr("y", top - 10).text(corner);
        const box = memspy.scrolls(svg.node());
        if (totals.size > parties.length) memspy.put(box, h("p.note", {}, `the ${parties.length} busiest of ${totals.size} ${words.parties}`));
        return box;
    };
    return { tip, showTip, hideTip, clipped, stacked, legend, matrix, MOST_PARTIES };
})();
