// SPDX-License-Identifier: GPL-2.0-or-later
//
// Runs a command and writes to a file what it used: user time in microseconds, largest resident set in
// kilobytes. A new process is charged with the resident set of the one that made it; this one is small, a
// Python script is not.
//
//     launch FILE COMMAND ARGUMENT...
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
    if (argc < 3) return 120;
    const pid_t child = fork();
    if (child < 0) return 121;
    if (child == 0) {
        execv(argv[2], argv + 2);
        _exit(122);
    }
    int status = 0;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) return 123;
    FILE* out = fopen(argv[1], "w");
    if (out == NULL) return 124;
    fprintf(out, "%lld %ld\n", usage.ru_utime.tv_sec * 1000000LL + usage.ru_utime.tv_usec, usage.ru_maxrss);
    fclose(out);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
