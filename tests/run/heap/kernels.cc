// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: programs that allocate in ten ways run with --heap-profile=accesses beside the defects, without a report
// (heap_profile.py compares their figures with DHAT's and with what follows on paper)
// COMPILE: gcc clang -O0 -O2 -pthread
// ARGS: --heap-profile=accesses --leak-check=no
// EXPECT: nothing

#include <pthread.h>
#include <stdlib.h>

#include <list>
#include <map>
#include <memory>

#define NOINLINE __attribute__((noinline))

static volatile int sink;
static unsigned state = 1;
static unsigned next_random() { return state = state * 1103515245u + 12345u, state >> 8; }

// tree: nodes of one size from a recursion, freed in another order.
struct Node {
    Node *left, *right;
    unsigned key;
    char pad[44];
};
static NOINLINE Node* insert(Node* node, unsigned key) {
    if (node == nullptr) {
        node = static_cast<Node*>(malloc(sizeof(Node)));
        node->left = node->right = nullptr;
        node->key = key;
    } else if (key < node->key) {
        node->left = insert(node->left, key);
    } else {
        node->right = insert(node->right, key);
    }
    return node;
}
static NOINLINE void drop(Node* node) {
    if (node == nullptr) return;
    drop(node->left);
    drop(node->right);
    free(node);
}
static void tree() {
    Node* root = nullptr;
    for (int i = 0; i < 800; ++i) root = insert(root, next_random());
    drop(root);
}

// growth: an array that doubles, and shrinks at the end.
static void growth() {
    int* all = nullptr;
    int room = 0;
    for (int i = 0; i < 5000; ++i) {
        if (i == room) {
            room = room != 0 ? room * 2 : 4;
            all = static_cast<int*>(realloc(all, static_cast<size_t>(room) * sizeof(int)));
        }
        all[i] = i;
    }
    all = static_cast<int*>(realloc(all, 100));
    sink = all[7];
    free(all);
}

// equal: the same peak three times, held by other functions each time.
static NOINLINE void* first(size_t bytes) { return malloc(bytes); }
static NOINLINE void* second(size_t bytes) { return malloc(bytes); }
static void equal() {
    for (int i = 0; i < 3; ++i) {
        void* a = first(1000);
        void* b = i == 1 ? first(500) : second(500);
        free(a);
        free(b);
    }
}

// temporary: blocks that live a moment, in a loop, and one around them.
static void temporary() {
    char* kept = static_cast<char*>(calloc(3, 1000));
    for (int i = 0; i < 1000; ++i) {
        char* block = new char[static_cast<size_t>(16 + i % 7)];
        block[0] = kept[i];
        sink = block[0];
        delete[] block;
    }
    free(kept);
}

// lost: blocks that are never freed.
static void lost() {
    for (int i = 1; i <= 20; ++i) {
        static char* last;
        last = static_cast<char*>(malloc(static_cast<size_t>(i)));
        last[0] = 1;
    }
}

// containers: a map of objects with lists (DHAT replaces memmove, which a vector would use).
struct Shape {
    double area[5] = {};
    virtual ~Shape() = default;
};
struct Polygon : Shape {
    std::list<int> corners;
};
static void containers() {
    std::map<int, std::unique_ptr<Shape>> all;
    for (int i = 0; i < 150; ++i) {
        auto polygon = std::make_unique<Polygon>();
        for (int j = 0; j < i; ++j) polygon->corners.push_back(j);
        all[static_cast<int>(next_random() % 100)] = std::move(polygon);
    }
}

// aligned: alignments larger than the usual one.
static void aligned() {
    for (int i = 0; i < 50; ++i) {
        void* a = aligned_alloc(256, 512);
        void* b = nullptr;
        if (posix_memalign(&b, 64, 100) != 0) abort();
        free(a);
        free(b);
    }
}

// queue: first in, first out; lives are long and overlap.
static void queue() {
    void* waiting[64] = {};
    for (int i = 0; i < 2000; ++i) {
        free(waiting[i % 64]);
        waiting[i % 64] = malloc(8 + next_random() % 200);
    }
    for (void* each : waiting) free(each);
}

// large: blocks of their own mappings.
static void large() {
    for (int i = 1; i < 6; ++i) {
        char* block = static_cast<char*>(malloc(static_cast<size_t>(i) << 20));
        for (size_t at = 0; at < static_cast<size_t>(i) << 20; at += 4096) block[at] = 1;
        free(block);
    }
}

// threads: one after the other, so that the order of events is known; each frees what the one before allocated.
static void* passed;
static void* work(void* given) {
    free(passed);
    passed = malloc(reinterpret_cast<size_t>(given));
    void* own = malloc(100);
    free(own);
    return nullptr;
}
static void threads() {
    for (size_t i = 1; i < 20; ++i) {
        pthread_t thread;
        pthread_create(&thread, nullptr, work, reinterpret_cast<void*>(i * 10));
        pthread_join(thread, nullptr);
    }
    free(passed);
}

// parts: of 100 bytes each 40 are stored, 10 of these loaded, 5 of these twice.
static NOINLINE char* make_parts() { return static_cast<char*>(malloc(100)); }
static void parts() {
    for (int i = 0; i < 10; ++i) {
        volatile char* block = make_parts();
        for (int j = 0; j < 40; ++j) block[j] = 1;
        for (int j = 0; j < 10; ++j) sink = block[j];
        for (int j = 0; j < 5; ++j) sink = block[j];
        free(const_cast<char*>(block));
    }
}

int main(int count, char** words) {
    void (*const kernels[])() = {tree,    growth, equal, temporary, lost, containers,
                                 aligned, queue,  large, threads,   parts};
    const int chosen = count > 1 ? atoi(words[1]) : -1;
    for (int i = 0; i < static_cast<int>(sizeof kernels / sizeof *kernels); ++i)
        if (chosen < 0 || chosen == i) kernels[i]();
    return 0;
}
