// SPDX-License-Identifier: GPL-2.0-or-later
// The name that all parts share, and the only way in which elements are made. Text from the data gets into
// the page only as text nodes and attributes; it is never parsed as HTML.
"use strict";
// `shown`: the memspy of the page that is shown, if this is that of the run which it is compared with.
const memspy = { pages: {}, quiet: shown !== null };

// h("p.note", {title: "…"}, "text", node, [more]): attributes that are null or false are left out.
memspy.h = (tag, attributes = {}, ...children) => {
    const [name, ...classes] = tag.split(".");
    const element = document.createElement(name);
    if (classes.length) element.className = classes.join(" ");
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (key === "style") for (const [k, v] of Object.entries(value)) element.style.setProperty(k, v);
        else element.setAttribute(key, value === true ? "" : value);
    }
    return memspy.put(element, ...children);
};

// append() would turn a list into "[object HTMLParagraphElement]" and null into "null", so all pages use
// this.
memspy.put = (element, ...children) => {
    element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
    return element;
};

memspy.copyButton = (label, words) => {
    const button = memspy.h("button.copy", { type: "button", onclick: async () => {
        try { await navigator.clipboard.writeText(words); } catch {
            // Pages that are opened as files may not use it everywhere.
            const area = memspy.h("textarea", {}, words);
            button.after(area);
            area.select();
            document.execCommand("copy");
            area.remove();
        }
        button.textContent = "Copied";
    } }, label);
    return button;
};

// What may be wider than the screen, and then scrolls by itself, with the keyboard too.
memspy.scrolls = (...children) => {
    const box = memspy.h("div.scrolls", {}, ...children);
    new ResizeObserver(() => { if (box.scrollWidth > box.clientWidth) box.tabIndex = 0; else box.removeAttribute("tabindex"); }).observe(box);
    return box;
};

// Known facts as a list of [label, value]; unknown ones are left out.
memspy.facts = (pairs) => memspy.h("dl.facts", {}, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "")
    .map(([label, value]) => [memspy.h("dt", {}, label), memspy.h("dd", {}, value)]));
