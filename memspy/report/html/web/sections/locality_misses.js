// SPDX-License-Identifier: GPL-2.0-or-later
// Miss ratios by the size of a cache: curves, and source lines coloured by them and by scores.
"use strict";
memspy.localityMisses = (() => {
    const { h, text, store, charts, theme } = memspy;

    const brief = (bytes) => {
        const unit = bytes >= 2 ** 30 ? [2 ** 30, "GB"] : bytes >= 2 ** 20 ? [2 ** 20, "MB"] : bytes >= 1024 ? [1024, "kB"] : [1, "B"];
        const n = bytes / unit[0];
        return `${Number.isInteger(n) ? n : n.toFixed(1)} ${unit[1]}`;
    };
    // The bucket of a reuse distance is a power of two of words of 8 bytes: [bytes of a cache, share that misses].
    const curve = (streams, i) => {
        const buckets = streams["reuses.accesses"][i];
        const all = d3.sum(buckets) + streams["reuses.far"][i];
        let left = all;
        return all ? buckets.map((n, k) => [8 * 2 ** k, (left -= n) / all]) : [];
    };
    // Of the largest power of two that the cache holds.
    const ratio = (streams, i, bytes) => {
        let found = 1;
        for (const [size, share] of curve(streams, i)) if (size <= bytes) found = share;
        return found;
    };

    // `chosen`: rows of `streams`, the first one in front. `caches`: bytes of those of the machine.
    const draw = (streams, caches, chosen) => {
        const curves = chosen.map((i, n) => ({ i, points: curve(streams, i), colour: theme.thread(n + 1) })).filter((c) => c.points.length);
        if (!curves.length) return h("p.note", {}, "It was counted only: no reuse distances are known.");
        const left = 56, top = 26, width = 720, height = 260;
        const most = Math.max(...curves.map((c) => c.points.at(-1)[0]), ...caches.filter((bytes) => bytes <= 2 ** 28));
        const x = d3.scaleLog().base(2).domain([8, most]).range([left, left + width]), y = d3.scaleLinear().domain([0, 1]).range([top + height, top]);
        const svg = d3.create("svg").attr("class", "missratio").attr("viewBox", `0 0 ${left + width + 20} ${top + height + 44}`).attr("role", "img")
            .attr("aria-label", `Share of accesses that miss by size of the cache: ${curves.map((c) => `${streams.name[c.i]} ${c.points.map(([b, s]) => `${brief(b)} ${text.percent(s, 1)}`).join(", ")}`).join("; ")}`);
        for (const share of [0, 0.25, 0.5, 0.75, 1]) {
            svg.append("line").attr("class", "rule").attr("x1", left).attr("x2", left + width).attr("y1", y(share)).attr("y2", y(share));
            svg.append("text").attr("x", left - 8).attr("y", y(share)).attr("dy", ".35em").attr("text-anchor", "end").text(`${100 * share} %`);
        }
        for (let bytes = 8; bytes <= most; bytes *= 8) svg.append("text").attr("x", x(bytes)).attr("y", top + height + 16).attr("text-anchor", "middle").text(brief(bytes));
        svg.append("text").attr("x", left + width / 2).attr("y", top + height + 36).attr("text-anchor", "middle").text("bytes of a fully associative LRU cache, in words of 8");
        svg.append("text").attr("x", 0).attr("y", 12).text("accesses that miss");
        for (const [n, bytes] of caches.entries()) {
            if (bytes > most) continue;
            svg.append("line").attr("class", "cache").attr("x1", x(bytes)).attr("x2", x(bytes)).attr("y1", top).attr("y2", top + height);
            const side = x(bytes) > left + width - 90 ? ["end", -3] : ["start", 3];
            svg.append("text").attr("x", x(bytes) + side[1]).attr("y", top + 10 + 13 * (n % 3)).attr("text-anchor", side[0]).text(`cache ${n + 1}: ${brief(bytes)}`);
        }
        for (const c of [...curves].reverse()) {
            svg.append("polyline").attr("fill", "none").attr("stroke", c.colour).attr("stroke-width", c === curves[0] ? 3 : 1.5).attr("points", c.points.map(([b, s]) => `${x(b)},${y(s)}`).join(" "));
            charts.tip(svg.append("g").selectAll("circle").data(c.points).join("circle").attr("cx", ([b]) => x(b)).attr("cy", ([, s]) => y(s)).attr("r", 4)
                .attr("fill", c.colour).attr("tabindex", 0), ([b, s]) => [streams.name[c.i], `${brief(b)}: ${text.percent(s, 1)} of ${text.count(streams.accesses[c.i])} accesses miss`]);
        }
        return h("figure.map", {}, memspy.scrolls(svg.node()), charts.legend(curves.map((c) => ({ label: streams.name[c.i], colour: c.colour }))),
            h("figcaption", {}, `Reuse distances of the stream by itself. Upright lines: the data caches of the machine. A curve ends at the longest distance that was told apart.`));
    };

    // A score, with its standard error if it is of a sample. The profile has the error's square times that of the accesses
    // that the score is from, in hundredths.
    const score = (streams, field, i) => {
        const variance = streams[`${field}-variance`][i];
        const error = variance ? (100 * Math.sqrt(variance)) / (d3.sum(streams["reuses.accesses"][i]) + streams["reuses.far"][i]) : 0;
        return text.real(streams[field][i]) + (error ? ` ±${text.real(error)}` : "");
    };

    // Source lines: [{key, label, lines, legend}], as memspy.sections has them.
    const metrics = (streams, caches) => {
        const rows = store.numbers(streams.length).filter((i) => streams.kind[i] === "line" && streams.source[i] >= 0 && streams.followed[i] > 0);
        if (!rows.length) return [];
        const legend = (from, to) => () => [from, " ", h("span.scale.heat", { "aria-hidden": "true" }), " ", to];
        const metric = (key, label, cell, words) => ({ key: `locality-${key}`, label, legend: legend(...words), lines: store.memo(() => {
            const files = new Map();
            for (const i of rows) {
                if (!files.has(streams.source[i])) files.set(streams.source[i], new Map());
                files.get(streams.source[i]).set(streams.line[i], cell(i));
            }
            return files;
        }) });
        const score = (field) => metric(field, `${field} locality`, (i) => ({ self: streams.accesses[i], heat: 1 - streams[field][i], said: text.real(streams[field][i]),
            title: `${text.real(streams[field][i], 5)}, ${text.count(streams.accesses[i])} accesses` }), ["1", "0"]);
        const sizes = [...new Set([...caches, ...[12, 14, 16, 18, 20, 22, 24].map((power) => 2 ** power)])].sort((a, b) => a - b);
        const missesIn = (bytes) => {
            const misses = new Map(rows.map((i) => [i, streams.accesses[i] * ratio(streams, i, bytes)]));
            const most = Math.max(1, ...misses.values());
            const level = caches.indexOf(bytes);
            return metric(`misses-${bytes}`, `misses in ${brief(bytes)}${level < 0 ? "" : ` (cache ${level + 1})`}`, (i) => ({ self: Math.round(misses.get(i)), heat: Math.sqrt(misses.get(i) / most),
                said: text.brief(Math.round(misses.get(i))), title: `${text.count(Math.round(misses.get(i)))} misses, ${text.percent(misses.get(i), streams.accesses[i])} of its accesses` }),
            ["none", `${text.brief(Math.round(most))} misses`]);
        };
        return [score("spatial"), score("temporal"), ...sizes.map(missesIn)];
    };
    return { draw, score, metrics, brief };
})();
