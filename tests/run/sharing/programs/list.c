// SPDX-License-Identifier: GPL-2.0-or-later
// Under a lock threads move what they use to the front of a list. The links cannot be kept apart and combined later, so
// the finding says which lock they are under.
// EXPECT: TrueSharing entries 'Threads take turns with heap blocks entries of main .list.c:[0-9]+., under lists.0..lock: [^:]*$'
#include "../../include/workers.h"
enum { ENTRIES = 4 };
#ifdef MENDED
enum { LISTS = 4 };
#else
enum { LISTS = 1 };
#endif
struct entry {
    struct entry *before, *after;
    long uses;
};
static struct list {
    LINE_ALIGNED pthread_mutex_t lock;
    LINE_ALIGNED struct entry ends;
    struct entry* entries[ENTRIES];
} lists[LISTS];

static void to_front(struct list* list, struct entry* entry) {
    entry->before->after = entry->after;
    entry->after->before = entry->before;
    entry->after = list->ends.after;
    entry->before = &list->ends;
    list->ends.after->before = entry;
    list->ends.after = entry;
}

static void work(int index) {
    struct list* const list = &lists[index % LISTS];
    unsigned state = 1u + (unsigned)index;
    for (int i = 0; i < 2000; ++i) {
        state = state * 1664525u + 1013904223u;
        pthread_mutex_lock(&list->lock);
        to_front(list, list->entries[state >> 30]);
        pthread_mutex_unlock(&list->lock);
        pass_time(100);
    }
}

int main(void) {
    for (int i = 0; i < LISTS; ++i) {
        struct list* const list = &lists[i];
        pthread_mutex_init(&list->lock, NULL);
        list->ends.before = list->ends.after = &list->ends;
        for (int k = 0; k < ENTRIES; ++k) {
            struct entry* entries = aligned_alloc(LINE, LINE);
            list->entries[k] = entries;
            entries->before = entries->after = entries;
            to_front(list, entries);
        }
    }
    run_together(4, work);
    return lists[0].ends.after == &lists[0].ends;
}
