// SPDX-License-Identifier: GPL-2.0-or-later
static volatile long table[1000];
int main(void) {
    long sum = 0;
    for (int i = 0; i < 300000; ++i) sum += table[i % 1000] * 3 + i;
    return sum == 1;
}
