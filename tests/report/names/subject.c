/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Variables and inlined calls in C, with their names; names_test.py compiles it in many ways. */
#include "reporting.h"

struct slot {
    int id;
    long count;
    struct {
        short low, high;
    };
};

typedef struct {
    char tag;
    struct slot slot[4];
    double grid[2][3];
    union {
        int whole;
        short half[2];
        unsigned char byte[4];
    };
    struct slot* next;
    int (*handler)(int, char*);
    const char* const names[2];
} stats_t;

struct flags {
    unsigned first : 3, second : 7;
    int signed_one : 12;
    unsigned : 0;
    unsigned long wide : 40;
    unsigned char small : 2, other : 6;
};

enum colour { RED, GREEN };
typedef int row[5];

enum { STATS_LINE = __LINE__ + 1 };
static stats_t stats;
enum { MATRIX_LINE = __LINE__ + 1 };
long matrix[3][4][5];
static row rows[6];
int many[200];            // bounds of more than half the range of their size in DWARF
short very_many[40000];
static volatile enum colour colour;
static struct flags flags;
static struct {
    int inside;
} unnamed[2];
static _Alignas(64) struct slot aligned;

static NEVER_INLINE int tick(int by) {
    static int calls[3];
    calls[1] += by;
    PART_AS("tick::calls[1]", calls[1]);
    return calls[1];
}

struct place {
    void* pc;
    int leaf, middle;
};

static ALWAYS_INLINE struct place leaf(int value) {
    struct place place = {0, __LINE__ + 1, value};
    HERE(place.pc);
    return place;
}

static ALWAYS_INLINE struct place middle(int value) {
    int line = __LINE__ + 1;
    struct place place = leaf(value);
    place.middle = line;
    return place;
}

static NEVER_INLINE void code(void) {
    int line = __LINE__ + 1;
    struct place place = middle(1);
    printf("code\t%lx\tleaf:%d\tmiddle:%d\tcode:%d\n", link_time(place.pc), place.leaf, place.middle, line);
}

void report(void) {
    PART(stats.tag);
    PART(many[150]);
    PART(very_many[39999]);
    PART(stats.slot[0].id);
    PART(stats.slot[3].count);
    PART(stats.slot[2].high);
    PART(stats.slot[1]);
    PART(stats.grid[0][0]);
    PART(stats.grid[1][2]);
    PART(stats.whole);
    PART(stats.half[1]);
    PART(stats.byte[3]);
    PART(stats.next);
    PART(stats.handler);
    PART(stats.names[1]);
    PART(stats);
    PART(matrix[2][1][4]);
    PART(matrix[0][0][0]);
    PART(rows[5][3]);
    PART(colour);
    PART(unnamed[1].inside);
    PART(aligned.count);
    PADDING("stats", stats.tag, 2);
    PADDING("stats.slot[2]", stats.slot[2].id, 1);
    VARIABLE("stats", "stats_t", STATS_LINE, stats);
    VARIABLE("matrix", "long[3][4][5]", MATRIX_LINE, matrix);
#define BITS_IN flags
#define BITS_NAME "flags"
    BITS(first);
    BITS(second);
    BITS(signed_one);
    BITS(wide);
    BITS(small);
    BITS(other);
    tick(1);
    code();
}

#ifndef LIBRARY
int main(void) {
    report();
    return 0;
}
#endif
