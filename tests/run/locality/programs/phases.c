/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Four kinds of work in turns, each in its function: words in order, any words, four bytes at places that often cross
 * the border of a word, and few words again and again. By the first thread; with an argument, then also by a second one. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#define KEEP __asm__ volatile("" ::: "memory")
#define WORK static __attribute__((noinline)) void

enum { WORDS = 30000, ROUNDS = 40 };
uint64_t ordered[WORDS], any[1 << 15], few[8];
char packed[WORDS * 7 + 8];

WORK in_order(void) { for (int i = 0; i < WORDS; ++i) { ordered[i] += 3; KEEP; } }
WORK anywhere(uint64_t key) {
    for (int i = 0; i < WORDS; ++i) {
        key = key * 6364136223846793005u + 1442695040888963407u;
        any[key >> 49] ^= key;
        KEEP;
    }
}
WORK across(void) {
    for (int i = 0; i < WORDS; ++i) {
        uint32_t value;
        memcpy(&value, packed + i * 7, 4);
        ++value;
        memcpy(packed + i * 7, &value, 4);
        KEEP;
    }
}
WORK again(void) { for (int i = 0; i < WORDS; ++i) { few[i % 8] += few[i % 3]; KEEP; } }

static void *work(void *unused) {
    for (int i = 0; i < ROUNDS; ++i) {
        in_order();
        anywhere((uint64_t)i);
        across();
        again();
    }
    return unused;
}

int main(int argc, char **argv) {
    (void)argv;
    work(NULL);
    if (argc == 1) return 0;
    pthread_t second;
    if (pthread_create(&second, NULL, work, NULL) != 0) return 1;
    return pthread_join(second, NULL);
}
