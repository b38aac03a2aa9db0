/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Accesses whose cost on a given machine follows on paper; cost.py says what it is. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = 1 << 18, ROUNDS = 4, TURNS = 100000, WORKERS = 2, GRID = 1 << 17, SHARED = 1 << 16, FIGHTS = 20000 };
enum { BIND = 2, INTERLEAVE = 3 }; /* of <numaif.h> */

static _Alignas(4096) volatile double field[WORDS];
static _Alignas(4096) volatile int ping[16];
static _Alignas(4096) volatile int pong[16];

static _Alignas(4096) volatile double shared[SHARED];
static _Alignas(4096) volatile double bound[SHARED];
static _Alignas(64) volatile long counters[WORKERS];
static pthread_barrier_t start;

static volatile double *grid; /* of the heap, 1 MB */
static int touch_in_loop, all_use_all, all_store;

static __attribute__((noinline)) void walk(void) {
    for (int r = 0; r < ROUNDS; ++r)
        for (int i = 0; i < WORDS; ++i) (void)field[i];
}

static __attribute__((noinline)) void in_turn(void) {
    for (int i = 0; i < TURNS; ++i) {
        (void)ping[0];
        (void)pong[0];
    }
}

/* Two variables beside each other, 12 words and 4: they meet inside the second of two lines. */
__asm__(".data\n"
        ".balign 128\n"
        ".type left, @object\n.size left, 96\nleft: .zero 96\n"
        ".type right, @object\n.size right, 32\nright: .zero 32\n"
        ".text\n");
extern volatile long left[12] __attribute__((visibility("hidden")));

static __attribute__((noinline)) void swap_pair(volatile long *pair) {
    const long first = pair[0], second = pair[1];
    pair[0] = second;
    pair[1] = first;
}

/* Most pairs are of one variable, and of one line; one is of both lines, one of both variables. */
static __attribute__((noinline)) void pairs(void) {
    for (int i = 0; i < TURNS; ++i)
        for (int word = 0; word < 15; ++word) swap_pair(left + word);
}

static __attribute__((noinline)) void fill(int begin, int end) {
    for (int i = begin; i < end; ++i) grid[i] = 1;
}

static void *work(void *number) {
    const int begin = (int)(size_t)number * (GRID / WORKERS), end = begin + GRID / WORKERS;
    if (touch_in_loop) fill(begin, end);
    for (int r = 0; r < ROUNDS; ++r) {
        if (all_use_all)
            for (int i = 0; i < GRID; ++i) (void)grid[i];
        else
            for (int i = begin; i < end; ++i) (void)grid[i];
        if (all_store)
            for (int i = 0; i < GRID; i += 4096) grid[i + (int)(size_t)number * 8] = r;
    }
    return NULL;
}

/* What happens once in this time is in step after a barrier. */
#define STEP __asm__ volatile(".rept 400\n\tnop\n\t.endr")
/* So short that the whole walk is over before a woken thread that a busy host does not run counts as not woken. */
#define SHORT_STEP __asm__ volatile(".rept 100\n\tnop\n\t.endr")

static void *read_together(void *number) {
    pthread_barrier_wait(&start);
    for (int i = 0; i < SHARED; ++i) {
        (void)shared[i];
        SHORT_STEP;
    }
    return number;
}

static void *fight(void *number) {
    pthread_barrier_wait(&start);
    for (int i = 0; i < FIGHTS; ++i) {
        ++counters[(size_t)number];
        STEP;
    }
    return number;
}

static void side_by_side(void *(*function)(void *)) {
    pthread_t worker[WORKERS];
    pthread_barrier_init(&start, NULL, WORKERS);
    for (size_t i = 0; i < WORKERS; ++i) pthread_create(&worker[i], NULL, function, (void *)i);
    for (size_t i = 0; i < WORKERS; ++i) pthread_join(worker[i], NULL);
}

/* Whatever becomes of the calls on this machine. */
static void place(const char *how) {
    const unsigned long second = 2, both = 3;
    if (strcmp(how, "range-bound") == 0) syscall(SYS_mbind, bound, sizeof bound, BIND, &second, 64, 0);
    if (strcmp(how, "range-interleaved") == 0) syscall(SYS_mbind, bound, sizeof bound, INTERLEAVE, &both, 64, 0);
    if (strcmp(how, "thread-bound") == 0) syscall(SYS_set_mempolicy, BIND, &second, 64);
    for (int i = 0; i < SHARED; ++i) (void)bound[i];
}

static void threads(void) {
    pthread_t worker[WORKERS];
    grid = aligned_alloc(4096, GRID * sizeof *grid);
    if (grid == NULL) abort();
    if (!touch_in_loop) fill(0, GRID);
    for (size_t i = 0; i < WORKERS; ++i) pthread_create(&worker[i], NULL, work, (void *)i);
    for (size_t i = 0; i < WORKERS; ++i) pthread_join(worker[i], NULL);
    free((void *)grid);
}

int main(int count, char **words) {
    const char *const what = count > 1 ? words[1] : "";
    touch_in_loop = strcmp(what, "touched-in-loop") == 0;
    all_use_all = strncmp(what, "shared-", 7) == 0;
    all_store = strcmp(what, "shared-updated") == 0;
    if (strcmp(what, "walk") == 0)
        walk();
    else if (strcmp(what, "ping-pong") == 0)
        in_turn();
    else if (strcmp(what, "pairs") == 0)
        pairs();
    else if (strcmp(what, "together") == 0)
        side_by_side(read_together);
    else if (strcmp(what, "fight") == 0)
        side_by_side(fight);
    else if (all_use_all || strncmp(what, "touched-", 8) == 0)
        threads();
    else
        place(what);
    return 0;
}
