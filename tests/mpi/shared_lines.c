// SPDX-License-Identifier: GPL-2.0-or-later
//
// Ranks use a shared window. near: counters beside each other; padded: 64 bytes apart; same: one counter; readers: only
// rank 0 has stored, before; one-writer: rank 0 stores beside what the others load.
#include <mpi.h>
#include <string.h>

enum { kRounds = 10000, kWords = 512 };

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank, unit;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const char* how = argv[1];
    long* base;
    MPI_Win window;
    MPI_Aint bytes;
    MPI_Win_allocate_shared(rank == 0 ? kWords * 8 : 0, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (rank == 0) memset(base, 0, kWords * 8);
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(window);
    // A part's start need not be that of a line.
    volatile long* line = (volatile long*)(((unsigned long)base + 63) & ~63ul);
    long sum = 0;
    if (strcmp(how, "near") == 0)
        for (int i = 0; i < kRounds; ++i) ++line[rank];  // counts beside others
    else if (strcmp(how, "padded") == 0)
        for (int i = 0; i < kRounds; ++i) ++line[8 * rank];
    else if (strcmp(how, "same") == 0)
        for (int i = 0; i < kRounds; ++i) __atomic_fetch_add(line, 1, __ATOMIC_RELAXED);
    else if (strcmp(how, "readers") == 0)
        for (int i = 0; i < kRounds; ++i) sum += line[i % 8];
    else if (rank == 0)
        for (int i = 0; i < kRounds; ++i) line[0] = i;
    else
        for (int i = 0; i < kRounds; ++i) sum += line[rank];
    MPI_Win_sync(window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return sum < 0;
}
