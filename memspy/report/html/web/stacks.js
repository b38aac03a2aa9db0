// SPDX-License-Identifier: GPL-2.0-or-later
// A stack as a list of places; each opens its source.
"use strict";
memspy.stacks = (() => {
    const { h, text, store, source } = memspy;
    const { frames, stacks, modulePaths } = store.data;

    const list = (stack, { metric = null } = {}) => {
        if (stack < 0) return h("p.note", {}, "No stack is known.");
        const main = store.leading(stack);
        const box = h("div.stack");
        const shown = h("div.shown");
        const show = (frame, item) => {
            box.querySelectorAll("li").forEach((li) => li.removeAttribute("aria-current"));
            item.setAttribute("aria-current", "true");
            shown.replaceChildren(source.ofFrame(frame, { metric }) ?? "");
        };
        const items = stacks[stack].map((frame) => {
            const file = frames.file[frame];
            const module = frames.module[frame];
            const item = h("li", {}, h(`button.frame${file < 0 ? ".unknown" : ""}`, { type: "button", onclick: () => show(frame, item),
                title: [store.fullName(frame), module >= 0 ? modulePaths[module] : ""].filter(Boolean).join("\n") },
                h("span.fn", {}, store.functionName(frame)), " ",
                h("span.place", {}, store.placeName(frame)), frames.inlined[frame] ? h("span.tag", {}, "inlined") : null));
            if (frame === main) item.setAttribute("aria-current", "true");
            return item;
        });
        memspy.put(box, h("ol", {}, items));
        if (main >= 0 && frames.file[main] >= 0) {
            memspy.put(shown, source.ofFrame(main, { metric }));
            memspy.put(box, shown);
        }
        return box;
    };

    // "search (sharing.c:33)", linked to the source if it is there.
    const place = (stack) => {
        const frame = store.leading(stack);
        if (frame < 0) return h("span", {}, "not known");
        const name = h("span.fn", {}, store.functionName(frame));
        const where = store.placeName(frame);
        const file = frames.file[frame];
        return h("span.at", {}, name, where ? " " : "", file >= 0
            ? h("a", { href: memspy.link("source", file, frames.line[frame]) }, where) : h("span.place", {}, where));
    };
    const title = (stack) => { const f = store.leading(stack); return f < 0 ? "not known" : store.frameName(f); };
    return { list, place, title };
})();
