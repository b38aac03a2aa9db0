// SPDX-License-Identifier: GPL-2.0-or-later
// Two workers count in memory that they share.
"use strict";
const { Worker, isMainThread, workerData } = require("worker_threads");
if (isMainThread) {
    const words = new Int32Array(new SharedArrayBuffer(64));
    let ended = 0;
    for (let place = 0; place < 2; place++)
        new Worker(__filename, { workerData: { words, place } }).on("exit", () => { if (++ended === 2) console.log(words[0], words[1]); });
} else {
    for (let k = 0; k < 20000; k++) Atomics.add(workerData.words, workerData.place, 1);
}
