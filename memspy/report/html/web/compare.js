// SPDX-License-Identifier: GPL-2.0-or-later
// Figures of the run that this one is compared with, in every table and tree. That run has a `memspy` of its own, of the same
// scripts, which is quiet: it draws the page that is shown here into nothing, and its tables and trees are noted by their labels
// instead of made. Here each row finds its own there by its names.
//
// A column with `name` (by default all without numbers) names the row: `name: true` is for numbers of threads and ranks, `name: false`
// for what is neither a name nor a figure. A page whose address numbers things has there(arguments, other): the address
// in the other run, or null. `compare` of a table: the key of the figure that is compared, unless the user chooses another.
"use strict";
memspy.compare = (() => {
    const { h, text, store } = memspy;
    const noted = new Map();
    if (memspy.quiet) {
        const { count, collator } = memspy.Table;
        memspy.Table = class {
            static count = count;
            static collator = collator;
            constructor(options) {
                noted.set(options.label, options);
                Object.assign(this, { element: h("section"), shown: options.ids, needs: 0 });
            }
            select() {}
            mark() {}
            close() {}
        };
        memspy.Tree.prototype.element = function element({ label }) {
            noted.set(label, this);
            return h("section");
        };
    }

    // What is noted there of the page that is shown here.
    let at = null, there = null;
    const page = (name, given) => { at = [name, given]; there = null; };
    const draw = (name, given) => {
        noted.clear();
        memspy.everyPage[name]?.render(h("main"), given);
        return noted;
    };
    const other = (label) => {
        if (memspy.quiet || !memspy.before()) return null;
        if (!there) {
            const [name, given] = at, to = memspy.everyPage[name].there;
            const translated = to ? to(given, memspy.before()) : given;
            there = translated ? memspy.before().compare.draw(name, translated) : new Map();
        }
        return there.get(label) ?? null;
    };

    // Rows of one name are the same in the order of their lines if both runs have as many. Else a row has its line there by how far
    // most lines of its file have moved; what is left is again the same in order, if it is as many. Of mine and theirs as
    // [id, words]; returns Map of my id -> theirs.
    const PLACE = /([^\s(:]+):(\d+)/g;
    const MOST_VOTES = 1000; // of a name
    const movesOf = (groups) => {
        const votes = new Map();
        const vote = (mine, theirs) => {
            const there = [...theirs[1].matchAll(PLACE)];
            [...mine[1].matchAll(PLACE)].forEach(([, file, line], i) => {
                if (!votes.has(file)) votes.set(file, new Map());
                const by = Number(line) - Number(there[i]?.[2] ?? line);
                votes.get(file).set(by, (votes.get(file).get(by) ?? 0) + 1);
            });
        };
        for (const group of groups) {
            if (group.mine.length === group.theirs.length) group.mine.forEach((each, i) => vote(each, group.theirs[i]));
            else if (group.mine.length * group.theirs.length <= MOST_VOTES) for (const each of group.mine) for (const other of group.theirs) vote(each, other);
        }
        return new Map([...votes].map(([file, counts]) => [file, [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))[0]]));
    };
    const pairs = (mine, theirs) => {
        const groups = new Map();
        const gather = (list, side) => {
            for (const each of list) {
                const name = each[1].replace(PLACE, "$1");
                if (!groups.has(name)) groups.set(name, { mine: [], theirs: [] });
                groups.get(name)[side].push(each);
            }
        };
        gather(mine, "mine");
        gather(theirs, "theirs");
        for (const group of groups.values()) for (const list of Object.values(group)) list.sort(([, a], [, b]) => memspy.Table.collator.compare(a, b));
        const found = new Map();
        const inOrder = (list, others) => { if (list.length === others.length) list.forEach(([id], i) => found.set(id, others[i][0])); };
        const moved = movesOf(groups.values());
        for (const { mine: list, theirs: others } of groups.values()) {
            if (list.length === others.length) { inOrder(list, others); continue; }
            const left = new Map();
            for (const each of others) left.set(each[1], [...(left.get(each[1]) ?? []), each]);
            const rest = list.filter(([id, words]) => {
                const same = left.get(words.replace(PLACE, (_, file, line) => `${file}:${line - moved.get(file)}`))?.shift();
                if (same) found.set(id, same[0]);
                return !same;
            });
            inOrder(rest, [...left.values()].flat());
        }
        return found;
    };

    const signed = (n, said) => `${n > 0 ? "+" : n < 0 ? "-" : ""}${said}`;
    const more = (n) => signed(n, text.count(Math.abs(n)));
    const titles = (what) => ({ before: `${what} in ${store.data.changes?.before}`, more: "now, less before" });

    // A table's columns and rows with those of the other run; what is only there has rows with negative ids.
    const table = ({ label, columns, ids, sort, compare }) => {
        const options = other(label);
        const theirs = new Map(options?.columns.map((column) => [column.key, column]) ?? []);
        const figures = columns.filter((column) => column.number && column.name === undefined && theirs.has(column.key));
        if (!figures.length) return { columns, ids, choice: null };
        const said = (column, id) => String(column.text ? column.text(id) : column.value(id));
        const wanted = [memspy.chosen(`compare ${label}`), compare, columns.find((column) => column.bar)?.key, sort?.key];
        const chosen = wanted.map((key) => figures.find((column) => column.key === key)).find(Boolean) ?? figures[0];
        const names = columns.filter((column) => (column.name ?? !column.number) && theirs.has(column.key));
        const named = (list, of) => list.map((id) => [id, names.map((column) => said(of(column), id)).join("\n")]);
        const same = pairs(named(ids, (column) => column), named(options.ids, (column) => theirs.get(column.key)));
        const kept = new Set(same.values());
        const figure = theirs.get(chosen.key);
        const gone = options.ids.filter((id) => !kept.has(id) && figure.value(id) > 0);
        const goneId = (id) => gone[-1 - id];
        // Their parts of both runs; nothing can be told of what is gone but its names.
        const column = (mine) => {
            const { value, text: words, node, ...rest } = mine, his = theirs.get(mine.key), isNamed = names.includes(mine);
            const nothing = mine === chosen ? "0" : mine.number ? "–" : "";
            return { ...rest, value: (id) => (id >= 0 ? value(id) : isNamed ? his.value(goneId(id)) : mine.number ? 0 : ""),
                text: (id) => (id >= 0 ? said(mine, id) : isNamed ? said(his, goneId(id)) : nothing),
                ...(node ? { node: (id) => (id >= 0 ? node(id) : isNamed ? said(his, goneId(id)) : nothing) } : {}) };
        };
        const before = (id) => (id >= 0 ? same.get(id) : goneId(id));
        const had = (id) => (before(id) === undefined ? 0 : figure.value(before(id)));
        const difference = (id) => (id >= 0 ? chosen.value(id) : 0) - had(id);
        const isShare = [...ids.slice(0, 20).map((id) => said(chosen, id)), ...options.ids.slice(0, 20).map((id) => said(figure, id))].some((words) => words.endsWith("%"));
        const change = (n) => {
            if (isShare) return signed(n, `${(100 * Math.abs(n)).toFixed(1)} %`);
            return Number.isInteger(n) ? more(n) : signed(n, text.real(Math.abs(n), Math.abs(n) < 10 ? 3 : 1));
        };
        const added = [
            { key: "before", label: "Before", title: titles(chosen.label).before, number: true, value: had, text: (id) => (before(id) === undefined ? "0" : said(figure, before(id))) },
            { key: "more", label: "More", title: titles().more, number: true, value: difference, text: (id) => change(difference(id)) }];
        const choice = figures.length > 1 ? h("label.choice", {}, "Compared: ", h("select", { onchange: (event) => { memspy.choose(`compare ${label}`, event.target.value); memspy.again(); } },
            figures.map(({ key, label: words }) => h("option", { value: key, selected: key === chosen.key }, words)))) : null;
        return { choice, ids: [...ids, ...gone.map((_, i) => -1 - i)], columns: columns.flatMap((mine) => (mine === chosen ? [column(mine), ...added] : [column(mine)])) };
    };

    // The nodes of a tree with `before`, the sums there; what is only there is added, with sums of 0.
    const tree = (label, root) => {
        const theirs = other(label)?.root;
        if (!theirs) return false;
        const nothing = root.sums.map(() => 0);
        const visit = (node, his) => {
            node.before = his?.sums ?? nothing;
            const mine = [...node.children.values()], those = [...(his?.children.values() ?? [])];
            const same = pairs(mine.map((child) => [child, child.key]), those.map((child) => [child, child.key]));
            const kept = new Set(same.values());
            for (const child of mine) visit(child, same.get(child));
            for (const child of those.filter((each) => !kept.has(each))) {
                const added = { key: child.key, text: child.text, sums: nothing, children: new Map() };
                node.children.set(`gone ${child.key}`, added);
                visit(added, child);
            }
        };
        visit(root, theirs);
        return true;
    };

    // The same metric of the other run; null if there is none.
    const metric = (wanted) => memspy.other()?.store.stackMetrics().find((each) => each.key === wanted.key) ?? null;
    // The figures of the first page's tiles there, by label.
    const tiles = store.memo(() => new Map(memspy.before()?.sections.gather("tiles", (label, value) => [label, value]).filter(Boolean) ?? []));
    return { page, draw, pairs, table, tree, metric, tiles, more, titles };
})();
