// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forked processes use memory of one kind (file: shm_open, mapped at another address and from another place of the file
// in each; anonymous: from before the fork; segment: of System V) in one way (near, padded).
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kChildren = 3, kRounds = 10000, kBytes = 1 << 16, kPage = 4096 };

static volatile int* map(int file, int child) {
    // Another address in each.
    for (int i = 0; i < child; ++i) mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char* at = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, child * kPage);
    return (volatile int*)(at + (kChildren - child) * kPage);
}

int main(int argc, char** argv) {
    const char* kind = argv[1];
    const int apart = strcmp(argv[2], "near") == 0 ? 1 : 16;
    int file = -1, segment = -1;
    volatile int* all = 0;
    if (strcmp(kind, "file") == 0) {
        char name[64];
        snprintf(name, sizeof name, "/memspy-shared-processes-%d", getpid());
        file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
        shm_unlink(name);
        if (ftruncate(file, 2 * kBytes) != 0) return 1;
    } else if (strcmp(kind, "anonymous") == 0) {
        all = mmap(0, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    } else {
        segment = shmget(IPC_PRIVATE, kBytes, 0600);
    }
    for (int child = 0; child < kChildren; ++child)
        if (fork() == 0) {
            if (file >= 0) all = map(file, child);
            if (segment >= 0) all = shmat(segment, 0, 0);
            for (int i = 0; i < kRounds; ++i) ++all[child * apart];
            return 0;
        }
    while (wait(0) > 0) continue;
    if (segment >= 0) shmctl(segment, IPC_RMID, 0);
    return argc != 3;
}
