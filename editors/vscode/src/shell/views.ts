// SPDX-License-Identifier: GPL-2.0-or-later
//
// The trees by object and by function.

import * as vscode from 'vscode';
import { Node, treeByFunction, treeByObject } from '../core/tree';
import { Spot } from '../core/profile';
import { Session } from './session';

class Tree implements vscode.TreeDataProvider<Node> {
    private readonly changed = new vscode.EventEmitter<void>();
    readonly onDidChangeTreeData = this.changed.event;

    constructor(session: Session, private readonly roots: () => Node[]) {
        session.onChange(() => this.changed.fire());
    }

    getChildren(node?: Node): Node[] {
        return node === undefined ? this.roots() : node.children;
    }

    getTreeItem(node: Node): vscode.TreeItem {
        const item = new vscode.TreeItem(node.label, node.children.length > 0 ? vscode.TreeItemCollapsibleState.Collapsed
            : vscode.TreeItemCollapsibleState.None);
        item.description = node.description;
        item.tooltip = `${node.label}: ${node.description}`;
        if (node.spot !== undefined) {
            item.command = { command: 'memspy.goTo', title: 'Open', arguments: [node.spot] };
        }
        return item;
    }
}

async function goTo(session: Session, spot: Spot): Promise<void> {
    const { file, line } = session.moves.now(spot) ?? spot;
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(file), { selection: new vscode.Range(line - 1, 0, line - 1, 0) });
}

export function showViews(session: Session, context: vscode.ExtensionContext): void {
    const objects = (): Node[] => (session.current === undefined ? []
        : treeByObject(session.current.profile, session.figures, session.current.sources, session.comparison?.object));
    const functions = (): Node[] => treeByFunction(session.figures, session.comparison?.fn);
    context.subscriptions.push(vscode.commands.registerCommand('memspy.goTo', (spot: Spot) => goTo(session, spot)),
        vscode.window.createTreeView('memspy.objects', { treeDataProvider: new Tree(session, objects), showCollapseAll: true }),
        vscode.window.createTreeView('memspy.functions', { treeDataProvider: new Tree(session, functions), showCollapseAll: true }));
}
