// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a compiler at run time may change code through another mapping of a file without a name
// ARCH: x86_64
// COMPILE: gcc -O0 -O2
// EXPECT: nothing
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 4096 };

// mov $result, %eax; ret
static void write_code(unsigned char* to, int result) {
    to[0] = 0xB8;
    memcpy(to + 1, &result, sizeof result);
    to[5] = 0xC3;
}

static void rewrite(int file) {
    if (file < 0 || ftruncate(file, SIZE) != 0) exit(2);
    unsigned char* const data = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    void* const code = mmap(NULL, SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, file, 0);
    if (data == MAP_FAILED || code == MAP_FAILED) exit(3);
    int (*run)(void);
    memcpy(&run, &code, sizeof run);
    for (int i = 1; i <= 50; ++i) {
        write_code(data + i, i); /* over the tail of the code before */
        memset(data, 0x90, (size_t)i);
        if (run() != i) exit(4);
    }
    munmap(data, SIZE);
    munmap(code, SIZE);
}

int main(void) {
    rewrite(memfd_create("code", 0));
    char name[] = "/tmp/code_XXXXXX";
    const int file = mkstemp(name);
    unlink(name);
    rewrite(file);
    return 0;
}
