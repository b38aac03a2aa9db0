// SPDX-License-Identifier: GPL-2.0-or-later
//
// All that the desktop and the browser have in common. What only one of them can do is its `Platform`.

import * as vscode from 'vscode';
import { Document, parseDocument } from '../core/document';
import { showHeat } from './heat';
import { showProblems } from './problems';
import { Session } from './session';
import { showViews } from './views';

export interface Platform {
    /** Kinds of files that `load` reads besides JSON. */
    readonly extensions: string[];
    /** The JSON of such a file. */
    load(uri: vscode.Uri): Promise<string>;
    /** The HTML page of a profile. */
    page(uri: vscode.Uri): Promise<string>;
}

async function textOf(uri: vscode.Uri): Promise<string> {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** The page that stands beside the profile: NAME.html beside NAME.json. */
export async function pageBeside(uri: vscode.Uri): Promise<string> {
    const page = uri.with({ path: uri.path.replace(/\.[^./]+$/, '.html') });
    try {
        return await textOf(page);
    } catch {
        throw new Error(`there is no ${page.path}; make it with: memspy-html PROFILE.xml -o ${page.path}`);
    }
}

async function load(uri: vscode.Uri, platform: Platform): Promise<Document> {
    return parseDocument(uri.path.endsWith('.json') ? await textOf(uri) : await platform.load(uri));
}

async function told<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
        return await work();
    } catch (error) {
        void vscode.window.showErrorMessage(`memspy: ${what}: ${error instanceof Error ? error.message : String(error)}`);
        return undefined;
    }
}

async function ask(title: string, platform: Platform): Promise<vscode.Uri | undefined> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const chosen = await vscode.window.showOpenDialog({ title, filters: { Profiles: ['json', ...platform.extensions] }, ...(folder ? { defaultUri: folder } : {}) });
    return chosen?.[0];
}

export function start(context: vscode.ExtensionContext, platform: Platform): (uri: vscode.Uri) => Promise<void> {
    const session = new Session();
    context.subscriptions.push(session.follow());
    showProblems(session, context);
    showHeat(session, context);
    showViews(session, context);

    const openProfile = async (uri: vscode.Uri): Promise<void> => {
        await told(uri.path, async () => session.openProfile(await load(uri, platform), uri));
    };
    const command = (name: string, action: (uri?: vscode.Uri) => unknown): void => {
        context.subscriptions.push(vscode.commands.registerCommand(`memspy.${name}`, action));
    };
    command('openProfile', async (uri) => {
        const chosen = uri ?? (await ask('Open a profile', platform));
        if (chosen !== undefined) await openProfile(chosen);
    });
    const openBaseline = async (uri: vscode.Uri): Promise<void> => {
        await told(uri.path, async () => session.openBaseline(await load(uri, platform), uri));
    };
    command('openBaseline', async (uri) => {
        const chosen = uri ?? (await ask('Compare with a baseline', platform));
        if (chosen !== undefined) await openBaseline(chosen);
    });
    command('closeBaseline', () => session.closeBaseline());
    command('closeProfile', () => session.close());
    command('toggleInclusive', () => session.toggleInclusive());
    command('chooseMetric', async () => {
        const metrics = session.metrics().map((metric) => ({ label: metric.title, metric }));
        const chosen = await vscode.window.showQuickPick(metrics, { title: 'The metric that is shown' });
        if (chosen !== undefined) session.choose(chosen.metric);
    });
    command('showPage', async () => {
        const uri = session.current?.uri;
        if (uri === undefined) return;
        await told('the page', async () => {
            const html = await platform.page(uri);
            const panel = vscode.window.createWebviewPanel('memspy.page', 'memspy', vscode.ViewColumn.Active, { enableScripts: true, retainContextWhenHidden: true });
            panel.webview.html = html;
        });
    });

    // The profile and the baseline that the workspace has, and each new one of these names.
    const folder = vscode.workspace.workspaceFolders?.[0];
    for (const [setting, open] of [['profile', openProfile], ['baseline', openBaseline]] as const) {
        const name = vscode.workspace.getConfiguration('memspy').get(setting, '');
        if (folder === undefined || name === '') continue;
        const uri = vscode.Uri.joinPath(folder.uri, name);
        const openIfThere = async (): Promise<void> => {
            const there = await vscode.workspace.fs.stat(uri).then(() => true, () => false);
            if (there) await open(uri);
        };
        const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
        context.subscriptions.push(watcher, watcher.onDidCreate(openIfThere), watcher.onDidChange(openIfThere));
        void openIfThere();
    }
    return openProfile;
}
