// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers and names as people read them.
"use strict";
memspy.text = (() => {
    const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
    const short = d3.format(".3~s");

    const count = (n) => whole.format(n);
    const brief = (n) => (Math.abs(n) < 10000 ? count(n) : short(n));
    // A share below the whole is not rounded to 100 %, one above zero not to 0.
    const percent = (part, all) => {
        if (!all) return "–";
        const share = (100 * part) / all;
        if (share > 99.9 && share < 100) return "99.9 %";
        if (share > 0 && share < 0.1) return "< 0.1 %";
        return `${share.toFixed(share === 100 || share === 0 ? 0 : 1)} %`;
    };
    const real = (x, digits = 3) => x.toFixed(digits);
    const bytes = (n) => `${count(n)} ${n === 1 ? "byte" : "bytes"}`;
    const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
    const list = (names, most = 4) => {
        const shown = names.slice(0, most);
        const rest = names.length - shown.length;
        if (rest > 0) return `${shown.join(", ")} and ${rest} more`;
        return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
    };
    const capital = (words) => words[0].toUpperCase() + words.slice(1);
    const bare = (path) => path.slice(path.lastIndexOf("/") + 1);

    // Members as the program's author knows them, without those of a library's types, as memspy-report's own_paths makes them:
    // lock_ rather than lock_.__data.__lock, and not the other members of that union. Each once.
    const ownPaths = (paths) => {
        const own = paths.map((path) => path.replace(/(?<=.)\.(?=_[_A-Z]).*/, ""));
        const cut = new Set(own.filter((path, i) => path !== paths[i]));
        return [...new Set(own)].filter((path) => !path.endsWith("]") || !cut.has(path.slice(0, path.lastIndexOf("["))));
    };

    // "worker[0].found", "worker[1].found"… of one variable become worker[0…3].found.
    const fields = (names) => {
        const groups = new Map();
        for (const name of names) {
            const pattern = name.replace(/\[\d+\]/, "[#]");
            if (!groups.has(pattern)) groups.set(pattern, []);
            const index = name.match(/\[(\d+)\]/);
            groups.get(pattern).push(index ? Number(index[1]) : null);
        }
        return [...groups].map(([pattern, found]) => {
            const numbers = [...new Set(found.filter((n) => n !== null))].sort((a, b) => a - b);
            if (!numbers.length) return pattern;
            const gapless = numbers.at(-1) - numbers[0] === numbers.length - 1;
            const inside = numbers.length === 1 ? numbers[0]
                : gapless ? `${numbers[0]}…${numbers.at(-1)}` : list(numbers.map(String), 6);
            return pattern.replace("[#]", `[${inside}]`);
        });
    };
    return { count, brief, percent, real, bytes, plural, list, capital, bare, ownPaths, fields };
})();
