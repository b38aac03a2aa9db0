// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// The same mistakes in other forms: by pointers, in functions, in teams of 2 to 16 threads, through clauses that are seldom used.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 160, R = 40 };
static double field[R][R], next_field[R][R], vector[R], product[R];
static int numbers[N + 2], others[N + 2], x, y, z, results[64];
static char text[N + 1];
static int count_of;
#pragma omp threadprivate(count_of)
static int not_private;
struct cell {
    int left, right;
    struct { double heat[3]; } in;
};
static struct cell cells[N + 1];
static void shift_down(double* to, const double* from, int n) {
#pragma omp parallel for num_threads(6)
    for (int i = 0; i < n; i++) to[i] = from[i] * 0.5;  // race(2): overlap
}
static int* counter_of_function(void) {
    static int calls;
    return &calls;
}
static void add_to(int* to, int by) {
    *to += by;  // race(7): by_pointer
}
int main(int argc, char** argv) {
    int i = 0, j = 0, k = 0, len = argc > 1 ? atoi(argv[1]) : N;
    double t = 0;
    (void)j, (void)k, (void)t, (void)len, (void)argv;
    for (i = 0; i < N; i++) others[i] = i;
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++) field[i][j] = i * j + 1;
#if CASE == 1  // a second name of the same block
    double* block = malloc(len * sizeof *block);
    double* alias = block + 1;
    for (i = 0; i < len; i++) block[i] = i;
#pragma omp parallel for num_threads(7)
    for (i = 0; i < len - 1; i++) block[i] = alias[i] + 1;  // race: block
    free(block);
#elif CASE == 2  // parameters that overlap
    double* block = calloc(len + 1, sizeof *block);
    shift_down(block, block + 1, len);
    free(block);
#elif CASE == 3  // parameters that do not
    double* block = calloc(2 * len, sizeof *block);
    shift_down(block, block + len, len);
    free(block);
#elif CASE == 4  // a loop that counts down
    int left = len;
#pragma omp parallel for num_threads(3)  // race: left
    for (i = 0; i < len; i++) {
        KEEP;
        if (others[i] % 3 == 0) left--;  // race: left
    }
    results[0] = left;
#elif CASE == 5  // a place that is counted up beside the loop's own
#pragma omp parallel for num_threads(2)  // race: z
    for (i = 0; i < len; i++) {  // race: z
        if (others[i] > 9) {  // race: z
            numbers[z] = others[i];  // race: z
            z++;                     // race: z
        }
    }
#elif CASE == 6  // with linear
#pragma omp parallel for linear(k) num_threads(5)
    for (i = 0; i < N; i++) {
        numbers[k] = others[i];
        k++;
    }
#elif CASE == 7  // a function that gets the address of a variable of its caller
    int total = 0;
#pragma omp parallel for num_threads(9)  // race: by_pointer
    for (i = 0; i < len; i++) add_to(&total, i);  // race: by_pointer
    results[0] = total;
#elif CASE == 8  // of each thread's own
    int total = 0;
#pragma omp parallel for num_threads(9) firstprivate(total)
    for (i = 0; i < len; i++) add_to(&total, i);
#elif CASE == 9  // a static local by its address
#pragma omp parallel num_threads(16)
    {
        int* c = counter_of_function();
        *c += 1;  // race: calls
    }
#elif CASE == 10  // one by one in sixteen
#pragma omp parallel num_threads(16)
    {
        int* c = counter_of_function();
#pragma omp critical(count)
        *c += 1;
    }
#elif CASE == 11  // sweeps along rows and columns, each row or column one thread's
    for (int sweep = 0; sweep < 3; sweep++) {
#pragma omp parallel for private(j) num_threads(4)
        for (i = 0; i < R; i++)
            for (j = 1; j < R; j++) field[i][j] -= field[i][j - 1] * 0.25;
#pragma omp parallel for private(i) num_threads(4)
        for (j = 0; j < R; j++)
            for (i = 1; i < R; i++) field[i][j] -= field[i - 1][j] * 0.25;
    }
#elif CASE == 12  // the second sweep shares out the wrong index
    for (int sweep = 0; sweep < 3; sweep++) {
#pragma omp parallel for private(j) num_threads(4)
        for (i = 0; i < R; i++)
            for (j = 1; j < R; j++) field[i][j] -= field[i][j - 1] * 0.25;
#pragma omp parallel for private(j) num_threads(4)
        for (i = 1; i < R; i++)  // race: field
            for (j = 0; j < R; j++)  // race: field
                field[i][j] -= field[i - 1][j] * 0.25;  // race: field
    }
#elif CASE == 13  // Jacobi with a residual
    double worst = 1;
    for (int step = 0; step < 4 && worst > 1e-9; step++) {
        worst = 0;
#pragma omp parallel num_threads(4)
        {
#pragma omp for private(j)
            for (i = 0; i < R; i++)
                for (j = 0; j < R; j++) next_field[i][j] = field[i][j];
#pragma omp for private(j, t) reduction(+ : worst)
            for (i = 1; i < R - 1; i++)
                for (j = 1; j < R - 1; j++) {
                    t = (next_field[i - 1][j] + next_field[i + 1][j] + next_field[i][j - 1] + next_field[i][j + 1]) / 4;
                    field[i][j] = t;
                    worst += fabs(t - next_field[i][j]);
                }
        }
    }
#elif CASE == 14  // the copy is not waited for, and the old place is read
#pragma omp parallel num_threads(4)
    {
#pragma omp for private(j) nowait
        for (i = 0; i < R; i++)
            for (j = 0; j < R; j++) next_field[i][j] = field[i][j];  // race: next field
#pragma omp for private(j) schedule(static, 3)
        for (i = 1; i < R - 1; i++)
            for (j = 1; j < R - 1; j++) field[i][j] = (next_field[i - 1][j] + next_field[i + 1][j]) / 2;  // race: next field
    }
#elif CASE == 15  // only the inner loop is shared out, the sum is not
    for (i = 0; i < R; i++) {
        t = 0;
#pragma omp parallel for num_threads(3)  // race: t
        for (j = 0; j < R; j++) t += field[i][j] * vector[j];  // race: t
        product[i] = t;
    }
#elif CASE == 16  // with its sum
    for (i = 0; i < R; i++) {
        t = 0;
#pragma omp parallel for reduction(+ : t) num_threads(3)
        for (j = 0; j < R; j++) t += field[i][j] * vector[j];
        product[i] = t;
    }
#elif CASE == 17  // two loops as one, with the third index shared
#pragma omp parallel for collapse(2) num_threads(8)  // race: k
    for (i = 0; i < R; i++)  // race: k
        for (j = 0; j < R; j++)
            for (k = 0; k < 8; k++) {  // race: k
                KEEP;
                next_field[i][j] += field[i][k] * field[k][j];  // race: k
            }
#elif CASE == 18
#pragma omp parallel for collapse(2) num_threads(8) private(k)
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++)
            for (k = 0; k < 8; k++) next_field[i][j] += field[i][k] * field[k][j];
#elif CASE == 19  // the second row's beginning is the first one's end
    int (*rows)[10] = (int (*)[10])numbers;
#pragma omp parallel for num_threads(4) schedule(static, 1) private(j)
    for (i = 0; i < 15; i++)
        for (j = 1; j <= 10; j++) rows[i][j] = rows[i][j - 1] + 1;  // race: rows
#elif CASE == 20  // letters
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) text[i] = (char)('a' + i % 26);
#elif CASE == 21  // and the one before
#pragma omp parallel for num_threads(4)  // race: text
    for (i = 1; i < N; i++)  // race: text
        text[i] = (char)(text[i - 1] + 1);  // race: text
#elif CASE == 22  // bits of one field
    struct { unsigned a : 5, b : 5; } bits = {0, 0};
#pragma omp parallel sections num_threads(2)  // race: bits
    {  // race: bits
#pragma omp section
        bits.a = 3;  // race: bits
#pragma omp section
        bits.b = 4;  // race: bits
    }
    results[0] = bits.a + bits.b;
#elif CASE == 23  // members beside each other
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        for (int n = 0; n < N; n++) cells[n].left = n;
#pragma omp section
        for (int n = 0; n < N; n++) cells[n].right = n;
    }
#elif CASE == 24  // a member of the next element
#pragma omp parallel for num_threads(5)
    for (i = 0; i < N; i++) {
        cells[i].in.heat[1] = i;           // race: heat t
        t = i;                             // race: t
        KEEP;  // race: t
        cells[i + 1].in.heat[1] += 0.5;    // race: heat
    }
#elif CASE == 25  // the first thread's counter by the others
    count_of = 1;
#pragma omp parallel num_threads(4)
    {
        not_private++;  // race: not_private
        count_of++;
    }
#elif CASE == 26  // who begins clears what the reduction adds to
    int a;
#pragma omp parallel shared(a) num_threads(5)  // race: a maybe
    {
#pragma omp master
        a = 0;  // race: a
#pragma omp for reduction(+ : a)  // race: a
        for (int n = 0; n < 10; n++) a += n;  // race: a
#pragma omp single
        results[0] = a;
    }
#elif CASE == 27  // after a barrier
    int a;
#pragma omp parallel shared(a) num_threads(5)
    {
#pragma omp master
        a = 0;
#pragma omp barrier
#pragma omp for reduction(+ : a)
        for (int n = 0; n < 10; n++) a += n;
#pragma omp single
        results[0] = a;
    }
#elif CASE == 28  // loops in a schedule that the environment gives
    omp_set_schedule(omp_sched_dynamic, 3);
#pragma omp parallel for schedule(runtime) num_threads(4)
    for (i = 0; i < N; i++) numbers[i] = numbers[i + 1] + 1;  // race: numbers
#elif CASE == 29
    omp_set_schedule(omp_sched_guided, 3);
#pragma omp parallel for schedule(runtime) num_threads(4)
    for (i = 0; i < N; i++) numbers[i] = others[i + 1] + 1;
#elif CASE == 30  // the table of threads grows, while others use it
    int* table = calloc(4, sizeof *table);
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        {
            int* larger = calloc(8, sizeof *table);
            memcpy(larger, table, 4 * sizeof *table);  // race: cells
            table = larger;                             // race: table
        }
        table[omp_get_thread_num()] = 1;  // race: table cells
    }
#elif CASE == 31  // a hint changes nothing
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
#pragma omp atomic hint(omp_sync_hint_contended)
        x += i;
#pragma omp critical(hinted) hint(omp_sync_hint_uncontended)
        y += i;
    }
#elif CASE == 32  // the greatest by two steps
#pragma omp parallel for num_threads(4)
    for (i = 0; i < N; i++) {
        int seen;
#pragma omp atomic read
        seen = x;  // race: x maybe
        if (others[i] > seen) {
            KEEP;
            x = others[i];  // race: x
        }
    }
#elif CASE == 33  // a counter that each thread clears
#pragma omp parallel num_threads(4)
    {
        x = 0;  // race: x
#pragma omp barrier
#pragma omp for
        for (i = 0; i < N; i++) {
#pragma omp atomic
            x += i;
        }
    }
#elif CASE == 34  // the lock is in the element
    struct { omp_lock_t lock; int n; } slots[5];
    for (i = 0; i < 5; i++) omp_init_lock(&slots[i].lock), slots[i].n = 0;
#pragma omp parallel for num_threads(6)
    for (i = 0; i < N; i++) {
        omp_set_lock(&slots[i % 5].lock);
        slots[i % 5].n++;
        omp_unset_lock(&slots[i % 5].lock);
    }
    for (i = 0; i < 5; i++) omp_destroy_lock(&slots[i].lock);
#elif CASE == 35  // of another element
    struct { omp_lock_t lock; int n; } slots[5];
    for (i = 0; i < 5; i++) omp_init_lock(&slots[i].lock), slots[i].n = 0;
#pragma omp parallel for num_threads(6)
    for (i = 0; i < N; i++) {
        omp_set_lock(&slots[i % 4].lock);
        slots[i % 5].n++;  // race: n
        omp_unset_lock(&slots[i % 4].lock);
    }
    for (i = 0; i < 5; i++) omp_destroy_lock(&slots[i].lock);
#elif CASE == 36  // a plain store before the thread's own atomic sum
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 0) x = 0;  // race: x
#pragma omp atomic
        x += 2;  // race: x
    }
#endif
    printf("%f %f %d %d %d %d %d %c\n", field[3][4] + next_field[5][6], product[1], numbers[3], x, y, z + cells[3].left, results[0], text[3]);
    return 0;
}
