// SPDX-License-Identifier: GPL-2.0-or-later
// Access maps: an object's bytes from top to bottom, time from left to right, reads and writes apart. A rectangle that is
// drawn with the mouse is shown larger; the cell under the pointer, or that arrow keys lead to, is told in words.
"use strict";
memspy.localityMap = (() => {
    const { h, text, store, charts, theme } = memspy;
    const MOST_COLUMNS = 512, MOST_ROWS = 256, WIDTH = 768, HEIGHT = 256;
    const USES = [["read", "Reads", "47, 127, 181"], ["written", "Writes", "217, 72, 15"]];

    // In the middle of the power of two that the letter stands for.
    const accesses = (letter) => {
        const power = letter >= "A" && letter <= "Z" ? letter.charCodeAt(0) - 65 : letter >= "a" && letter <= "f" ? letter.charCodeAt(0) - 71 : -1;
        return power < 0 ? 0 : power === 0 ? 1 : 1.5 * 2 ** power;
    };
    // Calls f(first row, last row, column, length, accesses) for each run of equal cells (docs/profile.md).
    const eachRun = (cells, f) => {
        for (const [, first, last, runs] of cells.matchAll(/(\d+)(?:-(\d+))?:(\S*)/g)) {
            let column = 0;
            for (const [, length, letter] of runs.matchAll(/(\d*)(\D)/g)) {
                const n = Math.min(Number(length || 1), MOST_COLUMNS - column);
                if (accesses(letter)) f(Number(first), Math.min(Number(last ?? first), MOST_ROWS - 1), column, n, accesses(letter));
                column += n;
            }
        }
    };

    // The rows of the table `maps` as one picture: cells[use][row * columns + column] lists [row of the table, accesses].
    const picture = (maps, ids) => {
        let begin = Infinity, end = 0, first = Infinity, endByte = 0, step = 1, bytes = 1;
        for (const i of ids) {
            begin = Math.min(begin, maps.begin[i]);
            first = Math.min(first, maps["first-byte"][i]);
            step = Math.max(step, maps.step[i]);
            bytes = Math.max(bytes, maps["row-bytes"][i]);
            for (const [use] of USES) eachRun(maps[use][i], (_, last, column, length) => {
                end = Math.max(end, maps.begin[i] + (column + length) * maps.step[i]);
                endByte = Math.max(endByte, maps["first-byte"][i] + (last + 1) * maps["row-bytes"][i]);
            });
        }
        while ((end - begin) / step > MOST_COLUMNS) step *= 2;
        while ((endByte - first) / bytes > MOST_ROWS) bytes *= 2;
        const columns = Math.max(1, Math.ceil((end - begin) / step)), rows = Math.max(1, Math.ceil((endByte - first) / bytes));
        const cells = Object.fromEntries(USES.map(([use]) => [use, new Array(columns * rows)]));
        for (const i of ids) for (const [use] of USES) eachRun(maps[use][i], (top, bottom, column, length, n) => {
            for (let row = top; row <= bottom; row++) for (let c = column; c < column + length; c++) {
                const y = Math.floor((maps["first-byte"][i] + row * maps["row-bytes"][i] - first) / bytes);
                const x = Math.floor((maps.begin[i] + c * maps.step[i] - begin) / step);
                const cell = (cells[use][y * columns + x] ??= []);
                const same = cell.find(([other]) => other === i);
                if (same) same[1] += n; else cell.push([i, n]);
            }
        });
        return { begin, step, first, bytes, columns, rows, cells };
    };
    const sum = (cell) => d3.sum(cell ?? [], ([, n]) => n);

    const draw = (maps, all) => {
        const threads = [...new Set(all.map((i) => maps.thread[i]))].sort((a, b) => a - b);
        const functions = [...new Set(all.map((i) => maps.fn[i]))].sort();
        const state = { thread: "", fn: "", by: "accesses", cursor: null };
        const box = h("div.accessmap");
        let shown, view, panels = [];

        const colours = {
            thread: { of: (i) => maps.thread[i], colour: (key) => theme.thread(key), keys: threads, label: store.threadName },
            fn: { of: (i) => maps.fn[i], colour: (key) => theme.thread(functions.indexOf(key) + 1), keys: functions, label: (key) => key },
        };
        // Who has most accesses in the cell.
        const leader = (cell, of) => {
            const totals = new Map();
            for (const [i, n] of cell) totals.set(of(i), (totals.get(of(i)) ?? 0) + n);
            return [...totals].sort((a, b) => b[1] - a[1])[0][0];
        };
        const words = (use, x, y) => {
            const cell = shown.cells[use][y * shown.columns + x];
            const lines = [`bytes ${text.count(shown.first + y * shown.bytes)}–${text.count(shown.first + (y + 1) * shown.bytes - 1)}`,
                `instructions ${text.count(shown.begin + x * shown.step)}–${text.count(shown.begin + (x + 1) * shown.step - 1)}`];
            if (!cell) return [...lines, use === "read" ? "not read" : "not written"];
            const sorted = [...cell].sort((a, b) => b[1] - a[1]);
            return [...lines, ...sorted.slice(0, 6).map(([i, n]) => `about ${text.count(n)} ${use === "read" ? "reads" : "writes"}: ${maps.fn[i]}, ${store.threadName(maps.thread[i])}`),
                ...(sorted.length > 6 ? [`and ${sorted.length - 6} more`] : [])];
        };

        const panel = (use, label, ink) => {
            const canvas = h("canvas", { width: WIDTH, height: HEIGHT, tabindex: "0", role: "img" });
            const frame = h("div.frame", {}, canvas);
            const down = h("div.down", { "aria-hidden": "true" }), across = h("div.across", { "aria-hidden": "true" });
            const said = h("p.note", { role: "status" });
            let from = null, band = null;
            const cellAt = (event) => {
                const area = canvas.getBoundingClientRect();
                const at = (value, size, low, high) => Math.max(low, Math.min(high - 1, low + Math.floor((value / size) * (high - low))));
                return [at(event.clientX - area.left, area.width, view.left, view.right), at(event.clientY - area.top, area.height, view.top, view.bottom)];
            };
            const paint = () => {
                const context = canvas.getContext("2d");
                context.clearRect(0, 0, WIDTH, HEIGHT);
                const wide = WIDTH / (view.right - view.left), high = HEIGHT / (view.bottom - view.top);
                const top = Math.max(1, Math.log2(panels.most));
                for (let y = view.top; y < view.bottom; y++) for (let x = view.left; x < view.right; x++) {
                    const cell = shown.cells[use][y * shown.columns + x];
                    if (!cell) continue;
                    const by = colours[state.by];
                    context.globalAlpha = 0.25 + 0.75 * Math.min(1, Math.log2(sum(cell)) / top);
                    context.fillStyle = by ? by.colour(leader(cell, by.of)) : `rgb(${ink})`;
                    const [px, py] = [Math.floor((x - view.left) * wide), Math.floor((y - view.top) * high)];
                    context.fillRect(px, py, Math.max(1, Math.floor((x + 1 - view.left) * wide) - px), Math.max(1, Math.floor((y + 1 - view.top) * high) - py));
                }
                context.globalAlpha = 1;
                if (state.cursor && document.activeElement === canvas) {
                    context.strokeStyle = "rgb(128, 128, 128)";
                    context.strokeRect((state.cursor[0] - view.left) * wide, (state.cursor[1] - view.top) * high, wide, high);
                }
                const marks = (low, high_, value) => [low, (low + high_) / 2, high_].map((at) => h("span", {}, value(at)));
                down.replaceChildren(...marks(view.top, view.bottom, (y) => `+${text.count(shown.first + Math.floor(y) * shown.bytes)}`));
                across.replaceChildren(...marks(view.left, view.right, (x) => text.brief(shown.begin + Math.floor(x) * shown.step)));
                canvas.setAttribute("aria-label", `${label}: ${text.brief(d3.sum(shown.cells[use], sum))} accesses, bytes ${text.count(shown.first + view.top * shown.bytes)} to `
                    + `${text.count(shown.first + view.bottom * shown.bytes - 1)}; arrow keys go through the cells`);
            };
            canvas.addEventListener("pointerdown", (event) => {
                from = cellAt(event);
                band = [event.offsetX, event.offsetY];
                canvas.setPointerCapture(event.pointerId);
            });
            canvas.addEventListener("pointermove", (event) => {
                const [x, y] = cellAt(event);
                charts.showTip(words(use, x, y), event.clientX, event.clientY);
                if (!from) return;
                paint();
                const context = canvas.getContext("2d"), scale = WIDTH / canvas.getBoundingClientRect().width;
                context.strokeStyle = "rgb(128, 128, 128)";
                context.strokeRect(band[0] * scale, band[1] * scale, (event.offsetX - band[0]) * scale, (event.offsetY - band[1]) * scale);
            });
            canvas.addEventListener("pointerup", (event) => {
                const to = cellAt(event), begin = from;
                from = null;
                if (begin && (Math.abs(to[0] - begin[0]) > 1 || Math.abs(to[1] - begin[1]) > 1))
                    view = { left: Math.min(begin[0], to[0]), right: Math.max(begin[0], to[0]) + 1, top: Math.min(begin[1], to[1]), bottom: Math.max(begin[1], to[1]) + 1 };
                panels.forEach((each) => each.paint());
            });
            canvas.addEventListener("pointerleave", charts.hideTip);
            canvas.addEventListener("dblclick", whole);
            canvas.addEventListener("keydown", (event) => {
                const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] ?? [0, 0];
                if (event.key === "Escape") return whole();
                if (!dx && !dy) return undefined;
                event.preventDefault();
                const [x, y] = state.cursor ?? [view.left - dx, view.top - dy];
                state.cursor = [Math.max(view.left, Math.min(view.right - 1, x + dx)), Math.max(view.top, Math.min(view.bottom - 1, y + dy))];
                said.textContent = words(use, ...state.cursor).join("; ");
                return paint();
            });
            canvas.addEventListener("blur", () => { said.textContent = ""; state.cursor = null; paint(); });
            return { paint, element: h("figure.map", {}, h("figcaption", {}, label), h("div.picture", {}, down, frame, h("div"), across), said) };
        };
        const whole = () => {
            view = { left: 0, right: shown.columns, top: 0, bottom: shown.rows };
            panels.forEach((each) => each.paint());
        };
        const choice = (label, key, entries) => h("label.choice", {}, `${label}: `, h("select", { onchange: (event) => { state[key] = event.target.value; build(); } },
            entries.map(([value, name]) => h("option", { value, selected: state[key] === String(value) }, name))));
        const build = () => {
            const ids = all.filter((i) => (!state.thread || maps.thread[i] === Number(state.thread)) && (!state.fn || maps.fn[i] === state.fn));
            shown = picture(maps, ids);
            panels = USES.filter(([use]) => ids.some((i) => maps[use][i])).map(([...use]) => panel(...use));
            panels.most = Math.max(1, ...USES.map(([use]) => d3.max(shown.cells[use].filter(Boolean), sum) ?? 0));
            const by = colours[state.by];
            const swatch = (ink) => h("span.scale", { style: { background: `linear-gradient(90deg, rgba(${ink}, .25), rgb(${ink}))` } });
            box.replaceChildren(
                h("div.choices", {}, choice("Thread", "thread", [["", "all"], ...threads.map((t) => [t, t])]), choice("Function", "fn", [["", "all"], ...functions.map((f) => [f, f])]),
                    choice("Colours", "by", [["accesses", "how often"], ["thread", "thread"], ["fn", "function"]]), h("button", { type: "button", onclick: whole }, "Whole picture")),
                ...panels.map((each) => each.element),
                by ? charts.legend(by.keys.slice(0, 24).map((key) => ({ label: by.label(key), colour: by.colour(key) })))
                    : h("p.note", {}, "1 access in a cell ", USES.map(([, , ink]) => swatch(ink)), ` ${text.brief(panels.most)}, by powers of two.`),
                h("p.note", {}, `Down: bytes of the object, ${text.plural(shown.bytes, "byte")} a cell; right: instructions of the program, ${text.brief(shown.step)} a cell. `
                    + "Draw a rectangle to see it larger; double-click for the whole."));
            whole();
        };
        build();
        return box;
    };
    return { draw };
})();
