// SPDX-License-Identifier: GPL-2.0-or-later
//
// One-sided operations in each kind of epoch: fences, post and start, locks; what a rank loads from its own part
// and stores there; operations that fetch, and those with requests.
#include "bugs.h"

static int cells[64];
static MPI_Win window;
static void put(const int* from, int to, int at) { MPI_Put(from, 1, MPI_INT, to, at, 1, MPI_INT, window); }
static void get(int* here, int from, int at) { MPI_Get(here, 1, MPI_INT, from, at, 1, MPI_INT, window); }
static void fence(void) { MPI_Win_fence(0, window); }
static void lock(int type, int to) { MPI_Win_lock(type, to, 0, window); }
static void unlock(int to) { MPI_Win_unlock(to, window); }
static MPI_Group group_of(int chosen) {
    MPI_Group all, some;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &chosen, &some);
    MPI_Group_free(&all);
    return some;
}
static volatile int seen;
#define IN_WINDOW(name, expected, n)                                                                         \
    static void name##_in_window(void);                                                                      \
    BUG(name, expected, n) {                                                                                 \
        MPI_Win_create(cells, sizeof cells, sizeof *cells, MPI_INFO_NULL, world, &window);                   \
        name##_in_window();                                                                                  \
        MPI_Win_free(&window);                                                                               \
    }                                                                                                        \
    static void name##_in_window(void)

// --- epochs

IN_WINDOW(wait_without_post, "MpiError", 2) {
    MPI_Group group = group_of(1 - rank);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    if (wrong) MPI_Win_wait(window);
    MPI_Group_free(&group);
}
IN_WINDOW(target_outside_of_start, "MpiError", 3) {
    MPI_Group group = group_of(rank == 0 ? 1 : 0);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        put(in, wrong ? 2 : 1, 0);
        MPI_Win_complete(window);
    } else if (rank == 1) {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
}
IN_WINDOW(target_not_locked, "MpiError", 3) {
    lock(MPI_LOCK_SHARED, 0);
    put(in, wrong ? 1 : 0, rank);
    unlock(0);
}
IN_WINDOW(start_not_completed, "MpiError|MpiDeadlock", 2) {
    MPI_Group group = group_of(1 - rank);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        put(in, 1, 0);
        if (!wrong) MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
}
IN_WINDOW(post_not_waited, "MpiError", 2) {
    MPI_Group group = group_of(1 - rank);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        put(in, 1, 0);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        if (!wrong) MPI_Win_wait(window);
    }
    MPI_Group_free(&group);
}
IN_WINDOW(crossed_locks, "MpiDeadlock", 2) {
    if (wrong) lock(MPI_LOCK_EXCLUSIVE, rank);
    MPI_Barrier(world);
    lock(MPI_LOCK_EXCLUSIVE, 1 - rank);
    put(in, 1 - rank, 0);
    unlock(1 - rank);
    if (wrong) unlock(rank);
}
IN_WINDOW(accumulate_without_epoch, "MpiError", 2) {
    if (!wrong) MPI_Win_lock_all(0, window);
    MPI_Accumulate(in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
    if (!wrong) MPI_Win_unlock_all(window);
}
IN_WINDOW(fetch_without_epoch, "MpiError", 2) {
    if (!wrong) lock(MPI_LOCK_SHARED, 0);
    MPI_Fetch_and_op(in, out, MPI_INT, 0, 0, MPI_SUM, window);
    if (!wrong) unlock(0);
}

// --- what a rank does in its own part

IN_WINDOW(load_before_put, "MpiRace", 2) {
    fence();
    if (rank == 0 && cells[wrong ? 3 : 4] == 9) seen = 1;
    if (rank == 1) put(in, 0, 3);
    fence();
}
IN_WINDOW(load_of_accumulated, "MpiRace", 2) {
    fence();
    if (rank == 1) MPI_Accumulate(in, 2, MPI_INT, 0, 8, 2, MPI_INT, MPI_SUM, window);
    if (!wrong) fence();
    if (rank == 0) seen = cells[9];
    fence();
}
IN_WINDOW(store_while_posted, "MpiRace", 2) {
    MPI_Group group = group_of(1 - rank);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        put(in, 1, 5);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        if (wrong) cells[5] = 1;
        MPI_Win_wait(window);
        cells[5] = 2;
    }
    MPI_Group_free(&group);
}
IN_WINDOW(load_while_posted, "MpiRace", 2) {
    MPI_Group group = group_of(1 - rank);
    if (rank == 0) {
        MPI_Win_start(group, 0, window);
        put(in, 1, 5);
        MPI_Win_complete(window);
    } else {
        MPI_Win_post(group, 0, window);
        if (wrong) seen = cells[5];
        MPI_Win_wait(window);
        seen = cells[5];
    }
    MPI_Group_free(&group);
}
IN_WINDOW(store_beside_locked_put, "MpiRace", 2) {
    MPI_Barrier(world);
    if (rank == 1) {
        lock(MPI_LOCK_EXCLUSIVE, 0);
        put(in, 0, 2);
        unlock(0);
    } else {
        if (!wrong) lock(MPI_LOCK_EXCLUSIVE, 0);
        cells[2] = 6;
        if (!wrong) unlock(0);
    }
    MPI_Barrier(world);
}
IN_WINDOW(load_beside_locked_put, "MpiRace", 2) {
    MPI_Barrier(world);
    if (rank == 1) {
        lock(MPI_LOCK_EXCLUSIVE, 0);
        put(in, 0, 2);
        unlock(0);
    }
    if (!wrong) MPI_Barrier(world);
    if (rank == 0) seen = cells[2];
    MPI_Barrier(world);
}
BUG(store_in_allocated_window, "MpiRace", 2) {
    int* base;
    MPI_Win_allocate(16 * sizeof *base, sizeof *base, MPI_INFO_NULL, world, &base, &window);
    for (int i = 0; i < 16; ++i) base[i] = i;
    fence();
    if (rank == 1) put(in, 0, 7);
    if (rank == 0) base[wrong ? 7 : 6] = 3;
    fence();
    MPI_Win_free(&window);
}

// --- operations that fetch, and those with requests

IN_WINDOW(fetch_and_put, "MpiRace", 3) {
    MPI_Win_lock_all(0, window);
    if (rank == 1) MPI_Fetch_and_op(in, out, MPI_INT, 0, 0, MPI_SUM, window);
    if (rank == 2) put(in, 0, wrong ? 0 : 1);
    MPI_Win_unlock_all(window);
}
IN_WINDOW(swap_and_get, "MpiRace", 3) {
    MPI_Win_lock_all(0, window);
    if (rank == 1) MPI_Compare_and_swap(in, in + 1, out, MPI_INT, 0, 0, window);
    if (rank == 2) get(out, 0, wrong ? 0 : 1);
    MPI_Win_unlock_all(window);
}
IN_WINDOW(rget_read_early, "MpiRace|MpiBufferInUse|UninitCondition", 2) {
    MPI_Request request;
    int here[1] = {0};
    MPI_Win_lock_all(0, window);
    MPI_Rget(here, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, window, &request);
    if (wrong && here[0] == 4) seen = 1;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (here[0] == 4) seen = 2;
    MPI_Win_unlock_all(window);
}
IN_WINDOW(rput_changed_early, "MpiRace|MpiBufferInUse", 2) {
    MPI_Request request;
    MPI_Win_lock_all(0, window);
    MPI_Rput(in, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, window, &request);
    if (wrong) in[0] = 8;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    in[0] = 9;
    MPI_Win_unlock_all(window);
}
IN_WINDOW(rput_never_waited, "MpiRequest", 2) {
    MPI_Request request;
    MPI_Win_lock_all(0, window);
    MPI_Rput(in, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, window, &request);
    if (!wrong) MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(window);
}
IN_WINDOW(put_after_local_flush_only, "MpiRace", 2) {
    MPI_Win_lock_all(0, window);
    if (rank == 0) {
        put(in, 1, 0);
        if (wrong) MPI_Win_flush_local(1, window);
        if (!wrong) MPI_Win_flush(1, window);
        put(in + 1, 1, 0);
    }
    MPI_Win_unlock_all(window);
}
IN_WINDOW(get_before_flush, "MpiRace", 2) {
    int here[1] = {0};
    MPI_Win_lock_all(0, window);
    get(here, 1 - rank, 0);
    if (!wrong) MPI_Win_flush(1 - rank, window);
    if (here[0] == 4) seen = 1;
    MPI_Win_unlock_all(window);
}
// One of two ranks that increment so may lose what the other one does.
IN_WINDOW(get_add_put, "MpiRace", 2) {
    const int one = 1;
    int value;
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 4; ++i) {
        if (wrong) {
            get(&value, 0, i);
            MPI_Win_flush(0, window);
            ++value;
            put(&value, 0, i);
        } else {
            MPI_Fetch_and_op(&one, &value, MPI_INT, 0, i, MPI_SUM, window);
        }
        MPI_Win_flush(0, window);
    }
    MPI_Win_unlock_all(window);
}
// --- memory that both ranks have

static int *mine, *other;
static MPI_Win open_shared(void) {
    MPI_Win shared;
    MPI_Aint bytes;
    int unit;
    MPI_Win_allocate_shared(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &mine, &shared);
    MPI_Win_shared_query(shared, 1 - rank, &bytes, &unit, &other);
    return shared;
}
BUG(load_from_shared, "MpiRace", 2) {
    MPI_Win shared = open_shared();
    MPI_Win_fence(0, shared);
    for (int i = 0; i < 16; ++i) mine[i] = i;
    if (!wrong) MPI_Win_fence(0, shared);
    for (int i = 0; i < 16; ++i) seen = other[i];
    MPI_Win_free(&shared);
}
BUG(two_stores_to_shared, "MpiRace", 2) {
    MPI_Win shared = open_shared();
    MPI_Win_lock_all(0, shared);
    if (rank == 0 || wrong) (rank == 0 ? mine : other)[4] = rank;
    MPI_Barrier(world);
    if (rank == 1) other[4] += 2;
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
}
BUG(flag_in_shared, "MpiRace", 2) {
    MPI_Win shared = open_shared();
    MPI_Win_lock_all(0, shared);
    if (rank == 0) {
        mine[8] = 7;
        if (!wrong) MPI_Win_sync(shared);
        *(volatile int*)mine = 1;
    } else {
        while (!wrong && *(volatile int*)other == 0) MPI_Win_sync(shared);
        seen = other[8];
    }
    MPI_Win_unlock_all(shared);
    MPI_Win_free(&shared);
}
// A value that is fetched under a lock tells that another rank has done its part.
IN_WINDOW(flag_under_lock, "MpiRace", 3) {
    if (rank == 0) {
        lock(MPI_LOCK_SHARED, 2);
        put(in, 2, 1);
        unlock(2);
        lock(MPI_LOCK_EXCLUSIVE, 2);
        put((const int[]){1}, 2, 0);
        unlock(2);
    } else if (rank == 1) {
        for (int flag = wrong; flag == 0;) {
            lock(MPI_LOCK_EXCLUSIVE, 2);
            get(&flag, 2, 0);
            unlock(2);
        }
        lock(MPI_LOCK_SHARED, 2);
        get(out, 2, 1);
        unlock(2);
    }
}
