// SPDX-License-Identifier: GPL-2.0-or-later
// Source text with counts beside the lines.
"use strict";
memspy.source = (() => {
    const { h, text, store } = memspy;
    const { files, frames } = store.data;

    // Knows enough of C and related languages to distinguish words from comments. The text is always
    // complete.
    const TOKENS = /(\/\/.*$|\/\*.*?(?:\*\/|$))|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(^\s*#\s*\w+)|\b(0x[0-9a-fA-F']+|\d[\d.'eEfFuUlL]*)\b|\b(alignas|auto|bool|break|case|catch|char|class|concept|const|constexpr|continue|default|delete|do|double|else|enum|explicit|extern|false|float|for|friend|goto|if|inline|int|long|namespace|new|noexcept|nullptr|operator|private|protected|public|return|short|signed|sizeof|static|struct|switch|template|this|thread_local|throw|true|try|typedef|typename|union|unsigned|using|virtual|void|volatile|while|_Alignas|_Atomic|_Thread_local|restrict|NULL|size_t|u?int(?:8|16|32|64)_t)\b/g;
    const CLASSES = ["comment", "string", "directive", "numeral", "keyword"];
    const coloured = (lines) => {
        let inComment = false;
        return lines.map((line) => {
            const out = [];
            let at = 0;
            if (inComment) {
                const end = line.indexOf("*/");
                if (end < 0) return [h("i.comment", {}, line)];
                out.push(h("i.comment", {}, line.slice(0, end + 2)));
                at = end + 2;
                inComment = false;
            }
            TOKENS.lastIndex = at;
            for (let m; (m = TOKENS.exec(line));) {
                if (m[0] === "") { TOKENS.lastIndex++; continue; }
                if (m.index > at) out.push(line.slice(at, m.index));
                out.push(h(`i.${CLASSES[m.slice(1).findIndex((g) => g !== undefined)]}`, {}, m[0]));
                at = m.index + m[0].length;
                if (m[1]?.startsWith("/*") && !m[1].endsWith("*/")) inComment = true;
            }
            out.push(line.slice(at));
            return out;
        });
    };

    const assembly = new Map((store.data.assembly ?? []).map((entry) => [`${entry.file} ${entry.line}`, entry.code]));
    // The machine code of a line, opened beside it; the instructions that were charged are marked.
    const asmButton = (file, line, row) => {
        const code = assembly.get(`${file} ${line}`);
        if (!code) return null;
        let shown = null;
        return h("button.asm", { type: "button", "aria-expanded": "false", title: "Machine code of this line", onclick: (event) => {
            event.currentTarget.setAttribute("aria-expanded", String(!shown));
            if (shown) { shown.remove(); shown = null; return; }
            shown = h("div.machine", { role: "row" }, code.map((i) => h(`div${i.hot ? ".hot" : ""}${i.gap ? ".after" : ""}`, {}, h("span.no", {}, i.at), h("code", {}, i.text))));
            row().after(shown);
        } }, "asm");
    };

    const cellOf = (content) => (content ? h("span", { role: "cell" }, content) : null);

    // --editor-url: an address with {path} and {line}.
    const editorLink = (entry, line) => (store.data.editorUrl ? h("a.editor", { href: store.data.editorUrl
        .replaceAll("{path}", encodeURI(entry.path)).replaceAll("{line}", line || 1), title: "Open this line in your editor" }, "Open in editor") : null);

    const WHY = {
        none: "Source text was left out (--sources=none).",
        missing: "This file was not found when the page was made; --source-dir=DIR names its folder.",
        refused: "Its name is not that of a source file, so its text is not in the page.",
    };

    // A place for each line with counts, along the whole file.
    const MARKS = 240; // at most, the hottest ones
    const marks = (body, counts, value) => {
        const rows = [...body.querySelectorAll("[data-line]")];
        const at = new Map(rows.map((row, i) => [Number(row.dataset.line), i]));
        const shown = [...counts].filter(([line]) => at.has(line)).sort((a, b) => value(b[1]) - value(a[1])).slice(0, MARKS);
        const most = shown.length ? value(shown[0][1]) : 1;
        return h("div.marks", { "aria-hidden": "true" }, shown.map(([line, n]) => h("button", { type: "button", tabindex: "-1", title: `line ${line}`,
            style: { top: `${(100 * at.get(line)) / rows.length}%`, "--heat": `${Math.round(20 + 80 * Math.sqrt(value(n) / most))}%` },
            onclick: () => { body.scrollTop = rows[at.get(line)].offsetTop - body.offsetTop - body.clientHeight / 3; } })));
    };

    // `around`: number of lines on both sides of `line`; without it the whole text.
    const panel = (file, line, { around = null, metric = null, scroll = false } = {}) => {
        const entry = files[file];
        if (!entry) return h("p.note", {}, "No source line is known; compile with -g.");
        const link = h("a", { href: memspy.link("source", file, line || 1) }, entry.name, line ? `:${line}` : "");
        const head = h("div.codehead", {}, around === null ? h("span.path", {}, entry.path) : link, editorLink(entry, line));
        const box = h("div.code", { "data-file": file }, head);
        if (!entry.parts.length) {
            memspy.put(box, h("p.note", {}, WHY[entry.state] ?? "The file is empty."));
            return box;
        }
        const counted = store.metric(metric);
        const counts = counted ? store.lineCounts(counted.key).get(file) ?? new Map() : new Map();
        const most = Math.max(1, ...[...counts.values()].map((c) => Math.max(c.self, c.all ?? 0)));
        const value = (n) => (n.heat ?? n.self);
        const withCalls = around === null && !counted?.lines;
        if (counted) memspy.put(head, h("span.what", {}, counted.label, counted.legend ? [": ", counted.legend()] : withCalls ? ": at the line, and with what it calls" : ""));
        const body = h("div.lines", { role: "table", "aria-label": `${entry.name} with counts`, tabindex: "0" });
        let target = null, shown = 0;
        for (const part of entry.parts) {
            const from = around === null ? part.first : Math.max(part.first, line - around);
            const to = part.first + part.lines.length - 1;
            const last = around === null ? to : Math.min(to, line + around);
            if (from > last) continue;
            if (shown) memspy.put(body, h("div.gap", {}, "⋯"));
            coloured(part.lines.slice(from - part.first, last - part.first + 1)).forEach((content, i) => {
                const number = from + i;
                const n = counts.get(number);
                const cell = (value, { heat = Math.sqrt(value / most), said = text.brief(value), title = text.count(value) } = {}) => h("span.count", { role: "cell",
                    style: value ? { "--heat": `${Math.round(8 + 62 * heat)}%` } : {}, class: value ? "count hot" : "count", title: value ? title : null }, value ? said : "");
                const row = h(`div.line${number === line ? ".here" : ""}`, { role: "row", "data-line": number },
                    h("span.no", { role: "cell" }, number), cell(n?.self ?? 0, counted?.lines ? n : {}),
                    withCalls ? cell(n?.all ?? 0) : null, h("code", { role: "cell" }, content), cellOf(asmButton(file, number, () => row)));
                if (number === line) target = row;
                body.append(row);
                shown++;
            });
        }
        if (around === null && !line) {
            // The hottest line, and all others with counts beside the scroll bar.
            const hottest = [...counts].reduce((best, entry) => (best && value(best[1]) >= value(entry[1]) ? best : entry), null);
            target = hottest && body.querySelector(`[data-line="${hottest[0]}"]`);
        }
        if (!shown) memspy.put(body, h("p.note", {}, `Line ${line} is not in this file: it has changed since the program was compiled.`));
        memspy.put(box, around === null && counts.size ? h("div.withmarks", {}, body, marks(body, counts, value)) : body);
        if (scroll && target) requestAnimationFrame(() => {
            body.scrollTop += target.getBoundingClientRect().top - body.getBoundingClientRect().top - body.clientHeight / 3;
        });
        return box;
    };
    const ofFrame = (frame, options = {}) => (frame < 0 ? null : panel(frames.file[frame], frames.line[frame], { around: 6, ...options }));

    memspy.metricChoice = (current, changed, known = store.metrics()) => h("label.choice", {}, "Counts: ", h("select", { onchange: (event) => changed(event.target.value) },
        known.map((m) => h("option", { value: m.key, selected: m.key === current }, m.label))));

    memspy.pages.source = {
        nav: "Source", group: "Code",
        shown: () => files.length > 0,
        render: (main, [file, line, key]) => {
            const metric = store.metric(key);
            const counts = metric ? store.lineCounts(metric.key) : new Map();
            const total = (f) => d3.sum([...(counts.get(f)?.values() ?? [])], (c) => c.self);
            const number = file === undefined ? null : Number(file);
            memspy.put(main, h("header.page", {}, h("h1", {}, "Source"),
                metric ? memspy.metricChoice(metric.key, (next) => memspy.go("source", file ?? "", line ?? "", next)) : null));
            const ids = store.numbers(files.length);
            const table = memspy.own(new memspy.Table({
                label: "source files", ids, sort: { key: "self" }, height: number === null ? null : "206px",
                open: (f) => memspy.go("source", f, "", metric?.key ?? ""),
                columns: [
                    { key: "name", label: "File", value: (f) => files[f].name, width: "minmax(160px, 1fr)" },
                    { key: "path", label: "Path", name: false, value: (f) => files[f].path, width: "minmax(200px, 3fr)" },
                    { key: "self", label: metric?.label ?? "Counts", value: total, text: (f) => text.count(total(f)), number: true, bar: true, width: "180px" },
                    { key: "state", label: "Text", name: false, value: (f) => files[f].state, width: "90px" },
                ],
            }));
            if (number !== null && files[number]) table.select(number);
            memspy.put(main, table.element);
            if (number !== null && files[number]) memspy.put(main, panel(number, Number(line) || null, { metric: metric?.key, scroll: true }));
        },
    };
    return { panel, ofFrame };
})();
