/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Counters side by side in one cache line. NAME is the plugin's.
 */
static _Alignas(64) struct {
    long found;
} NAME[2];

void count(int worker) {
    for (int i = 0; i < 20000; i++)
        NAME[worker].found++;
}
