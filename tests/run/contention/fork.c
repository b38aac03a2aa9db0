// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a child forked while threads run starts its own counts, and the parent's are not mixed with them
// COMPILE: gcc -O0 -O2 -pthread
// ARGS: --leak-check=no
// PROCESSES: 2
// SET: THREADS=3 BEFORE=20000 AFTER=8000
// SET: THREADS=2 BEFORE=7000 AFTER=15000
// COUNTS: modelled of_parent misses=THREADS*BEFORE~5% invalidations=THREADS*BEFORE~5%
// COUNTS: modelled of_child events=0
// COUNTS: modelled of_child in=child misses=THREADS*AFTER~5% invalidations=THREADS*AFTER~5%
// COUNTS: modelled of_parent in=child events=0
// SHARING: FalseSharing names="of_parent"
// SHARING: FalseSharing names="of_child" in=child
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workers.h"

static LINE_ALIGNED long of_parent[LINE / sizeof(long)];
static LINE_ALIGNED long of_child[LINE / sizeof(long)];
static LINE_ALIGNED sem_t release_sleeper;

static void before(int index) {
    for (int i = 0; i < BEFORE; ++i) INCREMENT(of_parent[index]);
}

static void after(int index) {
    for (int i = 0; i < AFTER; ++i) INCREMENT(of_child[index]);
}

static void* sleep_until_released(void* unused) {
    while (sem_wait(&release_sleeper)) {}
    return unused;
}

int main(void) {
    pthread_t sleeper;
    sem_init(&release_sleeper, 0, 0);
    pthread_create(&sleeper, NULL, sleep_until_released, NULL);
    run_together(THREADS, before);
    const pid_t child = fork();
    if (child == 0) {
        run_together(THREADS, after);
        return 0;
    }
    int status = 0;
    NEED_TRUE(waitpid(child, &status, 0) == child && status == 0);
    sem_post(&release_sleeper);
    pthread_join(sleeper, NULL);
    return 0;
}
