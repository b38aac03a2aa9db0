// SPDX-License-Identifier: GPL-2.0-or-later
//
// The figures of a metric as trees: by object and the functions that meet it; by function and its lines.

import { Change } from './compare';
import { Figure, totalOf } from './heat';
import { Profile, Sources, Spot, grouped, spotAt, spotOf } from './profile';

export interface Node {
    label: string;
    description: string;
    value: number;
    spot?: Spot;
    children: Node[];
}

/** Nodes of each level, at most; below this share of its total there are none. */
const MOST = 200;
const SMALLEST_SHARE = 0.0005;

function groupedBy<K>(figures: Figure[], key: (figure: Figure) => K): Map<K, Figure[]> {
    const groups = new Map<K, Figure[]>();
    for (const figure of figures) {
        const name = key(figure);
        const group = groups.get(name);
        if (group === undefined) groups.set(name, [figure]);
        else group.push(figure);
    }
    return groups;
}

function described(value: number, total: number, change?: Change): string {
    const text = `${grouped(value)} (${((100 * value) / total).toFixed(1)} %)`;
    if (change === undefined) return text;
    return change.before === undefined ? `${text}, new` : `${text}, before ${grouped(change.before)}`;
}

function worstFirst(nodes: Node[], total: number): Node[] {
    return nodes.filter(({ value }) => value >= SMALLEST_SHARE * total).sort((a, b) => b.value - a.value).slice(0, MOST);
}

function lineNodes(figures: Figure[], total: number): Node[] {
    const lines = groupedBy(figures.filter((figure) => figure.spots.length > 0), (figure) => `${figure.spots[0]?.file}:${figure.spots[0]?.line}`);
    return worstFirst([...lines].map(([name, each]) => {
        const value = totalOf(each), spot = each[0]?.spots[0];
        return { label: name.slice(name.lastIndexOf('/') + 1), description: described(value, total), value, children: [],
            ...(spot ? { spot } : {}) };
    }), total);
}

function functionOf(figure: Figure): string {
    return figure.spots[0]?.fn || 'code of others';
}

function functionNodes(figures: Figure[], total: number, change?: (name: string, value: number) => Change | undefined): Node[] {
    return worstFirst([...groupedBy(figures, functionOf)].map(([name, each]) => {
        const value = totalOf(each), children = lineNodes(each, total), spot = children[0]?.spot;
        return { label: name, description: described(value, total, change?.(name, value)), value, children, ...(spot ? { spot } : {}) };
    }), total);
}

export function treeByFunction(figures: Figure[], change?: (name: string, value: number) => Change | undefined): Node[] {
    return functionNodes(figures, totalOf(figures), change);
}

export function treeByObject(profile: Profile, figures: Figure[], sources: Sources,
                             change?: (name: string, value: number) => Change | undefined): Node[] {
    const total = totalOf(figures);
    return worstFirst([...groupedBy(figures, (figure) => figure.object)].map(([id, each]) => {
        const value = totalOf(each), label = profile.label(id), object = profile.object(id);
        const made = object?.stack !== undefined ? spotOf(profile.framesOf(object.stack), sources) : undefined;
        const spot = (object && spotAt(object, sources)) ?? made;
        return { label, description: described(value, total, change?.(label, value)), value, children: functionNodes(each, total),
            ...(spot ? { spot } : {}) };
    }), total);
}
