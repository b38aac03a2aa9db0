// SPDX-License-Identifier: GPL-2.0-or-later
// A table of any length: sorted, filtered, with elements only for the rows in view.
//
// A column is {key, label, title, width, value, text, node, number, bar, name}: value(id) is the sort key, text(id)
// the cell's text, which is searched (default: the value), node(id) an element instead of text; compare.js has `name`. Rows are
// identified by ids, which are not negative.
"use strict";
memspy.Table = class {
    static ROW = 32;
    static SPARE = 8; // rows made above and below the view, so that a quick scroll shows no gap
    static PRINTED = 500;
    static SAMPLE = 200;
    static WIDEST = innerWidth < 600 ? 200 : 330;
    static LEAST = 130; // of a name that gives way; twice that of the first
    static FONT = "13px";
    static HEADING = "600 12.5px";
    static AROUND = 24;

    // A column of counts.
    static count(key, label, title, value, more = {}) {
        return { key, label, title, value, text: (id) => memspy.text.count(value(id)), number: true, width: "minmax(98px, .7fr)", ...more };
    }

    constructor({ open = null, empty = "nothing", height = null, ...rest }) {
        const { columns, ids, choice } = memspy.compare.table(rest);
        const { label, sort = null } = rest;
        Object.assign(this, { columns, ids, label, empty, choice, open });
        this.shown = ids.slice();
        this.active = -1;
        this.selected = null;
        this.texts = null;
        this.most = columns.map((c) => (c.bar ? ids.reduce((most, id) => Math.max(most, c.value(id)), 0) : 0));
        this.printing = null;
        this.rows = new Map(); // position -> element
        this.build(height);
        const [key, order] = (memspy.chosen(`order ${label}`) ?? "").split(" ");
        if (columns.some((c) => c.key === key)) this.sort(key, order === "down");
        else if (sort) this.sort(sort.key, sort.descending ?? true);
        else this.refresh();
        const words = memspy.chosen(`filter ${label}`);
        if (words) this.filter(words);
        const top = Number(memspy.chosen(`top ${label}`) ?? 0);
        if (top > 0) requestAnimationFrame(() => { this.view.scrollTop = top * memspy.Table.ROW; });
    }

    build(height) {
        const { h } = memspy;
        const widths = this.fitting(this.columns.map((c) => this.widthOf(c)));
        const columns = this.columns.map((c, i) => `minmax(${widths[i]}px, ${c.width?.match(/([\d.]+)fr/)?.[1] ?? (c.width ? 0.01 : c.number ? 0.6 : 2)}fr)`).join(" ");
        this.needs = d3.sum(widths) + 2;
        this.heads = this.columns.map((column) => h(`div.th${column.number ? ".number" : ""}`, { role: "columnheader", "aria-sort": "none" },
            h("button", { type: "button", title: column.title ?? `Sort by ${column.label}`, onclick: () => { this.sort(column.key); memspy.choose(`order ${this.label}`, `${this.sorted} ${this.descending ? "down" : "up"}`); } },
                column.label, h("span.arrow", { "aria-hidden": "true" }))));
        this.filterBox = h("input", { type: "search", placeholder: "Filter…", title: "words, or a condition such as modelled>1000 (? shows more)", "aria-label": `Filter ${this.label}`,
            oninput: () => { this.filter(this.filterBox.value); memspy.choose(`filter ${this.label}`, this.filterBox.value); } });
        this.counter = h("span.counter", { role: "status" });
        this.body = h("div.body", { role: "rowgroup" });
        this.head = h("div.head", { role: "row", "aria-rowindex": "1" }, this.heads);
        this.view = h("div.view", { role: "grid", "aria-label": this.label, tabindex: "0", "aria-colcount": this.columns.length,
            onscroll: () => { this.later(); this.noteTop(); }, onkeydown: (event) => this.key(event) }, this.head, this.body);
        this.element = h("section.table", { style: { "--columns": columns } },
            h("div.tools", {}, this.filterBox, this.choice, this.counter), this.view);
        if (height) this.view.style.maxHeight = height;
        // The first row in view.
        this.noteTop = memspy.calm(() => {
            const top = Math.round(this.view.scrollTop / memspy.Table.ROW);
            if (this.view.isConnected) memspy.choose(`top ${this.label}`, top > 0 ? String(top) : null);
        });
        this.body.addEventListener("click", (event) => {
            const row = event.target.closest(".row");
            if (row && !event.target.closest("a")) this.choose(Number(row.dataset.position));
        });
        this.observer = new ResizeObserver(() => this.later());
        this.observer.observe(this.view);
        this.print = () => { this.printing = memspy.Table.PRINTED; this.refresh(); };
        this.printed = () => { this.printing = null; this.refresh(); };
        window.addEventListener("beforeprint", this.print);
        window.addEventListener("afterprint", this.printed);
    }

    // Pixels at which no heading, no number and few names are cut; the widest of a sample of the rows.
    widthOf(column) {
        const { SAMPLE, WIDEST, FONT, HEADING, AROUND } = memspy.Table;
        const measure = (memspy.Table.canvas ??= document.createElement("canvas").getContext("2d"));
        const wide = (words, font) => { measure.font = font; return measure.measureText(words).width; };
        const family = (memspy.Table.family ??= getComputedStyle(document.body).fontFamily);
        const step = Math.max(1, Math.floor(this.ids.length / SAMPLE));
        let most = 0;
        for (let i = 0; i < this.ids.length; i += step) most = Math.max(most, wide(this.cellText(column, this.ids[i]), `${FONT} ${family}`));
        const heading = wide(`${column.label} ▼`, `${HEADING} ${family}`);
        const fixed = Number(column.width?.match(/^(?:minmax\()?(\d+)px/)?.[1] ?? 0);
        const drawn = column.node ? fixed : 0; // a swatch or picture beside the text
        return Math.ceil(Math.max(heading + AROUND, drawn, Math.min(most + AROUND, column.number ? Infinity : WIDEST)));
    }

    // Names give way where figures would lie beside the screen: evenly, and not below what says enough of them.
    fitting(widths) {
        const { LEAST } = memspy.Table;
        const first = this.columns.findIndex((column) => !column.number);
        const giving = widths.map((width, i) => (this.columns[i].number ? 0 : Math.max(0, width - (i === first ? 2 : 1) * LEAST)));
        const share = Math.min(1, Math.max(0, d3.sum(widths) + 2 - memspy.room()) / Math.max(1, d3.sum(giving)));
        return widths.map((width, i) => Math.floor(width - share * giving[i]));
    }

    // Call when the table is removed from the page.
    close() {
        this.observer.disconnect();
        window.removeEventListener("beforeprint", this.print);
        window.removeEventListener("afterprint", this.printed);
    }

    cellText(column, id) {
        return String(column.text ? column.text(id) : column.value(id));
    }

    sort(key, descending = null) {
        const column = this.columns.find((c) => c.key === key);
        // Numbers are first sorted in descending order, names in ascending order.
        this.descending = descending ?? (this.sorted === key ? !this.descending : Boolean(column.number));
        this.sorted = key;
        const sign = this.descending ? -1 : 1;
        const value = new Map(this.shown.map((id) => [id, column.value(id)]));
        const compare = column.number
            ? (a, b) => sign * (value.get(a) - value.get(b)) || a - b
            : ((collator) => (a, b) => sign * collator.compare(value.get(a), value.get(b)) || a - b)(memspy.Table.collator);
        this.shown.sort(compare);
        this.heads.forEach((head, i) => head.setAttribute("aria-sort",
            this.columns[i] !== column ? "none" : this.descending ? "descending" : "ascending"));
        this.view.scrollTop = 0;
        this.active = -1;
        this.refresh();
    }

    // "modelled>1000" of a filter: a column of numbers by its key or label without blanks. Null: it is a word.
    condition(word) {
        const [, name, sign, digits, unit] = word.match(/^([^<>=]+)(<=|>=|<|>|=)(-?[\d,]*\.?\d+)(%|k|m|g)?$/) ?? [];
        const plain = (label) => label.toLowerCase().replace(/\s+/g, "");
        const column = name && this.columns.find((c) => c.number && [plain(c.key), plain(c.label)].includes(name));
        if (!column) return null;
        const limit = Number(digits.replaceAll(",", "")) * ({ "%": 0.01, k: 1e3, m: 1e6, g: 1e9 }[unit] ?? 1);
        const holds = { "<": (n) => n < limit, "<=": (n) => n <= limit, "=": (n) => n === limit, ">=": (n) => n >= limit, ">": (n) => n > limit }[sign];
        return (id) => holds(column.value(id));
    }

    // All words must be in a row, in any column, and all conditions must hold.
    filter(words) {
        const all = words.toLowerCase().split(/\s+/).filter(Boolean).map((word) => [word, this.condition(word)]);
        const wanted = all.filter(([, holds]) => !holds).map(([word]) => word), conditions = all.map(([, holds]) => holds).filter(Boolean);
        if (wanted.length && !this.texts)
            this.texts = new Map(this.ids.map((id) => [id, this.columns.filter((c) => !c.number)
                .map((c) => this.cellText(c, id)).join("\n").toLowerCase()]));
        this.shown = this.ids.filter((id) => wanted.every((w) => this.texts.get(id).includes(w)) && conditions.every((holds) => holds(id)));
        this.filterBox.value = words;
        this.sort(this.sorted ?? this.columns[0].key, this.descending ?? false);
    }

    later() {
        this.pending ??= requestAnimationFrame(() => { this.pending = null; this.draw(); });
    }

    // For print: `printing` rows, wherever the view is.
    refresh() {
        const most = this.printing;
        const { count, plural } = memspy.text;
        this.rows.clear();
        this.body.replaceChildren();
        this.body.style.height = `${(most ? Math.min(most, this.shown.length) : this.shown.length) * memspy.Table.ROW}px`;
        this.view.setAttribute("aria-rowcount", this.shown.length + 1);
        this.counter.textContent = this.shown.length === this.ids.length ? plural(this.ids.length, "row")
            : `${count(this.shown.length)} of ${plural(this.ids.length, "row")}`;
        if (most && this.shown.length > most) this.counter.textContent += `; the first ${most} are printed`;
        if (!this.shown.length) memspy.put(this.body, memspy.h("div.empty", { role: "row" }, memspy.h("span", { role: "gridcell" }, this.ids.length ? "no row has these words" : this.empty)));
        this.draw();
    }

    draw() {
        const most = this.printing;
        const { ROW, SPARE } = memspy.Table;
        const top = this.view.scrollTop;
        const first = most ? 0 : Math.max(0, Math.floor(top / ROW) - SPARE);
        const last = most ? Math.min(most, this.shown.length)
            : Math.min(this.shown.length, Math.ceil((top + (this.view.clientHeight || 600)) / ROW) + SPARE);
        for (const [position, element] of this.rows)
            if (position < first || position >= last) { element.remove(); this.rows.delete(position); }
        const fresh = document.createDocumentFragment();
        for (let position = first; position < last; position++)
            if (!this.rows.has(position)) fresh.append(this.row(position));
        this.body.append(fresh);
    }

    row(position) {
        const { h } = memspy;
        const id = this.shown[position];
        const cells = this.columns.map((column, i) => {
            const content = this.cellText(column, id);
            const share = this.most[i] ? (100 * column.value(id)) / this.most[i] : 0;
            return h(`div.td${column.number ? ".number" : ""}${column.bar ? ".bar" : ""}`, {
                role: "gridcell", title: column.number ? null : content,
                style: column.bar ? { "--share": `${share}%` } : {} },
            column.node ? column.node(id) : content);
        });
        const element = h("div.row", { role: "row", id: `${this.domId()}-${position}`, "aria-rowindex": position + 2,
            "data-position": position, "aria-selected": id === this.selected ? "true" : "false",
            style: { top: `${position * memspy.Table.ROW}px` } }, cells);
        if (this.open && id >= 0) element.classList.add("opens");
        if (position === this.active) element.classList.add("active");
        this.rows.set(position, element);
        return element;
    }

    domId() {
        return (this.name ??= `table${(memspy.Table.made = (memspy.Table.made ?? 0) + 1)}`);
    }

    mark(position) {
        this.rows.get(this.active)?.classList.remove("active");
        this.active = position;
        const { ROW } = memspy.Table;
        const head = this.head.offsetHeight;
        const top = position * ROW;
        if (top < this.view.scrollTop) this.view.scrollTop = top;
        else if (top + ROW + head > this.view.scrollTop + this.view.clientHeight)
            this.view.scrollTop = top + ROW + head - this.view.clientHeight;
        this.draw();
        this.rows.get(position)?.classList.add("active");
        this.view.setAttribute("aria-activedescendant", `${this.domId()}-${position}`);
    }

    // Shows which entry is open beside the table.
    select(id) {
        this.selected = id;
        for (const [position, element] of this.rows)
            element.setAttribute("aria-selected", this.shown[position] === id ? "true" : "false");
    }

    choose(position) {
        this.mark(position);
        // A row of the other run alone opens nothing.
        if (this.open && this.shown[position] >= 0) this.open(this.shown[position]);
    }

    key(event) {
        if (event.target !== this.view) return;
        const page = Math.max(1, Math.floor(this.view.clientHeight / memspy.Table.ROW) - 2);
        const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
        if (event.key in steps && this.shown.length) {
            event.preventDefault();
            this.mark(Math.max(0, Math.min(this.shown.length - 1, this.active + steps[event.key])));
        } else if (event.key === "Enter" && this.active >= 0) {
            event.preventDefault();
            this.choose(this.active);
        }
    }
};
memspy.Table.collator = new Intl.Collator("en", { numeric: true });
