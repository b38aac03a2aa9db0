// SPDX-License-Identifier: GPL-2.0-or-later
//
// In the browser: profiles as JSON and pages that are files of the workspace; no programs.

import * as vscode from 'vscode';
import { pageBeside, start } from './shell/extension';

export function activate(context: vscode.ExtensionContext): void {
    start(context, {
        extensions: [],
        load: () => Promise.reject(new Error('in the browser a profile is a file of memspy-report export --to=json')),
        page: pageBeside,
    });
}
