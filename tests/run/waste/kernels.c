// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: programs that waste work in 22 ways run with --waste=yes beside the defects, without a report (waste.py compares
// their figures with a run-time on the compiler's hooks)
// COMPILE: gcc clang -O0 -O2 -pthread -fno-builtin
// ARGS: --waste=yes --leak-check=no
// EXPECT: nothing

#include <pthread.h>
#include <stdint.h>

#include "oracle.h"

#define NOINLINE __attribute__((noinline))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static volatile long sink;

static int numbers[500], others[500];
static double reals[400];
static float singles[300];
static char text[600];
static short halves[64];
static long longs[128];

static NOINLINE void overwrite(void) {
    TRACK("numbers", numbers, sizeof numbers);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 500; ++i)
            numbers[i] = i * (round + 2) + 1;
    for (int i = 0; i < 500; i += 2)
        sink += numbers[i];
    for (int i = 0; i < 500; ++i)
        numbers[i] = 7;
}

static NOINLINE void clear_then_fill(void) {
    TRACK("numbers", numbers, sizeof numbers);
    memset(numbers, 0, sizeof numbers);
    for (int i = 0; i < 490; ++i)
        numbers[i] = i % 200 + 1;
    for (int i = 0; i < 500; ++i)
        sink += numbers[i];
    memset(numbers, 0xee, sizeof numbers);
}

struct Mixed {
    char letter;
    short half;
    int number;
    double real;
    long big;
};
static struct Mixed mixed[40];
static NOINLINE void members(void) {
    TRACK("mixed", mixed, sizeof mixed);
    for (int round = 0; round < 4; ++round)
        for (int i = 0; i < 40; ++i) {
            mixed[i].letter = (char)(i + round);
            mixed[i].half = (short)i;
            mixed[i].number = round;
            if (i % 3 == 0)
                mixed[i].real = i * 0.5;
            if (round == 2)
                sink += mixed[i].big + mixed[i].half;
        }
}

static NOINLINE void letters(void) {
    TRACK("text", text, sizeof text);
    for (int i = 0; i < 600; ++i)
        text[i] = (char)i;
    for (int i = 0; i < 600; i += 3)
        text[i] = 'x';
    for (int i = 1; i < 600; i += 5)
        text[i] = 'y';
    for (int i = 0; i < 600; i += 4)
        sink += text[i];
    for (int i = 0; i < 600; ++i)
        text[i] = 'z';
}

static NOINLINE long with_buffer(int seed) {
    int buffer[32];
    TRACK("buffer", buffer, sizeof buffer);
    for (int i = 0; i < 32; ++i)
        buffer[i] = seed + i;
    long sum = 0;
    for (int i = 0; i < seed; ++i)
        sum += buffer[i];
    return sum;
}
static NOINLINE void frames(void) {
    for (int i = 0; i < 20; ++i)
        sink += with_buffer(i);
}

static NOINLINE void freed(void) {
    for (int round = 0; round < 5; ++round) {
        long *block = malloc(800);
        TRACK("] block of ", block, 800);
        for (int i = 0; i < 100; ++i)
            block[i] = i;
        for (int i = 0; i < 20 * round; ++i)
            sink += block[i];
        free(block);
    }
}

static NOINLINE void moved(void) {
    int *grown = malloc(400);
    TRACK("] grown of ", grown, 400);
    for (int i = 0; i < 100; ++i)
        grown[i] = i;
    grown = REALLOC(grown, 400, 40000);
    for (int i = 0; i < 50; ++i)
        sink += grown[i];
    for (int i = 40; i < 10000; ++i)
        grown[i] = 3;
    free(grown);
}

static NOINLINE void shrunk(void) {
    int *cut = malloc(4000);
    TRACK("] cut of ", cut, 4000);
    for (int i = 0; i < 1000; ++i)
        cut[i] = i;
    for (int i = 0; i < 300; ++i)
        sink += cut[i];
    cut = REALLOC(cut, 4000, 1604);
    for (int i = 0; i < 350; ++i)
        sink += cut[i];
    for (int i = 300; i < 380; ++i)
        cut[i] = 5;
    free(cut);
}

static NOINLINE void silent(void) {
    TRACK("numbers", numbers, sizeof numbers);
    for (int round = 0; round < 4; ++round)
        for (int i = 0; i < 500; ++i) {
            sink += numbers[i];
            numbers[i] = i % 5 == round ? round : 0;
        }
}

static NOINLINE void floats(void) {
    TRACK("reals", reals, sizeof reals);
    TRACK("singles", singles, sizeof singles);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 400; ++i)
            reals[i] = i % 2 == 0 ? 1.5 : reals[i] + round;
        for (int i = 0; i < 300; ++i)
            singles[i] = singles[i] * 2.0f + (float)(i % 3);
    }
}

static NOINLINE void loads_again(void) {
    TRACK("numbers", numbers, sizeof numbers);
    TRACK("others", others, sizeof others);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 500; ++i)
            for (int j = 0; j < 3; ++j) {
                sink += numbers[i];
                others[j] = others[j] + numbers[i] + 1;
            }
}

static NOINLINE void alternating(void) {
    TRACK("longs", longs, sizeof longs);
    for (int round = 0; round < 6; ++round)
        for (int i = 0; i < 128; ++i) {
            longs[i] = i % 4 == 0 ? round / 2 : round;
            sink += longs[i];
            sink += longs[i];
        }
}

static int shared[4][100];
static NOINLINE void *fill_part(void *argument) {
    int *part = argument;
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 100; ++i)
            part[i] = i / 2;
    for (int i = 0; i < 100; ++i)
        sink += part[i] == 0;
    return NULL;
}
static NOINLINE void threads(void) {
    TRACK("shared", shared, sizeof shared);
    for (int i = 0; i < 4; ++i)
        sink += shared[i][i];
    for (int i = 0; i < 4; ++i) {
        pthread_t thread;
        pthread_create(&thread, NULL, fill_part, shared[i]);
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 100; ++j)
            sink += shared[i][j];
}

static NOINLINE void copy_text(char *to, const char *from) {
    while ((*to++ = *from++) != 0) {
    }
}
static NOINLINE void strings(void) {
    TRACK("text", text, sizeof text);
    for (int i = 0; i < 5; ++i)
        copy_text(text + i, i % 2 == 0 ? "a longer text than the other" : "a short one");
    for (int i = 0; text[i] != 0; ++i)
        if (text[i] == ' ')
            text[i] = '_';
}

static NOINLINE void copies(void) {
    TRACK("numbers", numbers, sizeof numbers);
    TRACK("others", others, sizeof others);
    for (int i = 0; i < 500; ++i)
        numbers[i] = 0x01010101 * (i % 100 + 1);
    memcpy(others, numbers, sizeof numbers);
    for (int i = 0; i < 250; ++i)
        others[i] = i;
    for (int i = 100; i < 400; ++i)
        sink += others[i];
}

struct __attribute__((packed)) Packed {
    char tag;
    int number;
    short half;
    long big;
};
static struct Packed packed[50];
static NOINLINE void unaligned(void) {
    TRACK("packed", packed, sizeof packed);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 50; ++i) {
            packed[i].tag = (char)round;
            packed[i].big = i;
            packed[i].number = i + round;
            if (i % 7 == 0)
                sink += packed[i].half + packed[i].number;
        }
}

static double grid[2][20][20];
static NOINLINE void stencil(void) {
    TRACK("grid", grid, sizeof grid);
    for (int i = 0; i < 20; ++i)
        grid[0][0][i] = grid[1][0][i] = 1;
    for (int step = 0; step < 4; ++step)
        for (int i = 1; i < 19; ++i)
            for (int j = 1; j < 19; ++j)
                grid[1 - step % 2][i][j] =
                    (grid[step % 2][i - 1][j] + grid[step % 2][i + 1][j] + grid[step % 2][i][j - 1] +
                     grid[step % 2][i][j + 1]) /
                    4;
}

struct Cell {
    struct Cell *next;
    long key;
    int hits;
};
static struct Cell cells[60];
static NOINLINE void lists(void) {
    TRACK("cells", cells, sizeof cells);
    struct Cell *first = NULL;
    for (int i = 0; i < 60; ++i) {
        cells[i].next = first;
        cells[i].key = i * 7 % 60;
        cells[i].hits = 0;
        first = &cells[i];
    }
    for (int wanted = 0; wanted < 30; ++wanted)
        for (struct Cell *cell = first; cell != NULL; cell = cell->next)
            if (cell->key == wanted) {
                cell->hits += 1;
                break;
            }
}

static NOINLINE long recursion(int depth) {
    long room[6];  // of values that the stack does not have by chance
    TRACK("room", room, sizeof room);
    for (int i = 0; i < 6; ++i)
        room[i] = 0x5a000000100001L * (i + depth);
    long sum = depth == 0 ? 0 : recursion(depth - 1);
    for (int i = 0; i < depth; ++i)
        sum += room[i];
    return sum;
}
static NOINLINE void nested(void) { sink += recursion(6) + recursion(3); }

static union {
    unsigned char bytes[64];
    uint16_t halves[32];
    uint32_t words[16];
    uint64_t big[8];
} parts;
static NOINLINE void sizes(void) {
    TRACK("parts", &parts, sizeof parts);
    for (unsigned i = 0; i < 8; ++i)
        parts.big[i] = 0x0101010101010101u * i;
    for (unsigned i = 0; i < 64; i += 3)
        parts.bytes[i] = (unsigned char)i;
    for (unsigned i = 1; i < 32; i += 2)
        parts.halves[i] = (uint16_t)(i * 9);
    for (unsigned i = 0; i < 16; i += 3)
        sink += parts.words[i];
    for (unsigned i = 0; i < 64; i += 5)
        sink += parts.bytes[i];
    for (unsigned i = 0; i < 8; ++i)
        sink += (long)parts.big[i];
    for (unsigned i = 0; i < 32; ++i)
        sink += parts.halves[i];
    for (unsigned i = 0; i < 16; ++i)
        parts.words[i] = i;
}

static NOINLINE void sorting(void) {
    TRACK("halves", halves, sizeof halves);
    for (int i = 0; i < 64; ++i)
        halves[i] = (short)(i * 37 % 64);
    for (int i = 1; i < 64; ++i)
        for (int j = i; j > 0 && halves[j - 1] > halves[j]; --j) {
            short kept = halves[j];
            halves[j] = halves[j - 1];
            halves[j - 1] = kept;
        }
}

static NOINLINE void system_calls(void) {
    int ends[2];
    TRACK("text", text, sizeof text);
    if (pipe(ends) != 0)
        exit(1);
    for (int i = 0; i < 600; ++i)
        text[i] = (char)i;
    sink += write(ends[1], text, 300);
    sink += read(ends[0], text + 100, 200);
    for (int i = 0; i < 600; ++i)
        text[i] = 'e';
    sink += read(ends[0], text + 50, 100);
    sink += write(ends[1], text + 60, 20);
    for (int i = 0; i < 200; ++i)
        text[i] = 'f';
}

static void (*const kKernels[])(void) = {
    overwrite, clear_then_fill, members, letters,   frames,  freed,   moved, silent, floats, loads_again, alternating,
    threads,   strings,         copies,  unaligned, stencil, lists, nested, sizes,  sorting,     system_calls, shrunk};

int main(int count, char **arguments) {
    if (count > 1) {
        kKernels[atoi(arguments[1])]();
        return 0;
    }
    for (unsigned i = 0; i < COUNT(kKernels); ++i)
        kKernels[i]();
    return 0;
}
