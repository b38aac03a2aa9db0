// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a block that a library's own thread allocates has the name of the library's function that needs it, not of the
// PROVES: one that only passes the size on
// ARCH: x86_64
// COMPILE: gcc -O1 -pthread -s -l:libglib-2.0.so.0
// SHARING: FalseSharing text="heap block of g_strdup"
#include <pthread.h>

char* g_strdup(const char* text);
void g_free(void* memory);

static volatile char* text;

static void* first(void* unused) {
    for (int i = 0; i < 20000; ++i) ++text[0];
    return unused;
}
static void* second(void* unused) {
    for (int i = 0; i < 20000; ++i) ++text[8];
    return unused;
}

int main(void) {
    pthread_t threads[2];
    void* copy;
    pthread_create(&threads[0], NULL, (void* (*)(void*))g_strdup, "twenty-four bytes or so");
    pthread_join(threads[0], &copy);
    text = copy;
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
    g_free(copy);
    return 0;
}
