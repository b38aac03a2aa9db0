// SPDX-License-Identifier: GPL-2.0-or-later
// Memory cost as a tree: by variable, where it was allocated and where it is accessed, or by calls and variables.
"use strict";
memspy.costContexts = (() => {
    const { h, store } = memspy;

    // The outermost call first.
    const { frames, stacks } = store.data;
    const callPath = (stack, kind, lead) => {
        if (stack < 0) return [];
        return stacks[stack].filter((frame) => !frames.foreign[frame]).reverse().map((frame, i) => ({ key: `${kind} ${store.frameName(frame)}`, text: store.frameName(frame),
            node: () => h("span", {}, i ? "" : lead, h("span.fn", {}, store.functionName(frame)), " ", frames.file[frame] >= 0
                ? h("a", { href: memspy.link("source", frames.file[frame], frames.line[frame]) }, store.placeName(frame)) : h("span.place", {}, store.placeName(frame))) }));
    };
    // A row without a stack has all places of the object that the profile leaves out.
    const OTHER_PLACES = "other places";
    const placeName = (stack) => (stack < 0 ? OTHER_PLACES : memspy.stacks.title(stack));
    const placePath = (stack, kind, lead) => (stack < 0 ? [{ key: kind, text: OTHER_PLACES, node: () => h("span", {}, OTHER_PLACES) }] : callPath(stack, kind, lead));
    const FIGURES = [["cycles", "Cycles", "latencies of accesses, added"], ["l1-misses", "L1 misses", "misses in the first cache"], ["llc-misses", "LLC misses", "misses in the last cache"],
        ["remote", "Remote", "accesses to another node's memory"]];

    const page = (rows, objectName) => {
        const objectStep = (i, lead) => ({ key: `object ${objectName(i)}`, text: objectName(i), node: () => h("span", {}, lead, i < 0 ? objectName(i) : memspy.object.link(i)) });
        const VIEWS = {
            data: { label: "variable, allocation, access", first: "Variable", path: (object, stack) => {
                const made = object >= 0 && store.data.objects[object].kind === "heap" ? store.data.objects[object].stack : -1;
                return [objectStep(object, ""), ...callPath(made, "allocation", "allocated in "), ...placePath(stack, "access", "accessed in ")];
            } },
            code: { label: "call, variable", first: "Call", path: (object, stack) => [...placePath(stack, "call", ""), objectStep(object, "accesses ")] },
        };
        const tree = store.memo(() => Object.fromEntries(Object.entries(VIEWS).map(([view, { path }]) => {
            const made = new memspy.Tree(FIGURES.length);
            for (const i of store.numbers(rows.length)) made.add(path(rows.object[i], rows.stack[i]), FIGURES.map(([field]) => rows[field][i]));
            return [view, made];
        })));
        return {
            nav: "Contexts", group: "Memory cost",
            badge: () => rows.length,
            shown: () => rows.length > 0,
            render: (main, [view = "data"]) => memspy.put(main, h("header.page", {}, h("h1", {}, "What memory costs, by context"),
                h("label.choice", {}, "Order: ", h("select", { onchange: (event) => memspy.go("cost-contexts", event.target.value) },
                    Object.entries(VIEWS).map(([key, { label }]) => h("option", { value: key, selected: key === view }, label)))),
                h("p.sub", {}, "Each line has the sum of those below it.")),
            tree()[view].element({ label: "contexts", first: VIEWS[view].first, columns: FIGURES.map(([, label, title], i) => ({ label, title, value: (sums) => sums[i] })) })),
        };
    };
    return { page, placeName };
})();
