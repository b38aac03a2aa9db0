/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Kinds of blocks as the preload library tells them: the numbers of heap::AllocKind.
 */
#ifndef MEMSPY_CLIENT_BLOCK_KINDS_H
#define MEMSPY_CLIENT_BLOCK_KINDS_H

enum { kBlockMalloc, kBlockNew, kBlockNewArray };

#endif
