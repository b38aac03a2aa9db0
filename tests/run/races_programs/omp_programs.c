// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp -lm
// OpenMP as programs use it: pipelines of tasks, recursion, waves, hash tables with locks, tickets, stencils, sorting.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 96, SIDE = 24, BUCKETS = 8 };
static int a[N + 2], b[N + 2], numbers[N], out[N], total, next, best, table[BUCKETS];
static double grid[SIDE][SIDE], other_grid[SIDE][SIDE];
static omp_lock_t locks[BUCKETS];
typedef struct Item { struct Item* next; int value, square; } Item;
typedef struct { double x, y; int count; } Point;
static Item* list;
static int* table_of_squares;
static int seed;
#pragma omp threadprivate(seed)
#pragma omp declare reduction(add : Point : omp_out.x += omp_in.x, omp_out.y += omp_in.y, omp_out.count += omp_in.count)

static void append(int value) {
    Item* item = malloc(sizeof *item);
    *item = (Item){list, value, 0};
    list = item;
}
static int hash(int key) { return (key * 7 + 3) % BUCKETS; }
static int queens(int row, unsigned columns, unsigned left, unsigned right, int* found) {
    enum { SIZE = 5 };
    if (row == SIZE) {
#if CASE == 19  // each solution is counted without protection
        *found += 1;  // race: found
#else
#pragma omp atomic
        *found += 1;
#endif
        return 1;
    }
    for (int c = 0; c < SIZE; c++) {
        unsigned bit = 1u << c, place = 1u << (row + c), down = 1u << (row - c + SIZE);
        if (columns & bit || left & place || right & down) continue;
#pragma omp task firstprivate(row, columns, left, right, bit, place, down) shared(found)
        queens(row + 1, columns | bit, left | place, right | down, found);
    }
#pragma omp taskwait
    return 0;
}
static void sort(int* values, int count) {
    if (count < 2) return;
    int pivot = values[count / 2], i = 0, j = count - 1;
    while (i <= j) {
        while (values[i] < pivot) i++;  // race(21): sorted
        while (values[j] > pivot) j--;  // race(21): sorted
        if (i <= j) {
            int kept = values[i];  // race(21): sorted
            values[i++] = values[j];  // race(21): sorted
            values[j--] = kept;  // race(21): sorted
        }
    }
#if CASE == 21  // the second half has elements of the first one
    int from = j > 0 ? j : i;
#pragma omp task
    sort(values, j + 1);
#pragma omp task
    sort(values + from, count - from);
#else
#pragma omp task
    sort(values, j + 1);
#pragma omp task
    sort(values + i, count - i);
#endif
#pragma omp taskwait
}
static void sum_tree(int from, int to, int* sum) {
    if (to - from < 8) {
        for (int i = from; i < to; i++) *sum += numbers[i];
        return;
    }
    int left = 0, right = 0, middle = (from + to) / 2;
#pragma omp task shared(left)
    sum_tree(from, middle, &left);
#pragma omp task shared(right)
    sum_tree(middle, to, &right);
#pragma omp taskwait
    *sum = left + right;
}
static Point centre_of(int count) {
    Point sum = {0, 0, 0};
#pragma omp parallel for reduction(add : sum) num_threads(4)
    for (int i = 0; i < count; i++) {
        sum.x += numbers[i];
        sum.y += i;
        sum.count++;
    }
    return sum;
}

int main(void) {
    for (int i = 0; i < N; i++) numbers[i] = (i * 37) % N;
    for (int i = 0; i < BUCKETS; i++) omp_init_lock(&locks[i]);
    omp_set_num_threads(4);
#if CASE == 1  // a table with a lock for each bucket
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int at = hash(numbers[i]);
        omp_set_lock(&locks[at]);
        table[at] += numbers[i];
        omp_unset_lock(&locks[at]);
    }
#elif CASE == 2  // the lock is the key's, not the bucket's
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        omp_set_lock(&locks[numbers[i] % BUCKETS]);
        table[hash(numbers[i]) / 2] += numbers[i];  // race: table maybe
        omp_unset_lock(&locks[numbers[i] % BUCKETS]);
    }
#elif CASE == 3  // tickets
#pragma omp parallel
    for (int i = 0; i < N / 4; i++) {
        int mine;
#pragma omp atomic capture
        mine = next++;
        out[mine] = i;
    }
#elif CASE == 4  // the ticket is read again
#pragma omp parallel
    for (int i = 0; i < N / 4; i++) {
#pragma omp atomic  // race: next maybe
        next++;  // race: next maybe
        KEEP;
        out[next % N] = i;  // race: next out maybe
    }
#elif CASE == 5  // a wave along both diagonals' neighbours
#pragma omp parallel for ordered(2)
    for (int i = 1; i < SIDE; i++)
        for (int j = 1; j < SIDE; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) / 2 + 1;
#pragma omp ordered depend(source)
        }
#elif CASE == 6  // the row above is not waited for
#pragma omp parallel for ordered(2) schedule(static, 1)
    for (int i = 1; i < SIDE; i++)
        for (int j = 1; j < SIDE; j++) {
#pragma omp ordered depend(sink : i, j - 1)
            grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) / 2 + 1;  // race: grid
#pragma omp ordered depend(source)
        }
#elif CASE == 7  // a pipeline of tasks by dependences
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task depend(out : a[i])
        a[i] = numbers[i] * 2;
#pragma omp task depend(in : a[i]) depend(inout : b[0])
        b[0] += a[i];
    }
#elif CASE == 8  // the second stage names another element
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 16; i++) {
#pragma omp task depend(out : a[i])
        a[i] = numbers[i] * 2;  // race: a
#pragma omp task depend(in : a[i + 1])
        b[i] = a[i];  // race: a
    }
#elif CASE == 9  // two loops of the same schedule need no barrier between them
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++) a[i] = i * 2;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++) b[i] = a[i] + 1;
    }
#elif CASE == 10  // of another schedule they do
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++) a[i] = i * 2;  // race: a
#pragma omp for schedule(static, 1)
        for (int i = 0; i < N; i++) b[i] = a[i] + 1;  // race: a
    }
#elif CASE == 11  // red and black points
    for (int times = 0; times < 2; times++)
        for (int colour = 0; colour < 2; colour++) {
#pragma omp parallel for
            for (int i = 1; i < SIDE - 1; i++)
                for (int j = 1 + (i + colour) % 2; j < SIDE - 1; j += 2)
                    grid[i][j] = (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) / 4;
        }
#elif CASE == 12  // all points in one sweep
#pragma omp parallel for
    for (int i = 1; i < SIDE - 1; i++)
        for (int j = 1; j < SIDE - 1; j++)
            grid[i][j] = (grid[i - 1][j] + grid[i + 1][j]) / 2;  // race: grid
#elif CASE == 13  // two grids
    double (*from)[SIDE] = grid, (*to)[SIDE] = other_grid;
#pragma omp parallel
    for (int times = 0; times < 3; times++) {
#pragma omp for
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++) to[i][j] = (from[i - 1][j] + from[i + 1][j]) / 2;
#pragma omp single
        {
            double (*kept)[SIDE] = from;
            from = to;
            to = kept;
        }
    }
#elif CASE == 14  // the grids are swapped by every thread
    double (*from)[SIDE] = grid, (*to)[SIDE] = other_grid;
#pragma omp parallel
    for (int times = 0; times < 3; times++) {
#pragma omp for
        for (int i = 1; i < SIDE - 1; i++)
            for (int j = 1; j < SIDE - 1; j++) to[i][j] = (from[i - 1][j] + from[i + 1][j]) / 2;  // race: pointer
        double (*kept)[SIDE] = from;  // race: pointer
        from = to;  // race: pointer
        to = kept;  // race: pointer
#pragma omp barrier
    }
#elif CASE == 15  // each item of a list is a task's
    for (int i = 0; i < 20; i++) append(i);
#pragma omp parallel
#pragma omp single
    for (Item* item = list; item != NULL; item = item->next) {
#pragma omp task firstprivate(item)
        item->square = item->value * item->value;
    }
#elif CASE == 16  // tasks share the pointer that walks
    for (int i = 0; i < 20; i++) append(i);
    Item* item = list;
#pragma omp parallel
#pragma omp single
    for (; item->next != NULL; item = item->next) {  // race: item
#pragma omp task shared(item)
        out[3] = item->value;  // race: item out
    }
#elif CASE == 17  // the largest, looked at again under the lock
#pragma omp parallel for
    for (int i = 0; i < N; i++)
#pragma omp critical
        if (numbers[i] > best) best = numbers[i];
#elif CASE == 18  // looked at without
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++)
        if (numbers[i] > best)  // race: best
#pragma omp critical
            best = numbers[i];  // race: best
#elif CASE == 19 || CASE == 20
    int found = 0;
#pragma omp parallel
#pragma omp single
    queens(0, 0, 0, 0, &found);
    total = found;
#elif CASE == 21 || CASE == 22
#pragma omp parallel
#pragma omp single
    sort(numbers, N);
#elif CASE == 23
#pragma omp parallel
#pragma omp single
    sum_tree(0, N, &total);
#elif CASE == 24
    total = (int)centre_of(N).x;
#elif CASE == 25  // last value, taken while others may still work
    int last = 0;
#pragma omp parallel
    {
#pragma omp for lastprivate(last) nowait  // race: last maybe
        for (int i = 0; i < N; i++) last = numbers[i];  // race: last maybe
        out[omp_get_thread_num()] = last;  // race: last maybe
    }
#elif CASE == 26
    int last = 0;
#pragma omp parallel
    {
#pragma omp for lastprivate(last)
        for (int i = 0; i < N; i++) last = numbers[i];
        out[omp_get_thread_num()] = last;
    }
#elif CASE == 27  // tasks of a loop, a shared sum
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(8)  // race: total
    for (int i = 0; i < N; i++) total += numbers[i];  // race: total
#elif CASE == 28
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(8) reduction(+ : total)
    for (int i = 0; i < N; i++) total += numbers[i];
#elif CASE == 29  // nobody waits for the loop
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(8) nogroup
        for (int i = 0; i < N; i++) a[i] = numbers[i] + 1;  // race: a
        total = a[3];  // race: a
    }
#elif CASE == 30  // seeds of each thread
#pragma omp parallel
    {
        seed = omp_get_thread_num() + 1;
#pragma omp for
        for (int i = 0; i < N; i++) {
            seed = seed * 1103515245 + 12345;
            out[i] = (seed >> 16) & 1;
        }
    }
#elif CASE == 31  // made at the first use, by a flag that is not atomic
#pragma omp parallel
    {
        if (table_of_squares == NULL) {  // race: squares values
#pragma omp critical
            if (table_of_squares == NULL) {  // race: squares
                int* made = malloc(N * sizeof *made);
                for (int i = 0; i < N; i++) made[i] = i * i;  // race: values maybe
                table_of_squares = made;  // race: squares values maybe
            }
        }
        out[omp_get_thread_num()] = table_of_squares[5];  // race: squares values
    }
#elif CASE == 32  // by one that is
#pragma omp parallel
    {
        int* seen;
#pragma omp atomic read acquire
        seen = table_of_squares;
        if (seen == NULL) {
#pragma omp critical
            {
                if (table_of_squares == NULL) {
                    int* made = malloc(N * sizeof *made);
                    for (int i = 0; i < N; i++) made[i] = i * i;
#pragma omp atomic write release
                    table_of_squares = made;
                }
                seen = table_of_squares;
            }
        }
        out[omp_get_thread_num()] = seen[5];
    }
#elif CASE == 33  // sums of prefixes, plain
#pragma omp parallel for  // race: numbers
    for (int i = 1; i < N; i++) numbers[i] += numbers[i - 1];  // race: numbers
#elif CASE == 34  // by scan
    int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
    for (int i = 0; i < N; i++) {
        sum += numbers[i];
#pragma omp scan inclusive(sum)
        out[i] = sum;
    }
#elif CASE == 35  // inner teams share what is the outer thread's
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp parallel num_threads(2)
        mine += 1;  // race: mine
        out[omp_get_thread_num()] = mine;
    }
#elif CASE == 36
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int mine = 0;
#pragma omp parallel num_threads(2) reduction(+ : mine)
        mine += 1;
        out[omp_get_thread_num()] = mine;
    }
#elif CASE == 37  // a sum of a group of tasks
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : total)
        for (int i = 0; i < 16; i++)
#pragma omp task in_reduction(+ : total)
            total += numbers[i];
        out[0] = total;
    }
#elif CASE == 38  // tasks that may run in any order, one at a time
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 16; i++)
#pragma omp task depend(mutexinoutset : total)
        total += numbers[i];
#elif CASE == 39  // a result before the group's end
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        total = 42;  // race: total
        out[0] = total;  // race: total
#pragma omp taskwait
    }
#elif CASE == 40  // attempts
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < N; i++) {
        while (!omp_test_lock(&locks[0])) continue;
        total += i;
        omp_unset_lock(&locks[0]);
    }
#elif CASE == 41  // who does not get it, does it all the same
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++) {
        int got = omp_test_lock(&locks[0]);
        total += i;  // race: total maybe
        if (got) omp_unset_lock(&locks[0]);
    }
#elif CASE == 42  // the loop stops all threads at what it looks for
    int place = -1;
#pragma omp parallel
    {
#pragma omp for
        for (int i = 0; i < N; i++) {
            if (numbers[i] == 5) {
#pragma omp atomic write
                place = i;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
    }
    total = place;
#elif CASE == 43  // found by two
    int place = -1;
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++)
        if (numbers[i] % 3 == 0) place = i;  // race: place
    total = place;
#elif CASE == 44  // on the device, which is the host
#pragma omp target teams distribute parallel for map(tofrom : total) num_teams(1)
    for (int i = 0; i < N; i++) total += i;  // race: total
#elif CASE == 45
#pragma omp target teams distribute parallel for reduction(+ : total) map(tofrom : total)
    for (int i = 0; i < N; i++) total += i;
#elif CASE == 46  // each thread counts in an element of its own, one adds them up behind a barrier
#pragma omp parallel
    {
        out[omp_get_thread_num()] = 0;
#pragma omp for
        for (int i = 0; i < N; i++) out[omp_get_thread_num()] += numbers[i];
#pragma omp single
        for (int t = 0; t < omp_get_num_threads(); t++) total += out[t];
    }
#elif CASE == 47  // the master's value, without a barrier
#pragma omp parallel
    {
#pragma omp master
        total = 5;  // race: total
        out[omp_get_thread_num()] = total;  // race: total
    }
#elif CASE == 48
#pragma omp parallel
    {
#pragma omp master
        total = 5;
#pragma omp barrier
        out[omp_get_thread_num()] = total;
    }
#endif
    printf("%d %d %d %d %d %f %d\n", total, best, next, a[5], b[7], grid[3][3] + other_grid[2][2], out[0] + out[3] + out[4]);
    return 0;
}
