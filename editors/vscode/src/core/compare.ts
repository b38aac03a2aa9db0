// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run against a baseline. Lines move between two runs; so they are compared within their function, in order, where
// it has as many lines with figures as before, and only by their number elsewhere.

import { Figure, LineHeat, heatOf, totalOf } from './heat';
import { Finding } from './findings';
import { Profile } from './profile';

export interface Change {
    before: number | undefined; // undefined: it was not there
    after: number;
}

function sums(figures: Figure[], name: (figure: Figure) => string): Map<string, number> {
    const found = new Map<string, number>();
    for (const figure of figures) found.set(name(figure), (found.get(name(figure)) ?? 0) + figure.value);
    return found;
}

export interface Comparison {
    object(label: string, value: number): Change;
    fn(name: string, value: number): Change;
    lines(file: string, inclusive: boolean): Map<number, Change>;
    total: Change;
}

function byFunction(lines: LineHeat[]): Map<string, LineHeat[]> {
    const functions = new Map<string, LineHeat[]>();
    for (const line of lines) functions.set(line.fn, [...(functions.get(line.fn) ?? []), line]);
    return functions;
}

function changesOf(before: LineHeat[], after: LineHeat[]): Map<number, Change> {
    const changes = new Map<number, Change>();
    const old = byFunction(before);
    for (const [fn, lines] of byFunction(after)) {
        const others = old.get(fn) ?? [];
        lines.forEach((line, place) => {
            const same = others.length === lines.length ? others[place] : others.find((other) => other.line === line.line);
            changes.set(line.line, { before: same?.value, after: line.value });
        });
    }
    return changes;
}

/** `before` and `after` are the figures of one metric. */
export function compare(old: Profile, before: Figure[], after: Figure[]): Comparison {
    const objects = sums(before, (figure) => old.label(figure.object));
    const functions = sums(before, (figure) => figure.spots[0]?.fn || 'code of others');
    return {
        object: (label, value) => ({ before: objects.get(label), after: value }),
        fn: (name, value) => ({ before: functions.get(name), after: value }),
        lines: (file, inclusive) => changesOf(heatOf(before, inclusive).get(file) ?? [], heatOf(after, inclusive).get(file) ?? []),
        total: { before: totalOf(before), after: totalOf(after) },
    };
}

/** The findings that the baseline has not. */
export function newFindings(before: Finding[], after: Finding[]): Set<Finding> {
    const known = new Set(before.map((finding) => finding.key));
    return new Set(after.filter((finding) => !known.has(finding.key)));
}
