// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the kernels tell of themselves: the memory whose bytes are compared, and calls that the compiler's hooks do not see. Under
// memspy (without ORACLE) all of this is nothing.
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef ORACLE
void oracle_track(const char *name, void *begin, size_t size);
void *oracle_memset(void *to, int value, size_t size);
void *oracle_memcpy(void *to, const void *from, size_t size);
void *oracle_realloc(void *block, size_t old_size, size_t size);
void oracle_free(void *block);
ssize_t oracle_read(int file, void *to, size_t size);
ssize_t oracle_write(int file, const void *from, size_t size);
#define TRACK(name, begin, size) oracle_track(name, begin, size)
#define memset oracle_memset
#define memcpy oracle_memcpy
#define REALLOC(block, old_size, size) oracle_realloc(block, old_size, size)
#define free oracle_free
#define read oracle_read
#define write oracle_write
#else
#define TRACK(name, begin, size) ((void)(begin))
#define REALLOC(block, old_size, size) realloc(block, size)
#endif
