// SPDX-License-Identifier: GPL-2.0-or-later
// FLAGS: -fopenmp
// Tasks, locks, atomics, thread-local variables and memory order, in the form of the public suites.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { N = 400, B = 8, T = 64 };
static int a[N], b[N], result, x, y, flag, done;
static int tiles[B + 1][B + 1];
static double matrix[T][T];
static int counter;
#pragma omp threadprivate(counter)
static int plain_counter;
static omp_lock_t lock;

struct node {
    int value;
    struct node *left, *right, *next;
};
static struct node* tree(int depth) {
    struct node* made = calloc(1, sizeof *made);
    made->value = depth;
    if (depth > 1) {
        made->left = tree(depth - 1);
        made->right = tree(depth - 1);
    }
    return made;
}
static int fib(int n) {
    int i, j, s;
    if (n < 2) return n;
#pragma omp task shared(i) firstprivate(n)
    i = fib(n - 1);  // race(2): i
#pragma omp task shared(j) firstprivate(n)
    j = fib(n - 2);  // race(2): j
#if CASE == 1
#pragma omp taskwait
#endif
    s = i + j;  // race(2): i j
#if CASE == 2
#pragma omp taskwait
#endif
    return s;
}
static int fib_depend(int n) {
    int i, j, s;
    if (n < 2) return n;
#pragma omp task shared(i) firstprivate(n) depend(out : i)
    i = fib_depend(n - 1);
#pragma omp task shared(j) firstprivate(n) depend(out : j)
    j = fib_depend(n - 2);  // race(4): j
#if CASE == 3
#pragma omp task shared(i, j, s) depend(in : i, j)
#else
#pragma omp task shared(i, j, s) depend(in : i)
#endif
    s = i + j;  // race(4): j
#pragma omp taskwait
    return s;
}
static void sum_tree(struct node* at) {
    if (at == NULL) return;
#pragma omp task
    sum_tree(at->left);
#pragma omp task
    sum_tree(at->right);
#if CASE == 5
#pragma omp atomic
#endif
    result += at->value;  // race(6): result
}
static int depth_of(struct node* at) {
    int l = 0, r = 0;
    if (at == NULL) return 0;
#pragma omp taskgroup
    {
#pragma omp task shared(l)
        l = depth_of(at->left);
#pragma omp task shared(r)
        r = depth_of(at->right);
    }
    return 1 + (l > r ? l : r);
}
static void quicksort(int* from, int* to) {
    if (to - from < 2) return;
    int pivot = *from, *low = from;  // race(9): sorted
    for (int* at = from + 1; at < to; at++)
        if (*at < pivot) {  // race(9): sorted
            int swap = *++low;  // race(9): sorted
            *low = *at;   // race(9): sorted
            *at = swap;   // race(9): sorted
        }
    *from = *low;  // race(9): sorted
    *low = pivot;  // race(9): sorted
#pragma omp task
    quicksort(from, low);
#pragma omp task
    quicksort(low + 1, to);
}
static void merge_sort(int* values, int* space, int n) {
    if (n < 2) return;
#pragma omp task
    merge_sort(values, space, n / 2);
#pragma omp task
    merge_sort(values + n / 2, space + n / 2, n - n / 2);
#if CASE == 10
#pragma omp taskwait
#endif
    for (int i = 0, l = 0, r = n / 2; i < n; i++)
        if (r >= n || (l < n / 2 && values[l] < values[r]))  // race(11): values
            space[i] = values[l++];  // race(11): values space
        else
            space[i] = values[r++];  // race(11): values space
    memcpy(values, space, n * sizeof *values);  // race(11): values space
#if CASE == 11
#pragma omp taskwait
#endif
}
__attribute__((noinline)) static void block(int i, int j) { tiles[i][j] = tiles[i - 1][j] + tiles[i][j - 1]; }  // race(17): tiles

int main(void) {
    for (int i = 0; i < N; i++) a[i] = i * 7919 % N;
    for (int i = 0; i <= B; i++) tiles[0][i] = tiles[i][0] = i;
    omp_init_lock(&lock);
    struct node* root = tree(5);
    struct node* list = NULL;
    for (int i = 0; i < 40; i++) {
        struct node* made = calloc(1, sizeof *made);
        made->next = list;
        list = made;
    }
#if CASE == 1 || CASE == 2
#pragma omp parallel
#pragma omp single
    result = fib(8);
#elif CASE == 3 || CASE == 4
#pragma omp parallel
#pragma omp single
    result = fib_depend(8);
#elif CASE == 5 || CASE == 6
#pragma omp parallel
#pragma omp single
    sum_tree(root);
#elif CASE == 7
#pragma omp parallel
#pragma omp single
    result = depth_of(root);
#elif CASE == 8
#pragma omp parallel
#pragma omp single
    quicksort(a, a + N);
#elif CASE == 9  // the parts overlap
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        quicksort(a, a + N / 2 + 20);
#pragma omp task
        quicksort(a + N / 2, a + N);
    }
#elif CASE == 10 || CASE == 11
#pragma omp parallel
#pragma omp single
    merge_sort(a, b, 200);
#elif CASE == 12  // a task for each element of a list
#pragma omp parallel
#pragma omp single
    for (struct node* at = list; at != NULL; at = at->next) {
#pragma omp task firstprivate(at)
        at->value += 3;
    }
#elif CASE == 13  // each also tells the next one
#pragma omp parallel
#pragma omp single
    for (struct node* at = list; at->next != NULL; at = at->next) {
#pragma omp task firstprivate(at)
        {
            at->value += 3;        // race: value
            at->next->value += 1;  // race: value
        }
    }
#elif CASE == 14  // the pointer itself is shared
    struct node* at;
#pragma omp parallel shared(at)
#pragma omp single
    for (at = list; at != NULL; at = at->next) {  // race: at
#pragma omp task shared(at)
        if (at != NULL) x = 1;  // race: at
    }
#elif CASE == 15  // a list that is freed by tasks
#pragma omp parallel
#pragma omp single
    while (list != NULL) {
        struct node* at = list;
        list = list->next;
#pragma omp task firstprivate(at)
        free(at);
    }
#elif CASE == 16  // tiles with dependences
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= B; i++)
        for (int j = 1; j <= B; j++) {
#pragma omp task depend(in : tiles[i - 1][j], tiles[i][j - 1]) depend(out : tiles[i][j])
            block(i, j);
        }
#elif CASE == 17  // one is forgotten
#pragma omp parallel
#pragma omp single
    for (int i = 1; i <= B; i++)
        for (int j = 1; j <= B; j++) {
#pragma omp task depend(in : tiles[i - 1][j]) depend(out : tiles[i][j])
            block(i, j);
        }
#elif CASE == 18  // dependences are of siblings only
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task depend(out : x)
            x = 1;  // race: x
        }
#pragma omp task
        {
#pragma omp task depend(in : x)
            y = x;  // race: x
        }
    }
#elif CASE == 19  // the outer ones are ordered, and wait for the inner ones
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        {
#pragma omp task depend(out : x)
            x = 1;
#pragma omp taskwait
        }
#pragma omp task depend(in : x)
        {
#pragma omp task depend(in : x)
            y = x;
#pragma omp taskwait
        }
    }
#elif CASE == 20  // outer ones do not wait
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        {
#pragma omp task
            x = 1;  // race: x
        }
#pragma omp task depend(in : x)
        y = x;  // race: x
    }
#elif CASE == 21  // two that exclude each other, in any order
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(mutexinoutset : x)
        x += 2;
#pragma omp task depend(mutexinoutset : x)
        x += 3;
#pragma omp task depend(in : x)
        y = x;
    }
#elif CASE == 22  // two inputs that both write
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(in : x)
        x += 2;  // race: x
#pragma omp task depend(in : x)
        x += 3;  // race: x
    }
#elif CASE == 23  // taskloop, sum
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
    for (int i = 0; i < N; i++) result += a[i];  // race: result
#elif CASE == 24
#pragma omp parallel
#pragma omp single
#pragma omp taskloop reduction(+ : result)
    for (int i = 0; i < N; i++) result += a[i];
#elif CASE == 25  // two loops of tasks, the second reads the first's
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop
        for (int i = 0; i < N; i++) a[i] = i;
#pragma omp taskloop
        for (int i = 0; i < N - 1; i++) b[i] = a[i + 1];
    }
#elif CASE == 26  // in no group
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop nogroup
        for (int i = 0; i < N; i++) a[i] = i;  // race: a
#pragma omp taskloop nogroup
        for (int i = 0; i < N - 1; i++) b[i] = a[i + 1] + 1;  // race: a
    }
#elif CASE == 27  // collapse
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2) num_tasks(7)
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T; j++) matrix[i][j] += 1;
#elif CASE == 28  // the elements are of the column before
#pragma omp parallel
#pragma omp single
#pragma omp taskloop collapse(2) num_tasks(7)
    for (int i = 0; i < T; i++)
        for (int j = 0; j < T - 1; j++) matrix[i][j] += matrix[i][j + 1];  // race: matrix
#elif CASE == 29  // taskwait waits for children only
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            {
                usleep(100);
                a[4] = 5;  // race: a
            }
        }
#pragma omp taskwait
        result = a[4];  // race: a
    }
#elif CASE == 30  // a group waits for all
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                {
                    usleep(100);
                    a[4] = 5;
                }
            }
        }
        result = a[4];
    }
#elif CASE == 31  // each thread has tasks of its own that use one variable
#pragma omp parallel num_threads(3)
    {
#pragma omp task
        x++;  // race: x
    }
#elif CASE == 32  // a variable of each thread
#pragma omp parallel num_threads(3) reduction(+ : result)
    {
        int mine = 0;
#pragma omp task shared(mine)
        mine++;
#pragma omp taskwait
        result += mine;
    }
#elif CASE == 33  // the variable is left before its task has run
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(sum)
            sum += i;  // race: sum
        }
#pragma omp taskwait
        result = sum;
    }
#elif CASE == 34  // undeferred
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        int sum = 0;
        for (int i = 0; i < 10; i++) {
#pragma omp task shared(sum) if (0)
            sum += i;
        }
        result = sum;
    }
#elif CASE == 35  // included tasks of a final one
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task final(1)
        {
#pragma omp task
            x = 3;
            y = x;
        }
#pragma omp taskwait
    }
#elif CASE == 36  // priorities order nothing
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task priority(10)
        x = 3;  // race: x
#pragma omp task priority(1)
        y = x;  // race: x
    }
#elif CASE == 37  // an event that another task fulfils
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
        x = 1;
#pragma omp task
        {
            y = 5;
            omp_fulfill_event(event);
        }
#pragma omp task depend(in : x)
        result = x + y;
    }
#elif CASE == 38  // stored after the event
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x)
        x = 1;
#pragma omp task
        {
            omp_fulfill_event(event);
            y = 5;  // race: y
        }
#pragma omp task depend(in : x)
        result = x + y;  // race: y
    }
#elif CASE == 39  // thread-local
#pragma omp parallel for
    for (int i = 0; i < N; i++) counter += a[i];
#elif CASE == 40
#pragma omp parallel for
    for (int i = 0; i < N; i++) plain_counter += a[i];  // race: plain
#elif CASE == 41  // thread-local of tasks, which may change place
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
        {
            counter = i;
            b[i] = counter;
        }
    }
#elif CASE == 42  // copied in and out
#pragma omp parallel copyin(counter)
    {
#pragma omp single copyprivate(counter)
        counter = 7;
        a[omp_get_thread_num()] = counter;
    }
#elif CASE == 43  // flags by atomic
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
            x = 5;
#pragma omp atomic write release
            flag = 1;
        }
#pragma omp section
        {
            int seen = 0;
            while (seen == 0) {
#pragma omp atomic read acquire
                seen = flag;
            }
            y = x;
        }
    }
#elif CASE == 44  // the value is written after the flag
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
#pragma omp atomic write
            flag = 1;
            x = 5;  // race: x
        }
#pragma omp section
        {
            int seen = 0;
            while (seen == 0) {
#pragma omp atomic read
                seen = flag;
            }
            y = x;  // race: x
        }
    }
#elif CASE == 45  // some add under a name, some under none
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++) {
        if (i % 2) {
#pragma omp critical(one)
            result += i;  // race: result
        } else {
#pragma omp critical
            result += i;  // race: result
        }
    }
#elif CASE == 46  // some add atomically, some under a lock
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++) {
        if (i % 2) {
            omp_set_lock(&lock);
            result += i;  // race: result
            omp_unset_lock(&lock);
        } else {
#pragma omp atomic
            result += i;  // race: result
        }
    }
#elif CASE == 47  // test_lock
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 10; i++) {
        while (!omp_test_lock(&lock)) {
        }
        result += i;
        omp_unset_lock(&lock);
    }
#elif CASE == 48  // who does not get it goes on all the same
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 50; i++) {
        int have = omp_test_lock(&lock);
        result += i;  // race: result
        if (have) {
            usleep(50);
            omp_unset_lock(&lock);
        }
    }
#elif CASE == 49  // a lock for each element, and its neighbour's is not taken
    omp_lock_t locks[16];
    for (int i = 0; i < 16; i++) omp_init_lock(&locks[i]);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        omp_set_lock(&locks[i % 16]);
        b[i % 16] += 1;  // race: b
        b[(i + 1) % 16] += 1;  // race: b
        omp_unset_lock(&locks[i % 16]);
    }
#elif CASE == 50
    omp_lock_t locks[16];
    for (int i = 0; i < 16; i++) omp_init_lock(&locks[i]);
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < N; i++) {
        omp_set_lock(&locks[i % 16]);
        b[i % 16] += 1;
        omp_unset_lock(&locks[i % 16]);
    }
#elif CASE == 51  // captured, and read plainly by the others
#pragma omp parallel for num_threads(4)
    for (int i = 0; i < 100; i++) {
        int mine;
#pragma omp atomic capture
        mine = x++;  // race: x maybe
        b[mine] = x;  // race: x maybe
    }
#elif CASE == 52  // the sum is read after the barrier
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        x += omp_get_thread_num();
#pragma omp barrier
        b[omp_get_thread_num()] = x;
    }
#elif CASE == 53  // and before it
#pragma omp parallel num_threads(4)
    {
#pragma omp atomic
        x += omp_get_thread_num();  // race: x
        b[omp_get_thread_num()] = x;  // race: x
    }
#elif CASE == 54  // single and a loop behind it
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        for (int i = 0; i < N; i++) a[i] = i;  // race: a
#pragma omp for
        for (int i = 0; i < N; i++) b[i] = a[i] + 1;  // race: a
    }
#elif CASE == 55  // tasks fill, the barrier waits for them
#pragma omp parallel num_threads(4)
    {
#pragma omp single nowait
        for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
            a[i] = i;
        }
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < 16; i++) b[i] = a[15 - i];
    }
#elif CASE == 56  // mergeable
#pragma omp parallel
#pragma omp single
    {
        int local = 2;
#pragma omp task shared(local) mergeable
        local++;
#pragma omp taskwait
        result = local;
    }
#elif CASE == 57  // the wait is missing
#pragma omp parallel
#pragma omp single
    {
#pragma omp task mergeable
        x++;  // race: x
        result = x;  // race: x
    }
#elif CASE == 58  // taskwait with a dependence
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(inout : x)
        x++;
#pragma omp task depend(inout : y)
        y++;  // race: y
#pragma omp taskwait depend(in : x)
        result = x + y;  // race: y
    }
#elif CASE == 59  // iterators make the dependences
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task depend(out : a[i]) firstprivate(i)
            a[i] = i;
        }
#pragma omp task depend(iterator(k = 0 : 4), in : a[k])
        for (int i = 0; i < 4; i++) result += a[i];
    }
#elif CASE == 60  // a pipeline of stages by dependences
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20; i++) {
#pragma omp task depend(out : b[i % 3]) firstprivate(i)
        b[i % 3] = i;
#pragma omp task depend(in : b[i % 3]) depend(inout : result) firstprivate(i)
        result += b[i % 3];
    }
#elif CASE == 61  // target tasks in order
#pragma omp parallel
#pragma omp single
    {
#pragma omp target map(tofrom : x) depend(out : x) nowait
        x = 4;
#pragma omp task depend(in : x)
        y = x;
    }
#elif CASE == 62  // libgomp runs the region at once, where there is no device
#pragma omp parallel
#pragma omp single
    {
#pragma omp target map(tofrom : x) nowait
        x = 4;  // race: x maybe
#pragma omp task
        y = x;  // race: x maybe
    }
#endif
    printf("%d %d %d %d %d %d %d\n", result, x, y, a[5], b[7], done, tiles[B][B]);
    return 0;
}
