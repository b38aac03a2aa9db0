// SPDX-License-Identifier: GPL-2.0-or-later
//
// Programs with one mistake each (`wrong`), and without it. A source of this folder is many of them:
//   PROGRAM            lists them: name, kinds of the reports that tell of the mistake ("|" between them), ranks
//   PROGRAM NAME 0|1   runs one
//   PROGRAM NAME,NAME... 0   runs several one after the other, each without its mistake
#ifndef BUGS_H
#define BUGS_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, wrong;
static int in[256], out[256];  // every source uses both
static const MPI_Comm world = MPI_COMM_WORLD;

typedef struct Bug {
    const char *name, *expected;
    int ranks;
    void (*go)(void);
    struct Bug* next;
} Bug;
static Bug *first_bug, **last_bug = &first_bug;

#define BUG(name, expected, ranks)                                                                           \
    static void name(void);                                                                                  \
    static Bug bug_##name = {#name, expected, ranks, name, 0};                                               \
    __attribute__((constructor)) static void add_##name(void) {                                              \
        *last_bug = &bug_##name;                                                                             \
        last_bug = &bug_##name.next;                                                                         \
    }                                                                                                        \
    static void name(void)

// A source may have its own.
#ifndef OWN_BEGIN
static void begin(int* count, char*** words) { MPI_Init(count, words); }
#endif

static int is_named(const char* list, const char* name) {
    const size_t length = strlen(name);
    for (const char* at = list; at != 0; at = strchr(at, ',')) {
        if (*at == ',') ++at;
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) return 1;
    }
    return 0;
}

int main(int count, char** words) {
    if (count != 3) {
        for (const Bug* bug = first_bug; bug != 0; bug = bug->next)
            printf("%s %s %d\n", bug->name, bug->expected, bug->ranks);
        return 0;
    }
    wrong = words[2][0] == '1';
    begin(&count, &words);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    const int are_several = strchr(words[1], ',') != 0;
    for (const Bug* bug = first_bug; bug != 0; bug = bug->next) {
        if (!is_named(words[1], bug->name)) continue;
        for (int i = 0; i < 256; ++i) in[i] = rank;
        memset(out, 0, sizeof out);
        bug->go();
        if (are_several) MPI_Barrier(world);
    }
    MPI_Finalize();
    return 0;
}

#endif
