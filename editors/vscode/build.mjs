// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bundles the extension for the desktop and for the browser; with --tests the unit tests instead.
import * as esbuild from 'esbuild';
import { readdirSync } from 'node:fs';

const release = process.argv.includes('--release');
const common = { bundle: true, external: ['vscode'], format: 'cjs', target: 'es2022', minify: release, logLevel: 'warning' };
if (process.argv.includes('--tests')) {
    const files = readdirSync('test', { recursive: true }).map((name) => `test/${name}`).filter((name) => name.endsWith('.test.ts'));
    await esbuild.build({ ...common, entryPoints: files, platform: 'node', outdir: 'out/test', outbase: 'test' });
} else {
    await esbuild.build({ ...common, entryPoints: ['src/desktop.ts'], platform: 'node', outfile: 'out/desktop.js' });
    await esbuild.build({ ...common, entryPoints: ['src/web.ts'], platform: 'browser', outfile: 'out/web.js' });
}
