// SPDX-License-Identifier: GPL-2.0-or-later
// Locality: scores of streams of accesses, the threads that read and write each object, and their bytes of
// it.
"use strict";
memspy.section("locality", (locality, name) => {
    const { h, text, store } = memspy;
    const { streams, maps, advice, uses: byLine } = locality.tables;
    const caches = [...locality.tables.caches.bytes].sort((a, b) => a - b);
    const KINDS = ["all", "variables", "thread", "object", "block", "function", "line", "object-thread", "object-function", "function-thread"];
    const all = store.numbers(streams.length);
    const of = (kind) => all.filter((i) => streams.kind[i] === kind);
    const followed = (i) => streams.followed[i] > 0;

    const score = (field, title) => [field, { title: `${title}; ± the standard error of a sample`, width: "118px", text: (i) => (followed(i) ? memspy.localityMisses.score(streams, field, i) : "–") }];
    const figures = [
        ["accesses", { title: "to words of 8 bytes", bar: true }], ["loads", {}], ["stores", {}],
        score("spatial", "1: each access is next to an earlier one; 0: none is near"), score("temporal", "1: words are used again at once; 0: never, or too late"),
        ["followed", { label: "Sampled", title: "the share of its accesses that the scores are from", width: "100px", text: (i) => (followed(i) ? text.percent(streams.followed[i], 1) : "–") }],
    ];
    const kind = { key: "kind", label: "Stream", width: "128px", value: (i) => KINDS.indexOf(streams.kind[i]), number: false, text: (i) => streams.kind[i] };

    // Object x thread: R, W, R/W.
    const threads = store.memo(() => [...new Set(of("thread").map((i) => streams.thread[i]))].sort((a, b) => a - b));
    const uses = store.memo(() => new Map(of("object-thread").map((i) => [`${streams.object[i]} ${streams.thread[i]}`,
        streams.loads[i] ? (streams.stores[i] ? "R/W" : "R") : streams.stores[i] ? "W" : "–"])));
    const creator = (o) => (o >= 0 && ["heap", "frames"].includes(store.data.objects[o].kind) && store.data.objects[o].thread ? store.threadName(store.data.objects[o].thread) : "–");
    const accessPage = {
        nav: "Who uses what", group: "Locality",
        badge: () => of("object").length,
        shown: () => of("object").length > 0,
        render: (main) => {
            const table = memspy.own(new memspy.Table({ label: "objects and threads", ids: of("object"), sort: { key: "accesses" },
                open: (i) => memspy.go("object", streams.object[i]),
                columns: [
                    { key: "object", label: "Object", width: "minmax(140px, 2fr)", value: (i) => streams.name[i] },
                    memspy.Table.count("size", "Size", "bytes", (i) => store.data.objects[streams.object[i]]?.size ?? 0),
                    { key: "creator", label: "Made by", width: "104px", name: false, value: (i) => creator(streams.object[i]) },
                    memspy.Table.count("accesses", "Accesses", "to words of 8 bytes", (i) => streams.accesses[i], { bar: true }),
                    ...threads().map((thread) => ({ key: `thread${thread}`, label: `Thread ${thread}`, width: "96px", name: false, value: (i) => uses().get(`${streams.object[i]} ${thread}`) ?? "–" })),
                ] }));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Which thread uses which object"), h("p.sub", {}, "R: reads, W: writes.")), table.element);
        },
    };

    // Object -> rows of `maps`.
    const mapped = store.memo(() => {
        const rows = new Map();
        for (const i of store.numbers(maps.length)) rows.set(maps.object[i], [...(rows.get(maps.object[i]) ?? []), i]);
        return rows;
    });
    const mapsPage = {
        nav: "Access maps", group: "Locality",
        badge: () => mapped().size,
        shown: () => mapped().size > 0,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "When objects are accessed"), h("p.sub", {}, "A picture of each object: its bytes, and time.")));
            const ids = of("object").filter((i) => mapped().has(streams.object[i])).sort((a, b) => streams.accesses[b] - streams.accesses[a]);
            memspy.split(main, { label: "objects with maps", ids, below: true, sort: { key: "accesses" }, columns: [
                { key: "object", label: "Object", width: "minmax(140px, 2fr)", value: (i) => streams.name[i] },
                memspy.Table.count("size", "Size", "bytes", (i) => store.data.objects[streams.object[i]]?.size ?? 0),
                memspy.Table.count("accesses", "Accesses", "to words of 8 bytes", (i) => streams.accesses[i], { bar: true }),
            ] }, "locality-maps", number ?? ids[0], (i) => h("article.detail", { "aria-label": "Access map" },
                h("h2", {}, memspy.object.link(streams.object[i])), memspy.localityMap.draw(maps, mapped().get(streams.object[i]))));
        },
    };

    const whole = of("all")[0] ?? -1;
    const missesPage = {
        nav: "Misses by cache size", group: "Locality",
        badge: () => all.filter(followed).length,
        shown: () => all.some(followed),
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "How much cache is needed"), h("p.sub", {}, "The share of a stream's accesses that miss, by the size of the cache.")));
            memspy.split(main, { label: "streams", ids: all.filter(followed), below: true, sort: { key: "accesses" }, columns: [
                { key: "name", label: "Name", width: "minmax(140px, 2fr)", value: (i) => streams.name[i] }, kind,
                memspy.Table.count("accesses", "Accesses", "to words of 8 bytes", (i) => streams.accesses[i], { bar: true }),
            ] }, "locality-misses", number ?? Math.max(whole, 0), (i) => h("article.detail", { "aria-label": "Misses" }, h("h2", {}, streams.name[i]),
                memspy.localityMisses.draw(streams, caches, i === whole || whole < 0 ? [i, ...of("object").filter(followed).sort((a, b) => streams.accesses[b] - streams.accesses[a]).slice(0, 4)] : [i, whole])));
        },
    };
    const adviceText = (i) => `${advice.text[i][0].toUpperCase()}${advice.text[i].slice(1)}.`;
    const adviceSource = (i) => (advice.source[i] >= 0 ? memspy.source.panel(advice.source[i], advice.line[i], { around: 4, metric: "locality-spatial" }) : null);
    const adviceIds = store.numbers(advice.length).sort((a, b) => advice.accesses[b] - advice.accesses[a]);
    // The accesses that the advice brings near others, in memory or in time, as a share of all.
    const inTime = (i) => ["tiles", "blocks"].includes(advice.kind[i]);
    const brought = (i) => {
        const score = advice[inTime(i) ? "temporal" : "spatial"][i];
        return whole >= 0 && streams.accesses[whole] && score >= 0 ? (advice.accesses[i] * (1 - Math.min(1, score))) / streams.accesses[whole] : 0;
    };
    const predicted = (i) => (brought(i) ? `at most ${text.percent(brought(i), 1)} of all accesses become ${inTime(i) ? "accesses to words used shortly before" : "accesses beside others"}` : null);
    const advicePage = {
        nav: "Advice", group: "Locality",
        badge: () => advice.length,
        shown: () => advice.length > 0,
        render: (main) => memspy.put(main, h("header.page", {}, h("h1", {}, "What would help"), h("p.sub", {}, "Where counts prove it; the loops with most accesses first.")),
            adviceIds.map((i) => h("article.detail", { "aria-label": "Advice" }, h("h2", {}, memspy.object.link(advice.object[i])), h("p.advice", {}, h("b", {}, "Advice: "), adviceText(i)), adviceSource(i)))),
    };

    const records = memspy.records(locality, name, {
        group: "Locality",
        pages: {
            locality: { list: "streams", nav: "Scores", title: "How near in memory and time accesses are",
                note: "Each row: a stream of accesses, of all, or of a thread, object, function, line or a pair of these.",
                columns: [["name", { width: "minmax(140px, 2fr)" }], kind, ...figures] },
            "locality-zones": { list: "zones", nav: "Bytes used", title: "Bytes of objects, by thread and function",
                columns: ["object", "thread", ["fn", { label: "Function" }], ["read.ranges", { label: "Reads" }], ["written.ranges", { label: "Writes" }]] },
        },
        objects: { streams: [["name", { width: "minmax(140px, 2fr)" }], kind, ...figures],
            zones: ["thread", ["fn", { label: "Function" }], ["read.ranges", { label: "Reads" }], ["written.ranges", { label: "Writes" }]] },
    });
    const { locality: scores, ...rest } = records.pages;
    return {
        ...records,
        pages: { locality: scores, "locality-advice": advicePage, "locality-misses": missesPage, "locality-maps": mapsPage, "locality-access": accessPage,
            "locality-table": memspy.localityTable.page(streams, byLine), ...rest },
        metrics: () => memspy.localityMisses.metrics(streams, caches),
        findings: () => adviceIds.map((i) => ({ href: memspy.link("locality-advice"), gain: brought(i),
            draw: () => h("article.card.finding", {}, h("header", {}, h("span.badge", {}, "Locality"), h("h3", {}, memspy.object.link(advice.object[i]))),
                memspy.facts([["Predicted", predicted(i)]]), h("p.advice", {}, h("b", {}, "Advice: "), adviceText(i)), adviceSource(i)) })),
        objectParts: (object) => [...records.objectParts(object), mapped().has(object)
            ? h("section", {}, h("h2", {}, "Locality: access map"), memspy.localityMap.draw(maps, mapped().get(object))) : null],
        tiles: (tile) => (whole >= 0 && followed(whole) ? ["spatial", "temporal"].map((field) => tile(`${field[0].toUpperCase()}${field.slice(1)} locality`,
            memspy.localityMisses.score(streams, field, whole), "of all accesses; 1 is best", memspy.link("locality"))) : []),
    };
});
