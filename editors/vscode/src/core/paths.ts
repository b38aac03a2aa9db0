// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where a path of the profile may be in a folder of the workspace.

/** The most exact first: the path below the folder, then ever shorter ends of it, for a checkout in another place. */
export function candidates(path: string, folder: string): string[] {
    const below = folder.endsWith('/') ? folder : `${folder}/`;
    const found = path.startsWith(below) ? [path.slice(below.length)] : [];
    const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
    for (let from = path.startsWith('/') ? 1 : 0; from < parts.length; ++from) found.push(parts.slice(from).join('/'));
    return [...new Set(found)];
}
