// SPDX-License-Identifier: GPL-2.0-or-later
//
// What is open: a profile, perhaps a baseline, and the metric that is shown. All parts of the workbench listen to it.

import * as vscode from 'vscode';
import { Comparison, compare, newFindings } from '../core/compare';
import { Document } from '../core/document';
import { Finding, findingsOf } from '../core/findings';
import { Figure, Metric, figuresOf, metricsOf } from '../core/heat';
import { HoverTexts } from '../core/hover';
import { Moves, TextChange } from '../core/moves';
import { candidates } from '../core/paths';
import { Profile, Sources } from '../core/profile';

async function exists(uri: vscode.Uri): Promise<boolean> {
    try {
        await vscode.workspace.fs.stat(uri);
        return true;
    } catch {
        return false;
    }
}

async function find(path: string): Promise<string | undefined> {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
        for (const candidate of candidates(path, folder.uri.path)) {
            const uri = vscode.Uri.joinPath(folder.uri, candidate);
            if (await exists(uri)) return uri.toString();
        }
    }
    return undefined;
}

async function sourcesOf(profile: Profile): Promise<Sources> {
    const paths = [...profile.paths()];
    const found = await Promise.all(paths.map(find));
    return new Map(paths.flatMap((path, number) => {
        const uri = found[number];
        return uri === undefined ? [] : [[path, uri] as [string, string]];
    }));
}

interface Opened {
    profile: Profile;
    sources: Sources;
    findings: Finding[];
    uri: vscode.Uri;
}

async function open(document: Document, uri: vscode.Uri): Promise<Opened> {
    const profile = new Profile(document), sources = await sourcesOf(profile);
    return { profile, sources, findings: findingsOf(profile, sources), uri };
}

function changeOf({ range: { start, end }, text }: vscode.TextDocumentContentChangeEvent): TextChange {
    return { start: { line: start.line, column: start.character }, end: { line: end.line, column: end.character }, text };
}

export class Session {
    private readonly changed = new vscode.EventEmitter<void>();
    private readonly moved = new vscode.EventEmitter<void>();
    readonly onChange = this.changed.event;
    /** Lines have other places; what is open is the same. */
    readonly onMove = this.moved.event;
    /** Where the lines of the profile are now. */
    moves = new Moves();
    current: Opened | undefined;
    baseline: Opened | undefined;
    metric: Metric | undefined;
    inclusive = false;
    figures: Figure[] = [];
    comparison: Comparison | undefined;
    hovers: HoverTexts | undefined;
    fresh: Set<Finding> | undefined; // not in the baseline

    async openProfile(document: Document, uri: vscode.Uri): Promise<void> {
        this.current = await open(document, uri);
        this.moves = new Moves();
        const metrics = metricsOf(this.current.profile);
        this.metric = metrics.find((metric) => metric.id === this.metric?.id) ?? metrics[0];
        this.hovers = new HoverTexts(this.current.profile, this.current.sources);
        this.update();
    }

    async openBaseline(document: Document, uri: vscode.Uri): Promise<void> {
        this.baseline = await open(document, uri);
        this.update();
    }

    closeBaseline(): void {
        this.baseline = undefined;
        this.update();
    }

    close(): void {
        this.current = this.baseline = this.metric = this.hovers = undefined;
        this.update();
    }

    choose(metric: Metric): void {
        this.metric = metric;
        this.update();
    }

    toggleInclusive(): void {
        this.inclusive = !this.inclusive;
        this.update();
    }

    metrics(): Metric[] {
        return this.current === undefined ? [] : metricsOf(this.current.profile);
    }

    /** From now on the lines move with the edits of their files. */
    follow(): vscode.Disposable {
        const told = (moved: boolean): void => {
            if (moved && this.current !== undefined) this.moved.fire();
        };
        return vscode.Disposable.from(this.changed, this.moved,
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                const textOf = (line: number): string => document.lineAt(line).text;
                told(this.moves.change(document.uri.toString(), contentChanges.map(changeOf), textOf));
            }),
            vscode.workspace.onDidSaveTextDocument((document) => this.moves.saved(document.uri.toString())),
            vscode.workspace.onDidCloseTextDocument((document) => told(this.moves.closed(document.uri.toString()))));
    }

    private update(): void {
        const { current, baseline, metric } = this;
        this.figures = current && metric ? figuresOf(current.profile, metric, current.sources) : [];
        this.comparison = baseline && metric ? compare(baseline.profile, figuresOf(baseline.profile, metric, baseline.sources), this.figures)
            : undefined;
        this.fresh = baseline && current ? newFindings(baseline.findings, current.findings) : undefined;
        this.changed.fire();
    }
}
