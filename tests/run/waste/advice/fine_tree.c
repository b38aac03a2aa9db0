// SPDX-License-Identifier: GPL-2.0-or-later
// Efficient: a tree of ordered keys.
#include <stdio.h>
#include <stdlib.h>

struct Node {
    struct Node *left, *right;
    unsigned key;
    int count;
};

int main(void) {
    struct Node *root = NULL;
    unsigned seed = 5;
    long depth = 0;
    for (int i = 0; i < 12000; ++i) {
        seed = seed * 1103515245 + 12345;
        const unsigned key = seed >> 8 & 0x3fff;
        struct Node **at = &root;
        while (*at && (*at)->key != key) {
            at = key < (*at)->key ? &(*at)->left : &(*at)->right;
            ++depth;
        }
        if (!*at) {
            *at = calloc(1, sizeof **at);
            (*at)->key = key;
        }
        ++(*at)->count;
    }
    printf("%ld\n", depth);
    return 0;
}
