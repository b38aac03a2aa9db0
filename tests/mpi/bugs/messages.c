// SPDX-License-Identifier: GPL-2.0-or-later
//
// Messages between two ranks: deadlocks, parameters, requests and persistent requests, buffers, wildcards.
#include "bugs.h"

#define IGNORED MPI_STATUS_IGNORE
static int other(void) { return 1 - rank; }
static void send(int to, int tag) { MPI_Send(in, 1, MPI_INT, to, tag, world); }
static void receive(int from, int tag) { MPI_Recv(out, 1, MPI_INT, from, tag, world, IGNORED); }
static void pass(int tag) {
    if (rank == 0) send(1, tag);
    if (rank == 1) receive(0, tag);
}

// --- deadlocks

BUG(both_receive, "MpiDeadlock", 2) {
    if (wrong || rank == 0) {
        receive(other(), 0);
        send(other(), 0);
    } else {
        send(other(), 0);
        receive(other(), 0);
    }
}
BUG(both_ssend, "MpiDeadlock", 2) {
    if (wrong || rank == 0) {
        MPI_Ssend(in, 1, MPI_INT, other(), 0, world);
        receive(other(), 0);
    } else {
        receive(other(), 0);
        MPI_Ssend(in, 1, MPI_INT, other(), 0, world);
    }
}
static int large[2][1 << 20];
BUG(both_send_much, "MpiDeadlock", 2) {
    MPI_Request request;
    if (!wrong) MPI_Irecv(large[1], 1 << 20, MPI_INT, other(), 0, world, &request);
    MPI_Send(large[0], 1 << 20, MPI_INT, other(), 0, world);
    if (wrong) MPI_Recv(large[1], 1 << 20, MPI_INT, other(), 0, world, IGNORED);
    if (!wrong) MPI_Wait(&request, IGNORED);
}
BUG(other_tag, "MpiDeadlock", 2) {
    if (rank == 0) send(1, 3);
    if (rank == 1) receive(0, wrong ? 4 : 3);
}
BUG(other_source, "MpiDeadlock", 3) {
    if (rank == 0) send(1, 3);
    if (rank == 1) receive(wrong ? 2 : 0, 3);
}
BUG(no_sender, "MpiDeadlock", 2) {
    if (rank == 0 && !wrong) send(1, 0);
    if (rank == 1) receive(0, 0);
}
BUG(no_sender_nonblocking, "MpiDeadlock", 2) {
    MPI_Request request;
    if (rank == 0 && !wrong) send(1, 0);
    if (rank == 1) {
        MPI_Irecv(out, 1, MPI_INT, 0, 0, world, &request);
        MPI_Wait(&request, IGNORED);
    }
}
BUG(no_receiver, "MpiDeadlock", 2) {
    if (rank == 0) MPI_Ssend(in, 1, MPI_INT, 1, 0, world);
    if (rank == 1 && !wrong) receive(0, 0);
}
BUG(ring, "MpiDeadlock", 3) {
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    if (rank == 0 && !wrong) send(next, 0);
    receive(before, 0);
    if (rank != 0 || wrong) send(next, 0);
}
BUG(other_communicator, "MpiDeadlock", 2) {
    MPI_Comm copy;
    MPI_Comm_dup(world, &copy);
    if (rank == 0) MPI_Send(in, 1, MPI_INT, 1, 0, copy);
    if (rank == 1) MPI_Recv(out, 1, MPI_INT, 0, 0, wrong ? world : copy, IGNORED);
    MPI_Comm_free(&copy);
}
BUG(probe_for_nothing, "MpiDeadlock", 2) {
    if (rank == 0) send(1, 1);
    if (rank == 1) {
        MPI_Probe(0, wrong ? 2 : 1, world, IGNORED);
        receive(0, 1);
    }
}
BUG(iprobe_for_nothing, "MpiDeadlock", 2) {
    if (rank == 0) send(1, 1);
    for (int found = rank == 0; !found;) MPI_Iprobe(0, wrong ? 2 : 1, world, &found, IGNORED);
    if (rank == 1) receive(0, 1);
}
BUG(wildcard_took_it, "MpiDeadlock", 3) {
    if (rank == 1) send(0, 0);
    if (rank == 0) receive(MPI_ANY_SOURCE, 0);
    MPI_Barrier(world);
    if (rank == 2) send(0, 0);
    if (rank == 0) receive(wrong ? 1 : 2, 0);
}
BUG(waits_for_one_too_many, "MpiDeadlock", 2) {
    for (int i = 0; i < 3 && rank == 0; ++i) send(1, 0);
    for (int i = 0; i < (wrong ? 4 : 3) && rank == 1; ++i) receive(0, 0);
}
BUG(sendrecv_with_wrong_partner, "MpiDeadlock", 3) {
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    MPI_Sendrecv(in, 1, MPI_INT, next, 0, out, 1, MPI_INT, wrong && rank == 2 ? 2 : before, 0, world,
                 IGNORED);
}

// --- parameters

BUG(other_type, "MpiTypes", 2) {
    if (rank == 0) send(1, 0);
    if (rank == 1) MPI_Recv(out, 1, wrong ? MPI_FLOAT : MPI_INT, 0, 0, world, IGNORED);
}
BUG(too_long, "MpiTruncation", 2) {
    if (rank == 0) MPI_Send(in, 4, MPI_INT, 1, 0, world);
    if (rank == 1) MPI_Recv(out, wrong ? 2 : 4, MPI_INT, 0, 0, world, IGNORED);
}
#define SENDS_WITH(name, buffer, count, type, to, tag, comm)                                                 \
    BUG(invalid_##name, "MpiError", 2) {                                                                     \
        if (rank == 0) MPI_Send(buffer, count, type, to, tag, comm);                                         \
        if (rank == 1) receive(0, 0);                                                                        \
    }
SENDS_WITH(count, in, wrong ? -1 : 1, MPI_INT, 1, 0, world)
SENDS_WITH(type, in, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT, 1, 0, world)
SENDS_WITH(rank, in, 1, MPI_INT, wrong ? ranks : 1, 0, world)
SENDS_WITH(negative_rank, in, 1, MPI_INT, wrong ? -9 : 1, 0, world)
SENDS_WITH(tag, in, 1, MPI_INT, 1, wrong ? -5 : 0, world)
SENDS_WITH(communicator, in, 1, MPI_INT, 1, 0, wrong ? MPI_COMM_NULL : world)
BUG(invalid_buffer, "MpiError|MpiBuffer", 2) {
    if (rank == 0) MPI_Send(wrong ? 0 : in, 1, MPI_INT, 1, 0, world);
    if (rank == 1) receive(0, 0);
}
BUG(invalid_source, "MpiError", 2) {
    if (rank == 0) send(1, 0);
    if (rank == 1) receive(wrong ? 5 : 0, 0);
}
BUG(invalid_tag_Isend, "MpiError", 2) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Isend(in, 1, MPI_INT, 1, wrong ? -5 : 0, world, &request);
        MPI_Wait(&request, IGNORED);
    } else {
        receive(0, 0);
    }
}
BUG(invalid_request, "MpiError", 2) {
    MPI_Request request = MPI_REQUEST_NULL;
    pass(0);
    if (wrong) MPI_Start(&request);
}
BUG(buffer_too_short, "MpiBuffer", 2) {
    int* const block = calloc(4, sizeof *block);
    if (rank == 0) MPI_Send(block, wrong ? 5 : 4, MPI_INT, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 5, MPI_INT, 0, 0, world, IGNORED);
    free(block);
}

// --- requests

BUG(never_waited_Isend, "MpiRequest", 2) {
    MPI_Request request;
    if (rank == 0) MPI_Isend(in, 1, MPI_INT, 1, 0, world, &request);
    if (rank == 0 && !wrong) MPI_Wait(&request, IGNORED);
    if (rank == 1) receive(0, 0);
}
BUG(never_waited_Irecv, "MpiRequest", 2) {
    MPI_Request request;
    if (rank == 0) send(1, 0);
    if (rank == 1) MPI_Irecv(out, 1, MPI_INT, 0, 0, world, &request);
    if (rank == 1 && !wrong) MPI_Wait(&request, IGNORED);
    MPI_Barrier(world);
}
BUG(lost_by_next, "MpiRequest", 2) {
    MPI_Request request[2];
    for (int i = 0; i < 2 && rank == 0; ++i) MPI_Isend(in, 1, MPI_INT, 1, i, world, &request[wrong ? 0 : i]);
    if (rank == 0) MPI_Waitall(wrong ? 1 : 2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2 && rank == 1; ++i) receive(0, i);
}
BUG(tested_once, "MpiRequest", 2) {
    MPI_Request request;
    int done = 0;
    if (rank == 0) {
        MPI_Irecv(out, 1, MPI_INT, 1, 0, world, &request);
        MPI_Test(&request, &done, IGNORED);
    }
    MPI_Barrier(world);
    if (rank == 1) send(0, 0);
    if (rank == 0 && !wrong) MPI_Wait(&request, IGNORED);
}
#define CHANGED_EARLY(name, buffer, YOURS)                                                                   \
    BUG(changed_early_##name, "MpiBufferInUse", 2) {                                                         \
        MPI_Request request;                                                                                 \
        if (rank == 0) {                                                                                     \
            MPI_##name(buffer, 1, MPI_INT, 1, 0, world, &request);                                           \
            if (wrong) buffer[0] = 7;                                                                        \
            MPI_Wait(&request, IGNORED);                                                                     \
            buffer[0] = 8;                                                                                   \
        } else {                                                                                             \
            YOURS(0, 0);                                                                                     \
        }                                                                                                    \
    }
CHANGED_EARLY(Isend, in, receive)
CHANGED_EARLY(Issend, in, receive)
CHANGED_EARLY(Irecv, out, send)
static volatile int seen;
BUG(read_early, "MpiBufferInUse|UninitCondition", 2) {
    MPI_Request request;
    int here[2];
    if (rank == 0) send(1, 0);
    if (rank == 1) {
        MPI_Irecv(here, 2, MPI_INT, 0, 0, world, &request);
        if (wrong && here[0] == 3) seen = 1;
        MPI_Wait(&request, IGNORED);
        if (here[0] == 3) seen = 2;
    }
}
BUG(two_receives_one_buffer, "MpiBufferInUse", 2) {
    MPI_Request request[2];
    for (int i = 0; i < 2 && rank == 0; ++i) send(1, i);
    for (int i = 0; i < 2 && rank == 1; ++i)
        MPI_Irecv(&out[wrong ? 0 : i], 1, MPI_INT, 0, i, world, &request[i]);
    if (rank == 1) MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}
BUG(freed_early, "MpiBufferInUse", 2) {
    MPI_Request request;
    int* const block = calloc(2, sizeof *block);
    if (rank == 0) MPI_Issend(block, 2, MPI_INT, 1, 0, world, &request);
    if (wrong) free(block);
    if (rank == 0) MPI_Wait(&request, IGNORED);
    if (rank == 1) MPI_Recv(out, 2, MPI_INT, 0, 0, world, IGNORED);
    if (!wrong) free(block);
}

// --- persistent requests

static void persistent(int starts, int waits, int frees, int changes) {
    MPI_Request request;
    if (rank == 0) MPI_Send_init(in, 1, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Recv_init(out, 1, MPI_INT, 0, 0, world, &request);
    for (int i = 0; i < 2; ++i) {
        if (starts) MPI_Start(&request);
        if (changes) in[0] = out[0] = 9;
        if (waits) MPI_Wait(&request, IGNORED);
    }
    if (frees) MPI_Request_free(&request);
}
BUG(persistent_not_freed, "MpiLeak", 2) { persistent(1, 1, !wrong, 0); }
BUG(persistent_changed_early, "MpiBufferInUse", 2) { persistent(1, 1, 1, wrong); }
BUG(persistent_not_waited, "MpiRequest|MpiError", 2) { persistent(1, !wrong, 1, 0); }
BUG(persistent_not_started, "MpiDeadlock|MpiRequest", 2) { persistent(!wrong || rank == 1, 1, 1, 0); }
BUG(persistent_started_twice, "MpiRequest|MpiError", 2) {
    MPI_Request request;
    if (rank == 0) MPI_Send_init(in, 1, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Recv_init(out, 1, MPI_INT, 0, 0, world, &request);
    MPI_Start(&request);
    if (wrong && rank == 0) MPI_Start(&request);
    MPI_Wait(&request, IGNORED);
    MPI_Request_free(&request);
}

// --- messages that nobody receives, wildcards

BUG(never_received, "MpiLeak", 2) {
    if (rank == 0) send(1, 5);
    if (rank == 1 && !wrong) receive(0, 5);
    MPI_Barrier(world);
}
// The first receive may take either message; the second one then waits for ever, or not.
BUG(wildcard_race, "MpiRace|MpiDeadlock", 3) {
    if (rank != 0) send(0, 0);
    if (rank == 0) {
        receive(wrong ? MPI_ANY_SOURCE : 1, 0);
        receive(2, 0);
    }
}
BUG(wildcard_order, "MpiRace", 3) {
    MPI_Status status;
    int values[3] = {0};
    if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, world);
    for (int i = 1; i < ranks && rank == 0; ++i) {
        int got;
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, &status);
        values[wrong ? i : status.MPI_SOURCE] = got;
    }
    if (rank == 0 && values[1] != 1) puts("another order");
}
