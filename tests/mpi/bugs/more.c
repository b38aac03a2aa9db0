// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forms that the other sources do not have: packed data, windows with lock_all and PSCW, dynamic windows, files, collective
// operations among neighbours and between groups, types that overlap or reach too far, matched probes.
#include "bugs.h"

static MPI_Win window_of(int* memory, int count) {
    MPI_Win win;
    MPI_Win_create(memory, (MPI_Aint)count * (int)sizeof(int), sizeof(int), MPI_INFO_NULL, world, &win);
    return win;
}

BUG(packs_what_was_never_set, "MpiBuffer", 2) {
    int* values = malloc(8 * sizeof *values);
    char packed[64];
    int at = 0;
    for (int i = 0; i < (wrong ? 7 : 8); ++i) values[i] = i;
    MPI_Pack(values, 8, MPI_INT, packed, sizeof packed, &at, world);
    if (rank == 0) MPI_Send(packed, at, MPI_PACKED, 1, 0, world);
    if (rank == 1) MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 0, world, MPI_STATUS_IGNORE);
    free(values);
}
BUG(packs_into_short_block, "MpiBuffer|InvalidWrite", 2) {
    char* packed = malloc(wrong ? 24 : 32);
    int at = 0;
    MPI_Pack(in, 8, MPI_INT, packed, 32, &at, world);
    free(packed);
}
BUG(unpacks_into_short_block, "MpiBuffer|InvalidWrite", 2) {
    char packed[32] = {0};
    int at = 0;
    int* values = malloc((wrong ? 7 : 8) * sizeof *values);
    MPI_Unpack(packed, sizeof packed, &at, values, 8, MPI_INT, world);
    free(values);
}
BUG(packs_over_itself, "MpiOverlap", 2) {
    int at = 0;
    MPI_Pack(in, 4, MPI_INT, wrong ? in + 2 : out, 32, &at, world);
    MPI_Pack(in, 1, MPI_INT, out, 32, &at, world);
}
BUG(unpacks_a_vector, "MpiBuffer|InvalidWrite", 2) {
    MPI_Datatype column;
    int at = 0;
    double values[4] = {1, 2, 3, 4}, *const matrix = malloc((wrong ? 12 : 13) * sizeof *matrix);
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Unpack(values, sizeof values, &at, matrix, 1, column, world);
    MPI_Type_free(&column);
    free(matrix);
}
BUG(reduces_what_was_never_set, "MpiBuffer", 2) {
    double* sum = malloc(4 * sizeof *sum);
    double more[4] = {1, 2, 3, 4};
    for (int i = wrong; i < 4; ++i) sum[i] = i;
    MPI_Reduce_local(more, sum, 4, MPI_DOUBLE, MPI_SUM);
    free(sum);
}
BUG(reduces_over_itself, "MpiOverlap", 2) { MPI_Reduce_local(in, wrong ? in + 2 : out, 4, MPI_INT, MPI_SUM); }
BUG(puts_of_two_under_lock_all, "MpiRace", 3) {
    MPI_Win win = window_of(in, 16);
    MPI_Win_lock_all(0, win);
    if (rank > 0) {
        MPI_Put(out, 2, MPI_INT, 0, wrong ? 4 : 4 * rank, 2, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
BUG(reads_before_flush, "MpiRace|MpiBufferInUse|UninitCondition", 2) {
    MPI_Win win = window_of(in, 16);
    MPI_Win_lock_all(0, win);
    int* got = malloc(4 * sizeof *got);
    memset(got, 0, 4 * sizeof *got);
    if (rank == 1) {
        MPI_Get(got, 4, MPI_INT, 0, 0, 4, MPI_INT, win);
        if (wrong && got[1] == 7) puts("seven");
        MPI_Win_flush_local(0, win);
        if (got[1] == 7) puts("seven");
    }
    MPI_Win_unlock_all(win);
    free(got);
    MPI_Win_free(&win);
}
BUG(put_beside_fetch_and_op, "MpiRace", 3) {
    MPI_Win win = window_of(in, 16);
    const int one = 1;
    int before;
    MPI_Win_lock_all(0, win);
    if (rank == 1) MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 3, MPI_SUM, win);
    if (rank == 2) MPI_Put(&one, 1, MPI_INT, 0, wrong ? 3 : 5, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
BUG(other_operation_in_epoch, "MpiRace", 3) {
    MPI_Win win = window_of(in, 16);
    MPI_Win_fence(0, win);
    if (rank > 0) MPI_Accumulate(out, 2, MPI_INT, 0, 0, 2, MPI_INT, wrong && rank == 2 ? MPI_PROD : MPI_SUM, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
BUG(never_completed_epoch, "MpiDeadlock|MpiError", 2) {
    MPI_Win win = window_of(in, 16);
    MPI_Group all, other;
    const int partner = 1 - rank;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &partner, &other);
    if (rank == 0) {
        MPI_Win_start(other, 0, win);
        MPI_Put(out, 2, MPI_INT, 1, 0, 2, MPI_INT, win);
        if (!wrong) MPI_Win_complete(win);
    } else {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    }
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Win_free(&win);
}
BUG(origin_changed_in_epoch, "MpiBufferInUse|MpiRace", 2) {
    MPI_Win win = window_of(in, 16);
    MPI_Win_fence(0, win);
    if (rank == 0) MPI_Accumulate(out, 4, MPI_INT, 1, 0, 4, MPI_INT, MPI_SUM, win);
    if (rank == 0 && wrong) out[1] = 5;
    MPI_Win_fence(0, win);
    out[1] = 6;
    MPI_Win_free(&win);
}
BUG(put_request_forgotten, "MpiRequest", 2) {
    MPI_Win win = window_of(in, 16);
    MPI_Request request;
    MPI_Win_lock_all(0, win);
    if (rank == 0) {
        MPI_Rput(out, 4, MPI_INT, 1, 0, 4, MPI_INT, win, &request);
        if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
BUG(fence_by_some, "MpiDeadlock|MpiCollective", 3) {
    MPI_Win win = window_of(in, 16);
    MPI_Win_fence(0, win);
    if (!wrong || rank != 2) MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}
BUG(locked_twice, "MpiError|MpiDeadlock", 2) {
    MPI_Win win = window_of(in, 16);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        if (wrong) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(out, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
}
BUG(writes_what_was_never_set, "MpiBuffer", 2) {
    MPI_File file;
    int* values = malloc(4 * sizeof *values);
    for (int i = 0; i < (wrong ? 3 : 4); ++i) values[i] = i;
    MPI_File_open(world, "more.data", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, rank * 16, values, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    free(values);
}
BUG(changed_while_written, "MpiBufferInUse", 2) {
    MPI_File file;
    MPI_Request request;
    MPI_File_open(world, "more.data", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    MPI_File_iwrite_at(file, rank * 16, in, 4, MPI_INT, &request);
    if (wrong) in[2] = 9;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
BUG(file_written_by_some, "MpiDeadlock|MpiCollective", 2) {
    MPI_File file;
    MPI_File_open(world, "more.data", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    if (!wrong || rank == 0) MPI_File_write_all(file, in, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
static MPI_File opened(const char* name) {
    MPI_File file;
    MPI_File_open(world, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    return file;
}
BUG(one_reads_all_write, "MpiDeadlock|MpiCollective", 3) {
    MPI_File file = opened("more.data");
    if (wrong && rank == 2)
        MPI_File_read_all(file, out, 4, MPI_INT, MPI_STATUS_IGNORE);
    else
        MPI_File_write_all(file, in, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
BUG(synchronised_by_some, "MpiDeadlock|MpiCollective", 2) {
    MPI_File file = opened("more.data");
    MPI_File_write_at(file, rank * 16, in, 4, MPI_INT, MPI_STATUS_IGNORE);
    if (!wrong || rank == 1) MPI_File_sync(file);
    MPI_File_close(&file);
}
BUG(files_closed_in_other_orders, "MpiDeadlock|MpiCollective", 2) {
    MPI_File files[2] = {opened("more.one"), opened("more.two")};
    const int first = wrong && rank == 1;
    if (rank == 0) MPI_File_write_at(files[0], 0, in, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_all(files[first], in, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_set_size(files[1 - first], 8);
    MPI_File_close(&files[0]);
    MPI_File_close(&files[1]);
}
BUG(views_of_one_rank, "MpiDeadlock|MpiCollective", 2) {
    MPI_File file = opened("more.data");
    if (!wrong || rank == 0) MPI_File_set_view(file, 16 * rank, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_write(file, in, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}
BUG(each_its_own_file, "MpiLeak", 2) {
    MPI_File file;
    MPI_Group kept;
    char name[] = "more.0";
    name[5] += rank;
    MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    for (int i = 0; i < 2 + rank; ++i) MPI_File_write_all(file, in, 4, MPI_INT, MPI_STATUS_IGNORE);
    if (rank == 0) MPI_File_sync(file);
    MPI_File_close(&file);
    if (wrong) MPI_Comm_group(world, &kept);
}
BUG(neighbours_of_some, "MpiDeadlock|MpiCollective", 3) {
    MPI_Comm line;
    const int dims = 3, periods = 1;
    MPI_Cart_create(world, 1, &dims, &periods, 0, &line);
    if (!wrong || rank != 1) MPI_Neighbor_allgather(in, 1, MPI_INT, out, 1, MPI_INT, line);
    MPI_Comm_free(&line);
}
BUG(changed_before_neighbours_have_it, "MpiBufferInUse", 3) {
    MPI_Comm line;
    const int dims = 3, periods = 1;
    MPI_Request request;
    MPI_Cart_create(world, 1, &dims, &periods, 0, &line);
    MPI_Ineighbor_alltoall(in, 1, MPI_INT, out, 1, MPI_INT, line, &request);
    if (wrong) in[1] = 8;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
}
BUG(barrier_never_waited_for, "MpiRequest", 2) {
    MPI_Request request;
    MPI_Ibarrier(world, &request);
    if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(scan_meets_exscan, "MpiCollective|MpiDeadlock", 2) {
    if (wrong && rank == 1)
        MPI_Exscan(in, out, 2, MPI_INT, MPI_SUM, world);
    else
        MPI_Scan(in, out, 2, MPI_INT, MPI_SUM, world);
}
BUG(other_op_of_Ireduce, "MpiCollective", 2) {
    MPI_Request request;
    MPI_Ireduce(in, out, 2, MPI_INT, wrong && rank == 1 ? MPI_MAX : MPI_SUM, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(counts_of_reduce_scatter, "MpiCollective|MpiTypes|MpiTruncation", 2) {
    const int counts[2] = {2, wrong && rank == 1 ? 3 : 2};
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, world);
}
BUG(parts_overlap_at_root, "MpiOverlap", 3) {
    const int counts[3] = {3, 3, 3}, places[3] = {0, 3, wrong ? 5 : 6};
    MPI_Gatherv(in, 3, MPI_INT, out, counts, places, MPI_INT, 0, world);
}
BUG(receives_overlapping_blocks, "MpiOverlap", 2) {
    MPI_Datatype blocks;
    MPI_Type_vector(3, 2, wrong ? 1 : 2, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    if (rank == 0) MPI_Send(in, 6, MPI_INT, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 1, blocks, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Type_free(&blocks);
}
BUG(displaced_before_the_block, "MpiBuffer", 2) {
    const int length = 1;
    const MPI_Aint place = wrong ? -4 : 4;
    MPI_Datatype before;
    int* values = calloc(4, sizeof *values);
    MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &before);
    MPI_Type_commit(&before);
    if (rank == 0) MPI_Send(values, 1, before, 1, 0, world);
    if (rank == 1) MPI_Recv(out, 1, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
    MPI_Type_free(&before);
    free(values);
}
BUG(matched_message_too_long, "MpiTruncation", 2) {
    MPI_Message message;
    MPI_Status status;
    if (rank == 0) MPI_Send(in, 4, MPI_INT, 1, 0, world);
    if (rank == 1) {
        MPI_Mprobe(0, 0, world, &message, &status);
        MPI_Mrecv(out, wrong ? 3 : 4, MPI_INT, &message, &status);
    }
}
BUG(sends_to_itself, "MpiDeadlock", 2) {
    MPI_Request request;
    if (!wrong) MPI_Irecv(out, 1, MPI_INT, rank, 0, world, &request);
    MPI_Ssend(in, 1, MPI_INT, rank, 0, world);
    if (wrong) MPI_Irecv(out, 1, MPI_INT, rank, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
BUG(group_member_does_not_come, "MpiDeadlock", 3) {
    MPI_Group all, two;
    MPI_Comm pair;
    const int members[2] = {0, 2};
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 2, members, &two);
    if (rank == 0 || (rank == 2 && !wrong)) {
        MPI_Comm_create_group(world, two, 4, &pair);
        MPI_Comm_free(&pair);
    }
    MPI_Group_free(&two);
    MPI_Group_free(&all);
}
BUG(tag_beyond_the_bound, "MpiError", 2) {
    int *bound, found;
    MPI_Comm_get_attr(world, MPI_TAG_UB, &bound, &found);
    const int tag = wrong ? -5 : *bound;
    if (rank == 0) MPI_Send(in, 1, MPI_INT, 1, tag, world);
    if (rank == 1) MPI_Recv(out, 1, MPI_INT, 0, tag, world, MPI_STATUS_IGNORE);
}
BUG(bcast_between_groups_without_root, "MpiDeadlock|MpiCollective", 4) {
    MPI_Comm half, between;
    MPI_Comm_split(world, rank < 2, rank, &half);
    MPI_Intercomm_create(half, 0, world, rank < 2 ? 2 : 0, 5, &between);
    const int root = rank >= 2 ? 0 : rank == 0 && !wrong ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(in, 4, MPI_INT, root, between);
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
}
// Right as they stand: what must not be told. `wrong` adds a leak.
BUG(type_and_communicator_freed_early, "MpiLeak", 2) {
    MPI_Datatype two;
    MPI_Comm copy, kept;
    MPI_Request requests[2];
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    MPI_Comm_dup(world, &copy);
    MPI_Irecv(out, 1, two, 1 - rank, 0, copy, &requests[0]);
    MPI_Isend(in, 1, two, 1 - rank, 0, copy, &requests[1]);
    MPI_Type_free(&two);
    MPI_Comm_free(&copy);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    if (wrong) MPI_Comm_dup(world, &kept);
}
BUG(grown_memory_in_dynamic_window, "MpiLeak", 2) {
    MPI_Win win;
    int* memory = calloc(16, sizeof *memory);
    MPI_Aint at, there;
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
    MPI_Win_attach(win, memory, 16 * sizeof *memory);
    MPI_Get_address(memory, &at);
    MPI_Sendrecv(&at, 1, MPI_AINT, 1 - rank, 0, &there, 1, MPI_AINT, 1 - rank, 0, world, MPI_STATUS_IGNORE);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
    MPI_Put(in, 2, MPI_INT, 1 - rank, there + 8 * rank, 2, MPI_INT, win);
    MPI_Win_unlock(1 - rank, win);
    MPI_Barrier(world);
    MPI_Win_detach(win, memory);
    if (!wrong) MPI_Win_free(&win);
    free(memory);
}
BUG(counter_of_fetch_and_op, "MpiLeak", 3) {
    MPI_Win win;
    MPI_Group kept;
    int* counter;
    const int one = 1;
    int mine;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &counter, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    *counter = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(world);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    for (int i = 0; i < 3; ++i) {
        MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 0, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (wrong) MPI_Comm_group(world, &kept);
}
