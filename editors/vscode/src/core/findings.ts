// SPDX-License-Identifier: GPL-2.0-or-later
//
// What was found, each at a line of the workspace. Findings on sharing are taken from the profile, because its texts
// name members; without a profile, from the error file.

import { ErrorRecord, Group, Remedy } from './document';
import { Profile, Sources, Spot, grouped, spotAt, spotOf } from './profile';

export type Severity = 'error' | 'warning' | 'information';

export interface Finding {
    /** The same in another run of the program: kind, text, function and file. */
    key: string;
    kind: string;
    severity: Severity;
    text: string;
    spot: Spot;
    related: { text: string; spot: Spot }[];
    objects: number[];
    /** What the quick fixes are made of. */
    remedies: Remedy[];
    group?: Group;
    /** Of a race: what is missing in the OpenMP directive. */
    clause?: string;
    /** Another type for the values: of the object at `spot`, for redundant zeros. */
    narrow?: { object: number; type: string };
}

/** Redundant zeros below this share of all are not worth a line. */
const SMALLEST_SHARE = 0.01;

function withSides(profile: Profile, group: Group, sources: Sources): { text: string; spot: Spot }[] {
    return group.sides.flatMap((side) => {
        const spot = spotOf(profile.framesOf(side.stack), sources);
        const use = side.stores ? (side.loads ? 'reads and writes' : 'writes') : 'reads';
        return spot === undefined ? [] : [{ text: `thread ${side.thread} ${use} here`, spot }];
    });
}

function declarations(profile: Profile, objects: number[], sources: Sources): { text: string; spot: Spot }[] {
    return objects.flatMap((id) => {
        const object = profile.object(id);
        if (object === undefined) return [];
        const declared = spotAt(object, sources);
        if (declared !== undefined) return [{ text: `${object.label} is declared here`, spot: declared }];
        const made = object.kind === 'heap' ? spotOf(profile.framesOf(object.stack ?? 0), sources) : undefined;
        return made === undefined ? [] : [{ text: `${object.label} is allocated here`, spot: made }];
    });
}

function ofGroups(profile: Profile, sources: Sources): Finding[] {
    return profile.groups.filter((group) => group.finding).flatMap((group) => {
        const sides = withSides(profile, group, sources);
        const related = [...sides, ...declarations(profile, group.objects, sources)];
        const first = related[0];
        if (first === undefined) return [];
        return [{
            key: `${group.kind}\n${group.what}\n${first.spot.file}`,
            kind: group.kind,
            severity: 'warning' as const,
            text: [group.what, group.figures, group.advice].filter(Boolean).join('\n'),
            spot: first.spot,
            related: related.slice(1),
            objects: group.objects,
            remedies: group.remedies,
            group,
        }];
    });
}

function severityOf(error: ErrorRecord): Severity {
    if (error.kind.startsWith('Leak_')) return 'warning';
    return /Sharing|Contention|RedundantZeros/.test(error.kind) ? 'information' : 'error';
}

function ofErrors(profile: Profile, sources: Sources): Finding[] {
    const told = new Set(profile.groups.map((group) => group.kind));
    return profile.errors.filter((error) => !told.has(error.kind) && !(error.kind === 'RedundantZeros' && profile.report?.zeros))
        .flatMap((error) => {
            const spot = spotOf(error.stack, sources);
            if (spot === undefined) return [];
            const texts = [error.what], related: { text: string; spot: Spot }[] = [];
            for (const detail of error.details) {
                const place = spotOf(detail.stack, sources);
                if (place === undefined) texts.push(detail.text);
                else related.push({ text: detail.text, spot: place });
            }
            // Addresses and sizes in texts change; functions seldom do.
            const functions = error.stack.slice(0, 4).map((frame) => frame.fn ?? '').join('\n');
            return [{ key: `${error.kind}\n${spot.file}\n${functions}`, kind: error.kind, severity: severityOf(error), text: texts.join('\n'), spot,
                related, objects: [], remedies: [] }];
        });
}

function ofZeros(profile: Profile, sources: Sources): Finding[] {
    const zeros = profile.report?.zeros;
    if (!zeros) return [];
    const all = zeros.rows.reduce((sum, row) => sum + (row.redundant ?? 0), 0);
    const found = new Map<string, Finding>();
    for (const row of zeros.rows) {
        if (row.advice.length === 0 || (row.redundant ?? 0) < SMALLEST_SHARE * all) continue;
        const spot = spotOf(profile.framesOf(row.stack), sources);
        if (spot === undefined) continue;
        const advice = row.advice.map(({ text }) => text).join('; ');
        const kinds = row.advice.map(({ kind, type }) => `${kind} ${type ?? ''}`).join('; ');
        const key = `RedundantZeros\n${kinds}\n${spot.file}\n${profile.framesOf(row.stack)[0]?.fn ?? ''}\n${spot.line}`;
        found.set(key, { key, kind: 'RedundantZeros', severity: 'information', spot, related: [], objects: [], remedies: [],
            text: `${grouped(row.redundant ?? 0)} bytes loaded here are redundant zeros, ${grouped(row.loads)} loads: ${advice}` });
    }
    for (const object of zeros.objects) {
        const narrow = object.advice.find((each) => each.kind === 'narrow' && each.type);
        const declared = declarations(profile, [object.object], sources)[0];
        const one = profile.object(object.object);
        if (object.advice.length === 0 || declared === undefined || one?.kind !== 'static') continue;
        const advice = object.advice.map(({ text }) => text).join('; ');
        const key = `RedundantZeros\n${one.label}\n${declared.spot.file}`;
        found.set(key, { key, kind: 'RedundantZeros', severity: 'information', spot: declared.spot, related: [], objects: [one.id], remedies: [],
            text: `${grouped(object.redundant ?? 0)} of ${grouped(object.accessed)} bytes loaded of ${one.label} are always redundant zeros: ${advice}`,
            ...(narrow?.type ? { narrow: { object: one.id, type: narrow.type } } : {}) });
    }
    return [...found.values()];
}

function ofLocality(profile: Profile, sources: Sources): Finding[] {
    return (profile.report?.locality?.advice ?? []).flatMap((each) => {
        const spot = spotAt(each, sources);
        if (spot === undefined) return [];
        return [{ key: `Locality\n${each.kind}\n${profile.label(each.object)}\n${each.fn}`, kind: 'Locality', severity: 'information' as const,
            text: `${profile.label(each.object)}: ${each.text}`, spot,
            related: declarations(profile, [each.object], sources), objects: [each.object], remedies: [] }];
    });
}

function isAt(spot: Spot | undefined, other: Spot): boolean {
    return spot?.file === other.file && spot.line === other.line;
}

/** A race among the errors with the clause that the profile has for it. */
function withClause(profile: Profile, finding: Finding, sources: Sources): Finding {
    const places = [finding.spot, ...finding.related.map(({ spot }) => spot)];
    const race = finding.kind !== 'Race' ? undefined : profile.report?.races?.races.find((each) => each.clause !== undefined
        && isAt(spotOf(profile.framesOf(each.stack ?? 0), sources), finding.spot)
        && places.some((place) => isAt(spotOf(profile.framesOf(each['other-stack'] ?? 0), sources), place)));
    return race?.clause === undefined ? finding : { ...finding, clause: race.clause };
}

export function findingsOf(profile: Profile, sources: Sources): Finding[] {
    return [...ofErrors(profile, sources).map((each) => withClause(profile, each, sources)), ...ofGroups(profile, sources), ...ofZeros(profile, sources), ...ofLocality(profile, sources)];
}
