// SPDX-License-Identifier: GPL-2.0-or-later
//
// The kernels are programs of one thread and one rank; of several threads with -fopenmp, and of several ranks with
// -DRANKS. Then each rank has its part of the problem, and in_ranks(CALL...) is what the ranks tell each other.
#ifdef RANKS
#include <mpi.h>
static int rank, ranks;
#define in_ranks(...) __VA_ARGS__
#define ALL MPI_COMM_WORLD
static inline void begin(void) {
    int provided;
    MPI_Init_thread(0, 0, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(ALL, &rank);
    MPI_Comm_size(ALL, &ranks);
}
static inline void end(void) { MPI_Finalize(); }
#else
enum { rank = 0, ranks = 1 };
#define in_ranks(...)
static inline void begin(void) {}
static inline void end(void) {}
#endif
