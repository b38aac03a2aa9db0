// SPDX-License-Identifier: GPL-2.0-or-later
// The instruction mix: instructions by class, I/O, and the roofline of functions.
"use strict";
memspy.section("mix", (mix, name) => {
    const { h, text, store, stacks, charts } = memspy;
    const { code } = mix.tables;
    const cache = mix.values.cache ?? 0;
    const GROUP = "Instruction mix";
    const operations = (i) => code["f32-operations"][i] + code["f64-operations"][i];
    // What left the last cache, if it was modelled; else what was accessed.
    const bytes = (i) => (cache ? code.fetched[i] + code.written[i] : code.loaded[i] + code.stored[i]);
    const per = cache ? "byte that left the last cache" : "byte accessed";
    const intensity = (i) => operations(i) / Math.max(1, bytes(i));
    const total = (of) => d3.sum(store.numbers(code.length), of);
    const title = (i) => (code.stack[i] < 0 ? "functions too small for a row" : stacks.title(code.stack[i]));

    // The machine: operations and bytes a nanosecond. A reader gives them, or the JSON of memspy-machine.
    const machine = { operations: 10, bytes: 20 };
    // How long the program runs without Valgrind, if its reader has measured that: no run under Valgrind tells it.
    let seconds = 0;
    const measured = () => {
        const all = total(operations), moved = total(bytes);
        return seconds > 0 && all > 0 && moved > 0 ? [{ rate: all / (seconds * 1e9), intensity: all / moved, all }] : [];
    };

    // A function's rows of all threads are one point.
    const functions = store.memo(() => {
        const found = new Map();
        for (const i of store.numbers(code.length)) {
            const name = title(i);
            if (!found.has(name)) found.set(name, { name, label: code.stack[i] < 0 ? name : store.functionName(store.leading(code.stack[i])), operations: 0, bytes: 0 });
            const of = found.get(name);
            of.operations += operations(i);
            of.bytes += bytes(i);
        }
        return [...found.values()].filter((of) => of.operations > 0).sort((a, b) => b.operations - a.operations).slice(0, 40);
    });

    const draw = () => {
        const points = functions().filter((of) => of.bytes > 0), without = functions().filter((of) => of.bytes === 0);
        const elsewhere = without.length ? h("p.note", {}, `Without any ${per}, so that arithmetic is the limit: ${
            without.slice(0, 8).map((of) => `${of.name} (${text.count(of.operations)} operations)`).join(", ")}${without.length > 8 ? ", …" : ""}`) : "";
        if (!points.length) return without.length ? elsewhere : h("p.note", {}, "No function has floating operations.");
        for (const of of points) of.intensity = of.operations / of.bytes;
        const left = 62, top = 26, width = 720, height = 280;
        const values = [...points, ...measured()].map((of) => of.intensity), ridge = machine.operations / machine.bytes;
        const x = d3.scaleLog().domain([Math.min(...values, ridge) / 4, Math.max(...values, ridge) * 4]).range([left, left + width]);
        const roof = (value) => Math.min(machine.operations, value * machine.bytes);
        const [least, most] = x.domain();
        const y = d3.scaleLog().domain([Math.min(roof(least), ...measured().map((of) => of.rate)) / 2, machine.operations * 2]).range([top + height, top]);
        const svg = d3.create("svg").attr("class", "missratio").attr("viewBox", `0 0 ${left + width + 20} ${top + height + 44}`).attr("role", "img")
            .attr("aria-label", `Roofline: ${points.map((of) => `${of.name} ${text.real(of.intensity, 3)}`).join(", ")}`);
        for (const tick of y.ticks(4)) {
            svg.append("line").attr("class", "rule").attr("x1", left).attr("x2", left + width).attr("y1", y(tick)).attr("y2", y(tick));
            svg.append("text").attr("x", left - 8).attr("y", y(tick)).attr("dy", ".35em").attr("text-anchor", "end").text(y.tickFormat(4, "~g")(tick));
        }
        for (const tick of x.ticks(6)) svg.append("text").attr("x", x(tick)).attr("y", top + height + 16).attr("text-anchor", "middle").text(x.tickFormat(6, "~g")(tick));
        svg.append("text").attr("x", left + width / 2).attr("y", top + height + 36).attr("text-anchor", "middle").text(`floating operations for each ${per}`);
        svg.append("text").attr("x", 0).attr("y", 12).text("operations a nanosecond (GFLOP/s) that the machine allows");
        svg.append("polyline").attr("class", "cache").attr("fill", "none").attr("points", [least, ridge, most].map((v) => `${x(v)},${y(roof(v))}`).join(" "));
        const size = d3.scaleSqrt().domain([0, points[0].operations]).range([3, 11]);
        charts.tip(svg.append("g").selectAll("circle").data(points).join("circle").attr("cx", (of) => x(of.intensity)).attr("cy", (of) => y(roof(of.intensity)))
            .attr("r", (of) => size(of.operations)).attr("class", "hot").attr("opacity", 0.75).attr("tabindex", 0),
        (of) => [of.name, `${text.count(of.operations)} operations, ${text.real(of.intensity, 4)} for each ${per}`,
            `at most ${text.real(roof(of.intensity), 2)} GFLOP/s: ${of.intensity < ridge ? "the memory is the limit" : "the arithmetic is the limit"}`]);
        const whole = svg.append("g").selectAll("path").data(measured()).join("path").attr("class", "measured").attr("tabindex", 0).attr("d", "M0,-8L8,0L0,8L-8,0Z")
            .attr("transform", (of) => `translate(${x(of.intensity)},${y(of.rate)})`);
        charts.tip(whole, (of) => ["the whole program, measured", `${text.count(of.all)} operations in ${seconds} seconds: ${text.real(of.rate, 3)} GFLOP/s`,
            `${text.percent(of.rate, roof(of.intensity))} of what the machine allows at this intensity`]);
        // The names of the largest, where they do not lie on each other: off the roof, and inside the picture.
        const LONGEST = 36, CHARACTER = 7.3, LINE = 14;
        const named = [];
        for (const of of points.slice(0, 12)) {
            const label = of.label.length > LONGEST ? `${of.label.slice(0, LONGEST - 1)}…` : of.label;
            const length = label.length * CHARACTER, r = size(of.operations), right = x(of.intensity) + r + length < left + width;
            const begin = right ? x(of.intensity) + r : x(of.intensity) - r - length, first = y(roof(of.intensity)) + (right ? r + 8 : -r - 3);
            const isFree = (base) => !named.some((other) => begin < other.end && other.begin < begin + length && Math.abs(other.base - base) < LINE);
            const base = [0, 1, 2, 3].map((step) => first + (right ? LINE : -LINE) * step).find(isFree);
            if (base === undefined) continue;
            named.push({ begin, end: begin + length, base });
            svg.append("text").attr("x", begin).attr("y", base).text(label);
        }
        return h("figure.map", {}, memspy.scrolls(svg.node()), elsewhere,
            charts.legend([{ label: "a function, at the most that the machine allows; larger: more operations", colour: "var(--hot)" },
                ...measured().map((of) => ({ label: `the whole program as it was measured: ${text.real(of.rate, 3)} GFLOP/s, ${text.percent(of.rate, roof(of.intensity))} of what the machine allows`, colour: "var(--true)" }))]),
            h("figcaption", {}, "Dashed: the roof, bandwidth up to its end and arithmetic from there on."));
    };

    const roofline = {
        nav: "Roofline", group: GROUP,
        shown: () => code.length > 0 && total(operations) > 0,
        render: (main) => {
            const picture = h("div", {}, draw());
            const again = () => picture.replaceChildren(draw());
            const time = h("input", { type: "number", min: "0", step: "any", value: seconds || null, "aria-label": "seconds of the program alone" });
            time.addEventListener("input", () => { seconds = Math.max(0, Number(time.value)); again(); });
            const field = (label, key) => {
                const input = h("input", { type: "number", min: "0.01", step: "any", value: machine[key], "aria-label": label });
                input.addEventListener("input", () => { if (Number(input.value) > 0) { machine[key] = Number(input.value); again(); } });
                return input;
            };
            const arithmetic = field("operations a nanosecond", "operations"), memory = field("bytes a nanosecond", "bytes");
            const file = h("input", { type: "file", accept: ".json", "aria-label": "JSON of memspy-machine" });
            file.addEventListener("change", async () => {
                const found = JSON.parse(await file.files[0].text());
                machine.operations = (found.rates.floating_per_ns.value ?? machine.operations) * (found.system.cores || 1);
                machine.bytes = found.rates.bandwidth_all_gb_s.value ?? machine.bytes;
                arithmetic.value = machine.operations;
                memory.value = machine.bytes;
                again();
            });
            memspy.put(main, h("header.page", {}, h("h1", {}, "Roofline"), h("p.sub", {}, `The most that a machine allows each function, by its floating operations for each ${per}.`)),
                h("p", {}, "Machine: ", arithmetic, " GFLOP/s, ", memory, " GB/s, or from memspy-machine --format=json: ", file),
                h("p", {}, "The program alone, without Valgrind, takes ", time, " seconds: its point is then shown as it was measured."),
                h("p.note", {}, "These two are an example until you give your machine's: all its cores, and the bandwidth of its memory."), picture);
        },
    };

    const each = (field, label, about, of) => ({ key: field, label, title: about, number: true, width: "88px", value: of, text: (i) => (Number.isFinite(of(i)) ? text.real(of(i), 3) : "") });
    const share = (field, label, about, part, whole) => ({ key: field, label, title: about, number: true, width: "88px", value: (i) => part(i) / Math.max(1, whole(i)),
        text: (i) => text.percent(part(i), whole(i)) });
    const floating = (i) => ["f32", "f32x2", "f32x4", "f32x8", "f64", "f64x2", "f64x4"].reduce((sum, field) => sum + code[field][i], 0);
    const vectors = (i) => floating(i) - code.f32[i] - code.f64[i];
    const records = memspy.records(mix, name, {
        group: GROUP,
        pages: {
            "mix-code": { list: "code", nav: "Code", title: "Instructions by function", note: "Each row: one function on one thread; its first line.", sort: "instructions",
                columns: [["stack", { label: "Function", value: title, text: title }], ["thread", { width: "72px" }], ["instructions", { bar: true, width: "minmax(132px, .8fr)" }],
                    memspy.Table.count("operations", "Floating op.", "additions, multiplications…; a fused one is two", operations, { width: "minmax(112px, .7fr)" }),
                    each("intensity", "Intensity", `floating operations for each ${per}`, intensity),
                    share("vectors", "Vectors", "of the floating arithmetic, instructions on several elements", vectors, floating),
                    "loads", "stores", "branches",
                    share("wrong", "Wrong", "branches that the modelled predictor gets wrong", (i) => code.mispredicted[i], (i) => code.branches[i])] },
            "mix-io": { list: "io", nav: "Files", title: "Bytes read and written", note: "Each row: one system call at one place.", sort: "calls" },
        },
        metrics: [{ list: "code", field: "instructions", label: "instructions" }],
    });
    return {
        ...records,
        pages: { ...records.pages, "mix-roofline": roofline },
        tiles: (tile) => [tile("Instruction mix", text.brief(total((i) => code.instructions[i])),
            `instructions, ${text.brief(total(operations))} floating operations`, memspy.link("mix-code"))],
    };
});
