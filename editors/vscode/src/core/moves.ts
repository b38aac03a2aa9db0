// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where the lines of a profile are while their files are edited. Records keep the lines of the run; what is shown of them
// is moved. A line whose own text is changed keeps its place, but what was found there need not hold any more; one that is
// cut in two, joined with another or deleted has no place.

import { Spot } from './profile';

/** As editors tell it: the text from `start` to `end` gave way to `text`. Lines and columns are counted from 0. */
export interface TextChange {
    start: { line: number; column: number };
    end: { line: number; column: number };
    text: string;
}

/** Lines of the run that follow each other and do so still; the first one is `first`, counted from 0, and is now `at`. */
interface Run {
    first: number;
    count: number;
    at: number;
    changed: boolean;
}

const UNMOVED: readonly Run[] = [{ first: 0, count: Infinity, at: 0, changed: false }];

function isBlank(text: string): boolean {
    return text.trim() === '';
}

function part(run: Run, from: number, to: number): Run {
    return { first: run.first + from - run.at, count: to - from, at: from, changed: run.changed };
}

/** Where a line that the change touches is now. `begin` is the line of the change's start in the text after it. */
function touched(line: number, { start, end, text }: TextChange, begin: number, after: (line: number) => string): { at: number; changed: boolean } | undefined {
    const written = text.split(/\r?\n/), added = written.length - 1;
    const first = written[0] ?? '', last = written[added] ?? '';
    const before = after(begin).slice(0, start.column);
    const rest = after(begin + added).slice(last.length + (added === 0 ? start.column : 0));
    const inserted = start.line === end.line && start.column === end.column;
    if (inserted && isBlank(first) && isBlank(rest)) return { at: begin, changed: false };
    if (line === end.line && (inserted || end.column === 0) && isBlank(last) && isBlank(before)) return { at: begin + added, changed: false };
    return start.line === end.line && added === 0 ? { at: begin, changed: true } : undefined;
}

function applied(runs: readonly Run[], change: TextChange, begin: number, after: (line: number) => string): Run[] {
    const { start, end, text } = change;
    const shift = text.split('\n').length - 1 - (end.line - start.line);
    return runs.flatMap((run) => {
        const stop = run.at + run.count, parts: Run[] = [];
        if (run.at < start.line) parts.push(part(run, run.at, Math.min(stop, start.line)));
        for (const line of new Set([start.line, end.line])) {
            if (line < run.at || line >= stop) continue;
            const place = touched(line, change, begin, after);
            // What is above has not been applied yet.
            if (place !== undefined) parts.push({ ...part(run, line, line + 1), at: place.at - begin + start.line, changed: run.changed || place.changed });
        }
        if (stop > end.line + 1) {
            const below = part(run, Math.max(run.at, end.line + 1), stop);
            parts.push({ ...below, at: below.at + shift });
        }
        return parts;
    });
}

function joined(runs: readonly Run[]): Run[] {
    const result: Run[] = [];
    for (const run of runs) {
        const last = result[result.length - 1];
        if (last?.changed === run.changed && last.first + last.count === run.first && last.at + last.count === run.at) last.count += run.count;
        else result.push({ ...run });
    }
    return result;
}

function same(one: readonly Run[], other: readonly Run[]): boolean {
    return one.length === other.length && one.every((run, number) => {
        const { first, count, at, changed } = other[number] ?? run;
        return run.first === first && run.count === count && run.at === at && run.changed === changed;
    });
}

export class Moves {
    private readonly files = new Map<string, { now: readonly Run[]; saved: readonly Run[] }>();

    /** Changes that were made at once, each told by the text before all of them. True if a line has another place or text. */
    change(file: string, changes: readonly TextChange[], after: (line: number) => string): boolean {
        const runs = this.files.get(file) ?? { now: UNMOVED, saved: UNMOVED };
        const sorted = [...changes].sort((a, b) => a.start.line - b.start.line || a.start.column - b.start.column);
        const begins: number[] = [];
        let shift = 0;
        for (const { start, end, text } of sorted) {
            begins.push(start.line + shift);
            shift += text.split('\n').length - 1 - (end.line - start.line);
        }
        let now = runs.now;
        for (let number = sorted.length - 1; number >= 0; --number) {
            const change = sorted[number], begin = begins[number];
            if (change !== undefined && begin !== undefined) now = applied(now, change, begin, after);
        }
        now = joined(now);
        this.files.set(file, { now, saved: runs.saved });
        return !same(now, runs.now);
    }

    saved(file: string): void {
        const runs = this.files.get(file);
        if (runs !== undefined) this.files.set(file, { now: runs.now, saved: runs.now });
    }

    /** The file is as it was saved: changes that were not are gone. True if there were any. */
    closed(file: string): boolean {
        const runs = this.files.get(file);
        if (runs === undefined) return false;
        this.files.set(file, { now: runs.saved, saved: runs.saved });
        return !same(runs.now, runs.saved);
    }

    /** Where the line is now, whatever its text is. */
    now(spot: Spot): Spot | undefined {
        const run = this.runOf(spot);
        return run && { ...spot, line: spot.line - run.first + run.at };
    }

    /** Where the line is now, if it is the line of the run. */
    intact(spot: Spot): Spot | undefined {
        return this.runOf(spot)?.changed === false ? this.now(spot) : undefined;
    }

    /** The line of the run that is here now. */
    was(spot: Spot): Spot | undefined {
        const line = spot.line - 1;
        const run = this.runsOf(spot.file).find(({ at, count }) => at <= line && line < at + count);
        return run === undefined || run.changed ? undefined : { ...spot, line: spot.line - run.at + run.first };
    }

    private runsOf(file: string): readonly Run[] {
        return this.files.get(file)?.now ?? UNMOVED;
    }

    private runOf(spot: Spot): Run | undefined {
        const line = spot.line - 1;
        return this.runsOf(spot.file).find(({ first, count }) => first <= line && line < first + count);
    }
}
