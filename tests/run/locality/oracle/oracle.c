// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run-time of our own for gcc's -fsanitize=thread: it knows the accesses of each thread to each variable, and their scores of
// locality, from the hooks that the compiler calls before each access. It looks at each access and estimates nothing.
//
// ORACLE_VARIABLES names a file with a line for each static variable, "name begin end" (hexadecimal); blocks and other variables are
// told by the program (oracle_track). ORACLE_OUT gets a line for each variable and thread, and one for each variable with all
// threads, thread 0, which is only of use where one thread ran:
//   name  thread  reads  writes  words  spatial  temporal
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/compiler_hooks.h"

enum { kThreads = 64, kVariables = 512, kWindow = 32, kCutOff = 128, kSteps = 16, kWord = 8 };

typedef struct {
    uint64_t reads, writes, words;
    double near;              // sum of 1 / stride
    uint64_t reused[64];      // by the least i with distance <= 2^i
    uint64_t window[kWindow]; // the last words, by `words` modulo kWindow
    // By word of the variable: the number of its last use, from 1; 0 is none. A tree (Fenwick, 1994) has a one for each number that is
    // a last use.
    uint32_t *last, *tree, next, room, live;
} Stream;
typedef struct {
    char name[64];
    uintptr_t begin, end;
    Stream *streams[kThreads + 1];
} Variable;

static Variable variables[kVariables];
static int variable_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int thread;  // from 1, in the order in which threads are created
static __thread Variable *found;
static int threads = 1;
static bool ended;

static void add_one(Stream *stream, uint32_t at, int more) {
    for (; at < stream->room; at += at & -at) stream->tree[at] += (uint32_t)more;
}
static uint32_t ones_up_to(const Stream *stream, uint32_t at) {
    uint32_t sum = 0;
    for (; at != 0; at -= at & -at) sum += stream->tree[at];
    return sum;
}

static int by_number(const void *left, const void *right) {
    const uint32_t a = **(uint32_t *const *)left, b = **(uint32_t *const *)right;
    return (a > b) - (a < b);
}
// Numbers last uses anew from 1 on.
static void renumber(Stream *stream, size_t words) {
    uint32_t **used = malloc(words * sizeof *used), count = 0;
    for (size_t i = 0; i < words; ++i)
        if (stream->last[i] != 0) used[count++] = &stream->last[i];
    qsort(used, count, sizeof *used, by_number);
    memset(stream->tree, 0, stream->room * sizeof *stream->tree);
    for (uint32_t i = 0; i < count; ++i) {
        *used[i] = i + 1;
        add_one(stream, i + 1, 1);
    }
    stream->next = count + 1;
    free(used);
}

static void use(Stream *stream, const Variable *variable, uint64_t word) {
    uint64_t nearest = kCutOff;
    const uint64_t known = stream->words < kWindow ? stream->words : kWindow;
    for (uint64_t i = 0; i < known; ++i) {
        const uint64_t other = stream->window[i], stride = word > other ? word - other : other - word;
        if (stride < nearest) nearest = stride;
    }
    if (nearest != 0 && nearest < kCutOff) stream->near += 1.0 / (double)nearest;
    stream->window[stream->words++ % kWindow] = word;

    const size_t words = variable->end / kWord - variable->begin / kWord + 1;
    if (stream->last == NULL) {
        stream->room = (uint32_t)(4 * words + 1024);
        stream->last = calloc(words, sizeof *stream->last);
        stream->tree = calloc(stream->room, sizeof *stream->tree);
        stream->next = 1;
    }
    if (stream->next == stream->room) renumber(stream, words);
    uint32_t *last = &stream->last[word - variable->begin / kWord];
    if (*last != 0) {
        const uint32_t distance = stream->live - ones_up_to(stream, *last) + 1;
        int step = 0;
        while (UINT64_C(1) << step < distance) ++step;
        ++stream->reused[step];
        add_one(stream, *last, -1);
        --stream->live;
    }
    *last = stream->next++;
    add_one(stream, *last, 1);
    ++stream->live;
}
// Sum over i = 0..n-1 of [R(2^(i+1)) - R(2^i)] * (n-i)/n.
static double temporal(const Stream *stream) {
    double sum = 0;
    for (int i = 0; i < kSteps; ++i) sum += (double)stream->reused[i + 1] * (kSteps - i) / kSteps;
    return sum / (double)stream->words;
}

static void note(Variable *variable, int of, uintptr_t at, size_t size, bool loads, bool stores) {
    if (variable->streams[of] == NULL) variable->streams[of] = calloc(1, sizeof(Stream));
    Stream *stream = variable->streams[of];
    stream->reads += loads;
    stream->writes += stores;
    for (int each = 0; each < loads + stores; ++each)
        for (uintptr_t word = at / kWord; word <= (at + size - 1) / kWord; ++word) use(stream, variable, word);
}
static void on_access(const volatile void *place, size_t size, bool loads, bool stores) {
    const uintptr_t at = (uintptr_t)place;
    if (__atomic_load_n(&ended, __ATOMIC_RELAXED)) return;
    if (found == NULL || at - found->begin >= found->end - found->begin) {
        Variable *of = NULL;
        for (int i = __atomic_load_n(&variable_count, __ATOMIC_ACQUIRE) - 1; i >= 0 && of == NULL; --i)
            if (at - variables[i].begin < variables[i].end - variables[i].begin) of = &variables[i];
        if (of == NULL) return;
        found = of;
    }
    note(found, thread, at, size, loads, stores);
    if (threads > 1) return;
    note(found, 0, at, size, loads, stores);
}
COMPILER_HOOKS(on_access)

static void track(const char *name, uintptr_t begin, uintptr_t end) {
    pthread_mutex_lock(&lock);
    if (variable_count == kVariables) abort();
    Variable *variable = &variables[variable_count];
    snprintf(variable->name, sizeof variable->name, "%s", name);
    variable->begin = begin;
    variable->end = end;
    __atomic_store_n(&variable_count, variable_count + 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
}
void oracle_track(const char *name, const void *at, size_t size) { track(name, (uintptr_t)at, (uintptr_t)at + size); }

typedef struct {
    void *(*run)(void *);
    void *argument;
    int number;
} Start;
static void *start(void *argument) {
    const Start own = *(Start *)argument;
    free(argument);
    thread = own.number;
    return own.run(own.argument);
}
int pthread_create(pthread_t *made, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    static __typeof__(&pthread_create) real;
    if (real == NULL) real = (__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
    Start *own = malloc(sizeof *own);
    *own = (Start){run, argument, ++threads};  // by one thread at a time, in these programs
    if (threads > kThreads) abort();
    return real(made, attributes, start, own);
}

__attribute__((constructor)) static void begin(void) {
    thread = 1;
    const char *name = getenv("ORACLE_VARIABLES");
    FILE *in = name != NULL ? fopen(name, "r") : NULL;
    if (in == NULL) return;
    char variable[64];
    unsigned long first, last;
    while (fscanf(in, "%63s %lx %lx", variable, &first, &last) == 3) track(variable, first, last);
    fclose(in);
}
__attribute__((destructor)) static void print_streams(void) {
    __atomic_store_n(&ended, true, __ATOMIC_SEQ_CST);
    const char *name = getenv("ORACLE_OUT");
    FILE *out = name != NULL ? fopen(name, "w") : stderr;
    if (out == NULL) abort();
    for (const Variable *variable = variables; variable != variables + variable_count; ++variable)
        for (int of = 0; of <= threads; ++of) {
            const Stream *stream = variable->streams[of];
            if (stream == NULL || (of == 0 && threads > 1)) continue;
            fprintf(out, "%s\t%d\t%lu\t%lu\t%lu\t%.9f\t%.9f\n", variable->name, of, stream->reads, stream->writes, stream->words,
                    stream->near / (double)stream->words, temporal(stream));
        }
    if (out != stderr) fclose(out);
}
