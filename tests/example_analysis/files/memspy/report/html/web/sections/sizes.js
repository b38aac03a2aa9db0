// SPDX-License-Identifier: GPL-2.0-or-later
// The sizes of accesses.
"use strict";
memspy.section("sizes", (sizes, name) => memspy.records(sizes, name, {
    group: "Access sizes",
    pages: { sizes: { list: "counts", nav: "Sizes", title: "Accesses by size", columns: ["bytes", ["loads", { bar: true }], "stores"] } },
}));
