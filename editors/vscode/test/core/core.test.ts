// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byteMap } from '../../src/core/bytes';
import { compare, newFindings } from '../../src/core/compare';
import { parseDocument } from '../../src/core/document';
import { findingsOf } from '../../src/core/findings';
import { Edit, fixesOf } from '../../src/core/fixes';
import { LEVELS, figuresOf, heatOf, levelOf, metricsOf } from '../../src/core/heat';
import { HoverTexts } from '../../src/core/hover';
import { candidates } from '../../src/core/paths';
import { Profile, Spot, normalised } from '../../src/core/profile';
import { treeByFunction, treeByObject } from '../../src/core/tree';
import { FILE, SOURCE, SOURCES, sample } from './sample';

const profile = new Profile(sample());
const findings = findingsOf(profile, SOURCES);
const metric = (id: string) => metricsOf(profile).find((each) => each.id === id)!;
const figures = (id: string) => figuresOf(profile, metric(id), SOURCES);

const UNMOVED = (spot: Spot): Spot => spot;

/** The lines after the edits, from the last to the first. */
function applied(lines: string[], edits: Edit[]): string[] {
    const result = [...lines];
    for (const { line, column, remove, insert } of [...edits].sort((a, b) => b.line - a.line || b.column - a.column)) {
        const text = result[line - 1] ?? '';
        result[line - 1] = text.slice(0, column) + insert + text.slice(column + remove);
    }
    return result.join('\n').split('\n');
}

test('a text that memspy-report has not written is refused', () => {
    assert.throws(() => parseDocument('{"generator": "other", "errors": []}'), /not written by memspy-report/);
    assert.throws(() => parseDocument('null'), /not written by memspy-report/);
    assert.equal(parseDocument(JSON.stringify(sample())).errors.length, 1);
});

test('a finding stands at the first frame in the workspace, with the other side and the allocation', () => {
    const sharing = findings.find((finding) => finding.kind === 'FalseSharing')!;
    assert.deepEqual(sharing.spot, { file: FILE, line: 8, fn: 'one()' });
    assert.deepEqual(sharing.related.map(({ text, spot }) => `${spot.line} ${text}`),
        ['9 thread 3 writes here', '11 Job (job.cc:11) is allocated here']);
    assert.match(sharing.text, /^False sharing inside Job\n800 events\nPut done/);
});

test('sharing is told once, from the profile; other errors from the error file', () => {
    assert.deepEqual(findings.map(({ kind, severity, spot }) => [kind, severity, spot.line]), [
        ['Leak_DefinitelyLost', 'warning', 11], ['FalseSharing', 'warning', 8], ['RedundantZeros', 'information', 10],
        ['RedundantZeros', 'information', 6]]);
    const alone = findingsOf(new Profile({ ...sample(), profile: null }), SOURCES);
    assert.deepEqual(alone.map(({ kind }) => kind), ['FalseSharing', 'Leak_DefinitelyLost']);
});

test('nothing is found in files that are not in the workspace', () => {
    assert.deepEqual(findingsOf(profile, new Map()), []);
});

test('every list with a stack and a count is a metric, also of sections that are not known here', () => {
    assert.deepEqual(metricsOf(profile).map(({ id }) => id), ['contention.rows.events', 'zeros.rows.redundant', 'contention.rows.loads',
        'contention.rows.stores', 'contention.rows.modelled.invalidations', 'zeros.rows.loads', 'unknown.things.surprises']);
    assert.deepEqual(heatOf(figures('unknown.things.surprises'), false).get(FILE), [{ line: 9, value: 7, fn: 'other()' }]);
});

test('own figures are of the innermost line, inclusive ones of each line of the calls once', () => {
    const heat = (inclusive: boolean) => heatOf(figures('contention.rows.events'), inclusive).get(FILE)!.map(({ line, value }) => [line, value]);
    assert.deepEqual(heat(false), [[8, 600], [9, 200]]);
    assert.deepEqual(heat(true), [[8, 600], [9, 200], [11, 800]]);
});

test('levels of heat are quarters of each other', () => {
    assert.deepEqual([1000, 300, 249, 62, 1, 0].map((value) => levelOf(value, 1000)), [4, 4, 3, 2, 0, 0]);
    assert.equal(levelOf(5, 5), LEVELS - 1);
});

test('the byte map has a row for each thread and the fields with their users', () => {
    const text = byteMap(profile, profile.lines[0]!, 64).split('\n');
    assert.equal(text[1], `thread    2  ${'+'.repeat(8)}${'.'.repeat(56)}`);
    assert.equal(text[2], `thread    3  ${'.'.repeat(8)}${'w'.repeat(8)}${'.'.repeat(48)}`);
    assert.deepEqual(text.slice(3), ['0 to 7       done (long int): thread 2 +', '8 to 15      failed (long int): thread 3 w']);
});

test('a hover has the figures, who meets whom and the map; nothing in a name is Markdown', () => {
    const text = new HoverTexts(profile, SOURCES).at({ file: FILE, line: 8 }, metric('contention.rows.events'))!;
    for (const words of ['| contention: events | 600 | 75.0 % |', 'thread 2 meets thread 3: 600 events', 'failed (long int)', 'Job \\(job\\.cc:11\\)']) {
        assert.ok(text.includes(words), `no ${words} in\n${text}`);
    }
    assert.equal(new HoverTexts(profile, SOURCES).at({ file: FILE, line: 2 }, undefined), undefined);
});

test('the trees are sorted, add up, and lead to lines', () => {
    const [job] = treeByObject(profile, figures('contention.rows.events'), SOURCES);
    assert.equal(`${job!.label}: ${job!.description}`, 'Job (job.cc:11): 800 (100.0 %)');
    assert.deepEqual(job!.spot, { file: FILE, line: 11, fn: 'main' });
    assert.deepEqual(job!.children.map(({ label, value }) => [label, value]), [['one()', 600], ['other()', 200]]);
    const functions = treeByFunction(figures('contention.rows.events'));
    assert.deepEqual(functions.map(({ label, spot }) => [label, spot?.line]), [['one()', 8], ['other()', 9]]);
    assert.equal(functions[0]!.children[0]!.label, 'job.cc:8');
});

function fixes(kind: string, line: number, source = SOURCE, of = findings) {
    const finding = of.find((each) => each.kind === kind && each.spot.line === line)!;
    return fixesOf(profile, finding, SOURCES, (file) => (file === FILE ? source : undefined), UNMOVED);
}

test('members that meet get lines of their own, by alignment or by padding', () => {
    const [align, pad] = fixes('FalseSharing', 8);
    assert.equal(align!.title, 'Align done and failed to 64 bytes');
    assert.deepEqual(applied(SOURCE, align!.edits).slice(2, 4), ['    alignas(64) long done;', '    alignas(64) long failed;']);
    assert.equal(pad!.title, 'Add 64 bytes of padding before failed');
    assert.deepEqual(applied(SOURCE, pad!.edits).slice(2, 5), ['    long done;', '    char padding_before_failed[64];', '    long failed;']);
});

test('a line that has changed since the run gets no fix, nor one that has it', () => {
    const renamed = SOURCE.map((line) => line.replace('long failed', 'long rejected'));
    assert.deepEqual(fixes('FalseSharing', 8, renamed), []);
    const padded = SOURCE.map((line, number) => (number === 2 ? '    char padding_before_failed[64];' : line));
    assert.deepEqual(fixes('FalseSharing', 8, padded), []);
    const done = SOURCE.map((line) => line.replace('long done', 'alignas(64) long done'));
    assert.deepEqual(fixes('FalseSharing', 8, done).map(({ title }) => title), ['Add 64 bytes of padding before failed']);
});

test('fixes stand where their lines are now; without one of them there is none', () => {
    const finding = findings.find(({ kind }) => kind === 'FalseSharing')!;
    const source = ['// new', ...SOURCE];
    const [align] = fixesOf(profile, finding, SOURCES, () => source, ({ file, line }) => ({ file, line: line + 1 }));
    assert.deepEqual(align!.edits.map(({ line, column }) => [line, column]), [[4, 4], [5, 4]]);
    assert.deepEqual(fixesOf(profile, finding, SOURCES, () => SOURCE, (spot) => (spot.line === 4 ? undefined : spot)), []);
    assert.deepEqual(fixesOf(profile, finding, SOURCES, () => SOURCE, (spot) => (spot.line === 8 ? undefined : spot)), []);
});

test('a variable gets the narrower type, and the header that it needs', () => {
    const [fix] = fixes('RedundantZeros', 6);
    assert.equal(fix!.title, 'Make table uint8_t: all values of this run fit');
    assert.deepEqual(applied(SOURCE, fix!.edits).slice(0, 8),
        ['#include <thread>', '#include <cstdint>', ...SOURCE.slice(1, 5), 'static uint8_t table[64];', 'static Job* job;']);
    for (const [before, after] of [['static unsigned long int table[64];', 'static uint8_t table[64];'], ['std::uint64_t table[64];', 'uint8_t table[64];'],
        ['  const size_t table[64] = {};', '  const uint8_t table[64] = {};']] as const) {
        const source = SOURCE.map((line, number) => (number === 5 ? before : line));
        assert.equal(applied(source, fixes('RedundantZeros', 6, source)[0]!.edits)[6], after);
    }
    for (const other of ['static std::array<long, 64> table;', 'static long* table;', 'static Numbers table;']) {
        assert.deepEqual(fixes('RedundantZeros', 6, SOURCE.map((line, number) => (number === 5 ? other : line))), []);
    }
});

test('private(k) is added to the directive of the loop', () => {
    const finding = { ...findings[0]!, remedies: [{ kind: 'make-private', openmp: true, items: [{ role: 'subject', variable: 'k' }] }], spot: { file: FILE, line: 4 } };
    const source = ['void f() {', '#pragma omp parallel for', 'for (int i = 0; i < 9; i++)', '  k = i;', '}'];
    const [fix] = fixesOf(profile, finding, SOURCES, () => source, UNMOVED);
    assert.equal(applied(source, fix!.edits)[1], '#pragma omp parallel for private(k)');
    assert.deepEqual(fixesOf(profile, finding, SOURCES, () => ['#pragma omp parallel for', '', '}', 'k = 1;'], UNMOVED), []);
    assert.deepEqual(fixesOf(profile, finding, SOURCES, () => applied(source, fix!.edits), UNMOVED), []);
});

test('a race gets the clause that its directive lacks, or an atomic directive before each update', () => {
    const document = sample();
    const place = (line: number) => [{ ip: '0x1', object: '/build/job', fn: 'f', dir: '/build/src', file: 'job.cc', line }];
    document.profile!.races = { races: [{ stack: 2, 'other-stack': 2, clause: 'private(x)' }, { stack: 4, 'other-stack': 2, clause: 'reduction(+:sum)' }] };
    document.errors = [{ file: 'a', exe: './job', errors: [{ kind: 'Race', what: 'Data race on sum', count: 1, stack: place(10),
        details: [{ text: 'This read', stack: place(9) }] }] }];
    const raced = new Profile(document), race = findingsOf(raced, SOURCES).find(({ kind }) => kind === 'Race')!;
    assert.equal(race.clause, 'reduction(+:sum)');
    const source = [...SOURCE.slice(0, 7), '#pragma omp parallel for', '    sum += 2;', '    sum++;'];
    const [clause, atomic] = fixesOf(raced, race, SOURCES, () => source, UNMOVED);
    assert.equal(applied(source, clause!.edits)[7], '#pragma omp parallel for reduction(+:sum)');
    assert.deepEqual(applied(source, atomic!.edits).slice(7), ['#pragma omp parallel for', '    #pragma omp atomic', '    sum += 2;', '    #pragma omp atomic', '    sum++;']);
    const used = [...source.slice(0, 9), '    out[1] = sum;'];
    assert.deepEqual(fixesOf(raced, race, SOURCES, () => used, UNMOVED).map(({ title }) => title), ['Add reduction(+:sum)']);
});

test('a baseline is compared by object, function and line; known findings are not new', () => {
    const later = new Profile(sample(2));
    const after = figuresOf(later, metric('contention.rows.events'), SOURCES);
    const comparison = compare(profile, figures('contention.rows.events'), after);
    assert.deepEqual(comparison.object('Job (job.cc:11)', 1400), { before: 800, after: 1400 });
    assert.deepEqual(comparison.fn('unheard of', 5), { before: undefined, after: 5 });
    assert.deepEqual([...comparison.lines(FILE, false)], [[8, { before: 600, after: 1200 }], [9, { before: 200, after: 200 }]]);
    assert.equal(newFindings(findings, findingsOf(later, SOURCES)).size, 0);
    assert.equal(newFindings([], findings).size, findings.length);
});

test('lines that moved are compared with those of their function', () => {
    const moved = figures('contention.rows.events').map((figure) => ({ ...figure, spots: figure.spots.map((spot) => ({ ...spot, line: spot.line + 40 })) }));
    assert.deepEqual([...compare(profile, figures('contention.rows.events'), moved).lines(FILE, false)].map(([line, { before }]) => [line, before]),
        [[48, 600], [49, 200]]);
});

test('paths of another machine are found by their end', () => {
    assert.equal(normalised('/a/./b/../c.cc'), '/a/c.cc');
    assert.deepEqual(candidates('/build/src/job.cc', '/build'), ['src/job.cc', 'job.cc']);
    assert.deepEqual(candidates('src/job.cc', '/work'), ['src/job.cc', 'job.cc']);
    assert.deepEqual(candidates('/build/src/job.cc', '/'), ['build/src/job.cc', 'src/job.cc', 'job.cc']);
});
