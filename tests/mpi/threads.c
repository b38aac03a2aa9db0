// The library's own threads are none of the program's. With a word on the command line the program has two of its
// own, which store to one line in turn.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { kTurns = 20000 };
static _Alignas(64) volatile int counters[2];

static void* count(void* which) {
    for (int i = 0; i < kTurns; ++i) ++*(volatile int*)which;
    return NULL;
}

int main(int words, char** word) {
    MPI_Init(&words, &word);
    pthread_t threads[2];
    for (int i = 0; i < 2 && words > 1; ++i) pthread_create(&threads[i], NULL, count, (void*)&counters[i]);
    for (int i = 0; i < 2 && words > 1; ++i) pthread_join(threads[i], NULL);
    int sum = counters[0] + counters[1], all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("%d\n", all);
    MPI_Finalize();
    return 0;
}
