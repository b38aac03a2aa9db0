// SPDX-License-Identifier: GPL-2.0-or-later
//
// Two threads work on connections in turn, and a third one looks at one member of each. So the distance from one thread's bytes
// to the other's is not that of the elements.
// EXPECT: FalseSharing connections 'Pad each element of connections \(40 bytes\) to 64 .*first member of Connection' hidden
#include <pthread.h>
#include <string.h>

enum { kConnections = 16, kRounds = 3000 };

typedef struct {
#ifdef MENDED
    _Alignas(64)
#endif
    int id;
    char name[20];
    volatile int pending;
    volatile long bytes;
} Connection;

static _Alignas(64) Connection connections[kConnections];

static void *work(void *number) {
    const long mine = (long)number;
    for (int round = 0; round < kRounds; ++round) {
        Connection *const c = &connections[round % (kConnections / 2) * 2 + mine];
        c->bytes += strlen(c->name) + 8;
        c->pending = (c->pending + 1) % 4;
    }
    return NULL;
}

static void *look(void *unused) {
    long sum = 0;
    for (int round = 0; round < kRounds / 16; ++round)
        for (int i = 0; i < kConnections; ++i) sum += connections[i].pending;
    (void)unused;
    return (void *)sum;
}

int main(void) {
    for (int i = 0; i < kConnections; ++i) {
        connections[i].id = i;
        strcpy(connections[i].name, "somebody");
    }
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, look, NULL);
    for (long i = 0; i < 2; ++i) pthread_create(&threads[1 + i], NULL, work, (void *)i);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    return connections[0].bytes == 0;
}
