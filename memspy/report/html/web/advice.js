// SPDX-License-Identifier: GPL-2.0-or-later
// What a section advises, a row {function, line, stack, text, share} for each change: its page, and its cards on the first
// page. Of each row's number:
//
//   share     in words: of what, and how much
//   source    the code to show; by default that of `line` in `stack`
//   label     the card's heading; by default function and line
"use strict";
memspy.advice = (list, { name, group, title, sub, lead, share, source, label }) => {
    const { h, text, store, stacks } = memspy;
    const place = (i) => `${text.bare(list.function[i])} (${list.line[i]})`;
    const shareOf = (i) => share(i, text.percent(list.share[i], 1e6));
    const sentence = (i) => h("p.advice", {}, h("b", {}, "Advice: "), `${text.capital(list.text[i])}.`);
    const shown = source ?? ((i) => memspy.source.ofFrame(store.frameAt(list.stack[i], list.line[i])));
    const page = {
        nav: "Advice", group,
        badge: () => list.length,
        shown: () => list.length > 0,
        render: (main) => memspy.put(main, h("header.page", {}, h("h1", {}, title), h("p.sub", {}, sub)), lead?.(),
            store.numbers(list.length).map((i) => h("article.detail", { "aria-label": "Advice" }, h("h2", {}, `${place(i)}: ${shareOf(i)}`), sentence(i), shown(i)))),
    };
    const findings = () => store.numbers(list.length).map((i) => ({ href: memspy.link(name), advised: true, places: [stacks.title(list.stack[i])],
        draw: () => h("article.card.finding", {}, h("header", {}, h("span.badge", {}, group), h("h3", {}, label?.(i) || place(i))),
            memspy.facts([["Share", shareOf(i)]]), sentence(i)) }));
    return { page, findings };
};
