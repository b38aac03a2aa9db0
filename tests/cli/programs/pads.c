// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sends a structure whose padding nobody has set, in two ways.
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>

struct request {
    char kind;
    int length;
};

int main(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
    struct request* r = malloc(sizeof *r);
    r->kind = 1;
    r->length = 8;
    struct iovec part = {r, sizeof *r};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    int failed = writev(ends[0], &part, 1) != sizeof *r;
    failed |= sendmsg(ends[0], &message, 0) != sizeof *r;
    free(r);
    return failed;
}
