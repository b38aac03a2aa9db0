// SPDX-License-Identifier: GPL-2.0-or-later
// Light, dark or the system's choice; and the colours of threads.
"use strict";
memspy.theme = (() => {
    const root = document.documentElement;
    const media = window.matchMedia("(prefers-color-scheme: dark)");
    // Some browsers refuse storage to pages that are opened as files.
    const stored = () => { try { return localStorage.getItem("memspy-theme"); } catch { return null; } };
    const store = (value) => { try { localStorage.setItem("memspy-theme", value); } catch { /* for this time only */ } };

    let choice = stored() ?? "auto";
    const apply = () => root.setAttribute("data-theme", choice === "auto" ? (media.matches ? "dark" : "light") : choice);
    const follow = () => { media.addEventListener("change", apply); apply(); };

    const NEXT = { auto: "light", light: "dark", dark: "auto" };
    const button = () => {
        const label = () => `Colours: ${choice}`;
        const element = memspy.h("button.theme", { type: "button", title: "Light, dark, or as the system has it" }, label());
        element.addEventListener("click", () => {
            choice = NEXT[choice];
            store(choice);
            apply();
            element.textContent = label();
        });
        return element;
    };

    // First colours that are easily distinguished, then colours as far apart as possible.
    const thread = (number) => {
        const index = Math.max(0, number - 1);
        if (index < d3.schemeTableau10.length) return d3.schemeTableau10[index];
        return d3.hsl((index * 137.508) % 360, 0.55, 0.5 + 0.12 * ((index % 3) - 1)).hex();
    };
    return { follow, button, thread };
})();
