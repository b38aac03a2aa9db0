// SPDX-License-Identifier: GPL-2.0-or-later
// Two locks of four threads with their data in a line.
// EXPECT: TrueSharing s 'put s.a.lock, s.a.count and s.a.sum .* on lines of their own' plain
#include <pthread.h>

enum { THREADS = 4 };
struct half {
    pthread_spinlock_t lock;
    int count;
    long sum;
};
static struct {
    struct half a;
#ifdef MENDED
    char pad[48];
#endif
    struct half b;
} s __attribute__((aligned(64)));
static void* run(void* arg) {
    long t = (long)arg;
    struct half* h = t & 1 ? &s.b : &s.a;
    for (int i = 0; i < 3000; ++i) {
        pthread_spin_lock(&h->lock);
        h->count++;
        h->sum += i;
        pthread_spin_unlock(&h->lock);
        for (volatile int k = 0; k < 25; ++k)
            ;
    }
    return 0;
}
int main(void) {
    pthread_t th[THREADS];
    pthread_spin_init(&s.a.lock, 0);
    pthread_spin_init(&s.b.lock, 0);
    for (long t = 0; t < THREADS; ++t) pthread_create(&th[t], 0, run, (void*)t);
    for (int t = 0; t < THREADS; ++t) pthread_join(th[t], 0);
    return 0;
}
