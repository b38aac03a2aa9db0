// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a child process counts only its own loads
// ARGS: --zeros=all --contention=no
// EXPECT: nothing
// COMPILE: gcc -O0 -O2
// PROCESSES: 2
// SET: N=1000
// ZEROS: object table accessed=8*N redundant=7*N
// ZEROS: object table accessed=80 redundant=0 in=child
// ZEROS: row child loads=10 in=child
// ZEROS: row parent loads=0 in=child
// ZEROS: row parent loads=N
#include "loads.h"

#include <sys/wait.h>
#include <unistd.h>
static int64_t table[N];

int main(void) {
    int64_t sum = 0;
    for (int i = 0; i < N; ++i) STORE(table[i], i % 255 + 1);
    for (int i = 0; i < N; ++i) sum += LOAD(table[i]); /* label: parent */
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 10; ++i) STORE(table[i], -1);
        for (int i = 0; i < 10; ++i) sum += LOAD(table[i]); /* label: child */
    } else {
        waitpid(child, NULL, 0);
    }
    USE(sum);
    return 0;
}
