// SPDX-License-Identifier: GPL-2.0-or-later
// Makes random calls that change mappings and prints what each returned, without addresses: "number call result". What a
// mapping holds is checked before and after. Arguments: a seed and how many calls.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/io_uring.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kMappings = 24, kPage = 4096 };
static struct mapping { char* begin; size_t pages; int shared; } mappings[kMappings];
static uint64_t state;
static unsigned any(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static void say(int call, const char* name, int failed) {
    printf("%d %s %s\n", call, name, failed ? strerrorname_np(errno) : "done");
}

// The first and last byte of each page, which the program alone writes.
static void fill(struct mapping* m) {
    for (size_t i = 0; i < m->pages; ++i) m->begin[i * kPage] = m->begin[i * kPage + kPage - 1] = (char)(i + 1);
}
static void check(int call, const struct mapping* m, size_t pages) {
    for (size_t i = 0; i < pages; ++i)
        if (m->begin[i * kPage] != (char)(i + 1) || m->begin[i * kPage + kPage - 1] != (char)(i + 1)) {
            printf("%d lost page %zu\n", call, i);
            exit(1);
        }
}

static const int kFlags[] = {0, 0, 0, MAP_NORESERVE, MAP_POPULATE, MAP_STACK, MAP_GROWSDOWN, MAP_32BIT, MAP_LOCKED,
                             MAP_FIXED, MAP_HUGETLB, MAP_HUGETLB | 30 << MAP_HUGE_SHIFT, MAP_HUGETLB | 21 << MAP_HUGE_SHIFT};
enum { kManyFlags = sizeof kFlags / sizeof *kFlags };

static void map(int call, struct mapping* m, int memory, int ring) {
    struct mapping* other = &mappings[any(kMappings)];
    uintptr_t hints[] = {0, 0, (uintptr_t)other->begin, 0x10000000, 0x900000000, 0x2000000000, 0x4200000000, 0xc000000000,
                         0x7f0000000000, 0x7fffffffe000, 0x800000000000, 0x8000000000000000, 0xfffffffffffff000};
    uintptr_t hint = hints[any(sizeof hints / sizeof *hints)];
    int flags = kFlags[any(kManyFlags)];
    size_t pages = 1 + any(40);
    const unsigned kind = any(8);
    if (flags == MAP_FIXED) {
        if (other == m || other->begin == NULL) return;
        hint = (uintptr_t)other->begin, pages = other->pages;
    }
    char* got;
    const char* name;
    if (kind == 0 && ring >= 0 && flags != MAP_FIXED) {
        const off_t offset = any(2) ? (off_t)IORING_OFF_SQES : IORING_OFF_SQ_RING;
        got = mmap(NULL, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, ring, offset);
        say(call, "ring", got == MAP_FAILED);
        if (got != MAP_FAILED) {
            volatile char first = *got;
            (void)first;
            munmap(got, kPage);
        }
        return;
    }
    if (kind == 1 && !(flags & MAP_HUGETLB)) {
        name = "file";
        got = mmap((void*)hint, pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | (flags & ~MAP_GROWSDOWN), memory, any(4) * kPage);
    } else if (kind == 2) {
        const struct { size_t bytes; int flags; int file; off_t offset; } bad[] = {
            {0, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}, {kPage, MAP_PRIVATE, -1, 0}, {kPage, MAP_PRIVATE, memory, 5},
            {(size_t)1 << 62, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}, {kPage, MAP_ANONYMOUS, -1, 0}};
        const unsigned which = any(sizeof bad / sizeof *bad);
        got = mmap(NULL, bad[which].bytes, PROT_READ, bad[which].flags, bad[which].file, bad[which].offset);
        printf("%d wrong_map_%u %s\n", call, which, got == MAP_FAILED ? "refused" : "done");
        return;
    } else {
        name = flags & MAP_HUGETLB ? "huge" : "anonymous";
        got = mmap((void*)hint, pages * kPage, PROT_READ | PROT_WRITE,
                   (kind == 3 && flags != MAP_GROWSDOWN ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | flags, -1, 0);
    }
    say(call, name, got == MAP_FAILED);
    if (got == MAP_FAILED) return;
    if (flags & MAP_HUGETLB) {
        munmap(got, (pages * kPage + (1 << 21) - 1) >> 21 << 21);
        return;
    }
    if (flags == MAP_FIXED) other->begin = NULL;
    *m = (struct mapping){got, pages, kind == 3};
    fill(m);
}

static void shared_segment(int call) {
    const size_t bytes = (1 + any(8)) * kPage;
    const int id = shmget(IPC_PRIVATE, bytes, IPC_CREAT | 0600);
    if (id < 0) return;
    char* at = shmat(id, NULL, 0);
    shmctl(id, IPC_RMID, NULL);
    say(call, "shmat", at == (char*)-1);
    if (at == (char*)-1) return;
    at[bytes - 1] = 1;
    say(call, "shmdt", shmdt(at) != 0);
}

static void change(int call, struct mapping* m) {
    static const int kAdvice[] = {MADV_NORMAL, MADV_SEQUENTIAL, MADV_WILLNEED, MADV_HUGEPAGE, MADV_NOHUGEPAGE, MADV_MERGEABLE,
                                  MADV_DONTFORK, MADV_DOFORK, MADV_DONTDUMP, MADV_COLD};
    check(call, m, m->pages);
    const size_t bytes = m->pages * kPage;
    switch (any(10)) {
    case 0: case 1:
        say(call, "munmap", munmap(m->begin, bytes) != 0);
        m->begin = NULL;
        return;
    case 2: {
        if (m->shared) return;
        const size_t pages = 1 + any(60);
        char* got = mremap(m->begin, bytes, pages * kPage, MREMAP_MAYMOVE);
        say(call, "mremap", got == MAP_FAILED);
        if (got == MAP_FAILED) return;
        m->begin = got;
        check(call, m, pages < m->pages ? pages : m->pages);
        m->pages = pages;
        break;
    }
    case 3: {
        char* to = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (to == MAP_FAILED) return;
        munmap(to, bytes);
        char* got = mremap(m->begin, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
        say(call, "mremap_fixed", got == MAP_FAILED);
        if (got != MAP_FAILED) m->begin = got;
        break;
    }
    case 4:
        say(call, "mprotect", mprotect(m->begin, bytes, PROT_READ) != 0);
        check(call, m, m->pages);
        say(call, "mprotect", mprotect(m->begin, bytes, PROT_READ | PROT_WRITE) != 0);
        break;
    case 5:
        if (m->shared || any(2)) {
            const unsigned which = any(sizeof kAdvice / sizeof *kAdvice);
            say(call, "madvise", madvise(m->begin, bytes, kAdvice[which]) != 0);
        } else {
            say(call, "dontneed", madvise(m->begin, bytes, MADV_DONTNEED) != 0);
        }
        fill(m);
        break;
    case 6: {
        const int key = (int)syscall(SYS_pkey_alloc, 0, 0);
        if (key >= 0) syscall(SYS_pkey_free, key);
        say(call, "mlock", mlock(m->begin, bytes) != 0);
        say(call, "munlock", munlock(m->begin, bytes) != 0);
        break;
    }
    case 7:
        say(call, "msync", msync(m->begin, bytes, MS_ASYNC) != 0);
        break;
    case 8:
        if (m->pages < 3) return;
        say(call, "munmap_end", munmap(m->begin + bytes - kPage, kPage) != 0);
        m->pages -= 1;
        break;
    default:
        shared_segment(call);
    }
    check(call, m, 0);
    fill(m);
}

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    state = strtoul(argv[1], NULL, 10);
    const int calls = atoi(argv[2]);
    const int memory = memfd_create("mapping", 0);
    if (memory < 0 || ftruncate(memory, 64 * kPage) != 0) return 3;
    struct io_uring_params parameters;
    memset(&parameters, 0, sizeof parameters);
    const int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
    for (int call = 0; call < calls; ++call) {
        struct mapping* m = &mappings[any(kMappings)];
        if (m->begin == NULL) map(call, m, memory, ring);
        else change(call, m);
    }
    for (struct mapping* m = mappings; m < mappings + kMappings; ++m)
        if (m->begin != NULL) check(calls, m, m->pages);
    return 0;
}
