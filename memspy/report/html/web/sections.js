// SPDX-License-Identifier: GPL-2.0-or-later
// The sections' additions to the page. A section's script calls memspy.section(name, make). If the data has a
// section of that name, make(data, name) returns an object with its additions, all optional:
//
//   pages          {name: {nav, group, badge, shown, render}}, as in memspy.pages
//   metrics()      [{key, label, table, value(row)}]: figures charged to the stacks of a table;
//                  one with `last` comes behind those of all sections. One with lines() instead of table and value has
//                  figures of source lines only: file -> line -> {self, said, heat}; files are sorted by `self`, `heat`
//                  goes from 0 to 1, legend() explains the colours
//   tiles(tile)    figures at the top of the first page
//   findings()     [{draw(), href, gain}]: the findings, the worst first. `gain`: the share of the run's time, or of the
//                  data that it loads, that is saved without it, as far as predicted; Infinity for errors. Cards say what it is a share of.
//                  `advised`: whether it has advice, `places`: names of its lines; both or neither
//   said()         [{sentence, weight}]: what was found; the first page has the three of the greatest weight
//   searched()     [{kind, text, href}]: what a search over all pages finds, beside objects, functions and files
//   suppressions() [{kind, stack, text}]: of errors that other sections show
//   harm()         the number of harmful findings
//   clean()        a sentence for "none found", shown if another section's results are not in the data
//   cards()        totals on the first page
//   banners()      sentences that a reader must know first
//   objectHead(i), objectParts(i)   parts of the page of an object
//   threadColumns(), threadParts()  parts of the page of the threads
//   threadNote()   text of the tile of the threads
//   about()        assumptions
//
// `absent`: the first page's text if nothing harmful was found, and the section is not in the data. A section
// without a script is shown by memspy.records.
"use strict";
memspy.sections = (() => {
    const { store } = memspy;
    const makers = new Map();
    // Several names: sections of one form, of which a page has one.
    memspy.section = (name, make, { absent = null } = {}) => { for (const each of [name].flat()) makers.set(each, { make, absent, names: [name].flat() }); };
    // Made at first use, when all scripts have been run.
    const all = store.memo(() => Object.entries(store.data.sections).map(([name, data]) => (makers.get(name)?.make ?? memspy.records)(data, name)));
    const gather = (member, ...given) => all().flatMap((section) => section[member]?.(...given) ?? []);
    const pages = () => Object.assign({}, ...all().map((section) => section.pages ?? {}));
    const absent = () => [...new Set([...makers.values()].filter((maker) => maker.absent && !maker.names.some((name) => Object.hasOwn(store.data.sections, name)))
        .map((maker) => maker.absent))];
    return { gather, pages, absent };
})();
