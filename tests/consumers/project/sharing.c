// SPDX-License-Identifier: GPL-2.0-or-later
#include <pthread.h>
static struct { volatile long one, other; } pair __attribute__((aligned(64)));
static void* count(void* argument) {
    volatile long* mine = argument;
    for (int i = 0; i < 50000; ++i) ++*mine;
    return 0;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, count, (void*)&pair.one);
    count((void*)&pair.other);
    return pthread_join(thread, 0);
}
