// SPDX-License-Identifier: GPL-2.0-or-later
// Data races and locks in different orders: a list, and for each both sides beside each other, with stacks, source and locks.
"use strict";
memspy.section("races", (section, name) => {
    const { h, text, store, stacks } = memspy;
    const { races, "lock-cycles": cycles } = section.tables;
    const GROUP = "Findings";
    const has = (table) => table !== undefined && table.length > 0;
    const variable = (i) => races.variable[i] || (races.object[i] < 0 ? "(not known)" : store.objectName(races.object[i]));
    const thread = (number) => (number > 0 ? `thread ${number}` : "a thread");
    const capital = (words) => words[0].toUpperCase() + words.slice(1);
    const VERBS = { R: "reads", W: "writes" };
    const holds = (held) => h("p.note", {}, held ? ["Holds ", h("b", {}, held), "."] : "Holds no lock.");
    const side = (head, stack, more = null) => h("section.side", {}, h("h3", {}, head), more,
        stack < 0 ? h("p.note", {}, "No stack is known.") : [memspy.source.ofFrame(store.leading(stack)) ?? h("p.note", {}, "No source line is known."),
            h("details", {}, h("summary", {}, "Calls"), stacks.list(stack))]);
    const beside = (left, right) => h("div.pair", { style: { display: "grid", "grid-template-columns": "minmax(0, 1fr) minmax(0, 1fr)", gap: "12px" } }, left, right);
    const fix = (i) => {
        const words = races.fix[i] || (races.clause[i] ? `Say ${races.clause[i]}` : "");
        return words ? h("p.fix", {}, h("b", {}, "Fix: "), words, ".") : h("p.note", {}, "Both need one lock, or an order: a barrier, a join, a message.");
    };
    const raceSide = (access, stack, by, held) => side(`${capital(thread(by))} ${VERBS[access] ?? "touches"}`, stack, holds(held));
    const raceDetail = (i) => h("article.detail", { "aria-label": "Race" }, h("h2", {}, `Data race on ${variable(i)}`),
        h("p.sub", {}, `${text.plural(races.bytes[i], "byte")}, ${text.plural(races.times[i], "time")}: nothing orders the two accesses.`),
        races.last[i] ? h("p.note", {}, `${capital(thread(races.thread[i]))} last waited for ${thread(races["other-thread"][i])} at the ${races.last[i]}.`) : null, fix(i),
        beside(raceSide(races["other-access"][i], races["other-stack"][i], races["other-thread"][i], races["other-held"][i]),
            raceSide(races.access[i], races.stack[i], races.thread[i], races.held[i])));
    const cycleDetail = (i) => h("article.detail", { "aria-label": "Cycle of locks" }, h("h2", {}, `A cycle of ${cycles.locks[i]} locks`),
        h("p.sub", {}, "If the threads meet, each waits for the other. Take the locks in one order."),
        beside(side(`Taken by ${thread(cycles["other-thread"][i])}`, cycles["other-stack"][i]), side(`Taken by ${thread(cycles.thread[i])}`, cycles.stack[i])));
    const place = (key, label, of) => ({ key, label, value: (i) => stacks.title(of[i]), width: "minmax(110px, 1.5fr)" });
    const page = (key, nav, table, columns, sort, detail) => ({
        nav, group: GROUP,
        shown: () => has(table),
        badge: () => table.length,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, nav)));
            memspy.split(main, { label: nav.toLowerCase(), ids: store.numbers(table.length), sort: { key: sort, descending: true }, empty: "none was found", columns: columns() },
                key, number ?? 0, detail);
        },
    });
    const times = { key: "times", label: "Times", number: true, width: "84px", value: (i) => races.times[i], text: (i) => text.count(races.times[i]) };
    const racePage = page("races", "Data races", races, () => [
        { key: "variable", label: "Variable", value: variable, width: "minmax(110px, 1.2fr)" },
        place("place", "One access", races.stack), place("other", "Other access", races["other-stack"]), times], "times", raceDetail);
    const cyclePage = page("lock-cycles", "Orders of locks", cycles, () => [
        { key: "locks", label: "Locks", number: true, width: "84px", value: (i) => cycles.locks[i] },
        place("place", "Taken", cycles.stack), place("other", "Taken elsewhere", cycles["other-stack"])], "locks", cycleDetail);
    const card = (i) => h("article.card.finding.defect", {}, h("header", {}, h("span.badge", {}, "Race"),
        h("h3", {}, h("a", { href: memspy.link("races", i) }, `Data race on ${variable(i)}`))),
    memspy.facts([["Code", [stacks.place(races.stack[i]), ", ", stacks.place(races["other-stack"][i])]], ["Fix", races.fix[i] || null], ["Times", text.count(races.times[i])]]));
    const records = memspy.records(section, name, { group: GROUP, pages: {}, metrics: [{ list: "races", field: "times", label: "times in a data race" }] });
    return {
        ...records,
        pages: { races: racePage, "lock-cycles": cyclePage },
        tiles: (tile) => [has(races) ? tile("Data races", text.count(races.length), `${text.plural(d3.sum(races.times), "time")} in all`, memspy.link("races")) : null],
        said: () => (has(races) ? [{ weight: 2.9, sentence: `${text.plural(races.length, "data race")}, first of all on ${variable(0)} in ${stacks.title(races.stack[0])}.` }] : []),
        searched: () => (has(races) ? store.numbers(races.length).map((i) => ({ kind: "Race", text: `${variable(i)} ${stacks.title(races.stack[i])}`, href: memspy.link("races", i) })) : []),
        harm: () => (has(races) ? races.length : 0) + (has(cycles) ? cycles.length : 0),
        findings: () => (has(races) ? store.numbers(races.length).map((i) => ({ gain: Infinity, href: memspy.link("races", i), draw: () => card(i) })) : []),
    };
});
