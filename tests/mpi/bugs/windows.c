// SPDX-License-Identifier: GPL-2.0-or-later
//
// One-sided operations: epochs, conflicts in the origin's buffers, and conflicts of several ranks in one window.
#include "bugs.h"

static int cells[64];
static MPI_Win window;
static void open_window(void) { MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, world, &window); }
static void fence(void) { MPI_Win_fence(0, window); }
static void close_window(void) { MPI_Win_free(&window); }
static void put(const int* from, int to, int at) { MPI_Put(from, 1, MPI_INT, to, at, 1, MPI_INT, window); }
static void get(int* here, int from, int at) { MPI_Get(here, 1, MPI_INT, from, at, 1, MPI_INT, window); }
static void add_to(int to, int at, MPI_Op op) { MPI_Accumulate(in, 1, MPI_INT, to, at, 1, MPI_INT, op, window); }
#define IN_WINDOW(name, expected, n)                                                                         \
    static void name##_in_window(void);                                                                      \
    BUG(name, expected, n) {                                                                                 \
        open_window();                                                                                       \
        name##_in_window();                                                                                  \
        close_window();                                                                                      \
    }                                                                                                        \
    static void name##_in_window(void)
#define IN_EPOCH(name, expected, n)                                                                          \
    static void name##_in_epoch(void);                                                                       \
    IN_WINDOW(name, expected, n) {                                                                           \
        fence();                                                                                             \
        name##_in_epoch();                                                                                   \
        fence();                                                                                             \
    }                                                                                                        \
    static void name##_in_epoch(void)

// --- epochs

IN_WINDOW(put_without_epoch, "MpiError", 2) {
    if (!wrong) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (rank == 1 || wrong) put(in, 0, rank);
    if (!wrong) MPI_Win_unlock(0, window);
}
IN_WINDOW(get_without_epoch, "MpiError", 2) {
    if (!wrong) MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
    get(out, 1 - rank, 0);
    if (!wrong) MPI_Win_unlock(1 - rank, window);
}
IN_WINDOW(unlock_without_lock, "MpiError", 2) {
    if (!wrong) MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Win_unlock(0, window);
}
IN_WINDOW(lock_not_unlocked, "MpiError|MpiDeadlock|MpiRequest", 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, window);
    put(in, 1 - rank, 0);
    if (!wrong) MPI_Win_unlock(1 - rank, window);
}
IN_WINDOW(lock_twice, "MpiError|MpiDeadlock", 2) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    if (wrong) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Win_unlock(0, window);
}
IN_WINDOW(flush_without_lock, "MpiError", 2) {
    if (!wrong) MPI_Win_lock_all(0, window);
    MPI_Win_flush(1 - rank, window);
    if (!wrong) MPI_Win_unlock_all(window);
}
IN_WINDOW(last_fence_missing, "MpiError|MpiRequest|MpiRace|MpiLeak", 2) {
    fence();
    put(in, 1 - rank, rank);
    if (!wrong) fence();
}
IN_WINDOW(fence_in_some, "MpiDeadlock|MpiCollective", 2) {
    fence();
    if (!wrong || rank == 0) fence();
    MPI_Barrier(world);
}
static MPI_Group others(void) {
    MPI_Group all, some;
    const int chosen[1] = {1 - rank};
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, chosen, &some);
    MPI_Group_free(&all);
    return some;
}
IN_WINDOW(start_without_post, "MpiDeadlock", 2) {
    MPI_Group other = others();
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        put(in, 1, 0);
        MPI_Win_complete(window);
    } else if (!wrong) {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&other);
}
IN_WINDOW(post_without_start, "MpiDeadlock", 2) {
    MPI_Group other = others();
    if (rank == 1) {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    } else if (!wrong) {
        MPI_Win_start(other, 0, window);
        MPI_Win_complete(window);
    }
    MPI_Group_free(&other);
}
IN_WINDOW(complete_without_start, "MpiError", 2) {
    if (wrong) MPI_Win_complete(window);
}
IN_WINDOW(unlock_all_without_lock_all, "MpiError", 2) {
    if (!wrong) MPI_Win_lock_all(0, window);
    MPI_Win_unlock_all(window);
}
// Asked in vain at first; a group of nobody.
IN_WINDOW(test_without_post, "MpiError", 2) {
    MPI_Group other = others();
    for (int turn = 0; turn < 2; ++turn) {
        if (rank == 0) {
            MPI_Win_start(turn == 0 ? other : MPI_GROUP_EMPTY, 0, window);
            MPI_Win_complete(window);
        } else {
            int done = 0;
            MPI_Win_post(turn == 0 ? other : MPI_GROUP_EMPTY, 0, window);
            while (!done) MPI_Win_test(window, &done);
            if (wrong) MPI_Win_test(window, &done);
        }
    }
    MPI_Group_free(&other);
}
IN_WINDOW(free_in_some, "MpiDeadlock|MpiLeak", 2) {
    fence();
    if (wrong && rank) {
        MPI_Finalize();
        exit(0);
    }
}

// --- parameters

IN_EPOCH(invalid_target, "MpiError", 2) { put(in, wrong ? 9 : 0, rank); }
IN_EPOCH(invalid_count, "MpiError", 2) { MPI_Put(in, wrong ? -1 : 1, MPI_INT, 0, rank, 1, MPI_INT, window); }
IN_EPOCH(invalid_type, "MpiError", 2) { MPI_Put(in, 1, wrong ? MPI_DATATYPE_NULL : MPI_INT, 0, rank, 1, MPI_INT, window); }
IN_EPOCH(invalid_window, "MpiError", 2) { MPI_Put(in, 1, MPI_INT, 0, rank, 1, MPI_INT, wrong ? MPI_WIN_NULL : window); }
IN_EPOCH(invalid_operation, "MpiError", 2) { add_to(0, 0, wrong ? MPI_OP_NULL : MPI_SUM); }
IN_EPOCH(behind_window, "MpiError|MpiRace|InvalidWrite", 2) { put(in, 0, wrong ? 64 : rank); }
BUG(invalid_window_size, "MpiError", 2) {
    MPI_Win made;
    MPI_Win_create(cells, wrong ? -1 : 4, 4, MPI_INFO_NULL, world, &made);
    MPI_Win_free(&made);
}

// --- the origin's buffers

IN_EPOCH(put_then_store, "MpiRace", 2) {
    put(in, 1 - rank, 0);
    if (wrong) in[0] = 5;
}
IN_EPOCH(get_then_load, "MpiRace", 2) {
    int here[1] = {0};
    get(here, 1 - rank, 0);
    if (wrong && here[0] == 4) puts("four");
    fence();
    if (here[0] == 4) puts("four");
}
IN_EPOCH(get_then_store, "MpiRace", 2) {
    get(out, 1 - rank, 0);
    if (wrong) out[0] = 5;
}
IN_EPOCH(get_twice, "MpiRace", 2) {
    get(out, 1 - rank, 0);
    get(out + !wrong, 1 - rank, 1);
}
IN_EPOCH(get_then_put, "MpiRace", 2) {
    get(out, 1 - rank, 0);
    put(out + !wrong, 1 - rank, 1);
}

// --- conflicts in a window

IN_EPOCH(two_ranks_put, "MpiRace", 3) {
    if (rank != 0) put(in, 0, wrong ? 0 : rank);
}
IN_EPOCH(one_rank_puts_twice, "MpiRace", 2) {
    if (rank == 0) put(in, 1, 0);
    if (rank == 0) put(in + 1, 1, wrong ? 0 : 1);
}
IN_EPOCH(put_and_get, "MpiRace", 3) {
    if (rank == 1) put(in, 0, 0);
    if (rank == 2) get(out, 0, wrong ? 0 : 1);
}
IN_EPOCH(put_and_accumulate, "MpiRace", 3) {
    if (rank == 1) put(in, 0, 0);
    if (rank == 2) add_to(0, wrong ? 0 : 1, MPI_SUM);
}
IN_EPOCH(other_accumulates, "MpiRace", 3) {
    if (rank != 0) add_to(0, 0, wrong && rank == 2 ? MPI_MAX : MPI_SUM);
}
IN_EPOCH(put_and_local_store, "MpiRace", 2) {
    if (rank == 1) put(in, 0, 0);
    if (rank == 0) cells[wrong ? 0 : 1] = 4;
}
IN_EPOCH(put_and_local_load, "MpiRace", 2) {
    if (rank == 1) put(in, 0, 0);
    if (rank == 0 && cells[wrong ? 0 : 1] == 4) puts("four");
}
IN_EPOCH(get_and_local_store, "MpiRace", 2) {
    if (rank == 1) get(out, 0, 0);
    if (rank == 0) cells[wrong ? 0 : 1] = 4;
}
IN_WINDOW(shared_locks_put, "MpiRace", 3) {
    if (rank != 0) {
        MPI_Win_lock(wrong ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, 0, 0, window);
        put(in, 0, 0);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(world);
}
IN_WINDOW(lock_all_put, "MpiRace", 3) {
    MPI_Win_lock_all(0, window);
    if (rank != 0) put(in, 0, wrong ? 0 : rank);
    MPI_Win_unlock_all(window);
    MPI_Barrier(world);
}
IN_WINDOW(fence_between_puts, "MpiRace", 3) {
    fence();
    if (rank == 1) put(in, 0, 0);
    if (!wrong) fence();
    if (rank == 2) put(in, 0, 0);
    fence();
}
IN_WINDOW(strided_put, "MpiRace", 3) {
    MPI_Datatype every_other;
    MPI_Type_vector(4, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    fence();
    if (rank != 0) MPI_Put(in, 4, MPI_INT, 0, wrong || rank == 1 ? 0 : 1, 1, every_other, window);
    fence();
    MPI_Type_free(&every_other);
}
