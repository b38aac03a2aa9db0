// SPDX-License-Identifier: GPL-2.0-or-later
//
// Handles that were freed or overwritten, requests that nobody waits for, communicators that are mixed up, and
// objects of the kinds that are rarely freed.
#include "bugs.h"

static int other(void) { return 1 - rank; }
static void exchange(MPI_Datatype type, int count) {
    MPI_Sendrecv(in, count, type, other(), 0, out, count, type, other(), 0, world, MPI_STATUS_IGNORE);
}
static void add(void* from, void* to, int* count, MPI_Datatype* type) {
    (void)type;
    for (int i = 0; i < *count; ++i) ((int*)to)[i] += ((int*)from)[i];
}

// --- freed handles used

BUG(freed_type_in_message, "MpiError", 2) {
    MPI_Datatype pair, again;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    again = pair;
    if (wrong) MPI_Type_free(&pair);
    exchange(again, 1);
    if (!wrong) MPI_Type_free(&pair);
}
BUG(freed_type_in_type, "MpiError", 2) {
    MPI_Datatype pair, again, made;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    again = pair;
    if (wrong) MPI_Type_free(&pair);
    MPI_Type_vector(2, 1, 3, again, &made);
    MPI_Type_free(&made);
    if (!wrong) MPI_Type_free(&pair);
}
BUG(freed_op, "MpiError", 2) {
    MPI_Op sum, again;
    MPI_Op_create(add, 1, &sum);
    again = sum;
    if (wrong) MPI_Op_free(&sum);
    MPI_Allreduce(in, out, 2, MPI_INT, again, world);
    if (!wrong) MPI_Op_free(&sum);
}
BUG(freed_group, "MpiError", 2) {
    MPI_Group all, again;
    MPI_Comm made;
    MPI_Comm_group(world, &all);
    again = all;
    if (wrong) MPI_Group_free(&all);
    MPI_Comm_create(world, again, &made);
    MPI_Comm_free(&made);
    if (!wrong) MPI_Group_free(&all);
}
BUG(freed_window, "MpiError", 2) {
    MPI_Win window, again;
    MPI_Win_create(out, sizeof out, sizeof *out, MPI_INFO_NULL, world, &window);
    again = window;
    if (wrong) MPI_Win_free(&window);
    MPI_Win_fence(0, again);
    if (!wrong) MPI_Win_free(&window);
}
BUG(freed_request_started, "MpiError|MpiRequest", 2) {
    MPI_Request request, again;
    MPI_Send_init(in, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request);
    again = request;
    if (wrong) MPI_Request_free(&request);
    MPI_Start(&again);
    MPI_Wait(&again, MPI_STATUS_IGNORE);
    if (!wrong) MPI_Request_free(&request);
}
BUG(freed_communicator_in_message, "MpiError", 2) {
    MPI_Comm copy, again;
    MPI_Comm_dup(world, &copy);
    again = copy;
    if (wrong) MPI_Comm_free(&copy);
    MPI_Sendrecv(in, 1, MPI_INT, other(), 0, out, 1, MPI_INT, other(), 0, again, MPI_STATUS_IGNORE);
    if (!wrong) MPI_Comm_free(&copy);
}

// --- objects of other kinds that are never freed

static void handle_error(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }
BUG(leaks_Errhandler, "MpiLeak", 2) {
    MPI_Errhandler made;
    MPI_Comm_create_errhandler(handle_error, &made);
    if (!wrong) MPI_Errhandler_free(&made);
}
BUG(leaks_keyval, "MpiLeak", 2) {
    int made;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &made, 0);
    if (!wrong) MPI_Comm_free_keyval(&made);
}
BUG(leaks_intercommunicator, "MpiLeak", 2) {
    MPI_Comm mine, both;
    MPI_Comm_split(world, rank, 0, &mine);
    MPI_Intercomm_create(mine, 0, world, other(), 3, &both);
    MPI_Comm_free(&mine);
    if (!wrong) MPI_Comm_free(&both);
}
BUG(leaks_window_of_memory, "MpiLeak", 2) {
    MPI_Win window;
    int* base;
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, world, &base, &window);
    if (!wrong) MPI_Win_free(&window);
}
BUG(matched_message_never_received, "MpiLeak", 2) {
    MPI_Message message;
    if (rank == 0) MPI_Send(in, 1, MPI_INT, 1, 0, world);
    if (rank == 1) {
        MPI_Mprobe(0, 0, world, &message, MPI_STATUS_IGNORE);
        if (!wrong) MPI_Mrecv(out, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(world);
}
BUG(never_received_in_copy, "MpiLeak", 2) {
    MPI_Comm copy;
    MPI_Comm_dup(world, &copy);
    if (rank == 0) MPI_Send(in, 1, MPI_INT, 1, 0, copy);
    if (rank == 1 && !wrong) MPI_Recv(out, 1, MPI_INT, 0, 0, copy, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
    MPI_Comm_free(&copy);
}

// --- requests

BUG(overwritten_in_loop, "MpiRequest", 2) {
    MPI_Request requests[4];
    for (int i = 0; i < 4; ++i)
        if (rank == 0) MPI_Isend(in + i, 1, MPI_INT, 1, i, world, &requests[wrong ? i / 2 : i]);
    for (int i = 0; i < 4 && rank == 1; ++i) MPI_Recv(out + i, 1, MPI_INT, 0, i, world, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_Waitall(wrong ? 2 : 4, requests, MPI_STATUSES_IGNORE);
}
BUG(waits_for_too_few, "MpiRequest", 2) {
    MPI_Request requests[3];
    for (int i = 0; i < 3 && rank == 1; ++i) MPI_Irecv(out + i, 1, MPI_INT, 0, i, world, &requests[i]);
    for (int i = 0; i < 3 && rank == 0; ++i) MPI_Send(in, 1, MPI_INT, 1, i, world);
    if (rank == 1) MPI_Waitall(wrong ? 2 : 3, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(world);
}
BUG(waits_for_any_once, "MpiRequest", 2) {
    MPI_Request requests[2];
    int index;
    for (int i = 0; i < 2 && rank == 1; ++i) MPI_Irecv(out + i, 1, MPI_INT, 0, i, world, &requests[i]);
    for (int i = 0; i < 2 && rank == 0; ++i) MPI_Send(in, 1, MPI_INT, 1, i, world);
    for (int i = 0; i < (wrong ? 1 : 2) && rank == 1; ++i) MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}
BUG(freed_receive, "MpiRequest", 2) {
    MPI_Request request;
    if (rank == 1) MPI_Irecv(out, 1, MPI_INT, 0, 0, world, &request);
    if (rank == 1 && wrong) MPI_Request_free(&request);
    MPI_Barrier(world);
    if (rank == 0) MPI_Send(in, 1, MPI_INT, 1, 0, world);
    if (rank == 1 && !wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(world);
}
__attribute__((noinline)) static void begin_from_frame(MPI_Request* request, int waits) {
    int here[300];
    for (int i = 0; i < 300; ++i) here[i] = i;
    MPI_Issend(here, 300, MPI_INT, 1, 0, world, request);
    if (waits) MPI_Wait(request, MPI_STATUS_IGNORE);
}
__attribute__((noinline)) static int use_frame(void) {
    volatile int there[300];
    for (int i = 0; i < 300; ++i) there[i] = -i;
    return there[299];
}
BUG(frame_left_early, "MpiBufferInUse", 2) {
    static int large[300];
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0) {
        begin_from_frame(&request, !wrong);
        use_frame();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(large, 300, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    }
}
BUG(bsend_without_buffer, "MpiError", 2) {
    static char room[4096];
    void* back;
    int bytes;
    if (!wrong) MPI_Buffer_attach(room, sizeof room);
    if (rank == 0) MPI_Bsend(in, 4, MPI_INT, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 4, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    if (!wrong) MPI_Buffer_detach(&back, &bytes);
}
BUG(ibsend_after_detach, "MpiError", 2) {
    static char room[4096];
    void* back;
    int bytes;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Buffer_attach(room, sizeof room);
    if (wrong) MPI_Buffer_detach(&back, &bytes);
    if (rank == 0) MPI_Ibsend(in, 4, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Irecv(out, 4, MPI_INT, 0, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (!wrong) MPI_Buffer_detach(&back, &bytes);
}
BUG(bsend_of_more_than_the_buffer, "MpiError", 2) {
    static char room[4096];
    void* back;
    int bytes;
    MPI_Buffer_attach(room, wrong ? 256 : sizeof room);
    if (rank == 0) MPI_Bsend(in, 100, MPI_INT, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 100, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Buffer_detach(&back, &bytes);
}
BUG(bsend_init_without_buffer, "MpiError", 2) {
    static char room[4096];
    void* back;
    int bytes;
    MPI_Request request;
    if (rank == 0) MPI_Bsend_init(in, 4, MPI_INT, 1, 0, world, &request);
    if (rank == 1) MPI_Recv_init(out, 4, MPI_INT, 0, 0, world, &request);
    if (!wrong) MPI_Buffer_attach(room, sizeof room);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    if (!wrong) MPI_Buffer_detach(&back, &bytes);
}
BUG(partial_persistent_wait, "MpiRequest|MpiError", 2) {
    MPI_Request requests[2];
    MPI_Send_init(in, 1, MPI_INT, other(), 0, world, &requests[0]);
    MPI_Recv_init(out, 1, MPI_INT, other(), 0, world, &requests[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Startall(2, requests);
        if (wrong) MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        if (!wrong) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

// --- communicators mixed up

BUG(rank_of_other_communicator, "MpiError", 3) {
    MPI_Comm half;
    MPI_Comm_split(world, rank > 0, rank, &half);
    if (rank == 1) MPI_Send(in, 1, MPI_INT, wrong ? 2 : 1, 0, half);
    if (rank == 2) MPI_Recv(out, 1, MPI_INT, wrong ? 1 : 0, 0, half, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
}
BUG(crossed_over_two_communicators, "MpiDeadlock", 2) {
    MPI_Comm copy;
    MPI_Comm_dup(world, &copy);
    if (rank == 0) {
        MPI_Ssend(in, 1, MPI_INT, 1, 0, copy);
        MPI_Ssend(in, 1, MPI_INT, 1, 0, world);
    } else {
        MPI_Recv(out, 1, MPI_INT, 0, 0, wrong ? world : copy, MPI_STATUS_IGNORE);
        MPI_Recv(out, 1, MPI_INT, 0, 0, wrong ? copy : world, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&copy);
}
BUG(nonblocking_in_other_communicator, "MpiDeadlock|MpiCollective", 2) {
    MPI_Comm copy;
    MPI_Request request;
    MPI_Comm_dup(world, &copy);
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, wrong && rank ? copy : world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&copy);
}
BUG(row_and_column, "MpiDeadlock", 4) {
    MPI_Comm row, column;
    MPI_Comm_split(world, rank / 2, rank, &row);
    MPI_Comm_split(world, rank % 2, rank, &column);
    const int turned = wrong && (rank == 1 || rank == 2);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, turned ? column : row);
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, turned ? row : column);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
}
BUG(leader_of_nobody, "MpiDeadlock|MpiError", 3) {
    MPI_Comm mine, both;
    MPI_Comm_split(world, rank > 0, rank, &mine);
    MPI_Intercomm_create(mine, 0, world, rank > 0 ? 0 : wrong ? 2 : 1, 3, &both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&mine);
}
