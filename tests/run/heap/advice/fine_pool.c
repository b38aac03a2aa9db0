// SPDX-License-Identifier: GPL-2.0-or-later
// Nodes come from a pool of the program's own, in chunks.
#include <stdio.h>
#include <stdlib.h>

struct Node {
    struct Node *left, *right;
    int key, count;
};
struct Chunk {
    struct Chunk* next;
    struct Node nodes[256];
};
static struct Chunk* chunks;
static int used = 256;

static struct Node* new_node(int key) {
    if (used == 256) {
        struct Chunk* chunk = malloc(sizeof *chunk);
        chunk->next = chunks;
        chunks = chunk;
        used = 0;
    }
    struct Node* node = &chunks->nodes[used++];
    *node = (struct Node){NULL, NULL, key, 1};
    return node;
}

static void count(struct Node** at, int key) {
    while (*at != NULL && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    if (*at == NULL)
        *at = new_node(key);
    else
        ++(*at)->count;
}

int main(void) {
    struct Node* root = NULL;
    unsigned random = 1;
    for (int i = 0; i < 20000; ++i)
        count(&root, (int)((random = random * 1103515245u + 12345u) >> 16) % 2000);
    printf("%d\n", root->count);
    while (chunks != NULL) {
        struct Chunk* const next = chunks->next;
        free(chunks);
        chunks = next;
    }
}
