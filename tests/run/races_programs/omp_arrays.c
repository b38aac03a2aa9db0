// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Arrays in loops of OpenMP: places that are computed or looked up, pointers to one block, inner and outer loops, with as
// many threads as the machine has and with more; every second program is correct.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 1000, ROWS = 20, COLUMNS = 30 };
static int a[N + 8], b[N + 8], place[N];
static double grid[ROWS][COLUMNS], other[ROWS][COLUMNS];
static struct { int key, count; double sum; } table[16];
typedef struct Node { struct Node* next; int value; } Node;
static void add(double* to, const double* from, int n) {
    for (int i = 0; i < n; i++) to[i] += from[i];  // race(14): grid
}
static int at(int row, int column) { return row * COLUMNS + column; }
static void scale(int* numbers, int from, int to) {
    if (to - from < 100) {
        for (int i = from; i < to; i++) numbers[i] *= 2;  // race(29): numbers
        return;
    }
#pragma omp task
    scale(numbers, from, (from + to) / 2);
#if CASE == 29
    scale(numbers, (from + to) / 2 - 1, to);
#else
    scale(numbers, (from + to) / 2, to);
#endif
#pragma omp taskwait
}
int main(void) {
    int found = 0, last = 0;
    double total = 0;
    for (int i = 0; i < N; i++) place[i] = (i * 7) % N;
#if CASE == 1  // the next element, with as many threads as there are
    int length = N;
#pragma omp parallel for
    for (int i = 0; i < length - 1; i++) a[i] = a[i + 1] + 1;  // race: a
#elif CASE == 2
    int length = N;
#pragma omp parallel for
    for (int i = 0; i < length - 1; i++) b[i] = a[i + 1] + 1;
#elif CASE == 3  // 1000 is coprime to 7: all places differ
#pragma omp parallel for
    for (int i = 0; i < N; i++) a[place[i]] += i;
#elif CASE == 4  // to 8 it is not
    for (int i = 0; i < N; i++) place[i] = (i * 8) % N;
#pragma omp parallel for
    for (int i = 0; i < N; i++) a[place[i]] += i;  // race: a
#elif CASE == 5  // two pointers into one block, whose places meet once
    double* base = calloc(3 * N, sizeof *base);
    double *low = base, *high = base + N - 1;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        low[i] += 1;   // race: block
        high[i] += 3;  // race: block
    }
    free(base);
#elif CASE == 6
    double* base = calloc(3 * N, sizeof *base);
    double *low = base, *high = base + N;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        low[i] += 1;
        high[i] += 3;
    }
    free(base);
#elif CASE == 7  // column -1 is the end of the row before
#pragma omp parallel for
    for (int i = 1; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) grid[i][j] = (&grid[i][0])[j - 1] + 1;  // race: grid
#elif CASE == 8
#pragma omp parallel for
    for (int i = 1; i < ROWS; i++)
        for (int j = 1; j < COLUMNS; j++) grid[i][j] = grid[i][j - 1] + 1;
#elif CASE == 9  // the outer loop's variable is not private in the inner one's region
    int i;
    for (i = 0; i < 4; i++) {
#pragma omp parallel for
        for (int j = 0; j < COLUMNS; j++) grid[i][j] += i;
    }
#elif CASE == 10  // and an inner one's is shared
    int j;
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++)  // race: j
        for (j = 0; j < COLUMNS; j++)  // race: j
            grid[i][j] += i;           // race: j
#elif CASE == 11  // places by two loops collapsed into one
#pragma omp parallel for collapse(2)
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) (&grid[0][0])[at(i, j)] = i + j;
#elif CASE == 12  // rows one element too long
#pragma omp parallel for
    for (int i = 0; i < ROWS - 1; i++)
        for (int j = 0; j <= COLUMNS; j++) (&grid[0][0])[at(i, j)] = i + j;  // race: grid
#elif CASE == 13  // whole rows by a function
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) add(grid[i], other[0], COLUMNS);
#elif CASE == 14  // rows that lie over each other
#pragma omp parallel for  // race: grid
    for (int i = 0; i < ROWS - 1; i++) add(grid[i], other[0], COLUMNS + 1);
#elif CASE == 15  // a group of a table, found by its key, counted at once
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int slot = place[i] % 16;
#pragma omp atomic
        table[slot].count++;
#pragma omp atomic
        table[slot].sum += i * 0.5;
    }
#elif CASE == 16  // one member is
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        int slot = place[i] % 16;
#pragma omp atomic
        table[slot].count++;
        table[slot].sum += i * 0.5;  // race: sum
    }
#elif CASE == 17  // a list, its nodes dealt out by place
    Node nodes[64] = {0}, *first = NULL;
    for (int i = 0; i < 64; i++) {
        nodes[i].next = first;
        first = &nodes[i];
    }
#pragma omp parallel
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads(), i = 0;
        for (Node* node = first; node; node = node->next, i++)
            if (i % all == me) node->value = i;
    }
#elif CASE == 18  // each one changes its neighbour's, too
    Node nodes[64] = {0}, *first = NULL;
    for (int i = 0; i < 64; i++) {
        nodes[i].next = first;
        first = &nodes[i];
    }
#pragma omp parallel num_threads(3)
    {
        int me = omp_get_thread_num(), all = omp_get_num_threads(), i = 0;
        for (Node* node = first; node; node = node->next, i++)
            if (i % all == me) {
                node->value = i;                          // race: value
                if (node->next) node->next->value = i;    // race: value
            }
    }
#elif CASE == 19  // an array of the function, a length that is computed
    int length = N / 2;
    int numbers[length];
    memset(numbers, 0, sizeof numbers);
#pragma omp parallel for
    for (int i = 0; i < length; i++) numbers[i] = i;
    found = numbers[7];
#elif CASE == 20
    int length = N / 2;
    int numbers[length];
    memset(numbers, 0, sizeof numbers);
#pragma omp parallel for  // race: numbers
    for (int i = 1; i < length; i++) numbers[i] = numbers[i - 1] + 1;  // race: numbers
    found = numbers[7];
#elif CASE == 21  // the last one that fits
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        if (place[i] % 100 == 3) found = i;  // race: found
#elif CASE == 22  // lastprivate
#pragma omp parallel for lastprivate(found)
    for (int i = 0; i < N; i++) found = place[i];
#elif CASE == 23  // the temporary is declared outside
    int x;
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        x = a[i] + 1;  // race: x
        KEEP;
        b[i] = x;  // race: x
    }
#elif CASE == 24  // private
    int x;
#pragma omp parallel for private(x)
    for (int i = 0; i < N; i++) {
        x = a[i] + 1;
        KEEP;
        b[i] = x;
    }
#elif CASE == 25  // a sum in the inner loop, whose region is the inner one
    for (int i = 0; i < 4; i++) {
#pragma omp parallel for reduction(+ : total)
        for (int j = 0; j < COLUMNS; j++) total += grid[i][j];
    }
#elif CASE == 26  // the region is the outer one, the sum is a row's but declared outside
    double sum = 0;
#pragma omp parallel for
    for (int i = 0; i < ROWS; i++) {
        sum = 0;  // race: sum
        KEEP;
        for (int j = 0; j < COLUMNS; j++) {
            sum += grid[i][j];  // race: sum
            KEEP;
        }
        other[i][0] = sum;  // race: sum
    }
#elif CASE == 27  // a condition leads to one element twice
#pragma omp parallel for
    for (int i = 0; i < N; i++) {
        if (i < N / 2)  // race: a
            a[i] = i;  // race: a
        else
            a[i - 10] = i;  // race: a
    }
#elif CASE == 28  // halves by recursion, in tasks
#pragma omp parallel
#pragma omp single
    scale(a, 0, N);
#elif CASE == 29  // that have one element of both
#pragma omp parallel
#pragma omp single
    scale(a, 0, N);
#elif CASE == 30  // strides: even ones are stored to, odd ones loaded
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N / 2 - 1; i++) a[2 * i] = a[2 * i + 1] + a[2 * i + 3];
#elif CASE == 31  // one of the odd ones is even
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N / 2 - 1; i++) a[2 * i] = a[2 * i + 1] + a[2 * i + 2];  // race: a
#elif CASE == 32  // a parallel region in a loop: each one waits for the one before
    for (int step = 0; step < 4; step++) {
#pragma omp parallel for
        for (int i = 1; i < N - 1; i++) b[i] = a[i - 1] + a[i + 1];
#pragma omp parallel for
        for (int i = 1; i < N - 1; i++) a[i] = b[i];
    }
#elif CASE == 33  // a loop of steps in the region, without waiting
#pragma omp parallel  // race: a
    for (int step = 0; step < 4; step++) {
#pragma omp for nowait
        for (int i = 1; i < N - 1; i++) b[i] = a[i - 1] + a[i + 1];  // race: a
#pragma omp for
        for (int i = 1; i < N - 1; i++) a[i] = b[i] + last;  // race: a
    }
#elif CASE == 34  // the size of a vector grows
    int* list = malloc(N * sizeof *list);
#pragma omp parallel for schedule(static, 1)  // race: last
    for (int i = 0; i < N; i++)
        if (i % 3 == 0) list[last++] = i;  // race: last
    found = list[0];
    free(list);
#elif CASE == 35  // by a captured place
    int* list = malloc(N * sizeof *list);
#pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < N; i++)
        if (i % 3 == 0) {
            int mine;
#pragma omp atomic capture
            mine = last++;
            list[mine] = i;
        }
    found = list[0];
    free(list);
#elif CASE == 36  // letters of one word
    char word[64] = "the same word";
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 63; i++) word[i] = (char)(word[i + 1] + 1);  // race: word
    found = word[0];
#elif CASE == 37
    char word[64] = "the same word";
#pragma omp parallel for num_threads(4) schedule(static, 1)
    for (int i = 0; i < 63; i++) word[i] = (char)(word[i] + 1);
    found = word[0];
#elif CASE == 38  // pointers of one array to elements of another, one of them twice
    int* pointers[64];
    for (int i = 0; i < 64; i++) pointers[i] = &a[i == 50 ? 3 : i];
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 64; i++) *pointers[i] = i;  // race: a
#elif CASE == 39
    int* pointers[64];
    for (int i = 0; i < 64; i++) pointers[i] = &a[63 - i];
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 64; i++) *pointers[i] = i;
#elif CASE == 40  // what one thread frees and takes again is its own
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 64; i++) {
        int* block = calloc(32, sizeof *block);
        for (int k = 0; k < 32; k++) block[k] += i;
        a[i] = block[5];
        free(block);
    }
#endif
    unsigned all = 0;
    for (int i = 0; i < N; i++) all = all * 3 + (unsigned)(a[i] + 7 * b[i]);
    printf("%u %d %f %f\n", all, found + last, total, grid[1][1] + other[1][1] + table[3].sum + table[1].count);
    return 0;
}
