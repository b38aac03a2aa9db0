// SPDX-License-Identifier: GPL-2.0-or-later
// One object: its data, its declaration, and the parts of each section.
"use strict";
memspy.object = (() => {
    const { h, text, store, stacks, source, sections } = memspy;
    const { data } = store;

    const facts = (i) => {
        const o = data.objects[i];
        const rows = [];
        const add = (label, value) => { if (value) rows.push(h("dt", {}, label), h("dd", {}, value)); };
        add("Kind", { heap: `heap, by ${o.by}`, static: "static variable", frames: `stack of thread ${o.thread}`, unknown: "other memory" }[o.kind]);
        add("Type", o.type && h("span.mono", {}, o.type));
        add("Type found by", { allocation: "the variable or cast that the allocation goes to", accesses: "the pointers of the code that accesses it" }[o.typeFrom]);
        add("Size", o.size ? text.bytes(o.size) : null);
        add("Address", o.start && h("span.mono", {}, o.start));
        add("Module", o.module ? text.bare(o.module) : o.path);
        add("Declared", o.declared && h("a", { href: memspy.link("source", o.declared.file, o.declared.line) },
            `${data.files[o.declared.file].name}:${o.declared.line}`));
        return h("dl.facts", {}, rows);
    };
    const declarations = (objects) => objects.map((o) => data.objects[o]?.declared).filter((d) => d && data.files[d.file].parts.length).slice(0, 4)
        .map(({ file, line }) => source.panel(file, line, { around: 5 }));
    const allocations = (objects) => objects.filter((o) => o >= 0 && data.objects[o].stack >= 0)
        .map((o) => h("section", {}, h("h2", {}, `Allocated: ${store.objectName(o)}`), stacks.list(data.objects[o].stack)));
    const link = (i) => (i < 0 ? "not known" : h("a", { href: memspy.link("object", i) }, store.objectName(i)));

    memspy.pages.object = {
        there: ([id], other) => {
            const i = other.store.data.objects.findIndex((o) => o.name === store.objectName(Number(id)));
            return i < 0 ? null : [String(i)];
        },
        render: (main, [id]) => {
            const i = Number(id);
            // -1: data without an object.
            if (i !== -1 && !data.objects[i]) { memspy.put(main, h("p.note", {}, "No such object.")); return; }
            memspy.put(main, h("header.page", {}, h("h1", {}, store.objectName(i)), sections.gather("objectHead", i)), i >= 0 ? facts(i) : null,
                declarations([i]), sections.gather("objectParts", i), allocations([i]));
        },
    };
    return { link, declarations, allocations };
})();
