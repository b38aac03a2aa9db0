// SPDX-License-Identifier: GPL-2.0-or-later
//
// A cache line as text, as `memspy-report text` draws it: a row for each thread, and the fields under it.

import { CacheLine, Field } from './document';
import { Profile, eventsOf, grouped } from './profile';

/** The worst lines with bytes of the object, the worst first. */
export function linesOf(profile: Profile, object: number): CacheLine[] {
    return profile.lines.filter((line) => line.extents.some((extent) => extent.object === object))
        .sort((a, b) => eventsOf(b.modelled) - eventsOf(a.modelled));
}

interface Use {
    loads: boolean;
    stores: boolean;
}

function sign(use: Use | undefined): string {
    if (use === undefined) return '.';
    return use.stores ? (use.loads ? '+' : 'w') : 'r';
}

/** The threads that use bytes of this field, with what they do. */
export function usersOf(line: CacheLine, field: { first: number; bytes: number }): Map<number, Use> {
    const users = new Map<number, Use>();
    for (const range of line.ranges) {
        if (range.first >= field.first + field.bytes || range.first + range.bytes <= field.first) continue;
        const use = users.get(range.thread) ?? { loads: false, stores: false };
        use.loads ||= (range.loads ?? 0) > 0;
        use.stores ||= (range.stores ?? 0) > 0;
        users.set(range.thread, use);
    }
    return users;
}

/** The fields that some thread uses, in the order of their bytes. */
export function usedFields(line: CacheLine, object: number): Field[] {
    return line.extents.filter((extent) => extent.object === object).flatMap((extent) => extent.fields ?? [])
        .filter((field) => usersOf(line, field).size > 0).sort((a, b) => a.first - b.first);
}

export function byteMap(profile: Profile, line: CacheLine, size: number): string {
    const threads = [...new Set(line.ranges.map((range) => range.thread))].sort((a, b) => a - b);
    const text = [`line ${line.address}, ${grouped(eventsOf(line.modelled))} events (r read, w written, + both)`];
    for (const thread of threads) {
        const bytes = Array.from({ length: size }, (_, byte) => sign(usersOf(line, { first: byte, bytes: 1 }).get(thread)));
        text.push(`thread ${String(thread).padStart(4)}  ${bytes.join('')}`);
    }
    for (const extent of line.extents) {
        const used = usedFields(line, extent.object);
        const parts = used.length > 0 ? used : [{ first: extent.first, bytes: extent.bytes, name: profile.label(extent.object), type: '' }];
        for (const part of parts) {
            const users = [...usersOf(line, part)].map(([thread, use]) => `${thread} ${sign(use)}`);
            if (users.length === 0) continue;
            const range = `${part.first} to ${part.first + part.bytes - 1}`;
            text.push(`${range.padEnd(11)}  ${part.name}${part.type ? ` (${part.type})` : ''}: thread ${users.join(', ')}`);
        }
    }
    return text.join('\n');
}
