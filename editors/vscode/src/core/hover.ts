// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is known of a source line, as Markdown: its figures, the objects that it meets, who meets whom, the byte map.

import { byteMap, linesOf } from './bytes';
import { Figure, Metric, figuresOf, metricsOf, totalOf } from './heat';
import { Profile, Sources, Spot, eventsOf, grouped, spotAt } from './profile';

const MOST_OBJECTS = 3;
const MOST_METRICS = 6;

/** Names come from the program: nothing in them is Markdown. */
export function escaped(text: string): string {
    return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&]/g, '\\$&');
}

function isHere(figure: Figure, spot: Spot): boolean {
    const innermost = figure.spots[0];
    return innermost !== undefined && innermost.file === spot.file && innermost.line === spot.line;
}

/** The objects that are declared at the line, and those that the line's code meets, with the metric's values. */
function objectsAt(profile: Profile, figures: Figure[], sources: Sources, spot: Spot): Map<number, number> {
    const objects = new Map<number, number>();
    for (const figure of figures) {
        const object = profile.object(figure.object);
        if (object === undefined) continue;
        const declared = spotAt(object, sources);
        const declaredHere = declared?.file === spot.file && declared.line === spot.line;
        if (declaredHere || isHere(figure, spot)) objects.set(object.id, (objects.get(object.id) ?? 0) + figure.value);
    }
    return new Map([...objects].sort((a, b) => b[1] - a[1]));
}

function meetings(profile: Profile, object: number): string[] {
    const pairs = profile.pairs.filter((pair) => pair.object === object && pair.other !== undefined && (pair.modelled?.events ?? 0) > 0);
    return pairs.sort((a, b) => (b.modelled?.events ?? 0) - (a.modelled?.events ?? 0)).slice(0, 4)
        .map((pair) => `thread ${pair.thread} meets thread ${pair.other}: ${grouped(pair.modelled?.events ?? 0)} events`);
}

export class HoverTexts {
    private readonly metrics: { metric: Metric; figures: Figure[]; total: number }[];

    constructor(private readonly profile: Profile, private readonly sources: Sources) {
        this.metrics = metricsOf(profile).map((metric) => {
            const figures = figuresOf(profile, metric, sources);
            return { metric, figures, total: totalOf(figures) };
        });
    }

    /** Undefined where the line is in no record. */
    at(spot: Spot, chosen: Metric | undefined): string | undefined {
        const figures = this.metrics.find(({ metric }) => metric.id === chosen?.id)?.figures ?? [];
        const table = this.metrics.flatMap(({ metric, figures: all, total }) => {
            const value = totalOf(all.filter((figure) => isHere(figure, spot)));
            return value === 0 ? [] : [`| ${escaped(metric.title)} | ${grouped(value)} | ${((100 * value) / total).toFixed(1)} % |`];
        }).slice(0, MOST_METRICS);
        const objects = objectsAt(this.profile, figures, this.sources, spot);
        if (table.length === 0 && objects.size === 0) return undefined;
        const text = ['**memspy**'];
        if (table.length > 0) text.push(['| metric | here | of all |', '|---|--:|--:|', ...table].join('\n'));
        for (const [object, value] of [...objects].slice(0, MOST_OBJECTS)) text.push(...this.object(object, value, chosen));
        return text.join('\n\n');
    }

    private object(id: number, value: number, chosen: Metric | undefined): string[] {
        const object = this.profile.object(id);
        const type = object?.type ? ` (${object.type})` : '';
        const text = [`**${escaped(this.profile.label(id))}**${escaped(type)}: ${grouped(value)} ${escaped(chosen?.title ?? '')}`];
        const pairs = meetings(this.profile, id);
        if (pairs.length > 0) text.push(pairs.map((each) => `- ${each}`).join('\n'));
        const worst = linesOf(this.profile, id)[0];
        if (worst !== undefined && eventsOf(worst.modelled) > 0) {
            const size = this.profile.report?.contention?.model?.['line-size'] ?? 64;
            text.push('```text\n' + byteMap(this.profile, worst, size).replace(/```/g, "'''") + '\n```');
        }
        return text;
    }
}
