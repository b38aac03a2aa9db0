// SPDX-License-Identifier: GPL-2.0-or-later
//
// A run-time of our own for gcc's -fsanitize=thread: it knows wasted bytes of the memory that a kernel tells it of, from the hooks
// that the compiler calls before each access. A line for each kind, memory, place, and killing place, at the end:
//   kind  name  address  killer's address, or (frame)  bytes
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../include/compiler_hooks.h"

enum { kRanges = 512, kThreads = 8, kRows = 4096, kMost = 64 };

typedef struct {
    const char *name;
    unsigned char *begin;
    size_t size;
    unsigned char *pending, *last[kThreads], *known[kThreads];
    void **stored_at;
} Range;
typedef struct {
    const char *kind, *name;
    void *at, *killer;
    long bytes;
} Row;

static Range ranges[kRanges];
static int range_count, row_count, thread_count;
static Row rows[kRows];
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static __thread int thread = -1;
// The store that the thread is about to make, or has made: whether it was silent shows at the next event.
static __thread struct {
    unsigned char *at, old[kMost];
    size_t size;
    void *pc;
} last_store;

static void add(const char *kind, const char *name, void *at, void *killer, long bytes) {
    for (int i = 0; i < row_count; ++i)
        if (rows[i].kind == kind && strcmp(rows[i].name, name) == 0 && rows[i].at == at &&
            rows[i].killer == killer) {
            rows[i].bytes += bytes;
            return;
        }
    if (row_count == kRows) abort();
    rows[row_count++] = (Row){kind, name, at, killer, bytes};
}

static Range *find(const void *at) {
    for (int i = range_count - 1; i >= 0; --i)
        if ((size_t)((const unsigned char *)at - ranges[i].begin) < ranges[i].size) return &ranges[i];
    return NULL;
}

static void begin(void) {
    pthread_mutex_lock(&lock);
    if (thread < 0) thread = thread_count++;
    if (last_store.size == 0) return;
    Range *range = find(last_store.at);
    if (range != NULL && memcmp(last_store.at, last_store.old, last_store.size) == 0)
        add("silent", range->name, last_store.pc, NULL, (long)last_store.size);
    last_store.size = 0;
}
static void end(void) { pthread_mutex_unlock(&lock); }

static void kill_bytes(Range *range, size_t first, size_t size, void *killer) {
    for (size_t i = first; i < first + size; ++i) {
        if (range->pending[i]) add("dead", range->name, range->stored_at[i], killer, 1);
        range->pending[i] = 0;
    }
}
static void store_bytes(Range *range, size_t first, size_t size, void *pc) {
    kill_bytes(range, first, size, pc);
    for (size_t i = first; i < first + size; ++i) {
        range->pending[i] = 1;
        range->stored_at[i] = pc;
    }
}
static void load_bytes(Range *range, size_t first, size_t size) {
    memset(range->pending + first, 0, size);
}

static void on_read(void *at, size_t size, void *pc) {
    begin();
    Range *range = find(at);
    if (range != NULL) {
        size_t first = (size_t)((unsigned char *)at - range->begin);
        load_bytes(range, first, size);
        if (range->last[thread] == NULL) {
            range->last[thread] = calloc(1, range->size);
            range->known[thread] = calloc(1, range->size);
        }
        int known = 1;
        for (size_t i = first; i < first + size; ++i) known &= range->known[thread][i];
        if (known && memcmp(range->last[thread] + first, at, size) == 0)
            add("load", range->name, pc, NULL, (long)size);
        memcpy(range->last[thread] + first, at, size);
        memset(range->known[thread] + first, 1, size);
    }
    end();
}
static void on_write(void *at, size_t size, void *pc) {
    begin();
    Range *range = find(at);
    if (range != NULL) {
        store_bytes(range, (size_t)((unsigned char *)at - range->begin), size, pc);
        last_store.at = at;
        last_store.size = size;
        last_store.pc = pc;
        memcpy(last_store.old, at, size);
    }
    end();
}

#define PC __builtin_return_address(0)
#define ON_ACCESS(at, size, loads, stores) ((loads) ? on_read(at, size, PC) : on_write(at, size, PC))
PLAIN_HOOKS(ON_ACCESS)
void __tsan_func_entry(void *pc) { (void)pc; }
// The memory of frames below that of the function that calls this.
void __tsan_func_exit(void) {
    unsigned char *frame = *(unsigned char **)__builtin_frame_address(0);
    unsigned char *here = __builtin_frame_address(0);
    begin();
    for (int i = 0; i < range_count; ++i)
        if (ranges[i].begin > here && ranges[i].begin < frame) {
            kill_bytes(&ranges[i], 0, ranges[i].size, NULL);
            ranges[i].size = 0;
        }
    end();
}

void oracle_track(const char *name, void *at, size_t size) {
    begin();
    if (range_count == kRanges) abort();
    Range *range = &ranges[range_count++];
    *range = (Range){.name = name, .begin = at, .size = size};
    range->pending = calloc(1, size);
    range->stored_at = calloc(size, sizeof(void *));
    // The thread's memory of what lay there stays: the address counts, and nobody reads a variable that is not set.
    end();
}
void *oracle_memset(void *to, int value, size_t size) {
    unsigned char bytes[1] = {(unsigned char)value};
    begin();
    Range *range = find(to);
    if (range != NULL) {
        size_t first = (size_t)((unsigned char *)to - range->begin);
        store_bytes(range, first, size, PC);
        for (size_t i = first; i < first + size; ++i)
            if (range->begin[i] == bytes[0]) add("silent", range->name, PC, NULL, 1);
    }
    memset(to, value, size);
    end();
    return to;
}
void *oracle_memcpy(void *to, const void *from, size_t size) {
    begin();
    for (size_t i = 0; i < size; ++i) {
        unsigned char *at = (unsigned char *)from + i;
        Range *range = find(at);
        if (range == NULL) break;
        end();
        on_read(at, 1, PC);
        begin();
    }
    Range *range = find(to);
    if (range != NULL) {
        size_t first = (size_t)((unsigned char *)to - range->begin);
        store_bytes(range, first, size, PC);
        for (size_t i = 0; i < size; ++i)
            if (range->begin[first + i] == ((const unsigned char *)from)[i])
                add("silent", range->name, PC, NULL, 1);
    }
    memcpy(to, from, size);
    end();
    return to;
}
static void release(void *block, void *pc) {
    Range *range = find(block);
    if (range == NULL) return;
    kill_bytes(range, 0, range->size, pc);
    range->size = 0;
}
// A block that grows moves, and its new place has the name of the old one. One that shrinks stays.
void *oracle_realloc(void *block, size_t old_size, size_t size) {
    begin();
    Range *old = find(block);
    if (size <= old_size) {
        if (old != NULL) {
            kill_bytes(old, size, old->size - size, PC);
            old->size = size;
        }
        end();
        return block;
    }
    void *moved = malloc(size);
    memcpy(moved, block, old_size);
    if (old != NULL) {
        oracle_track(old->name, moved, size);
        load_bytes(old, 0, old_size);
        store_bytes(&ranges[range_count - 1], 0, old_size, PC);
        release(block, PC);
    }
    end();
    return moved;
}
void oracle_free(void *block) {
    begin();
    release(block, PC);
    end();
}
ssize_t oracle_read(int file, void *to, size_t size) {
    begin();
    ssize_t got = read(file, to, size);
    Range *range = find(to);
    if (range != NULL && got > 0)
        store_bytes(range, (size_t)((unsigned char *)to - range->begin), (size_t)got, PC);
    end();
    return got;
}
ssize_t oracle_write(int file, const void *from, size_t size) {
    begin();
    Range *range = find(from);
    if (range != NULL) load_bytes(range, (size_t)((const unsigned char *)from - range->begin), size);
    ssize_t put = write(file, from, size);
    end();
    return put;
}

__attribute__((destructor)) static void print_rows(void) {
    begin();
    for (int i = 0; i < row_count; ++i)
        fprintf(stderr, rows[i].killer != NULL ? "%s\t%s\t%p\t%p\t%ld\n" : "%s\t%s\t%p\t%s\t%ld\n", rows[i].kind,
                rows[i].name, rows[i].at,
                rows[i].killer != NULL ? rows[i].killer : (void *)(rows[i].kind[0] == 'd' ? "(frame)" : ""),
                rows[i].bytes);
    end();
}
