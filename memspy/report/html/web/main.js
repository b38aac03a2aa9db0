// SPDX-License-Identifier: GPL-2.0-or-later
// Chooses the page: the part of the address behind # is #/page/argument/argument.
"use strict";
(() => {
    const { h, text, store, sections } = memspy;
    const side = document.getElementById("side");
    const main = document.getElementById("main");
    let owned = []; // tables of the page, which listen to the window

    memspy.link = (...parts) => `#/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
    // Choices of the page go on to the page that it leads to.
    // Parts at the end that say nothing are left out.
    memspy.go = (...parts) => {
        while (parts.at(-1) === "") parts.pop();
        const state = query();
        for (const name of [...state.keys()]) if (name === "at" || name.startsWith("top ")) state.delete(name);
        location.hash = `${memspy.link(...parts)}${state.toString() ? `?${state}` : ""}`;
    };
    // Behind a ? the address has what the user chose on the page: filters and orders of its tables; and how far the page and its
    // tables were scrolled, so that a link shows what its sender saw.
    const query = () => new URLSearchParams(location.hash.split("?")[1] ?? "");
    const path = () => location.hash.split("?")[0];
    const put = (address, state) => history.replaceState(null, "", state.toString() ? `${address}?${state}` : address);
    // The entry of this page that is chosen now.
    memspy.here = (...parts) => put(memspy.link(...parts), query());
    memspy.chosen = (name) => query().get(name);
    memspy.choose = (name, value) => {
        const state = query();
        if (value === null || value === "") state.delete(name);
        else state.set(name, value);
        put(path() || "#/", state);
    };
    // Calls `action` when nothing has happened for a moment.
    memspy.calm = (action) => {
        const MOMENT = 150;
        let waiting = null;
        return () => { clearTimeout(waiting); waiting = setTimeout(action, MOMENT); };
    };
    memspy.own = (table) => { owned.push(table); return table; };

    // Pixels for a table that has the whole page.
    memspy.room = () => { const { paddingLeft, paddingRight } = getComputedStyle(main); return main.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight); };
    const BESIDE = 0.64;

    // A table, with the chosen entry, or else the first one, beside it (or below). The address has the chosen entry.
    memspy.split = (container, options, page, chosen, detail) => {
        const { below: wanted, ...rest } = options;
        if (memspy.quiet) { new memspy.Table(rest); return; }
        const pane = h("div.pane");
        const show = (id) => {
            table.select(id);
            pane.replaceChildren(detail(id));
            pane.scrollTop = 0;
        };
        const table = memspy.own(new memspy.Table({ ...rest, open: (id) => {
            memspy.here(page, id);
            show(id);
        } }));
        // Beside a row's details there is as much room as style.css gives it.
        const below = wanted || table.needs > BESIDE * memspy.room();
        if (below) table.view.style.maxHeight = "300px";
        memspy.put(container, h(`div.split${below ? ".below" : ""}`, { style: { "--needs": `${table.needs}px` } }, table.element, pane));
        const id = chosen === undefined || chosen === "" ? (table.shown[0] ?? -1) : Number(chosen);
        if (rest.ids.includes(id)) {
            show(id);
            const position = table.shown.indexOf(id);
            // The first row, which nobody chose, does not scroll the table back.
            if (chosen !== undefined && chosen !== "") requestAnimationFrame(() => table.mark(position));
        } else memspy.put(pane, h("p.note", {}, rest.ids.length ? "Choose a row." : ""));
    };

    const { overview, ...others } = memspy.pages;
    const pages = memspy.everyPage = { overview, ...sections.pages(), ...others };
    memspy.shownPages = () => Object.fromEntries(Object.entries(pages).filter(([, page]) => !page.shown || page.shown()));
    const current = () => {
        const [name, ...rest] = path().replace(/^#\/?/, "").split("/").map((part) => {
            try { return decodeURIComponent(part); } catch { return part; }
        });
        return Object.hasOwn(memspy.shownPages(), name) ? { name, arguments: rest } : { name: "overview", arguments: [] };
    };

    const navigation = () => {
        let group = "";
        const items = [];
        for (const [name, page] of Object.entries(memspy.shownPages())) {
            if (!page.nav) continue;
            if (page.group !== group) items.push(h("li.group", {}, (group = page.group)));
            const badge = page.badge?.();
            items.push(h("li", {}, h("a", { href: memspy.link(name), "data-page": name }, page.nav,
                badge === undefined ? null : h("span.badge", {}, text.brief(badge)))));
        }
        side.replaceChildren(h("div.brand", {}, "memspy", h("span", {}, store.data.title)), memspy.search.box(), h("ul", {}, items), memspy.theme.button());
    };

    const render = () => {
        const { name, arguments: rest } = current();
        owned.forEach((table) => table.close());
        owned = [];
        memspy.charts.hideTip();
        main.replaceChildren();
        const page = pages[name];
        const given = rest.map((part) => (part === "" ? undefined : part));
        memspy.compare.page(name, given);
        page.render(main, given);
        // A page that is not in the navigation belongs to its `parent`, or else to the page that the user
        // came from.
        const shown = page.nav ? name : page.parent;
        if (shown) side.querySelectorAll("a").forEach((a) => (a.dataset.page === shown ? a.setAttribute("aria-current", "page") : a.removeAttribute("aria-current")));
        window.scrollTo(0, Number(memspy.chosen("at") ?? 0));
        document.title = `${main.querySelector("h1")?.textContent ?? ""} – ${store.data.title} – memspy`;
    };

    memspy.again = render;
    memspy.start = () => {
        memspy.theme.follow();
        memspy.search.listen();
        navigation();
        window.addEventListener("scroll", memspy.calm(() => memspy.choose("at", window.scrollY > 0 ? String(Math.round(window.scrollY)) : null)), { passive: true });
        window.addEventListener("hashchange", () => { render(); main.focus({ preventScroll: true }); });
        render();
        document.documentElement.setAttribute("data-ready", "true"); // for programs that drive this page
    };
})();
