// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice that is mechanical, as changes of source lines. A change is planned from the profile; whether it fits is
// decided by the line as it stands in the editor now: it must hold the name that it is about.

import { linesOf, usedFields, usersOf } from './bytes';
import { CacheLine, Field } from './document';
import { Finding } from './findings';
import { Profile, Sources, Spot, spotAt } from './profile';

/** In a line, counted from 1: `remove` characters from `column` on, counted from 0, give way to `insert`. */
export interface Edit {
    file: string;
    line: number;
    column: number;
    remove: number;
    insert: string;
}

export interface Fix {
    title: string;
    edits: Edit[];
}

/** The lines of a file as it is in the editor; undefined if it cannot be read. */
export type Texts = (file: string) => string[] | undefined;

/** Where a line of the run is in those texts; undefined if it is there no more. */
export type Now = (spot: Spot) => Spot | undefined;

function lastName(path: string): string {
    return path.replace(/\[[^\]]*\]/g, '').split(/\.|::/).pop() ?? '';
}

function holds(text: string | undefined, name: string): text is string {
    return text !== undefined && name !== '' && new RegExp(`(?<![\\w$])${name.replace(/[$]/g, '\\$&')}(?![\\w$])`).test(text);
}

function isC(file: string): boolean {
    return file.endsWith('.c');
}

/** Before a declaration, whose line begins with it. */
function alignment(texts: Texts, spot: Spot | undefined, name: string, bytes: number): Edit | undefined {
    const text = spot && texts(spot.file)?.[spot.line - 1];
    if (spot === undefined || !holds(text, lastName(name)) || /alignas|_Alignas|aligned/i.test(text) || /^\s*(#|\/\/|template|using|typedef)/.test(text)) return undefined;
    const column = text.length - text.trimStart().length;
    return { file: spot.file, line: spot.line, column, remove: 0, insert: `${isC(spot.file) ? '_Alignas' : 'alignas'}(${bytes}) ` };
}

/** Of the fields that threads use: those that must begin a line, because their users are not those of the one before. */
function parted(line: CacheLine, fields: Field[]): Field[] {
    let before: string | undefined;
    return fields.filter((field) => {
        const users = [...usersOf(line, field)].map(([thread, use]) => `${thread}${use.stores ? 'w' : 'r'}`).sort().join(' ');
        const same = users === before;
        before = users;
        return !same;
    });
}

interface Target {
    name: string;
    spot: Spot;
}

/** The declarations that the advice on sharing is about: members, each once, or whole variables. */
function targetsOf(profile: Profile, finding: Finding, sources: Sources): { members: Target[]; variables: Target[] } {
    const members = new Map<string, Target>(), variables: Target[] = [];
    for (const id of finding.objects) {
        const object = profile.object(id), worst = linesOf(profile, id)[0];
        if (object === undefined) continue;
        const declared = object.kind === 'static' ? spotAt(object, sources) : undefined;
        if (declared !== undefined) variables.push({ name: object.variable ?? object.label, spot: declared });
        const fields = worst === undefined ? [] : usedFields(worst, id);
        for (const field of worst === undefined ? [] : parted(worst, fields)) {
            const spot = spotAt(field, sources);
            if (spot !== undefined && /[.]/.test(field.name) || spot !== undefined && object.kind === 'heap') {
                members.set(`${spot.file}:${spot.line}`, { name: field.name, spot });
            }
        }
    }
    return { members: [...members.values()], variables };
}

function all<T>(items: (T | undefined)[]): T[] | undefined {
    return items.length > 0 && items.every((item) => item !== undefined) ? (items as T[]) : undefined;
}

function listed(targets: Target[]): string {
    const names = [...new Set(targets.map(({ name }) => lastName(name)))];
    return names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(' and ');
}

function padding(texts: Texts, spot: Spot | undefined, name: string, bytes: number): Edit | undefined {
    if (spot === undefined) return undefined;
    const lines = texts(spot.file), text = lines?.[spot.line - 1];
    if (!holds(text, lastName(name)) || /^\s*#/.test(text)) return undefined;
    if (holds(lines?.[spot.line - 2], `padding_before_${lastName(name)}`)) return undefined;
    const indent = text.slice(0, text.length - text.trimStart().length);
    return { file: spot.file, line: spot.line, column: 0, remove: 0, insert: `${indent}char padding_before_${lastName(name)}[${bytes}];\n` };
}

/** Remedies that keep an object in one piece. */
const WHOLE = new Set(['align', 'align-blocks', 'align-elements', 'align-rows', 'own-line', 'own-lines']);
/** Ways to a line of its own that C and C++ have. */
const ALIGNED = new Set(['alignas', 'first-member']);

function sharingFixes(profile: Profile, finding: Finding, sources: Sources, texts: Texts, now: Now): Fix[] {
    const layout = finding.remedies.find(({ means }) => ALIGNED.has(means ?? ''));
    const bytes = layout?.['line-size'] ?? 0;
    if (bytes === 0) return [];
    const { members, variables } = targetsOf(profile, finding, sources);
    const fixes: Fix[] = [];
    const inside = members.length > 0 && !WHOLE.has(finding.remedies[0]?.kind ?? '');
    const targets = inside ? members : variables;
    const aligned = all(targets.map(({ spot, name }) => alignment(texts, now(spot), name, bytes)));
    if (aligned !== undefined) fixes.push({ title: `Align ${listed(targets)} to ${bytes} bytes`, edits: aligned });
    const apart = inside && members.length > 1 ? all(members.slice(1).map(({ spot, name }) => padding(texts, now(spot), name, bytes))) : undefined;
    if (apart !== undefined) fixes.push({ title: `Add ${bytes} bytes of padding before ${listed(members.slice(1))}`, edits: apart });
    return fixes;
}

const NEEDS_HEADER = /^u?int\d+_t$/;

function includeOf(file: string, lines: string[]): Edit | undefined {
    if (lines.some((line) => /^\s*#\s*include\s*<(cstdint|stdint\.h|inttypes\.h)>/.test(line))) return undefined;
    let last = 0;
    lines.forEach((line, number) => {
        if (/^\s*#\s*include\b/.test(line)) last = number + 1;
    });
    return { file, line: last + 1, column: 0, remove: 0, insert: `#include ${isC(file) ? '<stdint.h>' : '<cstdint>'}\n` };
}

/** The type of a variable's elements, in its declaration. */
function narrowFix(profile: Profile, finding: Finding, texts: Texts): Fix[] {
    const narrow = finding.narrow;
    const object = narrow && profile.object(narrow.object);
    if (narrow === undefined || object?.type === undefined) return [];
    const lines = texts(finding.spot.file), text = lines?.[finding.spot.line - 1];
    const name = lastName(object.variable ?? object.label);
    if (lines === undefined || !holds(text, name)) return [];
    const number = text.search(new RegExp(`(?<![\\w$])${name}(?![\\w$])`));
    // As compilers name it, the type may have words in another order: so all words of the language's own types.
    const words = /\b(?:(?:unsigned|signed|long|short|int|char|double|float)\b\s*)+/g;
    const found = [...text.slice(0, number).matchAll(words)].pop();
    const own = /^\s*(?:[\w\s]*\b)?((?:std::)?u?int\d+_t|size_t)\s+$/.exec(text.slice(0, number));
    const written = own?.[1] ?? found?.[0].trimEnd();
    const column = own?.[1] !== undefined ? text.lastIndexOf(own[1], number) : found?.index;
    // Pointers and templates have other declarations.
    if (written === undefined || column === undefined || /[*&<>(]/.test(text.slice(column, number))) return [];
    const edits = [{ file: finding.spot.file, line: finding.spot.line, column, remove: written.length, insert: narrow.type }];
    const include = NEEDS_HEADER.test(narrow.type) ? includeOf(finding.spot.file, lines) : undefined;
    return [{ title: `Make ${name} ${narrow.type}: all values of this run fit`, edits: include === undefined ? edits : [...edits, include] }];
}

/** A clause, added to the directive that the finding's line belongs to. */
function clauseFix(finding: Finding, clause: string, texts: Texts): Fix[] {
    const name = /(\w+)\)$/.exec(clause)?.[1] ?? '';
    const lines = texts(finding.spot.file);
    if (name === '' || lines === undefined) return [];
    for (let number = finding.spot.line; number > 0; --number) {
        const text = lines[number - 1] ?? '';
        if (/^}/.test(text) && number < finding.spot.line) return []; // another function
        if (!/^\s*(#\s*pragma\s+|!\$)omp\b.*\b(parallel|for|do|task|taskloop|simd)\b/i.test(text)) continue;
        if (new RegExp(`(private|reduction)\\([^)]*\\b${name}\\b`).test(text) || /[\\&]$/.test(text)) return [];
        const column = text.trimEnd().length;
        return [{ title: `Add ${clause}`, edits: [{ file: finding.spot.file, line: number, column, remove: 0, insert: ` ${clause}` }] }];
    }
    return [];
}

function privateFix(finding: Finding, texts: Texts): Fix[] {
    const shared = finding.remedies.find(({ kind, openmp }) => kind === 'make-private' && openmp);
    const name = shared?.items.find(({ role }) => role === 'subject')?.variable;
    return name ? clauseFix(finding, `private(${name})`, texts) : [];
}

/** `omp atomic` before both updates of a sum. */
function atomicFix(finding: Finding, clause: string, texts: Texts, now: Now): Fix[] {
    const name = /^reduction\([^\w]+:(\w+)\)$/.exec(clause)?.[1];
    if (name === undefined) return [];
    const places = [finding.spot, ...finding.related.flatMap(({ spot }) => now(spot) ?? [])];
    const numbers = [...new Set(places.filter(({ file }) => file === finding.spot.file).map(({ line }) => line))];
    const edits = all(numbers.map((line) => {
        const lines = texts(finding.spot.file), text = lines?.[line - 1] ?? '';
        const update = new RegExp(`^\\s*(\\+\\+|--)?${name}\\s*(\\+\\+|--|[-+*|&^]?=)?`).exec(text);
        if ((update?.[1] ?? update?.[2]) === undefined || /omp\s+atomic/.test(lines?.[line - 2] ?? '')) return undefined;
        const indent = text.slice(0, text.length - text.trimStart().length);
        return { file: finding.spot.file, line, column: 0, remove: 0, insert: `${indent}#pragma omp atomic\n` };
    }));
    return edits === undefined ? [] : [{ title: `Put #pragma omp atomic before ${edits.length > 1 ? 'both updates' : 'the update'} of ${name}`, edits }];
}

function raceFixes(finding: Finding, texts: Texts, now: Now): Fix[] {
    const { clause } = finding;
    return clause === undefined ? [] : [...clauseFix(finding, clause, texts), ...atomicFix(finding, clause, texts, now)];
}

export function fixesOf(profile: Profile, given: Finding, sources: Sources, texts: Texts, now: Now): Fix[] {
    const spot = now(given.spot);
    if (spot === undefined) return [];
    const finding = { ...given, spot };
    return [...(finding.group !== undefined ? sharingFixes(profile, finding, sources, texts, now) : []), ...narrowFix(profile, finding, texts),
        ...privateFix(finding, texts), ...raceFixes(finding, texts, now)];
}

/** The files that the fixes of a finding may change. */
export function filesOf(profile: Profile, finding: Finding, sources: Sources): string[] {
    const { members, variables } = targetsOf(profile, finding, sources);
    return [...new Set([finding.spot.file, ...[...members, ...variables].map(({ spot }) => spot.file)])];
}
