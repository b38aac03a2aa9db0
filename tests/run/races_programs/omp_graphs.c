// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// The same mistakes in other forms: tasks in functions, untied ones, planes in order, teams that one thread runs.
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// What is in memory is loaded and stored anew: else an optimiser makes other accesses of it.
#define KEEP __asm__ volatile("" ::: "memory")
enum { N = 160, R = 40 };
static double field[R][R], next_field[R][R];
static int numbers[N + 2], others[N + 2], x, y, z, results[64];
static int fib(int n) {
    int i, j, sum;
    if (n < 2) return n;
#pragma omp task shared(i) depend(out : i)
    i = fib(n - 1);  // race(4): i
#pragma omp task shared(j) depend(out : j)
    j = fib(n - 2);
#if CASE == 4
#pragma omp task shared(i, j, sum) depend(in : j) depend(out : sum)
#else
#pragma omp task shared(i, j, sum) depend(in : i, j) depend(out : sum)
#endif
    sum = i + j;  // race(4): i
#pragma omp taskwait
    return sum;
}
int main(int argc, char** argv) {
    int i = 0, j = 0, k = 0, len = argc > 1 ? atoi(argv[1]) : N;
    double t = 0;
    (void)j, (void)k, (void)t, (void)len, (void)argv;
    for (i = 0; i < N; i++) others[i] = i;
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++) field[i][j] = i * j + 1;
#if CASE == 1  // dependences of tasks with different parents
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(inout : x)
        {
#pragma omp task depend(inout : y) shared(x)
            x++;  // race: x
#pragma omp task depend(inout : y) shared(x)
            x++;  // race: x
        }
#pragma omp task depend(inout : x)
        {
#pragma omp task depend(inout : y)
            x--;  // race: x
        }
    }
#elif CASE == 2  // whose parents wait for them
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(inout : x)
        {
#pragma omp task depend(inout : y)
            x++;
#pragma omp task depend(inout : y)
            x++;
#pragma omp taskwait
        }
#pragma omp task depend(inout : x)
        x--;
    }
#elif CASE == 3 || CASE == 4  // 4: one of the two is not named
#pragma omp parallel num_threads(4)
#pragma omp single
    results[0] = fib(6);
#elif CASE == 5  // what is waited for is named, and the other one used
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(out : y)
        y = 2;  // race: y
#pragma omp taskwait depend(in : x)
        results[0] = x + y;  // race: y
    }
#elif CASE == 6
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(out : y)
        y = 2;
#pragma omp taskwait depend(in : x, y)
        results[0] = x + y;
    }
#elif CASE == 7  // sums in any order, one at a time
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
        for (int n = 0; n < 6; n++) {
#pragma omp task depend(mutexinoutset : x)
            x += n;
        }
#pragma omp task depend(in : x)
        results[0] = x;
    }
#elif CASE == 8  // of which one says it only reads
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x)
        x += 3;  // race: x
#pragma omp task depend(in : x)
        x += 4;  // race: x
#pragma omp task depend(in : x)
        results[0] = x;  // race: x
    }
#elif CASE == 9  // cells of a plane, each after its upper and its left neighbour
#pragma omp parallel for ordered(2) num_threads(4) schedule(static, 1)
    for (i = 1; i < R; i++)
        for (int c = 1; c < R; c++) {
#pragma omp ordered depend(sink : i - 1, c) depend(sink : i, c - 1)
            field[i][c] = field[i - 1][c] + field[i][c - 1];
#pragma omp ordered depend(source)
        }
#elif CASE == 10  // the upper right one is not waited for
#pragma omp parallel for ordered(2) num_threads(4) schedule(static, 1)
    for (i = 1; i < R - 1; i++)
        for (int c = 1; c < R - 1; c++) {
#pragma omp ordered depend(sink : i - 1, c - 1)  // race: field
            field[i][c] = field[i - 1][c + 1] + 1;  // race: field
#pragma omp ordered depend(source)
        }
#elif CASE == 11  // the place is told before it is made
#pragma omp parallel for ordered(1) num_threads(4) schedule(static, 1)
    for (i = 1; i < N; i++) {
#pragma omp ordered depend(sink : i - 1)
#pragma omp ordered depend(source)
        numbers[i] = numbers[i - 1] + 1;  // race: numbers
    }
#elif CASE == 24  // two teams on the device, which is the host
#pragma omp target map(tofrom : x)
#pragma omp teams num_teams(2)
    {
        x += 2;  // race: x
        KEEP;
    }
#elif CASE == 25  // each with its own
#pragma omp target map(tofrom : numbers)
#pragma omp teams num_teams(2)
    {
        int mine = omp_get_team_num();
        numbers[mine] += 2;
    }
#elif CASE == 26  // parts of a loop by teams, and the neighbour
#pragma omp target map(tofrom : numbers)
#pragma omp teams num_teams(4)
#pragma omp distribute
    for (int n = 1; n < N; n++) numbers[n] = numbers[n - 1] + 1;  // race: numbers
#elif CASE == 27  // sum of teams
#pragma omp target map(tofrom : x)
#pragma omp teams num_teams(4) reduction(+ : x)
#pragma omp distribute parallel for reduction(+ : x)
    for (int n = 1; n < N; n++) x += n;
#elif CASE == 16  // names of threads in a table by level
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
    results[omp_get_ancestor_thread_num(1) * 2 + omp_get_thread_num()] = omp_get_level();
#elif CASE == 17  // the inner number only
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
    results[omp_get_thread_num()] += omp_get_level();  // race: results
#elif CASE == 18  // tasks of a list, whose sum is one variable of the function
    int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int n = 0; n < 8; n++) {
#pragma omp task untied shared(sum) firstprivate(n)
            sum += n;  // race: sum
        }
#pragma omp taskwait
        results[0] = sum;
    }
#elif CASE == 19  // in a group that sums up
    int sum = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        for (int n = 0; n < 8; n++) {
#pragma omp task untied shared(sum) firstprivate(n)
            {
#pragma omp atomic
                sum += n;
            }
        }
#pragma omp taskwait
        results[0] = sum;
    }
#elif CASE == 20  // loops of tasks with an inner counter of main
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop grainsize(5) private(i)  // race: j
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++) {  // race: j
            KEEP;
            field[i][j] += 1;  // race: j
        }
#elif CASE == 21  // both loops are shared out as tasks
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskloop collapse(2) grainsize(50)
    for (i = 0; i < R; i++)
        for (j = 0; j < R; j++) field[i][j] += 1;
#elif CASE == 22  // an untied task that waits for its own tasks, and a later one that depends on it
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task untied shared(x, y) depend(out : x)
        {
#pragma omp task shared(y)
            y = 3;
#pragma omp taskwait
            x = y + 1;
        }
#pragma omp task depend(in : x)
        results[0] = x + y;
    }
#elif CASE == 23  // which does not wait
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task untied shared(x, y) depend(out : x)
        {
#pragma omp task shared(y)
            y = 3;  // race: y
            x = 1;
        }
#pragma omp task depend(in : x)
        results[0] = x + y;  // race: y
    }
#endif
    printf("%f %d %d %d %d %d\n", field[3][4], numbers[3], x, y, z, results[0]);
    return 0;
}
