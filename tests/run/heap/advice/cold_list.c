// SPDX-License-Identifier: GPL-2.0-or-later
// A list is searched by key; most of each entry is a text that is printed for the one that is found.
#include <stdio.h>
#include <stdlib.h>

struct Text {
    char words[160];
};
struct Entry {
    struct Entry* next;
    int key;
#ifdef FIXED
    struct Text* text;
#else
    struct Text text;
#endif
};

static struct Entry* add(struct Entry* head, int key) {
    struct Entry* entry = malloc(sizeof *entry);  // ADVICE: cold: part struct Entry
    entry->next = head;
    entry->key = key;
#ifdef FIXED
    entry->text = malloc(sizeof *entry->text);
    snprintf(entry->text->words, sizeof entry->text->words, "the entry of %d", key);
#else
    snprintf(entry->text.words, sizeof entry->text.words, "the entry of %d", key);
#endif
    return entry;
}

static const char* find(const struct Entry* entry, int key) {
    while (entry->key != key) entry = entry->next;
#ifdef FIXED
    return entry->text->words;
#else
    return entry->text.words;
#endif
}

int main(void) {
    struct Entry* head = NULL;
    for (int i = 0; i < 500; ++i) head = add(head, i * 37 % 500);
    for (int i = 0; i < 500; i += 5) printf("%s\n", find(head, i));
}
