// SPDX-License-Identifier: GPL-2.0-or-later
// The first page: the worst findings, and the totals of each section.
"use strict";
(() => {
    const { h, text, store, sections } = memspy;
    const { data } = store;
    const MOST_FINDINGS = 5, MOST_LISTED = 40;

    const tile = (label, value, note, href = null) => {
        const had = memspy.compare.tiles().get(label);
        const inside = [h("span.label", {}, label), h("span.value", {}, value), h("span.note", {}, note), had === undefined ? null : h("span.note", {}, `before: ${had}`)];
        return href ? h("a.tile", { href }, inside) : h("div.tile", {}, inside);
    };

    const banners = () => {
        const out = [];
        for (const run of data.runs)
            if (run.finished === false) out.push(`Process ${run.pid} had not come to its end when its figures were written (${data.madeBy}).`);
        out.push(...sections.gather("banners"), ...data.problems);
        // Most libraries have no debug information, which does not matter; for the program it does. Its file may have another
        // name than it was called by.
        const own = new Set(data.runs.map((run) => text.bare(run.exe ?? "")));
        const missing = data.modules.filter((m) => m.status && m.status !== "ok" && !text.bare(m.path).startsWith("vgpreload_")
            && (!m.status.endsWith("has no debug information") || own.has(text.bare(m.path)) || !text.bare(m.path).includes(".so")));
        if (missing.length) out.push(`Names may be missing: ${text.list(missing.map((m) => m.status), 3)}.`);
        return out.map((words) => h("p.banner", { role: "note" }, words));
    };

    // What has no advice tells its reader less than what has, at the same line, and comes behind it.
    const behindAdvice = (found) => {
        const out = [];
        for (const finding of found) {
            const at = finding.advised ? out.findIndex((other) => other.advised === false && other.places.some((place) => finding.places.includes(place))) : -1;
            if (at < 0) out.push(finding);
            else out.splice(at, 0, finding);
        }
        return out;
    };
    const findings = () => {
        // A stable order: what has no prediction stays in the order of its section, behind what has one.
        const found = behindAdvice(sections.gather("findings").sort((a, b) => (b.gain ?? 0) - (a.gain ?? 0) || 0));
        if (!found.length) return null;
        const rest = found.slice(MOST_FINDINGS);
        return [h("h2", {}, "Mend first"), h("p.sub", {}, "Errors first, then leaks, then what would save most, as far as it can be predicted."),
            h("div.cards.wide", {}, found.slice(0, MOST_FINDINGS).map((finding) => finding.draw())),
            rest.length ? h("details.plain", {}, h("summary", {}, text.plural(rest.length, "further finding")), h("div.cards.wide", {}, rest.slice(0, MOST_LISTED).map((finding) => finding.draw()))) : null];
    };
    // What was found, in at most three sentences.
    const MOST_SENTENCES = 3;
    const summary = () => {
        const said = sections.gather("said").filter(Boolean).sort((a, b) => b.weight - a.weight).slice(0, MOST_SENTENCES);
        return said.length ? h("p.lead", {}, said.map(({ sentence }) => sentence).join(" ")) : null;
    };
    const verdict = () => {
        if (d3.sum(sections.gather("harm"))) return null;
        const absent = sections.absent();
        return absent.length ? h("p.sub", {}, [...sections.gather("clean"), ...absent].join(" ")) : h("p.good", {}, "Nothing that harms was found.");
    };

    const totals = () => {
        const cards = sections.gather("cards");
        return cards.length ? [h("h2", {}, "Totals"), h("div.cards", {}, cards)] : null;
    };

    memspy.pages.overview = {
        nav: "Overview", group: "",
        render: (main) => {
            const run = data.runs[0];
            memspy.put(main, h("header.page", {}, h("h1", {}, data.title),
                run ? h("p.sub.mono", {}, [run.exe, ...(run.arguments ?? [])].join(" ")) : null,
                data.runs.length > 1 ? h("p.sub", {}, `${text.plural(data.runs.length, "process", "processes")} together`) : null), banners(), summary(),
            h("div.tiles", {}, sections.gather("tiles", tile), tile("Threads", text.count(data.threads.length || 1), sections.gather("threadNote").join(", "), memspy.link("threads"))),
            findings(), verdict(), totals());
        },
    };
})();
