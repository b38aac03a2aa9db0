// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: where blocks are memspy's own, tcmalloc's extensions do nothing and do not crash; a program linked to tcmalloc calls them from its threads
// ARCH: x86_64
// COMPILE: gcc -O1 -pthread
// EXPECT: nothing
// ALSO: LD_PRELOAD=libtcmalloc_minimal.so.4
// ALSO: --defects=no LD_PRELOAD=libtcmalloc_minimal.so.4
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void call(const char* name) {
    void (*const function)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, name);
    const char* const preloaded = getenv("LD_PRELOAD");
    if (function != NULL)
        function();
    else if (preloaded != NULL && strstr(preloaded, "tcmalloc") != NULL)
        exit(1);
}

static void* work(void* unused) {
    call("MallocExtension_MarkThreadBusy");
    free(malloc(100));
    call("MallocExtension_MarkThreadIdle");
    call("MallocExtension_ReleaseFreeMemory");
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0) return 2;
    return pthread_join(thread, NULL);
}
