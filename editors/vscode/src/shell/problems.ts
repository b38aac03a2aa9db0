// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings as entries of Problems, and their quick fixes.

import * as vscode from 'vscode';
import { Finding, Severity } from '../core/findings';
import { Edit, filesOf, fixesOf } from '../core/fixes';
import { Moves } from '../core/moves';
import { Spot } from '../core/profile';
import { Session } from './session';

const SEVERITIES: Record<Severity, vscode.DiagnosticSeverity> = {
    error: vscode.DiagnosticSeverity.Error,
    warning: vscode.DiagnosticSeverity.Warning,
    information: vscode.DiagnosticSeverity.Information,
};

/** The text of a line, for documents that are open; the whole line, whatever its length, for others. */
function rangeOf(file: string, line: number): vscode.Range {
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === file);
    if (document === undefined || line > document.lineCount) return new vscode.Range(line - 1, 0, line - 1, 1000);
    const text = document.lineAt(line - 1);
    return new vscode.Range(line - 1, text.firstNonWhitespaceCharacterIndex, line - 1, text.range.end.character);
}

class MemspyDiagnostic extends vscode.Diagnostic {
    constructor(finding: Finding, spot: Spot, moves: Moves, state: string) {
        super(rangeOf(spot.file, spot.line), finding.text + state, SEVERITIES[finding.severity]);
        this.source = 'memspy';
        this.code = finding.kind;
        this.relatedInformation = finding.related.flatMap(({ text, spot: of }) => {
            const place = moves.now(of);
            return place === undefined ? [] : [new vscode.DiagnosticRelatedInformation(
                new vscode.Location(vscode.Uri.parse(place.file), rangeOf(place.file, place.line)), text)];
        });
    }
}

function changeOf(edits: Edit[]): vscode.WorkspaceEdit {
    const change = new vscode.WorkspaceEdit();
    for (const { file, line, column, remove, insert } of edits) {
        change.replace(vscode.Uri.parse(file), new vscode.Range(line - 1, column, line - 1, column + remove), insert);
    }
    return change;
}

class QuickFixes implements vscode.CodeActionProvider {
    constructor(private readonly session: Session) {}

    async provideCodeActions(document: vscode.TextDocument, range: vscode.Range): Promise<vscode.CodeAction[]> {
        const { current, moves } = this.session;
        if (current === undefined) return [];
        const file = document.uri.toString(), actions: vscode.CodeAction[] = [];
        for (const finding of current.findings) {
            const spot = finding.spot.file === file ? moves.intact(finding.spot) : undefined;
            if (spot === undefined || !range.intersection(rangeOf(file, spot.line))) continue;
            const texts = new Map<string, string[]>();
            for (const name of filesOf(current.profile, finding, current.sources)) {
                const text = await vscode.workspace.openTextDocument(vscode.Uri.parse(name)).then((opened) => opened.getText(), () => undefined);
                if (text !== undefined) texts.set(name, text.split(/\r?\n/));
            }
            for (const fix of fixesOf(current.profile, finding, current.sources, (name) => texts.get(name), (each) => moves.now(each))) {
                const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
                action.edit = changeOf(fix.edits);
                action.diagnostics = [new MemspyDiagnostic(finding, spot, moves, '')];
                actions.push(action);
            }
        }
        return actions;
    }
}

export function showProblems(session: Session, context: vscode.ExtensionContext): void {
    const collection = vscode.languages.createDiagnosticCollection('memspy');
    const update = (): void => {
        collection.clear();
        const files = new Map<string, vscode.Diagnostic[]>();
        for (const finding of session.current?.findings ?? []) {
            const state = session.fresh === undefined ? '' : session.fresh.has(finding) ? '\nnew since the baseline' : '\nalready in the baseline';
            const spot = session.moves.intact(finding.spot);
            if (spot === undefined) continue;
            const list = files.get(finding.spot.file) ?? [];
            files.set(finding.spot.file, list);
            list.push(new MemspyDiagnostic(finding, spot, session.moves, state));
        }
        for (const [file, diagnostics] of files) collection.set(vscode.Uri.parse(file), diagnostics);
    };
    context.subscriptions.push(collection, session.onChange(update), session.onMove(update), vscode.languages.registerCodeActionsProvider(
        { pattern: '**/*' }, new QuickFixes(session), { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] }));
}
