// SPDX-License-Identifier: GPL-2.0-or-later
//
// An error of its own, then runs the program that its second argument names: with fork or without.
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    volatile char* p = malloc(10);
    p[10] = 1;
    free((void*)p);
    if (strcmp(argv[1], "fork") == 0) {
        pid_t child = fork();
        if (child) {
            int status;
            waitpid(child, &status, 0);
            return WEXITSTATUS(status) != 3;
        }
    }
    execv(argv[2], argv + 2);
    return 9;
}
