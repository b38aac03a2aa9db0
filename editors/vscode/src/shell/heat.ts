// SPDX-License-Identifier: GPL-2.0-or-later
//
// Heat in the gutter, in the overview ruler and at line ends; hovers.

import * as vscode from 'vscode';
import { Change } from '../core/compare';
import { LEVELS, LineHeat, heatOf, levelOf, totalOf } from '../core/heat';
import { grouped } from '../core/profile';
import { Session } from './session';

// From pale to dark, to be told apart on light and dark grounds.
const COLOURS = ['#f4d8a8', '#f2b35e', '#ec8333', '#d9501e', '#a8190f'];

function typeOf(colour: string): vscode.TextEditorDecorationType {
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="9" width="5" height="16" fill="${colour}"/></svg>`;
    return vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        gutterIconPath: vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(picture)}`),
        gutterIconSize: 'contain',
        overviewRulerColor: colour,
        overviewRulerLane: vscode.OverviewRulerLane.Right,
        after: { margin: '0 0 0 3em', color: new vscode.ThemeColor('editorCodeLens.foreground') },
    });
}

function textOf(heat: LineHeat, total: number, change: Change | undefined): string {
    const text = `${grouped(heat.value)} (${((100 * heat.value) / total).toFixed(1)} %)`;
    if (change === undefined) return text;
    return change.before === undefined ? `${text}, new` : `${text}, before ${grouped(change.before)}`;
}

export function showHeat(session: Session, context: vscode.ExtensionContext): void {
    const types = COLOURS.slice(0, LEVELS).map(typeOf);
    const status = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Right, 90);
    status.command = 'memspy.chooseMetric';
    status.tooltip = 'memspy: the metric that is shown';
    let files = new Map<string, LineHeat[]>(), hottest = 0, total = 0;

    const draw = (editor: vscode.TextEditor): void => {
        const file = editor.document.uri.toString();
        const shown = vscode.workspace.getConfiguration('memspy').get('heat', true);
        const changes = session.comparison?.lines(file, session.inclusive);
        const options: vscode.DecorationOptions[][] = types.map(() => []);
        for (const heat of shown ? files.get(file) ?? [] : []) {
            const line = session.moves.intact({ file, line: heat.line })?.line;
            if (line === undefined || line > editor.document.lineCount) continue;
            const contentText = `${textOf(heat, total, changes?.get(heat.line))} ${session.metric?.title ?? ''}`;
            options[levelOf(heat.value, hottest)]?.push({ range: editor.document.lineAt(line - 1).range, renderOptions: { after: { contentText } } });
        }
        types.forEach((type, level) => editor.setDecorations(type, options[level] ?? []));
    };
    const drawAll = (): void => vscode.window.visibleTextEditors.forEach(draw);
    const update = (): void => {
        files = heatOf(session.figures, session.inclusive);
        hottest = Math.max(0, ...[...files.values()].flat().map(({ value }) => value));
        total = totalOf(session.figures);
        if (session.metric === undefined) status.hide();
        else {
            status.text = `$(flame) ${session.metric.title}${session.inclusive ? ', inclusive' : ''}`;
            status.show();
        }
        drawAll();
    };
    context.subscriptions.push(status, ...types, session.onChange(update), session.onMove(drawAll), vscode.window.onDidChangeVisibleTextEditors(drawAll),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('memspy.heat')) drawAll();
        }),
        vscode.languages.registerHoverProvider({ pattern: '**/*' }, {
            provideHover(document, position) {
                const spot = session.moves.was({ file: document.uri.toString(), line: position.line + 1 });
                const text = spot && session.hovers?.at(spot, session.metric);
                return text === undefined ? undefined : new vscode.Hover(new vscode.MarkdownString(text), document.lineAt(position.line).range);
            },
        }));
}
