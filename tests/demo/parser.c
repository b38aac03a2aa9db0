// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads `key = value` lines into a list. A key that comes again replaces its entry, which main has kept. With
// -DFIXED main looks for it when it needs it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct Entry {
    struct Entry *next;
    char *name, *value;
};

static struct Entry *entries;

static char *copy_of(const char *begin, size_t length) {
    char *const text = malloc(length + 1);
    memcpy(text, begin, length);
    text[length] = '\0';
    return text;
}

static void drop(struct Entry *entry) {
    free(entry->name);
    free(entry->value);
    free(entry);
}

// Returns the entry, which is there until the key comes again.
static const struct Entry *put(const char *name, size_t length, const char *value) {
    for (struct Entry **at = &entries; *at != NULL; at = &(*at)->next) {
        struct Entry *const old = *at;
        if (strlen(old->name) != length || memcmp(old->name, name, length) != 0) continue;
        *at = old->next;
        drop(old);
        break;
    }
    struct Entry *const entry = malloc(sizeof *entry);
    *entry = (struct Entry){entries, copy_of(name, length), copy_of(value, strcspn(value, "\n"))};
    entries = entry;
    return entry;
}

static const struct Entry *find(const char *name) {
    const struct Entry *entry = entries;
    while (entry != NULL && strcmp(entry->name, name) != 0) entry = entry->next;
    return entry;
}

int main(void) {
    const char *const lines[] = {"width = 80\n", "height = 25\n", "width = 132\n"};
    const struct Entry *width = NULL;
    for (int i = 0; i < 3; ++i) {
        const char *const equals = strchr(lines[i], '=');
        const struct Entry *const entry = put(lines[i], (size_t)(equals - lines[i] - 1), equals + 2);
        if (i == 0) width = entry;
    }
#ifdef FIXED
    width = find("width");
#endif
    printf("width %s, height %s\n", width->value, find("height")->value);
    while (entries != NULL) {
        struct Entry *const entry = entries;
        entries = entry->next;
        drop(entry);
    }
    return 0;
}
