// SPDX-License-Identifier: GPL-2.0-or-later
// Pictures of a cache line. `draw`: bytes from left to right, a band for each thread, with reads in the upper
// half and writes in the lower; above it the fields and objects of the bytes. `apart`: a better layout.
"use strict";
memspy.contention.map = (() => {
    const { h, text, store, charts, theme, contention } = memspy;
    const MOST_THREADS = 40;

    // Adjacent bytes that one thread uses in the same way, as one rectangle.
    const bands = (ranges, size, thread, kind) => {
        const perByte = new Array(size).fill(0);
        for (const r of ranges)
            if (r.thread === thread)
                for (let b = r.first; b < Math.min(size, r.first + r.bytes); b++) perByte[b] += r[kind];
        const out = [];
        perByte.forEach((n, b) => {
            const last = out.at(-1);
            if (!n) return;
            if (last && last.first + last.bytes === b && last.n === n) last.bytes++;
            else out.push({ thread, kind, first: b, bytes: 1, n });
        });
        return out;
    };

    // The labels above the bytes: fields if they are known, else objects.
    const labels = (extents) => {
        const out = [];
        for (const e of extents) {
            if (e.fields.length) for (const f of e.fields) out.push({ ...f, object: e.object });
            else out.push({ first: e.first, bytes: e.bytes, name: store.objectName(e.object), object: e.object, whole: true });
        }
        return out;
    };
    const lastPart = (name) => name.replace(/^[^.[]+(?=[.[])/, "").replace(/^\./, "");
    const fitted = (name, width, perLetter = 6.6) => {
        const room = Math.floor((width - 4) / perLetter);
        if (name.length <= room) return name;
        const short = lastPart(name);
        if (short.length <= room) return short;
        return room >= 3 ? `${short.slice(0, room - 1)}…` : "";
    };
    const fieldAt = (extents, first, bytes) => {
        const names = labels(extents).filter((l) => l.first < first + bytes && first < l.first + l.bytes).map((l) => l.name);
        return text.list(text.fields(names), 3);
    };

    // `object`: other objects are drawn paler. `small`: without the figures at the right and the legend.
    const draw = (line, { object = null, small = false } = {}) => {
        const size = contention.data.lineSize;
        const extents = contention.extentsOf(line), ranges = contention.rangesOf(line);
        const used = new Map();
        for (const r of ranges) used.set(r.thread, (used.get(r.thread) ?? 0) + r.loads + r.stores);
        const all = [...used].sort((a, b) => b[1] - a[1]);
        const threads = all.slice(0, small ? 8 : MOST_THREADS).map(([t]) => t).sort((a, b) => a - b);
        const left = 84, right = small ? 8 : 128, cell = Math.max(6, Math.min(15, 960 / size));
        const width = size * cell;
        const band = threads.length > 12 ? 16 : 26, gap = 4;
        const fieldsTop = small ? 4 : 22, bandsTop = fieldsTop + 30;
        const height = bandsTop + threads.length * (band + gap) + 4;
        const x = (byte) => left + byte * cell;
        const at = new Map(threads.map((t, i) => [t, bandsTop + i * (band + gap)]));

        const svg = d3.create("svg").attr("class", "linemap").attr("viewBox", `0 0 ${left + width + right} ${height}`)
            .attr("role", "img").attr("aria-label", `Cache line ${contention.data.lines.address[line]}: `
                + threads.map((t) => describe(ranges, extents, t)).join("; "));
        svg.style("max-width", `${left + width + right}px`);

        if (!small) {
            const ticks = d3.range(0, size, size > 64 ? 16 : 8);
            svg.append("g").attr("class", "ruler").selectAll("text").data(ticks).join("text")
                .attr("x", (b) => x(b) + 1).attr("y", 13).text((b) => b);
            svg.append("text").attr("class", "rowname").attr("x", left - 8).attr("y", 13).attr("text-anchor", "end").text("byte");
            svg.append("text").attr("class", "rowname").attr("x", left + width + 10).attr("y", 13).text("reads / writes");
        }
        svg.append("g").attr("class", "grid").selectAll("line").data(d3.range(0, size + 1, 8)).join("line")
            .attr("x1", x).attr("x2", x).attr("y1", fieldsTop).attr("y2", height - 4);

        // Bytes may have had another owner before, whose name would cover the names of now.
        const named = labels(extents);
        const meets = (a, b) => a.first < b.first + b.bytes && b.first < a.first + a.bytes;
        const current = named.filter((l) => object === null || l.object === object || !named.some((own) => own.object === object && meets(own, l)));
        const fields = svg.append("g").selectAll("g").data(current).join("g")
            .attr("class", (l) => `field${object !== null && l.object !== object ? " other" : ""}`);
        fields.append("rect").attr("x", (l) => x(l.first) + 1).attr("y", fieldsTop).attr("width", (l) => l.bytes * cell - 2)
            .attr("height", 22).attr("rx", 3);
        fields.append("text").attr("x", (l) => x(l.first + l.bytes / 2)).attr("y", fieldsTop + 15).attr("text-anchor", "middle")
            .text((l) => fitted(l.name, l.bytes * cell));
        charts.tip(fields, (l) => [l.name, [l.type, bytesText(l.first, l.bytes)].filter(Boolean).join(", ")]);
        svg.append("text").attr("class", "rowname").attr("x", left - 8).attr("y", fieldsTop + 15).attr("text-anchor", "end")
            .text(extents.some((e) => e.fields.length) ? "field" : "object");

        const rows = svg.append("g").selectAll("g").data(threads).join("g");
        rows.append("rect").attr("class", "lane").attr("x", left).attr("width", width).attr("height", band).attr("y", (t) => at.get(t));
        rows.append("text").attr("class", "rowname").attr("x", left - 8).attr("y", (t) => at.get(t) + band / 2).attr("dy", ".35em")
            .attr("text-anchor", "end").text((t) => store.threadName(t));
        rows.append("rect").attr("width", 5).attr("height", band).attr("x", left - 5).attr("y", (t) => at.get(t)).attr("fill", theme.thread);
        if (!small) {
            const figures = (t) => ["loads", "stores"].map((k) => text.brief(d3.sum(ranges, (r) => (r.thread === t ? r[k] : 0)))).join(" / ");
            rows.append("text").attr("class", "figure").attr("x", left + width + 10).attr("y", (t) => at.get(t) + band / 2)
                .attr("dy", ".35em").text(figures);
        }
        const drawn = threads.flatMap((t) => [...bands(ranges, size, t, "loads"), ...bands(ranges, size, t, "stores")]);
        const strength = d3.scaleLog().domain([1, Math.max(2, d3.max(drawn, (d) => d.n) ?? 2)]).range([0.22, 1]);
        const marks = svg.append("g").selectAll("rect").data(drawn).join("rect")
            .attr("class", (d) => (d.kind === "loads" ? "read" : "write"))
            .attr("x", (d) => x(d.first)).attr("width", (d) => d.bytes * cell)
            .attr("y", (d) => at.get(d.thread) + (d.kind === "loads" ? 0 : band / 2)).attr("height", band / 2)
            .attr("fill", (d) => theme.thread(d.thread)).attr("stroke", (d) => theme.thread(d.thread))
            .attr("fill-opacity", (d) => strength(d.n) * (d.kind === "loads" ? 0.45 : 1));
        charts.tip(marks, (d) => [`${store.threadName(d.thread)} ${d.kind === "loads" ? "reads" : "writes"} ${bytesText(d.first, d.bytes)}`,
            `${text.count(d.n)} times`, fieldAt(extents, d.first, d.bytes)].filter(Boolean));

        const figure = h("figure.map", {}, memspy.scrolls(svg.node()));
        if (!small) {
            const rest = all.length - threads.length;
            memspy.put(figure, h("figcaption", {}, h("span.key.read", { "aria-hidden": "true" }), "upper half of a band: read",
                h("span.key.write", { "aria-hidden": "true" }), "lower half: written; the stronger, the more often.",
                rest > 0 ? ` ${text.plural(rest, "thread")} with fewer accesses not drawn.` : ""));
        }
        return figure;
    };

    const bytesText = (first, bytes) => (bytes === 1 ? `byte ${first}` : `bytes ${first}–${first + bytes - 1}`);
    const describe = (ranges, extents, thread) => {
        const of = (kind) => ranges.filter((r) => r.thread === thread && r[kind]).map((r) => bytesText(r.first, r.bytes));
        const parts = [["reads", of("loads")], ["writes", of("stores")]].filter(([, found]) => found.length)
            .map(([verb, found]) => `${verb} ${text.list([...new Set(found)], 6)}`);
        return `thread ${thread} ${parts.join(" and ")}`;
    };

    // The same as a table, for users who cannot see pictures, and for copying.
    const table = (line) => {
        const extents = contention.extentsOf(line);
        const ranges = contention.rangesOf(line).sort((a, b) => a.first - b.first || a.thread - b.thread);
        return h("details.plain", {}, h("summary", {}, "The same as a table"), h("table", {},
            h("thead", {}, h("tr", {}, ["thread", "bytes", "field or object", "reads", "writes"].map((t) => h("th", { scope: "col" }, t)))),
            h("tbody", {}, ranges.map((r) => h("tr", {}, h("td", {}, r.thread), h("td", {}, bytesText(r.first, r.bytes)),
                h("td", {}, fieldAt(extents, r.first, r.bytes)), h("td.number", {}, text.count(r.loads)), h("td.number", {}, text.count(r.stores)))))));
    };

    const MOST_LINES = 12;
    let strips = 0;

    const strip = (segments, size, name) => {
        const cell = Math.max(6, Math.min(15, 960 / size)), left = 84, width = size * cell, height = 26;
        const svg = d3.create("svg").attr("class", "strip").attr("viewBox", `0 0 ${left + width + 4} ${height + 4}`)
            .attr("role", "img").attr("aria-label", `${name}: ${segments.map((s) => `${bytesText(s.first, s.bytes)} ${s.field || store.objectName(s.object)}`).join("; ")}`);
        svg.style("max-width", `${left + width + 4}px`);
        svg.append("text").attr("class", "rowname").attr("x", left - 8).attr("y", height / 2 + 2).attr("dy", ".35em").attr("text-anchor", "end").text(name);
        // The pattern is defined in each strip: a common one would disappear with the strip that defines it.
        const hatch = `hatch${++strips}`;
        svg.append("pattern").attr("id", hatch).attr("width", 7).attr("height", 7).attr("patternUnits", "userSpaceOnUse").attr("patternTransform", "rotate(45)")
            .append("rect").attr("class", "stroke").attr("width", 2).attr("height", 7);
        svg.append("rect").attr("class", "padding").attr("x", left).attr("y", 2).attr("width", width).attr("height", height);
        svg.append("rect").attr("fill", `url(#${hatch})`).attr("x", left).attr("y", 2).attr("width", width).attr("height", height);
        const parts = svg.append("g").selectAll("g").data(segments).join("g");
        // One stripe for each thread that uses the bytes.
        parts.each(function (s) {
            const shown = s.threads.slice(0, 6), step = height / shown.length;
            d3.select(this).selectAll("rect").data(shown).join("rect").attr("x", left + s.first * cell).attr("width", s.bytes * cell)
                .attr("y", (_, i) => 2 + i * step).attr("height", step).attr("fill", theme.thread).attr("fill-opacity", s.written ? 0.8 : 0.3);
        });
        parts.append("rect").attr("class", "outline").attr("x", (s) => left + s.first * cell + 0.5).attr("y", 2.5)
            .attr("width", (s) => s.bytes * cell - 1).attr("height", height - 1);
        parts.append("text").attr("class", "inside").attr("x", (s) => left + (s.first + s.bytes / 2) * cell).attr("y", height / 2 + 2)
            .attr("dy", ".35em").attr("text-anchor", "middle")
            .text((s) => fitted(s.field || store.objectName(s.object), s.bytes * cell));
        charts.tip(parts, (s) => [s.field || store.objectName(s.object), text.bytes(s.bytes),
            `${s.written ? "written" : "only read"} by ${text.list(s.threads.map(store.threadName))}`]);
        return svg.node();
    };

    // The line as it is, and as it would be if each thread's bytes were on a line of their own.
    const apart = (line) => {
        const layout = contention.data.layouts[line];
        if (!layout) return null;
        const size = contention.data.lineSize;
        const after = layout.after.slice(0, MOST_LINES);
        const rest = layout.after.length - after.length;
        return h("div.layouts", {},
            h("div", {}, h("h4", {}, "Now: one line"), memspy.scrolls(strip(layout.before, size, "line"))),
            h("div", {}, h("h4", {}, `Apart: ${text.plural(layout.after.length, "line")}`),
                memspy.scrolls(after.map((segments, i) => strip(segments, size, `line ${i + 1}`))),
                rest > 0 ? h("p.note", {}, `and ${text.plural(rest, "line")} more`) : null,
                h("p.note", {}, "Hatched: padding, or room for what no other thread uses. A picture of the aim; fields keep "
                    + "their order in memory unless you move them.")));
    };
    return { draw, table, apart };
})();
