// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: what the kernel writes for requests in a ring of io_uring is defined, a buffer that no request names is
// not, and a thread that waits for a completion does not keep others from running.
// COMPILE: gcc -O1 -pthread
// TIMEOUT: 60
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "case.h"

static struct io_uring_params setup;
static int ring;
static char *submissions, *completions;
static struct io_uring_sqe* requests;

static uint32_t* word(char* base, uint32_t offset) { return (uint32_t*)(base + offset); }

static int open_ring(void) {
    ring = (int)syscall(__NR_io_uring_setup, 8, &setup);
    if (ring < 0) return 0;
    const int rights = PROT_READ | PROT_WRITE;
    submissions = mmap(NULL, setup.sq_off.array + setup.sq_entries * 4, rights, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    completions = mmap(NULL, setup.cq_off.cqes + setup.cq_entries * sizeof(struct io_uring_cqe), rights, MAP_SHARED,
                       ring, IORING_OFF_CQ_RING);
    requests = mmap(NULL, setup.sq_entries * sizeof *requests, rights, MAP_SHARED, ring, IORING_OFF_SQES);
    return submissions != MAP_FAILED && completions != MAP_FAILED && requests != MAP_FAILED;
}

static int make(int operation, int file, const void* address, unsigned bytes, const void* second) {
    uint32_t* tail = word(submissions, setup.sq_off.tail);
    const uint32_t number = *tail & *word(submissions, setup.sq_off.ring_mask);
    struct io_uring_sqe* request = &requests[number];
    memset(request, 0, sizeof *request);
    request->opcode = (uint8_t)operation;
    request->fd = file;
    request->addr = (uintptr_t)address;
    request->len = bytes;
    request->off = (uintptr_t)second;
    word(submissions, setup.sq_off.array)[number] = number;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(__NR_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1) abort();
    uint32_t* head = word(completions, setup.cq_off.head);
    const struct io_uring_cqe* done = (struct io_uring_cqe*)(completions + setup.cq_off.cqes);
    const int result = done[*head & *word(completions, setup.cq_off.ring_mask)].res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    return result;
}

static int letters(const char* text, int bytes) {
    int count = 0;
    for (int i = 0; i < bytes; i++)
        if (text[i] == 'l') count++;
    return count;
}

static void* send_later(void* file) {
    usleep(20000);
    return (void*)(intptr_t)(write(*(int*)file, "hello", 5) != 5);
}

static void receive(void) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair)) abort();
    pthread_t thread;
    char* text = malloc(32);
    pthread_create(&thread, NULL, send_later, &pair[0]);
    if (make(IORING_OP_RECV, pair[1], text, 32, NULL) != 5 || letters(text, 5) != 2) abort();
    pthread_join(thread, NULL);

    char a[2], b[30];
    struct iovec pieces[] = {{a, sizeof a}, {b, sizeof b}};
    struct msghdr* message = calloc(1, sizeof *message);
    message->msg_iov = pieces;
    message->msg_iovlen = 2;
    if (write(pair[0], "hello", 5) != 5 || make(IORING_OP_RECVMSG, pair[1], message, 1, NULL) != 5) abort();
    if (letters(a, 2) != 0 || letters(b, 3) != 2 || message->msg_flags != 0) abort();
    free(message);
    free(text);
}

static void accept_one(void) {
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, who;
    socklen_t bytes = sizeof here;
    const int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr*)&here, bytes) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr*)&here, &bytes) || connect(client, (struct sockaddr*)&here, bytes))
        abort();
    bytes = sizeof who;
    if (make(IORING_OP_ACCEPT, listener, &who, 0, &bytes) < 0 || who.sin_family != AF_INET) abort();
}

static void read_file(const char* path, int has_rings) {
    const int file = open(path, O_RDONLY);
    char *text = malloc(32), *untouched = malloc(32);  /* label: M */
    struct iovec piece = {text + 4, 4};
    struct statx* status = malloc(sizeof *status);
    if (has_rings) {
        if (make(IORING_OP_READ, file, text, 4, NULL) != 4 || text[0] != 0x7f) abort();
        if (make(IORING_OP_READV, file, &piece, 1, NULL) != 4 || text[4] != 0x7f) abort();
        if (make(IORING_OP_STATX, AT_FDCWD, path, STATX_ALL, status) != 0 || status->stx_size == 0) abort();
    }
    if (untouched[0] == 'x') abort();  /* expect: UninitCondition origin=M */
    free(status);
    free(untouched);
    free(text);
}

int main(int count, char** arguments) {
    const int has_rings = open_ring();  // some systems forbid them
    if (has_rings) receive();
    if (has_rings) accept_one();
    read_file(arguments[count - 1], has_rings);
    return 0;
}
