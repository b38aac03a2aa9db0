// SPDX-License-Identifier: GPL-2.0-or-later
//
// The figures of a profile by source line. Any list of a section whose records have a stack, or a line, and a count is
// a metric: an analysis that is not known here is shown all the same.

import { FieldKind, Row } from './document';
import { Profile, SourceLine, Sources, Spot, eventsOf, spotAt, spotsOf, valueOf } from './profile';

export interface Metric {
    id: string;
    title: string;
    section: string;
    list: string;
    value(row: Row): number;
}

export interface Figure {
    spots: (Spot & { fn: string })[];
    object: number;
    thread: number;
    value: number;
}

function kindOf(field: FieldKind | undefined): string | undefined {
    return Array.isArray(field) ? field[0] : field;
}

function hasPlace(fields: Record<string, FieldKind>): boolean {
    return kindOf(fields.stack) === 'stack' || (kindOf(fields.line) !== undefined && fields.kind === undefined);
}

/** The most telling ones first. */
export function metricsOf(profile: Profile): Metric[] {
    const metrics: Metric[] = [];
    const sections = profile.report?.fields ?? {};
    if (sections.contention?.rows !== undefined && profile.report?.contention) {
        metrics.push({ id: 'contention.rows.events', title: 'contention: events', section: 'contention', list: 'rows',
            value: (row) => eventsOf(row.modelled as Row | undefined) });
    }
    for (const [section, lists] of Object.entries(sections)) {
        for (const [list, fields] of Object.entries(lists)) {
            const rows = rowsOf(profile, section, list);
            if (!hasPlace(fields) || rows.length === 0) continue;
            for (const [field, kind] of Object.entries(fields)) {
                if (kindOf(kind) !== 'count' || field === 'processes') continue;
                if (!rows.some((row) => Number(valueOf(row, field) ?? 0) > 0)) continue;
                metrics.push({ id: `${section}.${list}.${field}`, title: `${section}: ${field.replace('.', ' ')}`, section, list,
                    value: (row) => Number(valueOf(row, field) ?? 0) });
            }
        }
    }
    const telling = ['contention.rows.events', 'cost.rows.cycles', 'zeros.rows.redundant'];
    const rank = (metric: Metric): number => (telling.indexOf(metric.id) + telling.length + 1) % (telling.length + 1);
    return metrics.map((metric, place) => ({ metric, place })).sort((a, b) => rank(a.metric) - rank(b.metric) || a.place - b.place)
        .map(({ metric }) => metric);
}

function rowsOf(profile: Profile, section: string, list: string): Row[] {
    const found = (profile.report as unknown as Record<string, Record<string, unknown> | null>)[section]?.[list];
    return Array.isArray(found) ? (found as Row[]) : [];
}

/** The records of a metric, with their lines in the workspace, innermost first. */
export function figuresOf(profile: Profile, metric: Metric, sources: Sources): Figure[] {
    return rowsOf(profile, metric.section, metric.list).flatMap((row) => {
        const value = metric.value(row);
        if (value === 0) return [];
        let spots: (Spot & { fn: string })[];
        if (row.stack !== undefined) {
            spots = spotsOf(profile.framesOf(Number(row.stack)), sources);
        } else {
            const spot = spotAt(row as SourceLine, sources);
            spots = spot === undefined ? [] : [{ ...spot, fn: String(row.fn ?? '') }];
        }
        return [{ spots, object: Number(row.object ?? 0), thread: Number(row.thread ?? 0), value }];
    });
}

export interface LineHeat {
    line: number;
    value: number;
    fn: string;
}

/** By file. With `inclusive` each line of the calls gets the value once, else only the innermost. */
export function heatOf(figures: Figure[], inclusive: boolean): Map<string, LineHeat[]> {
    const files = new Map<string, Map<number, LineHeat>>();
    for (const figure of figures) {
        const seen = new Set<string>();
        for (const spot of inclusive ? figure.spots : figure.spots.slice(0, 1)) {
            const name = `${spot.file}:${spot.line}`;
            if (seen.has(name)) continue;
            seen.add(name);
            const lines = files.get(spot.file) ?? new Map<number, LineHeat>();
            files.set(spot.file, lines);
            const heat = lines.get(spot.line) ?? { line: spot.line, value: 0, fn: spot.fn };
            heat.value += figure.value;
            lines.set(spot.line, heat);
        }
    }
    return new Map([...files].map(([file, lines]) => [file, [...lines.values()].sort((a, b) => a.line - b.line)]));
}

export function totalOf(figures: Figure[]): number {
    return figures.reduce((sum, figure) => sum + figure.value, 0);
}

export const LEVELS = 5;

/** 0, cold, to LEVELS - 1: each level is a quarter of the one above it. */
export function levelOf(value: number, hottest: number): number {
    if (value <= 0 || hottest <= 0) return 0;
    return Math.max(0, LEVELS - 1 - Math.floor(Math.log(hottest / value) / Math.log(4)));
}
