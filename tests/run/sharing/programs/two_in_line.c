// SPDX-License-Identifier: GPL-2.0-or-later
// Two blocks are allocated in one line. The one that is shared is not that of the variable that is declared there.
// EXPECT: FalseSharing 'heap block server of main' 'ut server->in \(thread [23]\), server->out \(thread [23]\) on lines of their own'
#include <pthread.h>
#include <stdlib.h>

struct traffic {
    volatile long in;
#if defined(MENDED)
    char apart[128];
#endif
    volatile long out;
};
static struct traffic* server;

static void* receive(void* unused) {
    for (int i = 0; i < 25000; ++i) server->in += i;
    return unused;
}
static void* answer(void* unused) {
    for (int i = 0; i < 25000; ++i) server->out -= i;
    return unused;
}

int main(void) {
    server = calloc(1, sizeof *server); short* port = malloc(10); *port = 80;  // in one line
    pthread_t a, b;
    pthread_create(&a, NULL, receive, NULL);
    pthread_create(&b, NULL, answer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(port);
    free(server);
    return 0;
}
