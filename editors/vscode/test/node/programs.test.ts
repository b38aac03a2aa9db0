// SPDX-License-Identifier: GPL-2.0-or-later
//
// The desktop's half with the real programs, whose folder is in MEMSPY_PROGRAMS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { parseDocument } from '../../src/core/document';
import { findingsOf } from '../../src/core/findings';
import { Profile } from '../../src/core/profile';
import { commandLine, runOf, testsIn } from '../../src/core/run';
import { Programs } from '../../src/node/programs';

const folder = mkdtempSync(join(tmpdir(), 'memspy-test-'));
after(() => rmSync(folder, { recursive: true }));

const LISTING = JSON.stringify({ tests: [
    { name: 'one', command: ['/build/one', '-v'], properties: [{ name: 'WORKING_DIRECTORY', value: '/build' }, { name: 'ENVIRONMENT', value: ['A=b=c'] }] },
    { name: 'not built' },
] });

test('a test of CTest is run with its arguments, folder and environment', () => {
    const tests = testsIn(LISTING);
    assert.deepEqual(tests.map(({ name }) => name), ['one']);
    const run = runOf({ test: 'one' }, tests);
    assert.deepEqual([run.folder, run.environment], ['/build', { A: 'b=c' }]);
    assert.deepEqual(commandLine('valgrind', ['--zeros=all'], '/r', run).slice(-3), ['--zeros=all', '/build/one', '-v']);
    assert.throws(() => runOf({ test: 'two' }, tests), /no test two/);
    assert.throws(() => runOf({}, tests), /neither a program nor a test/);
});

test('a program that is not there is told', async () => {
    await assert.rejects(new Programs(join(folder, 'nowhere')).json(['x.xml']), /memspy-report/);
    assert.deepEqual(await new Programs('').tests(join(folder, 'nowhere')), []);
});

const programs = process.env.MEMSPY_PROGRAMS;
test('a program is run, and what it did stands at its line', { skip: programs === undefined && 'MEMSPY_PROGRAMS is not set' }, async () => {
    const source = join(folder, 'fault.c'), program = join(folder, 'fault');
    writeFileSync(source, '#include <stdlib.h>\nint main(int n, char** v) {\n    int* p = malloc(8 + n);\n    free(p);\n    return p[1] == 7 && v;\n}\n');
    execFileSync('gcc', ['-g', '-w', '-o', program, source]);
    const real = new Programs(programs!), results = join(folder, 'results');
    const child = await real.start(runOf({ program, args: ['x'] }, []), [], folder, results);
    child.stdout?.resume();
    child.stderr?.resume();
    await once(child, 'close');
    const document = parseDocument(await real.json(await real.filesOf(results)));
    const findings = findingsOf(new Profile(document), new Map([[source, source]]));
    assert.deepEqual(findings.map(({ kind, spot }) => [kind, spot.line]), [['InvalidRead', 5]]);
    assert.deepEqual(findings[0]!.related.map(({ spot }) => spot.line), [4, 3]);
    writeFileSync(join(folder, 'memspy.json'), JSON.stringify(document));
    assert.match(await real.page(join(folder, 'memspy.json')), /^<!doctype html>/i);
});
