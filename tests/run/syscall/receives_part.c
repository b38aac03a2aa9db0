// SPDX-License-Identifier: GPL-2.0-or-later
// PROVES: recv and recvfrom define what arrived, not the whole buffer; also with MSG_PEEK, with nothing to come, and with
// MSG_TRUNC, where they return more than the buffer holds.
// COMPILE: gcc -O0 -O2
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "case.h"

static int pair[2];
static char* received(int bytes, int room, int flags) {
    if (send(pair[1], "abcdefghijklmnop", (size_t)bytes, 0) != bytes) exit(1);
    char* buffer = malloc(32);  /* label: B */
    struct sockaddr_un from;
    socklen_t length = sizeof from;
    const ssize_t got = flags ? recvfrom(pair[0], buffer, (size_t)room, flags, (struct sockaddr*)&from, &length)
                              : recv(pair[0], buffer, (size_t)room, 0);
    if (got != bytes) exit(2);
    return buffer;
}

int main(void) {
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0) return 3;
    char* six = received(6, 32, 0);
    for (int i = 0; i < 6; ++i) BRANCH_ON(six[i] == 'a' + i);
    BRANCH_ON(six[6] == 'g');  /* expect: UninitCondition origin=B */
    char* none = received(0, 32, 0);
    BRANCH_ON(none[0] == 'a');  /* expect: UninitCondition origin=B */
    char* peeked = received(5, 32, MSG_PEEK);
    BRANCH_ON(peeked[4] == 'e');
    BRANCH_ON(peeked[5] == 'f');  /* expect: UninitCondition origin=B */
    char drained[32];
    if (recv(pair[0], drained, sizeof drained, 0) != 5) return 4;
    char* cut = received(8, 3, MSG_TRUNC);
    BRANCH_ON(cut[2] == 'c');
    BRANCH_ON(cut[3] == 'd');  /* expect: UninitCondition origin=B */
    free(six), free(none), free(peeked), free(cut);
    return 0;
}
