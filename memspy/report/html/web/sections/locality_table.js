// SPDX-License-Identifier: GPL-2.0-or-later
// A table that can be turned: any two of variable, thread, function and line as its rows and columns.
"use strict";
memspy.localityTable = (() => {
    const { h, text, store } = memspy;
    const MOST_COLUMNS = 16;

    const page = (streams, uses) => {
        const SIDES = {
            object: { label: "variable", of: (i) => uses.object[i], name: (key) => names().get(key) ?? store.objectName(key) },
            thread: { label: "thread", of: (i) => uses.thread[i], name: (key) => store.threadName(key) },
            function: { label: "function", of: (i) => uses.fn[i], name: (key) => key },
            line: { label: "line", of: (i) => (uses.file[i] ? `${uses.file[i]}:${uses.line[i]}` : "(no line known)"), name: (key) => key },
        };
        const names = store.memo(() => new Map(store.numbers(streams.length).filter((i) => streams.kind[i] === "object").map((i) => [streams.object[i], streams.name[i]])));
        const FIGURES = {
            accesses: { label: "accesses" },
            spatial: { label: "spatial locality" },
            temporal: { label: "temporal locality" },
        };
        // Scores of the pairs that have a stream of their own.
        const scores = store.memo(() => {
            const found = new Map();
            for (const i of store.numbers(streams.length)) {
                if (!streams.kind[i].includes("-") || !(streams.followed[i] > 0)) continue;
                const of = { object: streams.object[i], thread: streams.thread[i], function: streams.fn[i] };
                const [a, b] = streams.kind[i].split("-");
                found.set(`${a} ${of[a]} ${b} ${of[b]}`, i);
            }
            return (rows, row, columns, column) => found.get(`${rows} ${row} ${columns} ${column}`) ?? found.get(`${columns} ${column} ${rows} ${row}`) ?? -1;
        });

        const table = (rows, columns, figure) => {
            const cells = new Map(), rowTotals = new Map(), columnTotals = new Map();
            const add = (totals, key, n) => totals.set(key, (totals.get(key) ?? 0) + n);
            for (const i of store.numbers(uses.length)) {
                const [row, column, n] = [SIDES[rows].of(i), SIDES[columns].of(i), uses.accesses[i]];
                if (!cells.has(row)) cells.set(row, new Map());
                add(cells.get(row), column, n);
                add(rowTotals, row, n);
                add(columnTotals, column, n);
            }
            const keys = [...rowTotals.keys()];
            const shown = [...columnTotals].sort((a, b) => b[1] - a[1]).slice(0, MOST_COLUMNS).map(([key]) => key);
            const stream = (id, column) => (cells.get(keys[id]).has(column) ? scores()(rows, keys[id], columns, column) : -1);
            const value = (id, column) => {
                if (figure === "accesses") return cells.get(keys[id]).get(column) ?? 0;
                return stream(id, column) < 0 ? -1 : streams[figure][stream(id, column)];
            };
            const said = (id, column) => {
                if (figure === "accesses") return value(id, column) > 0 ? text.count(value(id, column)) : "–";
                return stream(id, column) < 0 ? "–" : memspy.localityMisses.score(streams, figure, stream(id, column));
            };
            return [memspy.own(new memspy.Table({ label: `${SIDES[rows].label} by ${SIDES[columns].label}`, ids: store.numbers(keys.length), sort: { key: "total" }, columns: [
                { key: "name", label: SIDES[rows].label, width: "minmax(180px, 2fr)", value: (id) => SIDES[rows].name(keys[id]) },
                memspy.Table.count("total", "All", "accesses", (id) => rowTotals.get(keys[id]), { bar: true }),
                ...shown.map((column, n) => ({ key: `column${n}`, label: SIDES[columns].name(column), title: SIDES[columns].name(column), number: true, width: "minmax(110px, .7fr)",
                    value: (id) => value(id, column), text: (id) => said(id, column) })),
            ] })).element, columnTotals.size > shown.length ? h("p.note", {}, `The ${shown.length} columns with most accesses, of ${columnTotals.size}.`) : null];
        };

        return {
            nav: "Who, what, where", group: "Locality",
            badge: () => uses.length,
            shown: () => uses.length > 0,
            render: (main, [rows = "object", columns = "thread", figure = "accesses"]) => {
                const choice = (label, current, known, to) => h("label.choice", {}, `${label}: `, h("select", { onchange: (event) => memspy.go("locality-table", ...to(event.target.value)) },
                    Object.entries(known).map(([key, { label: said }]) => h("option", { value: key, selected: key === current }, said))));
                const scored = rows !== "line" && columns !== "line";
                memspy.put(main, h("header.page", {}, h("h1", {}, "Who uses what, and where"), h("p.sub", {}, "Accesses by any two of variable, thread, function and line.")),
                    h("div.choices", {}, choice("Rows", rows, SIDES, (to) => [to, to === columns ? rows : columns, figure]),
                        choice("Columns", columns, SIDES, (to) => [to === rows ? columns : rows, to, figure]),
                        choice("Figures", figure, scored ? FIGURES : { accesses: FIGURES.accesses }, (to) => [rows, columns, to]),
                        h("button", { type: "button", onclick: () => memspy.go("locality-table", columns, rows, figure) }, "Turn")),
                    table(rows, columns, scored ? figure : "accesses"));
            },
        };
    };
    return { page };
})();
