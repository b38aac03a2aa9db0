// SPDX-License-Identifier: GPL-2.0-or-later
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Moves, TextChange } from '../../src/core/moves';

const FILE = 'served:/a.c';
const TEXT = ['zero', '  one', '  two', '  three', 'four'];

/** A change from column c1 of line l1 to column c2 of line l2. */
function change(l1: number, c1: number, l2: number, c2: number, text: string): TextChange {
    return { start: { line: l1, column: c1 }, end: { line: l2, column: c2 }, text };
}

function edited(lines: string[], changes: TextChange[]): string[] {
    let text = lines;
    for (const { start, end, text: written } of [...changes].sort((a, b) => b.start.line - a.start.line || b.start.column - a.start.column)) {
        const middle = ((text[start.line] ?? '').slice(0, start.column) + written + (text[end.line] ?? '').slice(end.column)).split('\n');
        text = [...text.slice(0, start.line), ...middle, ...text.slice(end.line + 1)];
    }
    return text;
}

class Editor {
    readonly moves = new Moves();
    constructor(public lines: string[]) {}

    edit(...changes: TextChange[]): boolean {
        this.lines = edited(this.lines, changes);
        return this.moves.change(FILE, changes, (line) => this.lines[line] ?? '');
    }

    /** Of each line of the run: its number now, with `~` if its text is another, `-` if it has no place. */
    state(): string {
        return TEXT.map((_, line) => {
            const spot = { file: FILE, line: line + 1 }, now = this.moves.now(spot);
            return now === undefined ? '-' : `${now.line}${this.moves.intact(spot) === undefined ? '~' : ''}`;
        }).join(' ');
    }
}

const after = (...changes: TextChange[]): string => {
    const editor = new Editor(TEXT);
    editor.edit(...changes);
    return editor.state();
};

test('lines below an edit move; what is written in a line changes it alone', () => {
    assert.equal(after(change(2, 0, 2, 0, '  new\n')), '1 2 4 5 6');
    assert.equal(after(change(1, 5, 1, 5, '\n  new')), '1 2 4 5 6');
    assert.equal(after(change(1, 2, 1, 2, '\n')), '1 3 4 5 6');
    assert.equal(after(change(1, 0, 3, 0, '')), '1 - - 2 3');
    assert.equal(after(change(2, 2, 2, 5, 'other')), '1 2 3~ 4 5');
    assert.equal(after(change(2, 3, 2, 3, '\n')), '1 2 - 5 6');
    assert.equal(after(change(1, 5, 2, 0, '')), '1 - - 3 4');
    assert.equal(after(change(1, 2, 1, 5, 'a\nb')), '1 - 4 5 6');
    assert.equal(after(change(4, 4, 4, 4, '  \r\n')), '1 2 3 4 5');
});

test('changes that are made at once are told by the text before them', () => {
    assert.equal(after(change(3, 2, 3, 2, 'alignas(64) '), change(1, 0, 1, 0, 'a\nb\n')), '1 4 5 6~ 7');
    assert.equal(after(change(0, 0, 0, 0, 'x\n'), change(4, 4, 4, 4, '\nend'), change(2, 0, 3, 0, '')), '2 3 - 4 5');
});

test('an edit that moves nothing, and changes no other line than before, is told so', () => {
    const editor = new Editor(TEXT);
    assert.equal(editor.edit(change(1, 5, 1, 5, 'x')), true);
    assert.equal(editor.edit(change(1, 6, 1, 6, 'y')), false);
    assert.equal(editor.edit(change(3, 7, 3, 7, '  ')), false);
});

test('the lines of the run are found from those of now; other files have not moved', () => {
    const { moves } = ((editor: Editor) => (editor.edit(change(1, 0, 1, 0, 'new\n'), change(3, 3, 3, 3, 'x')), editor))(new Editor(TEXT));
    assert.deepEqual([1, 2, 3, 4, 5, 6].map((line) => moves.was({ file: FILE, line })?.line), [1, undefined, 2, 3, undefined, 5]);
    assert.deepEqual(moves.now({ file: 'served:/b.c', line: 4 }), { file: 'served:/b.c', line: 4 });
});

test('a file that is closed is as it was saved', () => {
    const editor = new Editor(TEXT);
    editor.edit(change(0, 0, 0, 0, 'new\n'));
    editor.moves.saved(FILE);
    editor.edit(change(0, 0, 0, 0, 'newer\n'));
    assert.equal(editor.state(), '3 4 5 6 7');
    assert.equal(editor.moves.closed(FILE), true);
    assert.equal(editor.state(), '2 3 4 5 6');
    assert.equal(editor.moves.closed(FILE), false);
});

test('after many edits at random a line that is said to be intact has its text', () => {
    let seed = 1;
    const random = (below: number): number => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return Math.floor((seed / 2147483648) * below);
    };
    const texts = ['', 'x', ' ', '\n', '\n    ', 'x\n', '\nx', 'a\nb\n', '\n\n'];
    let intact = 0;
    for (let round = 0; round < 300; ++round) {
        const original = Array.from({ length: 30 }, (_, line) => `${' '.repeat(random(5))}line ${line}`);
        const editor = new Editor(original);
        for (let step = 0; step < 12; ++step) {
            const first = random(editor.lines.length), second = Math.min(editor.lines.length - 1, first + random(4));
            const length = (line: number): number => editor.lines[line]?.length ?? 0;
            const columns = [0, length(first), random(length(first) + 1)], ends = [0, length(second), random(length(second) + 1)];
            const column = columns[random(3)] ?? 0, end = ends[random(3)] ?? 0;
            if (random(2) === 0) editor.edit(change(first, column, first, column, texts[random(texts.length)] ?? ''));
            else if (second > first || end >= column) editor.edit(change(first, column, second, end, texts[random(texts.length)] ?? ''));
        }
        original.forEach((text, line) => {
            const place = editor.moves.intact({ file: FILE, line: line + 1 });
            if (place === undefined) return;
            ++intact;
            assert.equal(editor.lines[place.line - 1]?.trim(), text.trim());
            assert.equal(editor.moves.was(place)?.line, line + 1);
        });
    }
    assert.ok(intact > 1000, `${intact} lines`);
});
