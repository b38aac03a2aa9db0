// SPDX-License-Identifier: GPL-2.0-or-later
// The ranks in time: when each ran, and when it waited for whom. A row for each rank.
"use strict";
// `callOf(rank, number)`: the row of the page of calls; `callTitle`, `seconds`: as texts.
memspy.mpiTimes = (mpi, { callOf, callTitle, seconds }) => {
    const { h, text, store } = memspy;
    const { ranks, sends, receives, collectives, "longest-waits": waits } = mpi.tables;

    const origin = store.memo(() => d3.min(ranks.began));
    const from = (s) => waits.begin[s] - origin(), until = (s) => from(s) + waits.waited[s];
    // A rank ends with the last call that is known of it; `end`: its place in an event of `size` numbers.
    const rows = store.memo(() => {
        const found = new Map(Array.from(ranks.rank, (rank, i) => [rank, { rank, name: `rank ${rank}`, begin: ranks.began[i] - origin(), end: 0, spans: [] }]));
        for (const [events, size, end] of [[sends, 6, 5], [receives, 7, 6], [collectives, 4, 3]])
            for (let i = 0; i < (events?.length ?? 0); i++) {
                const row = found.get(events.rank[i]), numbers = events.events[i];
                for (let k = end; row && k < numbers.length; k += size) row.end = Math.max(row.end, row.begin + numbers[k]);
            }
        for (const s of store.numbers(waits?.length ?? 0)) found.get(waits.rank[s])?.spans.push(s);
        return [...found.values()].filter((row) => row.end > row.begin).sort((a, b) => a.rank - b.rank);
    });
    // Of many ranks those that wait least, for which the others wait, and those that wait most.
    const AT_AN_END = 24;
    const shown = store.memo(() => {
        if (rows().length <= 2 * AT_AN_END) return rows();
        const waited = (row) => d3.sum(row.spans, (s) => waits.waited[s]);
        const sorted = [...rows()].sort((a, b) => waited(a) - waited(b) || a.rank - b.rank);
        return [...sorted.slice(0, AT_AN_END), ...sorted.slice(-AT_AN_END)].sort((a, b) => a.rank - b.rank);
    });

    return {
        nav: "Ranks in time", group: "Communication",
        shown: () => waits?.length > 0 && rows().length > 1,
        render: (main) => memspy.put(main, h("header.page", {}, h("h1", {}, "Ranks in time"),
            h("p.sub", {}, "From MPI_Init to the last call. Gray: the rank runs, or is in a call without waiting. In colour: it waits for another rank. Times are those under memspy."),
            shown().length < rows().length ? h("p.sub", {}, `Of ${text.count(rows().length)} ranks the ${AT_AN_END} that wait least and the ${AT_AN_END} that wait most.`) : null),
        memspy.timeline({ rows: shown(), parties: "rank", from, until, waited: (s) => waits.waited[s], group: (s) => callOf(waits.rank[s], waits.number[s]), title: callTitle,
            said: (s) => [`rank ${waits.rank[s]} waits in ${callTitle(callOf(waits.rank[s], waits.number[s]))}`, `${seconds(waits.waited[s])} s for rank ${waits.whom[s]}, from ${seconds(from(s))} s on`],
            link: (call) => memspy.link("mpi-calls", call), tick: (time) => `${Number((time / 1e6).toPrecision(6))} s`, least: 10 })),
    };
};
