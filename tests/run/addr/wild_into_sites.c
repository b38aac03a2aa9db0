// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a wild access to memory that the tool has among the program's, where natively nothing is, is reported;
// PROVES: that memory is not the program's in the report, either.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "case.h"

/* The middle of the largest mapping that may be written and executed, and is of no file: the program made none. */
static char* memory_of_the_tool(void) {
    FILE* maps = fopen("/proc/self/maps", "r");
    unsigned long begin, end, inode, largest = 0, middle = 0;
    char rights[5], line[4096];
    while (fgets(line, sizeof line, maps) != NULL) {
        const unsigned long highest = (unsigned long)&largest;
        if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &begin, &end, rights, &inode) != 4) continue;
        if (strcmp(rights, "rwxp") != 0 || inode != 0 || begin >= 0x58000000 || end > highest) continue;
        if (end - begin <= largest) continue;
        largest = end - begin;
        middle = begin + largest / 2;
    }
    fclose(maps);
    return HIDE((char*)middle);
}

int main(void) {
    char* wild = memory_of_the_tool();
    if (wild == NULL) return 1;
    NEED(*wild);  /* expect: InvalidRead text="is not stack.d, malloc.d" */
    *wild = 1;  /* expect: InvalidWrite text="is not stack.d, malloc.d" */
    return 0;
}
