// SPDX-License-Identifier: GPL-2.0-or-later
// A tree with figures: each row has the sums of all rows below it, and opens and closes.
//
// A tree is made by memspy.Tree.add: a path from the top, [{key, text, node}], and what it adds to each figure. A step's
// key parts it from its siblings, text is searched and said, node() an element instead. Columns are {label, title, value}:
// value(sums) is a number; the tree is ordered by the first one.
"use strict";
memspy.Tree = class {
    static SIBLINGS = 100; // shown at first

    constructor(figures) {
        this.root = this.made({ key: "", text: "all" });
        this.figures = figures;
        this.root.sums = new Array(figures).fill(0);
    }

    made(step) { return { ...step, sums: null, children: new Map() }; }

    add(path, values) {
        let at = this.root;
        const count = (node) => values.forEach((value, i) => { node.sums[i] += value; });
        count(at);
        for (const step of path) {
            let next = at.children.get(step.key);
            if (!next) {
                next = this.made(step);
                next.sums = new Array(this.figures).fill(0);
                at.children.set(step.key, next);
            }
            count(next);
            at = next;
        }
    }

    element({ label, columns, first: heading }) {
        const { h, text } = memspy;
        const compared = memspy.compare.tree(label, this.root);
        const [first, ...others] = columns, total = first.value(this.root.sums);
        const sorted = (node) => [...node.children.values()].sort((a, b) => first.value(b.sums) - first.value(a.sums));
        const rowOf = (node, level) => {
            const toggle = node.children.size ? h("button.toggle", { type: "button", "aria-expanded": "false", "aria-label": `Open ${node.text}`,
                onclick: () => (row.below ? close(row) : open(row)) }) : h("span.toggle");
            const figure = (column, i) => h("td.number", i ? {} : { style: { "--share": `${total ? (100 * column.value(node.sums)) / total : 0}%` } }, text.count(column.value(node.sums)));
            const before = () => {
                const had = first.value(node.before);
                return [h("td.number", {}, text.count(had)), h("td.number", {}, memspy.compare.more(first.value(node.sums) - had))];
            };
            const row = h("tr", { "aria-level": level, tabindex: "-1" }, h("td.name", { style: { "--level": level } }, toggle, node.node ? node.node() : node.text),
                figure(first, 0), compared ? before() : null, others.map((column) => figure(column, 1)), h("td.number", {}, text.percent(first.value(node.sums), total)));
            Object.assign(row, { node, level, toggle, below: null });
            return row;
        };
        const put = (parent, after, nodes) => {
            const rows = nodes.slice(0, memspy.Tree.SIBLINGS).map((node) => rowOf(node, (parent?.level ?? 0) + 1));
            const rest = nodes.slice(memspy.Tree.SIBLINGS);
            if (rest.length) {
                const more = h("tr", {}, h("td", { colspan: columns.length + (compared ? 4 : 2) }, h("button", { type: "button", onclick: () => {
                    const shown = put(parent, more, rest);
                    if (parent) parent.below.push(...shown);
                    more.remove();
                } }, `${text.count(rest.length)} more`)));
                rows.push(more);
            }
            if (after) after.after(...rows); else body.append(...rows);
            return rows;
        };
        const open = (row) => {
            const nodes = sorted(row.node);
            row.below = put(row, row, nodes);
            row.toggle.setAttribute("aria-expanded", "true");
            if (nodes.length === 1 && nodes[0].children.size) open(row.below[0]);
        };
        const close = (row) => {
            for (const below of row.below) { if (below.below) close(below); below.remove(); }
            row.below = null;
            row.toggle.setAttribute("aria-expanded", "false");
        };
        const body = h("tbody");
        put(null, null, sorted(this.root));
        const titles = memspy.compare.titles(first.label);
        const head = (column) => h("th.number", { title: column.title }, column.label);
        return h("table.plain.tree", { role: "treegrid", "aria-label": label }, h("thead", {}, h("tr", {}, h("th", {}, heading), head(first),
            compared ? [head({ label: "Before", title: titles.before }), head({ label: "More", title: titles.more })] : null, others.map(head), h("th.number", {}, "Of all"))), body);
    }
};
