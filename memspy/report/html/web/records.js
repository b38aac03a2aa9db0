// SPDX-License-Identifier: GPL-2.0-or-later
// A section's lists as pages, by the kinds of their fields: count, number, real, flag, address, text, pairs,
// numbers, module, stack, object, thread; and source, the file of dir, file and line. A section without a script
// gets a page for each list, with all fields. A section with a script can give more `options`, all optional:
//
//   group     the heading of its pages in the navigation
//   pages     {name: {list, nav, title, note, ids, sort, columns}}; columns are names of fields, [name, {label, …}] or
//             columns as memspy.Table has them
//   metrics   [{list, field, label, counts}]: counts that are charged to the field `stack` of the list; counts(i): whether a row does
//   objects   {list: columns}: the lists of which the page of an object shows its rows
"use strict";
memspy.records = (section, name, options = {}) => {
    const { h, text, store, stacks } = memspy;
    const { fields, tables, values } = section;
    const lists = Object.keys(tables).filter((list) => tables[list].length);
    const words = (field) => text.capital(field.replace(/[-.]/g, " "));
    const group = options.group ?? words(name);

    const WIDTHS = { text: "minmax(90px, 1fr)", module: "minmax(90px, 1fr)", stack: "minmax(116px, 2fr)", object: "minmax(116px, 1.6fr)", pairs: "minmax(90px, 1fr)", address: "130px",
        thread: "86px", flag: "70px", real: "86px" };
    const NUMBERS = ["count", "number", "real", "thread"];
    const NAMES = ["text", "module", "stack", "object", "thread"];
    const said = (list, field, i) => {
        const value = tables[list][field][i];
        switch (fields[list][field]) {
        case "object": return store.objectName(value);
        case "stack": return stacks.title(value);
        case "count": return text.count(value);
        case "real": return text.real(value);
        case "numbers": return value.join(" ");
        case "pairs": return value.map(([a, b]) => `${a}–${b}`).join(" ");
        case "flag": return value ? "yes" : "no";
        default: return String(value);
        }
    };
    const column = (list) => (wanted) => {
        if (!Array.isArray(wanted) && typeof wanted !== "string") return { text: (i) => String(wanted.value(i)), ...wanted };
        const [field, more = {}] = [wanted].flat();
        const kind = fields[list][field];
        const number = NUMBERS.includes(kind);
        const value = number ? (i) => tables[list][field][i] : (i) => said(list, field, i);
        return { key: field, label: words(field), number, ...(number && kind !== "thread" ? {} : { name: NAMES.includes(kind) }), value, text: (i) => said(list, field, i), ...(WIDTHS[kind] ? { width: WIDTHS[kind] } : {}), ...more };
    };
    const firstCount = (list) => Object.keys(fields[list]).find((field) => fields[list][field] === "count");
    const all = (list) => Object.keys(fields[list]).filter((field) => fields[list][field] !== "source").map((field) => (field === firstCount(list) ? [field, { bar: true }] : field));

    // All fields of one row, and its stacks with their source.
    const detail = (list, columns) => (i) => {
        const of = (kind) => Object.keys(fields[list]).filter((field) => fields[list][field] === kind);
        const cell = (field) => (fields[list][field] === "object" ? memspy.object.link(tables[list][field][i]) : said(list, field, i));
        const shown = of("stack").filter((field) => tables[list][field][i] >= 0);
        const label = (field) => columns.find((c) => c.key === field)?.label ?? words(field);
        const metric = options.metrics?.find((m) => m.list === list);
        return h("article.detail", { "aria-label": group }, h("h2", {}, columns[0].text(i)),
            memspy.facts(Object.keys(fields[list]).filter((field) => !["stack", "source", "numbers"].includes(fields[list][field]) && !field.endsWith("variance")).map((field) => [label(field), cell(field)])),
            shown.map((field) => [shown.length > 1 || field !== "stack" ? h("h3", {}, label(field)) : null,
                stacks.list(tables[list][field][i], metric ? { metric: `${name}-${metric.field}` } : {})]));
    };
    const page = (key, { list, nav = words(list), title = `${group}: ${words(list).toLowerCase()}`, note = "", ids = null, sort = null, columns = all(list) }) => {
        const shown = store.memo(() => (ids ? ids(tables[list]) : store.numbers(tables[list].length)));
        const made = columns.map(column(list));
        return {
            nav, group,
            badge: () => shown().length,
            shown: () => shown().length > 0,
            render: (main, [number]) => {
                memspy.put(main, h("header.page", {}, h("h1", {}, title), note ? h("p.sub", {}, note) : null));
                memspy.split(main, { label: title, ids: shown(), below: true, columns: made,
                    sort: { key: sort ?? made.find((c) => c.bar)?.key ?? made[0].key, descending: Boolean(sort || made.some((c) => c.bar)) } },
                key, number, detail(list, made));
            },
        };
    };
    const pages = options.pages ?? Object.fromEntries(lists.map((list) => [`${name}-${list}`, { list }]));
    const metrics = options.metrics ?? lists.filter((list) => fields[list].stack).flatMap((list) => Object.keys(fields[list])
        .filter((field) => fields[list][field] === "count").map((field) => ({ list, field, label: `${group}: ${words(field)}` })));
    const objects = options.objects ?? Object.fromEntries(lists.filter((list) => fields[list].object).map((list) => [list, all(list)]));

    return {
        pages: Object.fromEntries(Object.entries(pages).filter(([, { list }]) => lists.includes(list)).map(([key, wanted]) => [key, page(key, wanted)])),
        metrics: () => metrics.filter(({ list }) => lists.includes(list)).map(({ list, field, label, counts = () => true }) => ({ key: `${name}-${field}`, label, table: tables[list],
            value: (i) => (counts(i) ? tables[list][field][i] : 0) })),
        objectParts: (object) => Object.entries(objects).filter(([list]) => lists.includes(list)).map(([list, columns]) => {
            const ids = store.numbers(tables[list].length).filter((i) => tables[list].object[i] === object);
            const made = columns.map(column(list)).filter((c) => c.key !== "object");
            if (!ids.length) return null;
            return h("section", {}, h("h2", {}, `${group}: ${words(list).toLowerCase()}`),
                memspy.own(new memspy.Table({ label: `${group}: ${words(list).toLowerCase()}`, ids, columns: made, height: "330px", sort: { key: made.find((c) => c.number)?.key ?? made[0].key } })).element);
        }),
        about: () => {
            const known = Object.entries(values).flatMap(([label, value]) => (value !== null && typeof value === "object" && !Array.isArray(value)
                ? Object.entries(value).map(([inner, v]) => [`${words(label)}: ${inner.replace(/-/g, " ")}`, v]) : [[words(label), value]]));
            const simple = known.filter(([, value]) => typeof value !== "object");
            return simple.length ? [h("section", {}, h("h2", {}, group), memspy.facts(simple.map(([label, value]) => [label, String(value)])))] : [];
        },
    };
};
