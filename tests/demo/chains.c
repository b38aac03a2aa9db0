// SPDX-License-Identifier: GPL-2.0-or-later
// Reads names into a hash table, and looks each one up; names with the same hash are in a list.
// With -DFIXED the table has as many lists as there are names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FIXED
enum { kLists = 1021 };
#else
enum { kLists = 11 };
#endif

struct Unit {
    const char *name;
    double value;
    int line;
    struct Unit *next;
};
static struct Unit *lists[kLists];

static unsigned hash_of(const char *name) {
    unsigned hash = 0;
    while (*name)
        hash = hash * 31 + (unsigned char)*name++;
    return hash % kLists;
}

static struct Unit *find(const char *name) {
    for (struct Unit *unit = lists[hash_of(name)]; unit != NULL; unit = unit->next)
        if (strcmp(unit->name, name) == 0)
            return unit;
    return NULL;
}

static void add(const char *name, double value, int line) {
    if (find(name) != NULL)
        return;
    struct Unit *unit = malloc(sizeof *unit);
    unit->name = strdup(name);
    unit->value = value;
    unit->line = line;
    unit->next = lists[hash_of(name)];
    lists[hash_of(name)] = unit;
}

int main(int argc, char **argv) {
    const int units = argc > 1 ? atoi(argv[1]) : 500;
    char name[32];
    double sum = 0;
    for (int i = 0; i < units; ++i) {
        snprintf(name, sizeof name, "unit%d", i * 7919 % units);
        add(name, i * .5, i);
    }
    for (int i = 0; i < units; ++i) {
        snprintf(name, sizeof name, "unit%d", i);
        sum += find(name)->value;
    }
    printf("%g\n", sum);
    return 0;
}
