// SPDX-License-Identifier: GPL-2.0-or-later
//
// The programs of memspy: valgrind, memspy-report and memspy-html, and ctest. Knows nothing of the editor.

import { ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListedTest, Run, commandLine, testsIn } from '../core/run';

/** `folder` has the programs; "" stands for PATH. */
export class Programs {
    constructor(private readonly folder: string) {}

    private path(name: string): string {
        return this.folder === '' ? name : join(this.folder, name);
    }

    private call(name: string, args: string[], folder?: string): Promise<string> {
        return new Promise((resolve, reject) => {
            const options = { maxBuffer: 1 << 28, ...(folder === undefined ? {} : { cwd: folder }) };
            execFile(name, args, options, (error, out, errors) => {
                // Broken input gives 3, and what could be read.
                if (error === null || error.code === 3) resolve(out);
                else reject(new Error(errors.trim() || error.message));
            });
        });
    }

    /** What a program writes to the file that it is told as its last argument. */
    private async written(name: string, args: string[]): Promise<string> {
        const folder = await mkdtemp(join(tmpdir(), 'memspy-'));
        try {
            await this.call(this.path(name), [...args, '-o', join(folder, 'out')]);
            return await readFile(join(folder, 'out'), 'utf8');
        } finally {
            await rm(folder, { recursive: true, force: true });
        }
    }

    /** Of profiles and error files. */
    json(files: string[]): Promise<string> {
        return this.written('memspy-report', ['export', '--to=json', ...files]);
    }

    page(file: string): Promise<string> {
        return this.written('memspy-html', file.endsWith('.json') ? ['--json', file] : [file]);
    }

    /** None where there is no ctest, or nothing is built. */
    async tests(buildFolder: string): Promise<ListedTest[]> {
        try {
            return testsIn(await this.call('ctest', ['--show-only=json-v1'], buildFolder));
        } catch {
            return [];
        }
    }

    /** Runs it in `folder`; memspy's files come to `results`, which is emptied before. */
    async start(run: Run, options: string[], folder: string, results: string): Promise<ChildProcess> {
        await rm(results, { recursive: true, force: true });
        await mkdir(results, { recursive: true });
        const [program, ...args] = commandLine(this.path('valgrind'), options, results, run);
        return spawn(program ?? '', args, { cwd: run.folder ?? folder, env: { ...process.env, ...run.environment }, stdio: 'pipe' });
    }

    async filesOf(results: string): Promise<string[]> {
        return (await readdir(results)).filter((name) => name.endsWith('.xml')).sort().map((name) => join(results, name));
    }
}
