// SPDX-License-Identifier: GPL-2.0-or-later
// Communication: calls over all ranks, ranks, and bytes from rank to rank.
"use strict";
memspy.section("mpi", (mpi) => {
    const { h, text, store, stacks, charts } = memspy;
    const { ranks, calls, communicators, peers, collectives, waiting } = mpi.tables;
    const { count } = memspy.Table;
    // A microsecond is not seen beside minutes.
    const seconds = (microseconds) => text.real(microseconds / 1e6, microseconds < 1e8 ? 6 : 3);
    const time = (key, label, title, value, more = {}) => count(key, label, title, (i) => value(i) / 1e6, { text: (i) => seconds(value(i)), width: "minmax(104px, .7fr)", ...more });
    const GROUP = "Communication";

    const waited = new Map(Array.from(waiting.rank, (rank, i) => [`${rank} ${waiting.number[i]}`, waiting.microseconds[i]]));
    const sum = () => ({ calls: 0, bytes: 0, microseconds: 0, waiting: 0, worked: 0 });
    const add = (to, i) => {
        to.calls += calls.calls[i];
        // A rank's part of a collective operation counts once.
        to.bytes += calls.sent[i] || calls.received[i];
        to.microseconds += calls.microseconds[i];
        to.waiting += waited.get(`${calls.rank[i]} ${calls.number[i]}`) ?? 0;
        to.worked += calls.worked?.[i] ?? 0;
    };
    const gathered = (key, make) => {
        const found = new Map();
        for (let i = 0; i < calls.length; i++) {
            const name = key(i);
            if (!found.has(name)) found.set(name, { ...sum(), ...make(i), ranks: new Map() });
            const row = found.get(name);
            add(row, i);
            if (!row.ranks.has(calls.rank[i])) row.ranks.set(calls.rank[i], sum());
            add(row.ranks.get(calls.rank[i]), i);
        }
        return [...found.values()];
    };
    const placeOf = (i) => [calls.pattern[i], calls.name[i], stacks.title(calls.stack[i])].join("\n");
    const byCall = store.memo(() => gathered(placeOf, (i) => ({ place: placeOf(i), pattern: calls.pattern[i], name: calls.name[i], stack: calls.stack[i] })));
    const callTitle = (i) => `${byCall()[i].name}, ${stacks.title(byCall()[i].stack)}`;
    const rowOfCall = store.memo(() => {
        const rows = new Map(byCall().map(({ place }, i) => [place, i]));
        return new Map(store.numbers(calls.length).map((i) => [`${calls.rank[i]} ${calls.number[i]}`, rows.get(placeOf(i))]));
    });
    const byRank = store.memo(() => gathered((i) => calls.rank[i], (i) => ({ rank: calls.rank[i] })));

    const figures = (row) => [count("calls", "Calls", "", (i) => row(i).calls), count("bytes", "Bytes", "sent, or received where nothing is sent", (i) => row(i).bytes),
        time("seconds", "Seconds", "inside the calls", (i) => row(i).microseconds, { bar: true }), time("waiting", "Waiting", "seconds until the partner came", (i) => row(i).waiting)];
    const times = (row) => [...row.ranks.values()].map((r) => r.microseconds);
    // Median and outliers as in memspy-report's table "Findings by rank".
    const spread = (row) => {
        const all = Array.from(row.ranks, ([rank, r]) => ({ rank, value: r.microseconds })).sort((a, b) => a.value - b.value || a.rank - b.rank);
        const last = all.length - 1, quarter = Math.floor(last / 4), low = all[quarter].value, high = all[last - quarter].value;
        const far = 3 * Math.max(high - low, high / 8);
        return { median: all[Math.floor(last / 2)].value,
            outliers: all.length < 4 ? [] : all.filter(({ value }) => value > high + far || value + far < low).reverse() };
    };
    const spreads = store.memo(() => byCall().map(spread));
    const slowest = (row) => [...row.ranks].reduce((most, each) => (each[1].microseconds > most[1].microseconds ? each : most))[0];

    // Neighbours together where there are too many: at most `most` groups of one size, {name, ranks}.
    const inGroups = (all, most) => {
        const size = Math.ceil(all.length / most);
        return d3.range(0, all.length, size).map((first) => all.slice(first, first + size))
            .map((members) => ({ ranks: members, name: members.length === 1 ? String(members[0]) : `${members[0]}–${members.at(-1)}` }));
    };

    const MOST_IN_DETAIL = 64;
    const callDetail = (i) => {
        const row = byCall()[i];
        const slow = [...row.ranks].sort((a, b) => b[1].microseconds - a[1].microseconds).slice(0, MOST_IN_DETAIL);
        return h("article.detail", { "aria-label": "Call" }, h("h2", {}, callTitle(i)),
            h("p.sub", {}, `${row.pattern}; slowest in rank ${slowest(row)}${slow.length < row.ranks.size ? `; the ${slow.length} slowest of ${text.count(row.ranks.size)} ranks` : ""}`),
            h("table.plain.counts", {}, h("thead", {}, h("tr", {}, ["rank", "calls", "bytes", "seconds", "waiting", "work before"].map((t) => h("th.number", { scope: "col" }, t)))),
                h("tbody", {}, (slow.length < row.ranks.size ? slow : slow.sort((a, b) => a[0] - b[0])).map(([rank, r]) => h("tr", {}, h("th.number", { scope: "row" }, rank),
                    [text.count(r.calls), text.count(r.bytes), seconds(r.microseconds), seconds(r.waiting), row.worked ? seconds(r.worked) : ""].map((t) => h("td.number", {}, t)))))),
            stacks.list(row.stack, { metric: "mpi" }));
    };
    const callPage = {
        nav: "Calls", group: GROUP,
        badge: () => byCall().length,
        render: (main, [number]) => {
            memspy.put(main, h("header.page", {}, h("h1", {}, "Calls of MPI"), h("p.sub", {}, "Each row: one call at one place, over all ranks.")));
            memspy.split(main, { label: "calls of MPI", ids: store.numbers(byCall().length), sort: { key: "seconds" }, below: true, columns: [
                { key: "pattern", label: "Pattern", width: "minmax(118px, .8fr)", value: (i) => byCall()[i].pattern },
                { key: "call", label: "Call", width: "minmax(136px, .8fr)", value: (i) => byCall()[i].name },
                { key: "context", label: "Context", width: "minmax(280px, 3fr)", value: (i) => stacks.title(byCall()[i].stack) },
                ...figures((i) => byCall()[i]),
                count("ranks", "Ranks", "", (i) => byCall()[i].ranks.size, { width: "76px" }),
                time("least", "Least", "seconds of the rank with the least", (i) => d3.min(times(byCall()[i]))),
                time("median", "Median", "seconds of the rank in the middle", (i) => spreads()[i].median),
                time("most", "Most", "seconds of the rank with the most", (i) => d3.max(times(byCall()[i]))),
                { key: "outliers", label: "Outliers", name: false, width: "minmax(92px, 1fr)", title: "ranks far from all others: by three times the distance of the quartiles",
                    value: (i) => text.list(spreads()[i].outliers.map(({ rank, value }) => `${rank}: ${seconds(value)}`), 4) },
            ] }, "mpi-calls", number ?? 0, callDetail);
        },
    };
    // Ranks as columns: seconds of each call in each rank, the more the darker, by row.
    const MOST_COLUMNS = 64, MOST_ROWS = 30;
    const ranksByCall = () => {
        const all = byRank().map((row) => row.rank).sort((a, b) => a - b);
        if (all.length < 2) return null;
        const columns = inGroups(all, MOST_COLUMNS), together = columns[0].ranks.length;
        const rows = store.numbers(byCall().length).sort((a, b) => byCall()[b].microseconds - byCall()[a].microseconds).slice(0, MOST_ROWS);
        const cells = (row) => {
            const most = d3.max(times(row)) || 1;
            return columns.map(({ ranks: members }) => {
                const spent = d3.max(members, (rank) => row.ranks.get(rank)?.microseconds);
                return spent === undefined ? h("td.number", {}, "") : h("td.number.count.hot", { style: { "--heat": `${Math.round(60 * spent / most)}%` } }, seconds(spent));
            });
        };
        return h("section", {}, h("h2", {}, "Seconds by call and rank"), h("p.sub", {}, `${together > 1 ? `The slowest of ${together} ranks. ` : ""}The darker, the nearer to the slowest rank of the row.`),
            memspy.scrolls(h("table.plain", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "call"), columns.map(({ name }) => h("th.number", { scope: "col" }, `rank ${name}`)))),
                h("tbody", {}, rows.map((i) => h("tr", {}, h("th", { scope: "row" }, h("a", { href: memspy.link("mpi-calls", i) }, callTitle(i))),
                    cells(byCall()[i])))))));
    };
    const missing = store.memo(() => {
        const known = new Set(ranks.rank);
        return store.numbers(d3.max(ranks.size)).filter((rank) => !known.has(rank));
    });
    const noProfile = (numbers) => `There is no profile of rank ${text.list(numbers.map(String), 20)}`;
    const rankPage = {
        nav: "Ranks", group: GROUP,
        badge: () => ranks.length,
        render: (main) => {
            const table = memspy.own(new memspy.Table({ label: "ranks", ids: store.numbers(byRank().length), sort: { key: "rank", descending: false }, columns: [
                { key: "rank", label: "Rank", number: true, name: true, width: "86px", value: (i) => byRank()[i].rank }, ...figures((i) => byRank()[i])] }));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Ranks"),
                missing().length ? h("p.sub", {}, `${noProfile(missing())}.`) : null), table.element, ranksByCall());
        },
    };

    const pairs = store.memo(() => {
        const found = new Map();
        const give = (from, to, value) => {
            if (!value) return;
            const pair = found.get(`${from} ${to}`) ?? { from, to, value: 0 };
            pair.value += value;
            found.set(`${from} ${to}`, pair);
        };
        for (let i = 0; i < (peers?.length ?? 0); i++) {
            give(peers.rank[i], peers.peer[i], peers.sent[i]);
            give(peers.peer[i], peers.rank[i], peers.fetched[i]);
        }
        return [...found.values()];
    });
    // Of many ranks neighbours are one square, which leads to the matrix of its own ranks.
    const matrixPage = {
        nav: "Who to whom", group: GROUP,
        shown: () => pairs().length > 0,
        render: (main, [chosen]) => {
            const ranges = (chosen ?? "").split(",").map((range) => range.split("-").map(Number)).filter((range) => range.length === 2 && !range.some(isNaN));
            // Of many ranks often only some were chosen to have profiles.
            const unmet = d3.max(ranks.size) <= charts.MOST_PARTIES ? missing() : [];
            const everyone = [...new Set([...pairs().flatMap((p) => [p.from, p.to]), ...unmet])].sort((a, b) => a - b);
            const groups = inGroups(ranges.length ? everyone.filter((rank) => ranges.some(([from, to]) => rank >= from && rank <= to)) : everyone, charts.MOST_PARTIES);
            const name = (group) => `${groups[group].ranks.length > 1 ? "ranks" : "rank"} ${groups[group].name}`;
            const range = (group) => `${groups[group].ranks[0]}-${groups[group].ranks.at(-1)}`;
            const groupOf = new Map(groups.flatMap((group, i) => group.ranks.map((rank) => [rank, i])));
            const found = new Map();
            for (const p of pairs()) {
                const from = groupOf.get(p.from), to = groupOf.get(p.to);
                if (from === undefined || to === undefined) continue;
                const pair = found.get(`${from} ${to}`) ?? { from, to, value: 0 };
                pair.value += p.value;
                found.set(`${from} ${to}`, pair);
            }
            const together = groups[0]?.ranks.length ?? 1;
            const unheard = new Map(groups.map((group, i) => [i, group.ranks.filter((rank) => missing().includes(rank))]).filter(([, ranks]) => ranks.length));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Bytes from rank to rank"),
                h("p.sub", {}, "Messages, one-sided operations and collective operations among neighbours; the stronger, the more.",
                    together > 1 ? ` A square is for ${together} by ${together} ranks, and leads to these.` : ""),
                missing().length ? h("p.sub", {}, `${noProfile(missing())}: what it sent is hatched.`) : null,
                ranges.length ? h("p.sub", {}, `Only among ${text.list(ranges.map(([from, to]) => `${from}–${to}`))}. `, h("a", { href: memspy.link("mpi-matrix") }, `All ${text.plural(everyone.length, "rank")}`)) : null),
            charts.matrix([...found.values()], { label: "Bytes from rank to rank", parties: "ranks", from: "from rank", to: "to rank", name: (group) => groups[group].name,
                tip: (p) => [`${name(p.from)} to ${name(p.to)}`, text.bytes(p.value)],
                unheard: { parties: [...unheard.keys()], tip: (from) => noProfile(unheard.get(from)) },
                link: together > 1 ? (p) => memspy.link("mpi-matrix", [...new Set([p.from, p.to])].map(range).join(",")) : undefined }));
        },
    };

    // The blocking collective operations: each rank's part, by communicator and place in its sequence.
    const operations = store.memo(() => {
        const comms = new Map(store.numbers(communicators?.length ?? 0).map((i) =>
            [`${communicators.rank[i]} ${communicators.number[i]}`, `${communicators.group[i]} ${communicators.ordinal[i]}`]));
        const began = new Map(Array.from(ranks.rank, (rank, i) => [rank, ranks.began[i]]));
        const names = new Map(store.numbers(calls.length).map((i) => [`${calls.rank[i]} ${calls.number[i]}`, calls.name[i]]));
        const found = new Map();
        for (let i = 0; i < (collectives?.length ?? 0); i++) {
            const rank = collectives.rank[i], events = collectives.events[i], places = new Map();
            for (let k = 0; k + 4 <= events.length; k += 4) {
                const comm = comms.get(`${rank} ${events[k]}`) ?? `? ${events[k]}`;
                const place = places.get(comm) ?? 0;
                places.set(comm, place + 1);
                const parts = found.get(`${comm} ${place}`) ?? [];
                parts.push({ rank, name: names.get(`${rank} ${events[k + 1]}`) ?? "", begin: began.get(rank) + events[k + 2], end: began.get(rank) + events[k + 3] });
                found.set(`${comm} ${place}`, parts);
            }
        }
        return [...found.values()].map((parts) => ({ parts, first: d3.min(parts, (p) => p.begin), last: d3.max(parts, (p) => p.begin) }));
    });
    // Of more ranks than twice this those that wait least, which come last, and those that wait most.
    const MOST_AT_AN_END = 24;
    const ranksToShow = store.memo(() => {
        const waits = new Map();
        for (const o of operations()) for (const p of o.parts) waits.set(p.rank, (waits.get(p.rank) ?? 0) + Math.min(p.end, o.last) - p.begin);
        const all = [...waits.keys()];
        if (all.length <= 2 * MOST_AT_AN_END) return { all: all.length, rows: all.sort((a, b) => a - b) };
        all.sort((a, b) => waits.get(a) - waits.get(b) || a - b);
        return { all: all.length, rows: [...all.slice(0, MOST_AT_AN_END).sort((a, b) => a - b), ...all.slice(-MOST_AT_AN_END).sort((a, b) => a - b)] };
    });
    const MOST_OPERATIONS = 1000, MOST_BARS = 20_000;
    // A row for each rank; the first part of a bar is the time until the last rank came.
    const timeline = (shown, rows) => {
        const kept = new Set(rows);
        const parts = shown.flatMap((o) => o.parts.filter((p) => kept.has(p.rank)).map((p) => ({ ...p, until: Math.min(p.end, o.last) })));
        const left = 60, width = 900, row = 22;
        const x = d3.scaleLinear().domain([d3.min(parts, (p) => p.begin), d3.max(parts, (p) => p.end)]).range([left, left + width]);
        const svg = d3.create("svg").attr("class", "timeline matrix").attr("role", "img").attr("aria-label", "Collective operations by time")
            .attr("width", left + width + 10).attr("height", 30 + rows.length * row);
        const at = new Map(rows.map((rank, i) => [rank, 24 + i * row]));
        const bars = (kind, from, to) => svg.append("g").selectAll("rect").data(parts).join("rect").attr("class", kind).attr("x", (p) => x(from(p)))
            .attr("y", (p) => at.get(p.rank)).attr("width", (p) => Math.max(to(p) > from(p) ? 1 : 0, x(to(p)) - x(from(p)))).attr("height", row - 6);
        const tip = (p) => [`${p.name}, rank ${p.rank}`, `${seconds(p.end - p.begin)} s, ${seconds(p.until - p.begin)} s of it waiting`];
        charts.tip(bars("working", (p) => p.until, (p) => p.end), tip);
        charts.tip(bars("hot", (p) => p.begin, (p) => p.until), tip);
        svg.append("g").selectAll("text").data(rows).join("text").attr("x", left - 8).attr("y", (rank) => at.get(rank) + row / 2).attr("text-anchor", "end").text((rank) => rank);
        svg.append("text").attr("class", "axis").attr("x", 0).attr("y", 14).text("rank");
        // Seconds from the first operation on.
        const since = d3.scaleLinear().domain([0, (x.domain()[1] - x.domain()[0]) / 1e6]).range(x.range()), bottom = 24 + rows.length * row;
        const ticks = since.ticks(8), label = since.tickFormat(8);
        svg.insert("g", "g").selectAll("line").data(ticks).join("line").attr("class", "tick").attr("x1", since).attr("x2", since).attr("y1", 20).attr("y2", bottom);
        svg.append("g").selectAll("text").data(ticks).join("text").attr("class", "axis").attr("x", since).attr("y", 14).attr("text-anchor", "middle").text((at) => `${label(at)} s`);
        return memspy.scrolls(svg.node());
    };
    const collectivePage = {
        nav: "Collectives", group: GROUP,
        shown: () => operations().length > 0,
        badge: () => operations().length,
        render: (main) => {
            const { all, rows } = ranksToShow();
            const shown = [...operations()].sort((a, b) => (b.last - b.first) - (a.last - a.first)).slice(0, Math.min(MOST_OPERATIONS, Math.ceil(MOST_BARS / rows.length)));
            memspy.put(main, h("header.page", {}, h("h1", {}, "Collective operations by time"),
                h("p.sub", {}, `The marked part of a bar: the rank waits for the last one. ${seconds(d3.sum(operations(), (o) => o.last - o.first))} s between the first and the last to come, in all operations.`),
                rows.length < all ? h("p.sub", {}, `Of ${text.count(all)} ranks the ${MOST_AT_AN_END} that wait least, for which the others wait, and below them the ${MOST_AT_AN_END} that wait most.`) : null),
            timeline(shown, rows),
            shown.length < operations().length ? h("p.note", {}, `the ${shown.length} least balanced of ${operations().length} operations`) : null);
        },
    };

    // Calls in which ranks wait for others, as a share of the time that the processes ran.
    const LEAST_SHARE = 0.01;
    // A rank that has more to do than the one in the middle by this has too much. Time of processors: who waits for one does not work.
    const UNEVEN = 1.1;
    const ran = store.memo(() => d3.sum(store.data.runs, (run) => Math.max(0, (Date.parse(run.end) - Date.parse(run.start)) || 0)) * 1000);
    const late = (row) => {
        if (row.pattern === "point to point")
            return "the partner comes later: let it send earlier, or begin with MPI_Irecv or MPI_Isend, and work before MPI_Wait.";
        if (!row.worked) return "ranks come there at different times: divide what they do before more evenly.";
        const work = Array.from(row.ranks, ([rank, r]) => ({ rank, worked: r.worked })).sort((a, b) => a.worked - b.worked || a.rank - b.rank);
        const middle = work[Math.floor((work.length - 1) / 2)].worked, most = work.at(-1);
        return most.worked > UNEVEN * middle
            ? `rank ${most.rank} works ${seconds(most.worked)} s before it, the rank in the middle ${seconds(middle)} s: give rank ${most.rank} less to do.`
            : `ranks work equally long before it, ${seconds(work[0].worked)} to ${seconds(most.worked)} s: they wait for a processor, or for a message before.`;
    };
    const findings = () => store.numbers(byCall().length).filter((i) => ran() && byCall()[i].waiting > LEAST_SHARE * ran()).map((i) => {
        const row = byCall()[i];
        return { gain: row.waiting / ran(), href: memspy.link("mpi-calls", i), draw: () => h("article.card.finding", {},
            h("header", {}, h("span.badge", {}, "Communication"), h("h3", {}, h("a", { href: memspy.link("mpi-calls", i) }, `Ranks wait for others in ${row.name}`))),
            memspy.facts([["Predicted", `at most ${text.percent(row.waiting, ran())} of the ranks' time saved, if nobody waited there`], ["Code", stacks.place(row.stack)],
                ["Waiting", `${seconds(row.waiting)} of ${seconds(row.microseconds)} s in ${text.plural(row.calls, "call")}, ${text.plural(row.ranks.size, "rank")}`]]),
            h("p.advice", {}, h("b", {}, "Advice: "), late(row))) };
    });

    const total = (name) => d3.sum(byRank(), (row) => row[name]);
    return {
        pages: { "mpi-calls": callPage, "mpi-ranks": rankPage, "mpi-matrix": matrixPage, "mpi-times": memspy.mpiTimes(mpi, { callOf: (rank, number) => rowOfCall().get(`${rank} ${number}`), callTitle, seconds }),
            "mpi-collectives": collectivePage },
        metrics: () => [{ key: "mpi", label: "microseconds in calls of MPI", table: calls, value: (i) => calls.microseconds[i] }],
        findings,
        tiles: (tile) => [tile("Communication", `${text.real(total("microseconds") / 1e6)} s`, `in ${text.plural(ranks.length, "rank")}, `
            + `${text.percent(total("waiting"), total("microseconds"))} of it waiting`, memspy.link("mpi-calls"))],
    };
});
