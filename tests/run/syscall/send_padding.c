// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: a message whose padding is undefined is reported when it is sent through a socket.
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include "case.h"

struct Message { char type; long value; };

int main(void) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return 1;
    struct Message* m = HIDE((struct Message*)malloc(sizeof *m));  /* label: A */
    m->type = 1;
    m->value = 2;
    if (send(ends[0], m, sizeof *m, 0) != sizeof *m) return 2;  /* expect: SyscallParam origin=A */
    struct Message* r = HIDE((struct Message*)malloc(sizeof *r));
    if (recv(ends[1], r, sizeof *r, 0) != sizeof *r) return 3;
    BRANCH_ON(r->value == 2);
    BRANCH_ON(((char*)r)[3] == 9);
    free(m);
    free(r);
    return 0;
}
