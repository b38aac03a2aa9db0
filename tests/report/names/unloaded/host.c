/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Loads each plugin that is named, has two threads count in it, and unloads it, so that the next comes to stand where
 * it stood.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void (*count)(int);

static void* work(void* worker) {
    count((int)(long)worker);
    return NULL;
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        pthread_t threads[2];
        void* plugin = dlopen(argv[i], RTLD_NOW);
        if (plugin == NULL)
            return 1;
        count = (void (*)(int))dlsym(plugin, "count");
        printf("%p\n", (void*)count);
        for (long t = 0; t < 2; t++)
            pthread_create(&threads[t], NULL, work, (void*)t);
        for (int t = 0; t < 2; t++)
            pthread_join(threads[t], NULL);
        dlclose(plugin);
    }
    return 0;
}
