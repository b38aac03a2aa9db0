// SPDX-License-Identifier: GPL-2.0-or-later
//
// The program's messages are not touched: the exchange is collective, in the world, when the program has made
// its last call. Its operations are non-blocking, because a rank may run without memspy.
#include "preload/mpi_letters.h"

#include <stddef.h>

#include "requests/mpi.h"
#include "memspy.h"

extern void* malloc(size_t) __attribute__((weak));
extern void free(void*) __attribute__((weak));
extern int sched_yield(void) __attribute__((weak));

static W clock_now(void) { return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_CLOCK, 0, 0, 0, 0, 0); }

// Returns whether it completed. If not, the library may still use the buffers.
static int completes(W request) {
    enum { kPatience = 30000000 };  // microseconds
    char status[64];
    const W begin = clock_now();
    for (int done = 0; done == 0;) {
        if (library.test(&request, &done, status) != 0) return 0;
        if (done == 0 && clock_now() - begin > kPatience) return 0;
        if (done == 0 && sched_yield != 0) sched_yield();
    }
    return 1;
}

// Returns the sum, or -1 if it does not fit into an int.
static long set_offsets(const int* bytes, int* offsets, int ranks) {
    long sum = 0;
    for (int i = 0; i < ranks; ++i) {
        offsets[i] = (int)sum;
        sum += bytes[i];
        if (sum > 0x7fffffff) return -1;
    }
    return sum;
}

static W letter_to(int rank, const char* at) {
    const MpiLetter letter = {rank, (W)at, 0};
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, MEMSPY_REQ_MPI_LETTER_TO, &letter, 0, 0, 0, 0);
}

Letters exchange_letters(void) {
    Letters letters = {0};
    int ranks = 0;
    W request = 0;
    if (malloc == 0 || free == 0 || library.comm_size(library.comm_world, &ranks) != 0 || ranks < 1)
        return letters;
    int* const numbers = malloc((size_t)ranks * 4 * sizeof(int));
    if (numbers == 0) return letters;
    letters.ranks = ranks;
    letters.sent = numbers;
    letters.received = numbers + ranks;
    letters.sent_at = numbers + 2 * ranks;
    letters.received_at = numbers + 3 * ranks;
    for (int i = 0; i < ranks; ++i) letters.sent[i] = (int)letter_to(i, 0);
    const long out = set_offsets(letters.sent, letters.sent_at, ranks);
    // A rank whose letters are too long sends none, but takes part.
    for (int i = 0; out < 0 && i < ranks; ++i) letters.sent[i] = letters.sent_at[i] = 0;
    const W type = library.byte_type, world = library.comm_world;
    if (library.ialltoall(letters.sent, sizeof(int), type, letters.received, sizeof(int), type, world,
                          &request) != 0 ||
        !completes(request))
        return letters;
    const long in = set_offsets(letters.received, letters.received_at, ranks);
    letters.out = malloc(out > 0 ? (size_t)out : 1);
    char* const room = malloc(in > 0 ? (size_t)in : 1);
    if (letters.out == 0 || room == 0 || in < 0) return letters;
    for (int i = 0; i < ranks; ++i)
        if (letters.sent[i] > 0) letter_to(i, letters.out + letters.sent_at[i]);
    if (library.ialltoallv(letters.out, letters.sent, letters.sent_at, type, room, letters.received,
                           letters.received_at, type, world, &request) == 0 &&
        completes(request))
        letters.in = room;
    return letters;
}

void free_letters(Letters* letters) {
    if (letters->in == 0) return;
    free(letters->in);
    free(letters->out);
    free(letters->sent);
}
