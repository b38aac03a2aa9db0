// SPDX-License-Identifier: GPL-2.0-or-later
//
// An error, then death by the signal that cannot be caught.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
    volatile char* p = malloc(10);
    p[10] = 1;
    if (argv[1][0] == 'i') kill(getpid(), SIGKILL);
    pid_t parent = getpid();
    if (fork() == 0) {
        kill(parent, SIGKILL);
        _exit(0);
    }
    for (;;) pause();
    return 0;
}
