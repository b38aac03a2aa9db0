// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that a library with symbols allocates for a program without any has the name of the library's function,
// PROVES: because an address in the program says nothing
// ARCH: x86_64
// COMPILE: gcc -O1 -pthread -s -l:libxml2.so.2
// SHARING: FalseSharing text="heap block of xmlNewNode"
#include <pthread.h>
#include <stdlib.h>

// The beginning of libxml2's nodes.
struct node {
    void* volatile owner;
    volatile int type;
};
struct node* xmlNewNode(void* space, const unsigned char* name);
void xmlFreeNode(struct node* node);

static struct node* node;

static void* change_owner(void* unused) {
    for (int i = 0; i < 20000; ++i) node->owner = node->owner == NULL ? node : NULL;
    return unused;
}
static void* change_type(void* unused) {
    for (int i = 0; i < 20000; ++i) node->type = 1 + (i & 1);
    return unused;
}

int main(void) {
    node = xmlNewNode(NULL, (const unsigned char*)"node");
    if (node == NULL) return 1;
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, change_owner, NULL);
    pthread_create(&threads[1], NULL, change_type, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    node->type = 1;
    xmlFreeNode(node);
    return 0;
}
