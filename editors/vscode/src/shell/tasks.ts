// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tasks that run a program, or a test of CTest, under memspy and open what it found.

import { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { ListedTest, TaskDefinition, runOf } from '../core/run';
import { Programs } from '../node/programs';

type Opener = (uri: vscode.Uri) => Promise<void>;

class Terminal implements vscode.Pseudoterminal {
    private readonly written = new vscode.EventEmitter<string>();
    private readonly closed = new vscode.EventEmitter<number>();
    readonly onDidWrite = this.written.event;
    readonly onDidClose = this.closed.event;
    private child: ChildProcess | undefined;

    constructor(private readonly start: () => Promise<ChildProcess>, private readonly finish: () => Promise<string>) {}

    open(): void {
        this.start().then((child) => this.follow(child), (error: Error) => this.end(`memspy: ${error.message}`, 1));
    }

    close(): void {
        this.child?.kill();
    }

    handleInput(data: string): void {
        this.write(data.replace(/\r/g, '\n'));
        this.child?.stdin?.write(data.replace(/\r/g, '\n'));
    }

    private write(text: string): void {
        this.written.fire(text.replace(/\r?\n/g, '\r\n'));
    }

    private end(text: string, code: number): void {
        this.write(`${text}\n`);
        this.closed.fire(code);
    }

    private follow(child: ChildProcess): void {
        this.child = child;
        for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text: string) => this.write(text));
        child.on('error', (error) => this.end(`memspy: ${error.message}`, 1));
        child.on('close', (code) => {
            this.finish().then((text) => this.end(text, code ?? 1), (error: Error) => this.end(`memspy: ${error.message}`, 1));
        });
    }
}

export function provideTasks(context: vscode.ExtensionContext, programs: () => Programs, opener: Opener): void {
    const results = join((context.storageUri ?? context.globalStorageUri).fsPath, 'run');
    const folder = (): string => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '.';
    const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('memspy');
    const tests = (): Promise<ListedTest[]> => programs().tests(join(folder(), settings().get('buildFolder', 'build')));

    const begin = async (definition: TaskDefinition): Promise<ChildProcess> => {
        const run = runOf(definition, definition.test === undefined ? [] : await tests());
        return programs().start(run, [...settings().get<string[]>('options', []), ...(definition.options ?? [])], folder(), results);
    };
    const finish = async (): Promise<string> => {
        const files = await programs().filesOf(results);
        if (files.length === 0) throw new Error('it has written nothing');
        const json = join(results, 'memspy.json');
        await writeFile(json, await programs().json(files));
        await opener(vscode.Uri.file(json));
        return 'memspy: what was found is in Problems and in the view memspy.';
    };
    const task = (definition: TaskDefinition & vscode.TaskDefinition): vscode.Task => new vscode.Task(definition, vscode.TaskScope.Workspace,
        definition.test ?? definition.program ?? 'program', 'memspy',
        new vscode.CustomExecution((resolved) => Promise.resolve(new Terminal(() => begin(resolved as TaskDefinition), finish))));
    context.subscriptions.push(vscode.tasks.registerTaskProvider('memspy', {
        provideTasks: async () => (await tests()).map(({ name }) => task({ type: 'memspy', test: name })),
        resolveTask: (given) => {
            const definition = given.definition as TaskDefinition & vscode.TaskDefinition;
            // The editor knows the task by its definition: it must stay the same object.
            return new vscode.Task(definition, given.scope ?? vscode.TaskScope.Workspace, given.name, 'memspy', task(definition).execution);
        },
    }));
}
