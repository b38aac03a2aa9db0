// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a lost tree is one definite record for its root and an indirect one for the rest.
// ARGS: --show-leak-kinds=all
#include <stdlib.h>
#include "case.h"

struct Node { struct Node* left; struct Node* right; long pad; };

NOINLINE static struct Node* grow(int depth) {
    if (!depth) return 0;
    struct Node* node = (struct Node*)malloc(sizeof *node);  /* leak: indirect bytes=144 blocks=6 */
    node->left = grow(depth - 1);
    node->right = grow(depth - 1);
    return node;
}
NOINLINE static void lose(void) {
    struct Node* root = (struct Node*)malloc(sizeof *root);  /* leak: definite bytes=168 blocks=1 */
    root->left = grow(2);
    root->right = grow(2);
    ESCAPE(root);
}
NOINLINE static void wash(void) {
    volatile char area[8192];
    for (int i = 0; i < 8192; i++) area[i] = 0;
}

int main(void) {
    lose();
    wash();
    return 0;
}
// COMPILE: gcc -O0 -O1 -fno-optimize-sibling-calls
// The recursion gives several stacks, which are equal in their first two frames.
// ARGS: --leak-resolution=low
