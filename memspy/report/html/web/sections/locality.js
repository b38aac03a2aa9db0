// SPDX-License-Identifier: GPL-2.0-or-later
// Locality: scores of streams of accesses, the threads that read and write each object, and their bytes of
// it.
"use strict";
memspy.section("locality", (locality, name) => {
    const { h, text, store } = memspy;
    const { streams } = locality.tables;
    const KINDS = ["all", "thread", "object", "function", "line", "object-thread", "object-function", "function-thread"];
    const all = store.numbers(streams.length);
    const of = (kind) => all.filter((i) => streams.kind[i] === kind);
    const followed = (i) => streams.followed[i] > 0;

    const score = (field, title) => [field, { title, width: "96px", text: (i) => (followed(i) ? text.real(streams[field][i]) : "–") }];
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
                    { key: "creator", label: "Made by", width: "104px", value: (i) => creator(streams.object[i]) },
                    memspy.Table.count("accesses", "Accesses", "to words of 8 bytes", (i) => streams.accesses[i], { bar: true }),
                    ...threads().map((thread) => ({ key: `thread${thread}`, label: `Thread ${thread}`, width: "96px", value: (i) => uses().get(`${streams.object[i]} ${thread}`) ?? "–" })),
                ] }));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Which thread uses which object"), h("p.sub", {}, "R: reads, W: writes.")), table.element);
        },
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
    const whole = of("all")[0] ?? -1;
    const { locality: scores, ...rest } = records.pages;
    return {
        ...records,
        pages: { locality: scores, "locality-access": accessPage, ...rest },
        tiles: (tile) => (whole >= 0 && followed(whole) ? ["spatial", "temporal"].map((field) => tile(`${field[0].toUpperCase()}${field.slice(1)} locality`,
            text.real(streams[field][whole]), "of all accesses; 1 is best", memspy.link("locality"))) : []),
    };
});
