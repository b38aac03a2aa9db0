// SPDX-License-Identifier: GPL-2.0-or-later
// The line as it is, and as it would be with each thread's bytes on a line of their own.
"use strict";
memspy.layout = (() => {
    const { h, text, store, charts, theme, linemap } = memspy;
    const MOST = 12;
    let strips = 0;

    const strip = (segments, size, name) => {
        const cell = Math.max(6, Math.min(15, 960 / size)), left = 84, width = size * cell, height = 26;
        const svg = d3.create("svg").attr("class", "strip").attr("viewBox", `0 0 ${left + width + 4} ${height + 4}`)
            .attr("role", "img").attr("aria-label", `${name}: ${segments.map((s) => `${linemap.bytesText(s.first, s.bytes)} ${s.field || store.objectName(s.object)}`).join("; ")}`);
        svg.style("max-width", `${left + width + 4}px`);
        svg.append("text").attr("class", "rowname").attr("x", left - 8).attr("y", height / 2 + 2).attr("dy", ".35em").attr("text-anchor", "end").text(name);
        // One pattern for the page would be lost with the strip that defines it.
        const hatch = `hatch${++strips}`;
        svg.append("pattern").attr("id", hatch).attr("width", 7).attr("height", 7).attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)")
            .append("rect").attr("class", "stroke").attr("width", 2).attr("height", 7);
        svg.append("rect").attr("class", "padding").attr("x", left).attr("y", 2).attr("width", width).attr("height", height);
        svg.append("rect").attr("fill", `url(#${hatch})`).attr("x", left).attr("y", 2).attr("width", width).attr("height", height);
        const parts = svg.append("g").selectAll("g").data(segments).join("g");
        // As many stripes as threads use the bytes.
        parts.each(function (s) {
            const shown = s.threads.slice(0, 6), step = height / shown.length;
            d3.select(this).selectAll("rect").data(shown).join("rect").attr("x", left + s.first * cell).attr("width", s.bytes * cell)
                .attr("y", (_, i) => 2 + i * step).attr("height", step).attr("fill", theme.thread).attr("fill-opacity", s.written ? 0.8 : 0.3);
        });
        parts.append("rect").attr("class", "outline").attr("x", (s) => left + s.first * cell + 0.5).attr("y", 2.5)
            .attr("width", (s) => s.bytes * cell - 1).attr("height", height - 1);
        parts.append("text").attr("class", "inside").attr("x", (s) => left + (s.first + s.bytes / 2) * cell).attr("y", height / 2 + 2)
            .attr("dy", ".35em").attr("text-anchor", "middle")
            .text((s) => linemap.fitted(s.field || store.objectName(s.object), s.bytes * cell));
        charts.tip(parts, (s) => [s.field || store.objectName(s.object), text.bytes(s.bytes),
            `${s.written ? "written" : "only read"} by ${text.list(s.threads.map(store.threadName))}`]);
        return svg.node();
    };

    const draw = (line) => {
        const layout = store.sharing.layouts[line];
        if (!layout) return null;
        const size = store.sharing.lineSize;
        const after = layout.after.slice(0, MOST);
        const rest = layout.after.length - after.length;
        return h("div.layouts", {},
            h("div", {}, h("h4", {}, "Now: one line"), strip(layout.before, size, "line")),
            h("div", {}, h("h4", {}, `Apart: ${text.plural(layout.after.length, "line")}`),
                after.map((segments, i) => strip(segments, size, `line ${i + 1}`)),
                rest > 0 ? h("p.note", {}, `and ${text.plural(rest, "line")} more`) : null,
                h("p.note", {}, "Hatched: padding, or room for what no other thread uses. A picture of the aim; fields keep "
                    + "their order in memory unless you move them.")));
    };
    return { draw };
})();
