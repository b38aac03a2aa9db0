// SPDX-License-Identifier: GPL-2.0-or-later
// Heads of deques from which others could steal.
// EXPECT: FalseSharing d 'Pad each element of d .16 bytes. to 64'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4 };
struct dq {
#ifdef MENDED
    _Alignas(64)
#endif
    atomic_int top, bottom;
    int* items;
};
static struct dq d[THREADS];
static int store[THREADS][4096];
static long res[THREADS][16];
static void* run(void* a) {
    int t = (int)(long)a;
    struct dq* q = &d[t];
    long s = 0;
    for (int r = 0; r < 10; ++r) {
        for (int i = 0; i < 400; ++i) {
            int b = atomic_load_explicit(&q->bottom, memory_order_relaxed);
            q->items[b & 4095] = i;
            atomic_store_explicit(&q->bottom, b + 1, memory_order_release);
        }
        for (;;) {
            int b = atomic_load_explicit(&q->bottom, memory_order_relaxed) - 1;
            atomic_store(&q->bottom, b);
            int tp = atomic_load(&q->top);
            if (b < tp) {
                atomic_store_explicit(&q->bottom, tp, memory_order_relaxed);
                break;
            }
            s += q->items[b & 4095];
        }
    }
    res[t][0] = s;
    return 0;
}
int main(void) {
    pthread_t th[THREADS];
    for (int t = 0; t < THREADS; ++t) d[t].items = store[t];
    for (long t = 0; t < THREADS; ++t) pthread_create(&th[t], 0, run, (void*)t);
    for (int t = 0; t < THREADS; ++t) pthread_join(th[t], 0);
    return res[0][0] ? 0 : 1;
}
