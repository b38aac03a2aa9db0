// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: an error with a block of another thread says which threads allocated and freed it, by number and by the
//   name that they or their maker gave them, of threads that have ended too; nothing is said of a thread's own blocks.
// COMPILE: gcc clang -O0 -O2 -pthread
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include "case.h"

static char* volatile shared;
static int gate[2];

static void* makes(void* none) {
    pthread_setname_np(pthread_self(), "maker");
    shared = malloc(40);
    return none;
}
static void* drops(void* none) {
    char named;
    if (read(gate[0], &named, 1) == 1) free(shared);
    return none;
}
static void* uses(void* none) {
    ++shared[3];  /* expect: InvalidRead text="free'd \(use-after-free; free'd by thread 3 \(dropper\), alloc'd by thread 2 \(maker\)\)" *//* expect: InvalidWrite text="free'd by thread 3 \(dropper\)" */
    return none;
}
static void* own(void* none) {
    char* volatile block = malloc(8);
    block[8] = 1;  /* expect: InvalidWrite text="alloc'd \(heap-buffer-overflow by 1 bytes\)" */
    free(block);
    shared = block;
    return none;
}

static void run(void* (*what)(void*), const char* name) {
    pthread_t thread;
    NEED(pthread_create(&thread, NULL, what, NULL) == 0);
    if (name != NULL) {
        pthread_setname_np(thread, name);
        NEED(write(gate[1], "n", 1) == 1);
    }
    pthread_join(thread, NULL);
}

int main(void) {
    NEED(pipe(gate) == 0);
    run(makes, NULL);
    shared[40] = 1;  /* expect: InvalidWrite text="\(heap-buffer-overflow by 1 bytes; alloc'd by thread 2 \(maker\)\)" */
    run(drops, "dropper");
    run(uses, NULL);
    run(own, NULL);
    shared[2] = 1;  /* expect: InvalidWrite text="\(use-after-free; free'd by thread 5, alloc'd by thread 5\)" */
    shared = malloc(16);
    free(shared);
    shared[1] = 1;  /* expect: InvalidWrite text="free'd \(use-after-free\) " */
    return 0;
}
