// SPDX-License-Identifier: GPL-2.0-or-later
//
// A document with its references resolved: places of stacks, objects by number.

import { CacheLine, Document, ErrorRecord, Frame, Group, MemoryObject, Pair, Report, Row } from './document';

/** A line of a source file, counted from 1. `path` is as the compiler wrote it. */
export interface Place {
    path: string;
    line: number;
}

/** A place in a file of the workspace. */
export interface Spot {
    file: string;
    line: number;
}

/** From paths of the profile to files of the workspace; undefined for those of others. */
export type Sources = ReadonlyMap<string, string>;

const SYSTEM = ['/usr/include/', '/usr/lib', '/usr/local/include/', '/usr/local/lib', '/lib', '/usr/bin/../'];

export function isOfSystem(path: string): boolean {
    return SYSTEM.some((start) => path.startsWith(start));
}

/** Without `.` and `..`. */
export function normalised(path: string): string {
    const parts: string[] = [];
    for (const part of path.split('/')) {
        if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..' && parts[parts.length - 1] !== '') parts.pop();
        else if (part !== '.' && (part !== '' || parts.length === 0)) parts.push(part);
    }
    return parts.join('/');
}

/** A source line as records of a document have it. */
export type SourceLine = { dir?: string | undefined; file?: string | undefined; line?: number | undefined };

function placeOf(at: SourceLine): Place | undefined {
    if (!at.file || !at.line) return undefined;
    return { path: normalised(at.file.startsWith('/') || !at.dir ? at.file : `${at.dir}/${at.file}`), line: at.line };
}

export class Profile {
    readonly report: Report | null;
    readonly errors: ErrorRecord[];
    readonly groups: Group[];
    readonly lines: CacheLine[];
    readonly pairs: Pair[];
    private readonly stacks = new Map<number, { own: number; frames: Frame[] }>();
    private readonly objects = new Map<number, MemoryObject>();
    private readonly modules = new Map<number, string>();

    constructor(document: Document) {
        this.report = document.profile;
        this.errors = document.errors.flatMap((file) => file.errors);
        this.groups = this.report?.contention?.groups ?? [];
        this.lines = this.report?.contention?.lines ?? [];
        this.pairs = this.report?.contention?.pairs ?? [];
        for (const module of this.report?.modules ?? []) this.modules.set(module.id, module.path);
        for (const stack of this.report?.stacks ?? []) this.stacks.set(stack.id, { own: stack.own ?? 0, frames: stack.frames });
        for (const object of this.report?.objects ?? []) this.objects.set(object.id, object);
    }

    object(id: number): MemoryObject | undefined {
        return this.objects.get(id);
    }

    label(id: number): string {
        return this.objects.get(id)?.label ?? 'memory without a name';
    }

    /** Innermost first: from the first frame of the program's own code on. */
    framesOf(stack: number): Frame[] {
        const known = this.stacks.get(stack);
        return known === undefined ? [] : known.frames.slice(known.own);
    }

    isOwn(frame: Frame): boolean {
        const module = frame.object ?? this.modules.get(frame.module ?? 0) ?? '';
        const place = placeOf(frame);
        return place !== undefined && !isOfSystem(module) && !module.includes('vgpreload_') && !isOfSystem(place.path);
    }

    /** All paths of the program's own code. */
    paths(): Set<string> {
        const paths = new Set<string>();
        const add = (at: SourceLine): void => {
            const place = placeOf(at);
            if (place !== undefined && !isOfSystem(place.path)) paths.add(place.path);
        };
        const addFrames = (frames: Frame[]): void => frames.filter((frame) => this.isOwn(frame)).forEach(add);
        for (const { frames } of this.stacks.values()) addFrames(frames);
        for (const error of this.errors) [error, ...error.details].forEach(({ stack }) => addFrames(stack));
        for (const object of this.objects.values()) if (object.kind === 'static') add(object);
        for (const line of this.lines) for (const extent of line.extents) extent.fields?.forEach(add);
        return paths;
    }
}

/** Undefined where the line is in no file of the workspace. */
export function spotAt(at: SourceLine, sources: Sources): Spot | undefined {
    const place = placeOf(at);
    const file = place && sources.get(place.path);
    return place === undefined || file === undefined ? undefined : { file, line: place.line };
}

/** The first frame in a file of the workspace. */
export function spotOf(frames: Frame[], sources: Sources): Spot | undefined {
    return spotsOf(frames, sources)[0];
}

export function spotsOf(frames: Frame[], sources: Sources): (Spot & { fn: string })[] {
    return frames.flatMap((frame) => {
        const spot = spotAt(frame, sources);
        return spot === undefined ? [] : [{ ...spot, fn: frame.fn ?? '' }];
    });
}

/** The value of a field named `part.field`. */
export function valueOf(row: Row, field: string): unknown {
    let value: unknown = row;
    for (const part of field.split('.')) value = (value as Row | undefined)?.[part];
    return value;
}

export function eventsOf(counts: { 'coherence-misses'?: number; invalidations?: number } | undefined): number {
    return (counts?.['coherence-misses'] ?? 0) + (counts?.invalidations ?? 0);
}

/** 12,345 as in memspy's texts, whatever the language of the editor is. */
export function grouped(value: number): string {
    return Math.round(value).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}
