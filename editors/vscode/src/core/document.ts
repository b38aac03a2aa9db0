// SPDX-License-Identifier: GPL-2.0-or-later
//
// The document that `memspy-report export --to=json` prints (docs/report-json.md), as far as it is used here. A
// missing member is zero, empty or false.

export interface Frame {
    ip?: string;
    module?: number;
    object?: string; // in errors: the path of the ELF file
    fn?: string;
    dir?: string;
    file?: string;
    line?: number;
    inlined?: boolean;
}

export interface Stack {
    id: number;
    own?: number;
    frames: Frame[];
}

export interface MemoryObject {
    kind: string;
    id: number;
    label: string;
    name?: string;
    size?: number;
    stack?: number;
    variable?: string;
    type?: string;
    dir?: string;
    file?: string;
    line?: number;
}

export interface Field {
    first: number;
    bytes: number;
    name: string;
    type: string;
    dir?: string;
    file?: string;
    line?: number;
}

export interface Extent {
    object: number;
    first: number;
    bytes: number;
    offset: number;
    fields?: Field[];
}

export interface Range {
    thread: number;
    first: number;
    bytes: number;
    loads?: number;
    stores?: number;
}

export interface Counts {
    'coherence-misses'?: number;
    invalidations?: number;
    'false-misses'?: number;
    'false-invalidations'?: number;
}

export interface CacheLine {
    address: string;
    observed?: Counts;
    modelled?: Counts;
    extents: Extent[];
    ranges: Range[];
}

export interface Pair {
    object: number;
    thread: number;
    other?: number;
    modelled?: { events?: number };
    observed?: { events?: number };
}

/** What advice is about: docs/report-json.md. */
export interface AdviceItem {
    role: string;
    object?: number;
    variable?: string;
}

export interface Remedy {
    kind: string;
    means?: string;
    'line-size'?: number;
    openmp?: boolean;
    items: AdviceItem[];
}

export interface Group {
    kind: string;
    finding: boolean;
    removable?: number;
    objects: number[];
    sides: { stack: number; thread: number; loads: boolean; stores: boolean }[];
    remedies: Remedy[];
    what: string;
    figures?: string;
    advice?: string;
}

export interface Advice {
    kind: string;
    type?: string;
    text: string;
}

export interface LoadRow {
    stack: number;
    type: string;
    bytes: number;
    loads: number;
    redundant?: number;
    advice: Advice[];
}

export interface ObjectZeros {
    object: number;
    accessed: number;
    redundant?: number;
    advice: Advice[];
}

export interface LocalityAdvice {
    kind: string;
    object: number;
    fn: string;
    dir?: string;
    file?: string;
    line?: number;
    accesses: number;
    text: string;
}

/** Two accesses that nothing orders, and the clause of an OpenMP directive that is missing, if one is known. */
export interface Race {
    stack?: number;
    'other-stack'?: number;
    clause?: string;
}

/** A record of any section. */
export type Row = Record<string, unknown>;
/** Of a field: its kind, or its kind and the value that is left out. */
export type FieldKind = string | [string, unknown];

export interface Report {
    fields: Record<string, Record<string, Record<string, FieldKind>>>;
    runs: { exe: string; arguments: string[] }[];
    modules: { id: number; path: string }[];
    stacks: Stack[];
    objects: MemoryObject[];
    contention?: { groups: Group[]; lines: CacheLine[]; pairs: Pair[]; model?: { 'line-size': number } } | null;
    zeros?: { rows: LoadRow[]; objects: ObjectZeros[] } | null;
    races?: { races: Race[] } | null;
    locality?: { advice: LocalityAdvice[] } | null;
}

export interface ErrorRecord {
    kind: string;
    what: string;
    count: number;
    stack: Frame[];
    details: { text: string; stack: Frame[] }[];
}

export interface Document {
    generator: string;
    profile: Report | null;
    errors: { file: string; exe: string; errors: ErrorRecord[] }[];
    incomplete: string[];
    problems: string[];
}

/** The document in a text; throws an Error that says what the text is not. */
export function parseDocument(text: string): Document {
    const data: unknown = JSON.parse(text);
    const found = data as Partial<Document> | null;
    if (typeof found?.generator !== 'string' || !found.generator.startsWith('memspy-report') || !Array.isArray(found.errors)) {
        throw new Error('not written by memspy-report export --to=json');
    }
    return found as Document;
}
