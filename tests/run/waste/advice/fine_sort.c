// SPDX-License-Identifier: GPL-2.0-or-later
// Efficient: quicksort, then binary search.
#include <stdio.h>
#include <stdlib.h>

static void sort(int *a, long low, long high) {
    while (low < high) {
        const int pivot = a[(low + high) / 2];
        long i = low, j = high;
        while (i <= j) {
            while (a[i] < pivot)
                ++i;
            while (a[j] > pivot)
                --j;
            if (i <= j) {
                const int t = a[i];
                a[i++] = a[j];
                a[j--] = t;
            }
        }
        sort(a, low, j);
        low = i;
    }
}

int main(void) {
    enum { kCount = 30000 };
    int *numbers = malloc(sizeof *numbers * kCount);
    unsigned seed = 7;
    for (int i = 0; i < kCount; ++i) {
        seed = seed * 1103515245 + 12345;
        numbers[i] = (int)(seed >> 4);
    }
    sort(numbers, 0, kCount - 1);
    long found = 0;
    for (int i = 0; i < kCount; ++i) {
        seed = seed * 1103515245 + 12345;
        int low = 0, high = kCount;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (numbers[middle] < (int)(seed >> 4))
                low = middle + 1;
            else
                high = middle;
        }
        found += low;
    }
    printf("%ld\n", found);
    free(numbers);
    return 0;
}
