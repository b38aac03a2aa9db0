// SPDX-License-Identifier: GPL-2.0-or-later
//
// A small document, as memspy-report writes it: two threads write two members of a heap block of type Job, a static
// table of long holds small numbers, and there is a leak.
import { Document } from '../../src/core/document';

export const SOURCE = [
    '#include <thread>', // 1
    'struct Job {', // 2
    '    long done;', // 3
    '    long failed;', // 4
    '};', // 5
    'static long table[64];', // 6
    'static Job* job;', // 7
    'void one() { job->done++; }', // 8
    'void other() { job->failed++; }', // 9
    'int sum() { return table[1]; }', // 10
    'int main() { job = new Job; }', // 11
];

const at = (fn: string, line: number, ip: string) => ({ ip, module: 1, fn, dir: '/build/src', file: 'job.cc', line });

export function sample(times = 1): Document {
    return {
        generator: 'memspy-report 0.1', incomplete: [], problems: [],
        profile: {
            fields: {
                contention: { rows: { object: 'object', stack: 'stack', thread: 'thread', loads: 'count', stores: 'count', 'modelled.invalidations': 'count' } },
                zeros: { rows: { stack: 'stack', type: 'text', loads: 'count', redundant: 'count' } },
                unknown: { things: { stack: 'stack', surprises: 'count' } },
            },
            runs: [{ exe: './job', arguments: [] }],
            modules: [{ id: 1, path: '/build/job' }, { id: 2, path: '/usr/lib/libc.so.6' }],
            stacks: [
                { id: 1, own: 1, frames: [{ ip: '0x9', module: 2, fn: 'add', dir: '/usr/include/c++/12', file: 'atomic', line: 5 }, at('one()', 8, '0x1'), at('main', 11, '0x7')] },
                { id: 2, frames: [at('other()', 9, '0x2'), at('main', 11, '0x7')] },
                { id: 3, frames: [at('main', 11, '0x3')] },
                { id: 4, frames: [at('sum()', 10, '0x4')] },
            ],
            objects: [
                { kind: 'heap', id: 1, stack: 3, label: 'Job (job.cc:11)', name: 'Job', size: 16 },
                { kind: 'static', id: 2, label: 'table', variable: 'table', type: 'long int[64]', size: 512, dir: '/build/src', file: 'job.cc', line: 6 },
            ],
            contention: {
                model: { 'line-size': 64 },
                rows: [
                    { object: 1, stack: 1, thread: 2, loads: 10 * times, stores: 10 * times, modelled: { 'coherence-misses': 300 * times, invalidations: 300 * times } },
                    { object: 1, stack: 2, thread: 3, loads: 10, stores: 10, modelled: { 'coherence-misses': 100, invalidations: 100 } },
                ],
                pairs: [{ object: 1, thread: 2, other: 3, modelled: { events: 600 } }],
                lines: [{
                    address: '0x40', modelled: { 'coherence-misses': 400, invalidations: 400 },
                    extents: [{ object: 1, first: 0, bytes: 16, offset: 0, fields: [
                        { first: 0, bytes: 8, name: 'done', type: 'long int', dir: '/build/src', file: 'job.cc', line: 3 },
                        { first: 8, bytes: 8, name: 'failed', type: 'long int', dir: '/build/src', file: 'job.cc', line: 4 },
                    ] }],
                    ranges: [{ thread: 2, first: 0, bytes: 8, loads: 10, stores: 10 }, { thread: 3, first: 8, bytes: 8, stores: 10 }],
                }],
                groups: [{
                    kind: 'FalseSharing', finding: true, objects: [1], what: 'False sharing inside Job', figures: '800 events',
                    advice: 'Put done (thread 2), failed (thread 3) of Job on lines of their own (alignas(64) on each)',
                    remedies: [{ kind: 'part-members', means: 'alignas', 'line-size': 64, items: [{ role: 'subject', object: 1, bytes: 8, fields: 'done' }, { role: 'subject', object: 1, first: 8, bytes: 8, fields: 'failed' }] }],
                    sides: [{ stack: 1, thread: 2, loads: true, stores: true }, { stack: 2, thread: 3, loads: false, stores: true }],
                }],
            } as never,
            zeros: {
                rows: [{ stack: 4, type: 'integer', bytes: 8, loads: 50, redundant: 350, advice: [{ kind: 'narrow', type: 'uint8_t', text: 'every value fits uint8_t, it has 8 bytes' }] }],
                objects: [{ object: 2, accessed: 512, redundant: 448, advice: [{ kind: 'narrow', type: 'uint8_t', text: 'every value fits uint8_t' }] }],
            },
            unknown: { things: [{ stack: 2, surprises: 7 }] },
        } as never,
        errors: [{ file: 'errors.xml', exe: './job', errors: [
            { kind: 'FalseSharing', what: 'False sharing inside a heap block', count: 1, stack: [at('one()', 8, '0x1')], details: [] },
            { kind: 'Leak_DefinitelyLost', what: '16 bytes in 1 blocks are definitely lost', count: 1, stack: [{ fn: 'malloc', object: '/usr/lib/vgpreload_memspy.so' }, at('main', 11, '0x3')],
                details: [{ text: 'found at the end', stack: [] }] },
        ] }],
    };
}

export const FILE = 'served:/src/job.cc';
export const SOURCES = new Map([['/build/src/job.cc', FILE]]);
