// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: library functions that copy, fill, append, print and read are judged by the variable that their argument was made
// from, at the caller's line, before they run or when they have returned; the same calls that fit are silent.
// COMPILE: gcc clang -O0 -fno-builtin
// ARGS: --bounds=yes
// ARCH: x86_64
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "case.h"

static char page[32], next_page[32];

NOINLINE static int copies(int n, const char* text) {
    char room[64] = {0}, buffer[8], *p = buffer;
    memcpy(buffer, text, n);
    memcpy(buffer + 3, text, n - 3);
    memcpy(buffer + 3, text, n);  /* expect: StackOverflow text="0 bytes after `buffer` of copies, of size 8 .stack-buffer-overflow by 3 bytes" */
    memset(p, 0, n + 1);  /* expect: StackOverflow text="stack-buffer-overflow by 1 bytes" */
    memmove(room, buffer, n + 2);  /* expect: StackOverflow text="Invalid read of size 2" */
    return buffer[0] + room[0];
}

NOINLINE static int texts(int n, const char* text) {
    char room[64] = {0}, buffer[8];
    strcpy(buffer, text + n - 3);  // five characters
    strcat(buffer, text + n);
    strcat(buffer, text + n - 2);  /* expect: StackOverflow text="0 bytes after `buffer` of texts" */
    strcpy(buffer, text);  /* expect: StackOverflow text="stack-buffer-overflow by 3 bytes" */
    strncpy(buffer, "", n);
    strncpy(buffer, "", n + 4);  /* expect: StackOverflow text="stack-buffer-overflow by 4 bytes" */
    strcpy(page, room);
    memset(page, 'x', 32);
    NEED(strlen(page));  /* expect: GlobalOverflow text="0 bytes after `page`" */
    return buffer[0] + room[0] + next_page[0];
}

NOINLINE static int wide(int n) {
    wchar_t room[8] = {0}, buffer[4];
    wcscpy(buffer, L"abc");
    wcscpy(buffer, L"abcd");  /* expect: StackOverflow text="0 bytes after `buffer` of wide, of size 16 .stack-buffer-overflow by 4 bytes" */
    wmemset(buffer, L'x', n - 4);
    return buffer[0] + room[0];
}

NOINLINE static int printed(int n) {
    char room[64] = {0}, buffer[8];
    sprintf(buffer, "%07d", n);
    sprintf(buffer, "%08d", n);  /* expect: StackOverflow text="0 bytes after `buffer` of printed, of size 8 .stack-buffer-overflow by 1 bytes" */
    snprintf(buffer, sizeof buffer, "%020d", n);
    return buffer[0] + room[0];
}

NOINLINE static int read_in(int n) {
    char room[64] = {0}, buffer[8];
    const int file = open("/proc/self/status", O_RDONLY);
    NEED(read(file, buffer, n));
    NEED(read(file, buffer, n + 1));  /* expect: StackOverflow text="stack-buffer-overflow by 1 bytes" */
    close(file);
    return buffer[0] + room[0];
}

int main(void) {
    const int n = HIDE(8);
    const char* const text = HIDE((const char*)"0123456789");
    copies(n, text);
    texts(n, text);
    wide(n);
    printed(n);
    read_in(n);
    return 0;
}
