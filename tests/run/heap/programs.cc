// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: ten programs that allocate by the C library, C++, realloc, aligned, in threads, after fork and until their exit
// run with --heap-profile=accesses beside the defects, without a report (heap_profile.py compares their figures with DHAT's)
// COMPILE: gcc clang -O0 -O2 -pthread -std=c++17 -Wno-unused-result
// ARGS: --heap-profile=accesses --leak-check=no
// PROCESSES: 2
// EXPECT: nothing

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <list>
#include <map>
#include <memory>
#include <set>

#define NOINLINE __attribute__((noinline))

static volatile unsigned sink;
static unsigned state = 7;
static unsigned next_random() { return state = state * 1664525u + 1013904223u, state >> 7; }

// Functions of strings are the tool's own, and DHAT has others: lifetimes would differ by them.
static NOINLINE char* duplicate(const char* word, size_t most) {
    size_t size = 0;
    while (size < most && word[size] != '\0') ++size;
    char* copy = static_cast<char*>(malloc(size + 1));
    for (size_t i = 0; i < size; ++i) *static_cast<volatile char*>(copy + i) = word[i];
    copy[size] = '\0';
    return copy;
}

// words: strings of two lengths, each third one cut later.
static void words() {
    char* all[40];
    for (int i = 0; i < 40; ++i)
        all[i] = duplicate(i % 2 ? "a word" : "a much longer word than the other one", 100);
    for (int i = 0; i < 40; i += 3) {
        char* more = duplicate(all[i], 5);
        free(all[i]);
        all[i] = more;
    }
    for (char* each : all) free(each);
}

// halves: an array of structs that grows by a half, whose members are grown beside it.
struct Record {
    char* text;
    size_t size;
};
static NOINLINE Record* grow_records(Record* records, size_t count) {
    return static_cast<Record*>(realloc(records, count * sizeof *records));
}
static NOINLINE void append(Record* record, unsigned bytes) {
    record->text = static_cast<char*>(realloc(record->text, record->size + bytes));
    for (unsigned i = 0; i < bytes; ++i) record->text[record->size + i] = static_cast<char>(i);
    record->size += bytes;
}
static void halves() {
    Record* records = nullptr;
    size_t count = 0, room = 0;
    for (int i = 0; i < 300; ++i) {
        if (count == room) records = grow_records(records, room += room / 2 + 2);
        records[count++] = {nullptr, 0};
        append(&records[next_random() % count], 1 + next_random() % 30);
    }
    for (size_t i = 0; i < count; ++i) free(records[i].text);
    free(records);
}

// table: calloc for buckets, malloc for entries, half of them removed; the table is made anew when it is full.
struct Entry {
    Entry* next;
    unsigned key, value;
};
struct Buckets {
    Entry** heads;
    unsigned size, used;
};
static NOINLINE void rehash(Buckets* table, unsigned size) {
    auto** heads = static_cast<Entry**>(calloc(size, sizeof(Entry*)));
    for (unsigned i = 0; i < table->size; ++i)
        while (Entry* entry = table->heads[i]) {
            table->heads[i] = entry->next;
            entry->next = heads[entry->key % size];
            heads[entry->key % size] = entry;
        }
    free(table->heads);
    table->heads = heads;
    table->size = size;
}
static void table() {
    Buckets all = {nullptr, 0, 0};
    rehash(&all, 8);
    for (unsigned i = 0; i < 500; ++i) {
        if (all.used == all.size) rehash(&all, all.size * 2);
        auto* entry = static_cast<Entry*>(malloc(sizeof(Entry)));
        const unsigned key = next_random();
        *entry = {all.heads[key % all.size], key, i};
        all.heads[key % all.size] = entry;
        ++all.used;
        Entry*& head = all.heads[next_random() % all.size];
        if (head == nullptr || i % 2) continue;
        Entry* gone = head;
        head = gone->next;
        free(gone);
        --all.used;
    }
    for (unsigned i = 0; i < all.size; ++i)
        while (Entry* entry = all.heads[i]) {
            all.heads[i] = entry->next;
            free(entry);
        }
    free(all.heads);
}

// alignments: all calls that align; realloc of what is aligned.
static void alignments() {
    for (size_t i = 0; i < 30; ++i) {
        void* volatile a = memalign(size_t{32} << i % 4, 33 + i);
        void* volatile b = valloc(17);
        void* c = nullptr;
        if (posix_memalign(&c, 4096, 100 * i + 1) != 0) abort();
        void* volatile d = aligned_alloc(64, 64 * (i + 1));
        a = realloc(a, 3000);
        free(b);
        d = realloc(d, 10);
        free(c);
        free(d);
        free(a);
    }
}

// copies: parent and child go on with blocks of before; the parent's figures are compared.
static void copies() {
    void* volatile before = malloc(1000);
    void* volatile both = calloc(3, 50);
    const pid_t child = fork();
    if (child == 0) {
        free(both);
        void* volatile own = malloc(5000);
        free(own);
        _exit(0);
    }
    waitpid(child, nullptr, 0);
    void* volatile after = malloc(300);
    free(before);
    free(both);
    free(after);
}

// at_exit: what functions of atexit free, and what nobody does.
static char* kept[5];
static void free_kept() {
    for (char* each : kept) free(each);
}
static void at_exit() {
    atexit(free_kept);
    for (unsigned i = 0; i < 5; ++i) {
        kept[i] = static_cast<char*>(malloc(10 * i + 1));
        kept[i][0] = 'x';
    }
    sink = kept[4][0];
}

// sizes: realloc up and down, in place and not, with others between; the same peak several times.
static void sizes() {
    void* a = nullptr;
    for (int round = 0; round < 4; ++round) {
        a = realloc(a, 2000);
        void* volatile between = malloc(round % 2 ? 500 : 400);
        a = realloc(a, round % 2 ? 4000 : 4100);
        a = realloc(a, 16);
        free(between);
    }
    free(a);
}

// relay: threads one after the other that hand on a list.
struct Link {
    Link* next;
    char load[100];
};
static Link* chain;
static void* relay_work(void* given) {
    const size_t count = reinterpret_cast<size_t>(given);
    for (size_t i = 0; i < count; ++i) chain = new Link{chain, {}};
    for (size_t i = 0; i < count / 2; ++i) {
        Link* gone = chain;
        chain = gone->next;
        delete gone;
    }
    return nullptr;
}
static void relay() {
    for (size_t i = 0; i < 6; ++i) {
        pthread_t thread;
        pthread_create(&thread, nullptr, relay_work, reinterpret_cast<void*>(10 + i));
        pthread_join(thread, nullptr);
    }
    while (Link* gone = chain) {
        chain = gone->next;
        delete gone;
    }
}

// library: containers in containers, and shared ones.
static void library() {
    std::map<unsigned, std::list<char>> names;
    std::list<std::shared_ptr<std::set<unsigned>>> sets;
    for (unsigned i = 0; i < 200; ++i) {
        names[next_random() % 64].push_back('n');
        if (i % 10 == 0) sets.push_back(std::make_shared<std::set<unsigned>>());
        sets.back()->insert(next_random() % 32);
        if (i % 50 == 49) sets.pop_front();
    }
    sink = static_cast<unsigned>(names.size());
}

// objects: new in all forms, of a polymorphic class with members of its own.
struct alignas(128) Wide {
    char bytes[128];
};
struct Base {
    virtual ~Base() = default;
};
struct Derived : Base {
    std::unique_ptr<int[]> numbers{new int[25]{}};
};
static void objects() {
    for (int i = 0; i < 20; ++i) {
        std::unique_ptr<Base> base(new Derived);
        auto* wide = new Wide[3];
        auto* array = new Derived[4];
        sink = static_cast<unsigned char>(wide[1].bytes[5] = 1);
        delete[] array;
        delete[] wide;
    }
}

int main(int count, char** given) {
    void (*const programs[])() = {words, halves,  table, alignments, copies,
                                  sizes, at_exit, relay, library,    objects};
    const int chosen = count > 1 ? atoi(given[1]) : -1;
    for (int i = 0; i < static_cast<int>(sizeof programs / sizeof *programs); ++i)
        if (chosen < 0 || chosen == i) programs[i]();
    return 0;
}
