// SPDX-License-Identifier: GPL-2.0-or-later
//
// Threads move money between random accounts, each of which has a lock: 48 bytes, so that most lines have two.
// EXPECT: TrueSharing accounts 'Pad each element of accounts \(48 bytes\) to 64 and align the first to 64'
// TELLS: 'Account\[16\] accounts'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { kThreads = 4, kAccounts = 16, kMoves = 3000 };

typedef struct {
#ifdef MENDED
    _Alignas(64)
#endif
    pthread_mutex_t lock;
    long balance;
} Account;

static Account *accounts;

static void *move(void *number) {
    unsigned random = 2654435761u * (unsigned)(long)number;
    for (int i = 0; i < kMoves; ++i) {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        const unsigned from = (random >> 8) % kAccounts, to = (random >> 16) % kAccounts;
        if (from == to) continue;
        Account *const first = &accounts[from < to ? from : to], *const second = &accounts[from < to ? to : from];
        pthread_mutex_lock(&first->lock);
        pthread_mutex_lock(&second->lock);
        accounts[from].balance -= 1;
        accounts[to].balance += 1;
        pthread_mutex_unlock(&second->lock);
        pthread_mutex_unlock(&first->lock);
    }
    return NULL;
}

int main(void) {
    accounts = aligned_alloc(64, kAccounts * sizeof *accounts);
    for (int i = 0; i < kAccounts; ++i) {
        pthread_mutex_init(&accounts[i].lock, NULL);
        accounts[i].balance = 0;
    }
    pthread_t threads[kThreads];
    for (long i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, move, (void *)(i + 1));
    long sum = 0;
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < kAccounts; ++i) sum += accounts[i].balance;
    return sum != 0;
}
