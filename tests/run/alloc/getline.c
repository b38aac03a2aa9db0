// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: getline, open_memstream, fopen and setvbuf with their own buffers are silent.
// EXPECT: nothing
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "case.h"

int main(void) {
    char* data = 0;
    size_t size = 0;
    FILE* out = open_memstream(&data, &size);
    for (int i = 0; i < 300; i++) fprintf(out, "line %d of text %s\n", i, i % 3 ? "short" : "rather a bit longer");
    fclose(out);
    FILE* in = fmemopen(data, size, "r");
    char* line = 0;
    size_t room = 0;
    int lines = 0;
    while (getline(&line, &room, in) > 0)
        if (strstr(line, "text")) lines++;
    fclose(in);
    free(line);
    free(data);
    FILE* null = fopen("/dev/null", "w");
    char* own = (char*)malloc(3000);
    setvbuf(null, own, _IOFBF, 3000);
    for (int i = 0; i < 1000; i++) fprintf(null, "%f %g %x\n", i * 0.5, i * 1e10, i);
    fclose(null);
    free(own);
    return lines != 300;
}
