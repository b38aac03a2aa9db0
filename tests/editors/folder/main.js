// SPDX-License-Identifier: GPL-2.0-or-later
//
// A file system for the workbench: the files of the test's server, below /folder/. What is written stays here.
const vscode = require('vscode');

async function read(base, path) {
    const answer = await fetch(base + path);
    if (!answer.ok) throw vscode.FileSystemError.FileNotFound(path);
    return new Uint8Array(await answer.arrayBuffer());
}

exports.activate = async (context) => {
    const base = context.extensionUri.with({ path: '/folder' }).toString(true);
    const names = JSON.parse(new TextDecoder().decode(await read(base, '/')));
    const files = new Map();
    for (const name of names) files.set(`/${name}`, await read(base, `/${name}`));
    const changed = new vscode.EventEmitter();
    const provider = {
        onDidChangeFile: changed.event,
        watch: () => new vscode.Disposable(() => undefined),
        stat(uri) {
            if (uri.path === '/') return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
            const file = files.get(uri.path);
            if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
            return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: file.length };
        },
        readDirectory: () => [...files.keys()].map((name) => [name.slice(1), vscode.FileType.File]),
        readFile(uri) {
            const file = files.get(uri.path);
            if (file === undefined) throw vscode.FileSystemError.FileNotFound(uri);
            return file;
        },
        writeFile(uri, content) {
            files.set(uri.path, content);
            changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
        },
        createDirectory() {},
        delete() {},
        rename() {},
    };
    context.subscriptions.push(vscode.workspace.registerFileSystemProvider('served', provider));
};
