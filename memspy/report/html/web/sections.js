// SPDX-License-Identifier: GPL-2.0-or-later
// What sections add to the page. A section's script calls memspy.section(name, make); where the data has a section of
// that name, make(data, name) gives an object of what it adds, of which everything may be missing:
//
//   pages          {name: {nav, group, badge, shown, render}}, as in memspy.pages
//   metrics()      [{key, label, table, value(row)}]: what is charged to the stacks of a table;
//                  one with `last` comes behind those of all sections
//   tiles(tile)    figures at the top of the first page
//   findings()     [{draw(), href}]: what to mend first, the worst first
//   harm()         how much was found that harms
//   clean()        a sentence for where nothing was, said where another section's results are not in the data
//   cards()        totals on the first page
//   banners()      sentences that a reader must know first
//   objectHead(i), objectParts(i)   of the page of an object
//   threadColumns(), threadParts()  of the page of the threads
//   threadNote()   what the tile of the threads says
//   about()        what was assumed
//
// `absent`: what the first page says where nothing that harms was found, and the section is not in the data. A section
// without a script is shown by memspy.records.
"use strict";
memspy.sections = (() => {
    const { store } = memspy;
    const makers = new Map();
    memspy.section = (name, make, { absent = null } = {}) => makers.set(name, { make, absent });
    const make = (name, data) => (makers.get(name)?.make ?? memspy.records)(data, name);
    // Made when first asked for: all scripts have been run then.
    const all = store.memo(() => Object.entries(store.data.sections).map(([name, data]) => make(name, data)));
    const gather = (member, ...given) => all().flatMap((section) => section[member]?.(...given) ?? []);
    const pages = () => Object.assign({}, ...all().map((section) => section.pages ?? {}));
    const absent = () => [...makers].filter(([name, maker]) => maker.absent && !Object.hasOwn(store.data.sections, name))
        .map(([, maker]) => maker.absent);
    return { gather, pages, absent };
})();
