// SPDX-License-Identifier: GPL-2.0-or-later
//
// On the desktop: profiles as memspy writes them, pages by memspy-html, and tasks.

import * as vscode from 'vscode';
import { Programs } from './node/programs';
import { start } from './shell/extension';
import { provideTasks } from './shell/tasks';

export function activate(context: vscode.ExtensionContext): void {
    const programs = (): Programs => new Programs(vscode.workspace.getConfiguration('memspy').get('programs', ''));
    const opener = start(context, {
        extensions: ['xml'],
        load: (uri) => programs().json([uri.fsPath]),
        page: (uri) => programs().page(uri.fsPath),
    });
    if (vscode.workspace.isTrusted) provideTasks(context, programs, opener);
}
