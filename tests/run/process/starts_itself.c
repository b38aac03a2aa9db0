// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a program that starts itself anew by /proc/self/exe, as many do that want other settings, is started, and not the
// tool, which is what the kernel means by that name: with its own arguments, and by its number in the same way.
// EXPECT: nothing
// STATUS: RUNNING
#include <stdio.h>
#include <string.h>
#include "case.h"

int main(int count, char** arguments) {
    const char* const rounds = count > 1 ? arguments[1] : "x";
    char file[64], more[8];
    if (strlen(rounds) == 3) return strcmp(rounds, "xxx") != 0;
    snprintf(more, sizeof more, "%sx", rounds);
    if (strlen(rounds) == 1)
        snprintf(file, sizeof file, "/proc/self/exe");
    else
        snprintf(file, sizeof file, "/proc/%d/exe", (int)getpid());
    char* const next[] = {"again", more, 0};
    execv(file, next);
    return 2;
}
