// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Tasks' clauses one by one, each in a whole program: correct, and with the race (RACY).
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// Compilers and levels are chosen by number: each has races, and each correct programs.
#define RACY (CASE % 8 == 2 || CASE % 8 == 3 || CASE % 8 == 5 || CASE % 8 == 0)

#if CASE == 1 || CASE == 2
// blocks by array sections; one looks into the block after its own
int main(void) {
    enum { LEN = 64, BLOCK = 16 };
    int *v = calloc(LEN + 1, sizeof *v), *w = calloc(LEN, sizeof *w);
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int at = 0; at < LEN; at += BLOCK) {
#pragma omp task depend(out : v[at : BLOCK])
        for (int i = at; i < at + BLOCK; ++i) v[i] = i;  // race(2): v
#pragma omp task depend(in : v[at : BLOCK]) depend(out : w[at : BLOCK])
        for (int i = at; i < at + BLOCK; ++i) w[i] = v[RACY ? i + 1 : i] + 1;  // race(2): v
    }
    printf("%d\n", w[17]);
    free(v);
    free(w);
}
#elif CASE == 3 || CASE == 4
// a sum over the tasks of a loop
int main(void) {
    enum { LEN = 200 };
    long v[LEN], sum = 0;
    for (int i = 0; i < LEN; ++i) v[i] = i;
#pragma omp parallel num_threads(4)
#pragma omp master
    {
#if RACY
#pragma omp taskloop grainsize(10)
#else
#pragma omp taskloop grainsize(10) reduction(+ : sum)
#endif
        for (int i = 0; i < LEN; ++i) sum += v[i];  // race(3): sum
    }
    printf("%ld\n", sum);
}
#elif CASE == 5 || CASE == 6
// a reduction of a group, in which not all tasks take part
int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < 20; ++i) {
#if RACY
            if (i % 2) {
#pragma omp task shared(sum)
                sum += i;  // race(5): sum
            } else
#endif
            {
#pragma omp task in_reduction(+ : sum)
                sum += i;
            }
        }
    }
    printf("%d\n", sum);
}
#elif CASE == 7 || CASE == 8
// one after the other in any order, of one name or of two
int main(void) {
    int total = 0, parts[6], other = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 6; ++i) {
#pragma omp task depend(out : parts[i])
            parts[i] = i * i;
#if RACY
            if (i % 2) {
#pragma omp task depend(in : parts[i]) depend(mutexinoutset : other)
                total += parts[i];  // race(8): total
            } else
#endif
            {
#pragma omp task depend(in : parts[i]) depend(mutexinoutset : total)
                total += parts[i];  // race(8): total
            }
        }
    }
    printf("%d %d\n", total, other);
}
#elif CASE == 9 || CASE == 10
// a wait for one of two tasks
int main(void) {
    int x = 0, y = 0, got = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 5;  // race(10): x
#pragma omp task shared(y) depend(out : y)
        y = 6;
#if RACY
#pragma omp taskwait depend(in : y)
#else
#pragma omp taskwait depend(in : x)
#endif
        got = x;  // race(10): x
#pragma omp taskwait
    }
    printf("%d %d\n", got, y);
}
#elif CASE == 11 || CASE == 12
// a task that is done at once
int main(void) {
    int level = 0, copy[8];
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 8; ++i) {
#pragma omp task shared(level) firstprivate(i) if (RACY && i > 0)
        level = i;        // race(11): level
        copy[i] = level;  // race(11): level
    }
    printf("%d\n", copy[3]);
}
#elif CASE == 13 || CASE == 14
// tasks of tasks, and a group or a wait that knows only children
static int leaves[16];
static void grow(int from, int to) {
    if (to - from == 1) {
        leaves[from] = from * 2;  // race(13): leaves
        return;
    }
    int half = (from + to) / 2;
#pragma omp task
    grow(from, half);
#pragma omp task
    grow(half, to);
}
int main(void) {
    int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#if RACY
        grow(0, 16);
#pragma omp taskwait
#else
#pragma omp taskgroup
        grow(0, 16);
#endif
        for (int i = 0; i < 16; ++i) sum += leaves[i];  // race(13): leaves
    }
    printf("%d\n", sum);
}
#elif CASE == 15 || CASE == 16
// a wavefront over tiles by dependences on two neighbours, or on one
int main(void) {
    enum { S = 6 };
    int t[S + 1][S + 1];
    for (int i = 0; i <= S; ++i) t[i][0] = t[0][i] = 1;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 1; i <= S; ++i)
        for (int j = 1; j <= S; ++j) {
#if RACY
#pragma omp task depend(in : t[i - 1][j]) depend(out : t[i][j])
#else
#pragma omp task depend(in : t[i - 1][j], t[i][j - 1]) depend(out : t[i][j])
#endif
            t[i][j] = t[i - 1][j] + t[i][j - 1];  // race(16): t
        }
    printf("%d\n", t[S][S]);
}
#elif CASE == 17 || CASE == 18
// an argument on the creator's stack, waited for or left behind
static int results[4];
static void work(int* in, int i) { results[i] = *in + i; }  // race(18): in
int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        int arg = 0;
        for (int i = 0; i < 4; ++i) {
            arg = i * 10;  // race(18): in
#pragma omp task firstprivate(i) shared(arg)
            work(&arg, i);
#if !RACY
#pragma omp taskwait
#endif
        }
#pragma omp taskwait
    }
    printf("%d\n", results[2]);
}
#elif CASE == 19 || CASE == 20
// a task per node of a list; the node's number by a count
struct item {
    int id;
    struct item* next;
};
int main(void) {
    struct item items[12];
    int counter = 0;
    for (int i = 0; i < 12; ++i) items[i] = (struct item){-1, i < 11 ? &items[i + 1] : NULL};
#pragma omp parallel num_threads(4) shared(counter)
    {
#pragma omp single nowait
        for (struct item* p = items; p; p = p->next) {
#pragma omp task firstprivate(p) untied
            {
                int mine;
#if RACY
                mine = counter++;  // race(19): counter
#else
#pragma omp atomic capture
                mine = counter++;
#endif
#pragma omp taskyield
                p->id = mine;
            }
        }
    }
    printf("%d\n", items[5].id);
}
#elif CASE == 21 || CASE == 22
// an iterator over all parts on which the last task depends
int main(void) {
    enum { PARTS = 5 };
    int part[PARTS], sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < PARTS; ++i) {
#pragma omp task depend(out : part[i]) priority(i)
            part[i] = i + 1;  // race(21): part
        }
#pragma omp task shared(sum) depend(iterator(k = 0 : (RACY ? PARTS - 1 : PARTS)), in : part[k])
        for (int i = 0; i < PARTS; ++i) sum += part[i];  // race(21): part
    }
    printf("%d\n", sum);
}
#elif CASE == 23 || CASE == 24
// a loop's tasks that are not waited for
int main(void) {
    enum { LEN = 60 };
    int v[LEN], first = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#if RACY
#pragma omp taskloop num_tasks(6) nogroup
#else
#pragma omp taskloop num_tasks(6)
#endif
        for (int i = 0; i < LEN; ++i) v[i] = i * i;  // race(24): v
        for (int i = 0; i < LEN; ++i) first += v[i];  // race(24): v
    }
    printf("%d\n", first);
}
#elif CASE == 25 || CASE == 26
// a task that belongs to each thread and counts for all
int main(void) {
    int hits = 0;
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    {
        int mine = 0;
#pragma omp task shared(mine, hits)
        {
            mine++;
            if (!RACY) omp_set_lock(&lock);
            hits++;  // race(26): hits
            if (!RACY) omp_unset_lock(&lock);
        }
#pragma omp taskwait
        mine++;
    }
    omp_destroy_lock(&lock);
    printf("%d\n", hits);
}
#elif CASE == 27 || CASE == 28
// a sort by halves, joined before they are merged, or not
static void merge(int* v, int* tmp, int n) {
    int i = 0, j = n / 2, k = 0;
    while (i < n / 2 && j < n) tmp[k++] = v[i] < v[j] ? v[i++] : v[j++];  // race(27): v
    while (i < n / 2) tmp[k++] = v[i++];  // race(27): v
    while (j < n) tmp[k++] = v[j++];      // race(27): v
    for (i = 0; i < n; ++i) v[i] = tmp[i]; // race(27): v
}
static void sort(int* v, int* tmp, int n) {
    if (n < 2) return;
#pragma omp task
    sort(v, tmp, n / 2);
#pragma omp task
    sort(v + n / 2, tmp + n / 2, n - n / 2);
#if !RACY
#pragma omp taskwait
#endif
    merge(v, tmp, n);
}
int main(void) {
    int v[32], tmp[32];
    for (int i = 0; i < 32; ++i) v[i] = (i * 19) % 32;
#pragma omp parallel num_threads(4)
#pragma omp single
    sort(v, tmp, 32);
    printf("%d %d\n", v[0], v[31]);
}
#elif CASE == 29 || CASE == 30
// the last of a graph names all that it changes, or not
int main(void) {
    int cells[4] = {0}, sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int i = 0; i < 4; ++i) {
#pragma omp task depend(out : cells[i])
            cells[i] = i;  // race(29): last
        }
        for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inout : cells[i])
            cells[i] *= 2;  // race(29): last
        }
#if RACY
#pragma omp task depend(in : cells[0], cells[1], cells[2])
#else
#pragma omp task depend(in : cells[0], cells[1], cells[2]) depend(inout : cells[3])
#endif
        {
            sum = cells[0] + cells[1] + cells[2];  // race(29): sum
            cells[3] = sum;  // race(29): last sum
        }
#pragma omp task depend(in : cells[3])
        sum = cells[3];  // race(29): last sum
    }
    printf("%d\n", sum);
}
#endif
