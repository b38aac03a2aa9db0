// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types are taken apart by MPI_Type_get_envelope and MPI_Type_get_contents, which do not communicate. Pieces
// that touch each other become one.
#include "preload/mpi_buffers.h"

#include "analyses/mpi/requests.h"
#include "memspy.h"

typedef struct {
    MpiPiece run;   // the last piece, not told yet
    long told;      // pieces
    int gave_up;    // part of the type is not understood, or has too many pieces
} Walk;

enum { kMostPieces = 1 << 16, kMostParts = 2048, kDeepest = 24 };

// MPI_COMBINER_*, counted from MPI_COMBINER_NAMED.
enum {
    kNamed, kDup, kContiguous, kVector, kHvectorInteger, kHvector, kIndexed, kHindexedInteger, kHindexed,
    kIndexedBlock, kStructInteger, kStruct, kSubarray, kDarray, kF90Real, kF90Complex, kF90Integer, kResized,
    kHindexedBlock
};

static int is_of_the_language(int combiner) {
    return combiner == kNamed || (combiner >= kF90Real && combiner <= kF90Integer);
}

static void flush(Walk* walk) {
    if (walk->run.bytes != 0) {
        VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_PIECE, &walk->run, 0, 0, 0, 0);
        if (++walk->told == kMostPieces) walk->gave_up = 1;
    }
    walk->run.bytes = 0;
}

static void add(Walk* walk, W address, W bytes) {
    if (bytes == 0) return;
    if (walk->run.bytes != 0 && walk->run.address + walk->run.bytes == address) {
        walk->run.bytes += bytes;
        return;
    }
    flush(walk);
    walk->run.address = address;
    walk->run.bytes = bytes;
}

// Elements of the language: x86-64's long double has ten bytes of value in sixteen, and the pairs for MPI_MAXLOC
// may have holes.
static void walk_named(Walk* walk, W at, long count, long size, long extent) {
    enum { kValue = __LDBL_MANT_DIG__ == 64 ? 10 : 16, kSlot = 16 };
    if (size == extent && size < kSlot) {
        add(walk, at, (W)(count * size));
        return;
    }
    for (long i = 0; i < count && !walk->gave_up; ++i) {
        const W element = at + (W)(i * extent);
        if (size == 6) {  // short and int
            add(walk, element, 2);
            add(walk, element + 4, 4);
        } else if (size < kSlot) {
            add(walk, element, (W)size);
        } else {
            long done = 0;
            for (; done + kSlot <= size; done += kSlot) add(walk, element + (W)done, kValue);
            add(walk, element + (W)done, (W)(size - done));
        }
    }
}

static void walk_type(Walk* walk, W type, W at, long count, int depth);

// `sizes`, `parts` and `starts` of an array's dimensions, the slowest first.
static void walk_subarray(Walk* walk, W type, W at, long extent, int dimensions, const int* sizes,
                          const int* parts, const int* starts, int step, int depth) {
    long inner = 1;
    for (int d = 1; d < dimensions; ++d) inner *= sizes[d * step];
    if (dimensions == 1) {
        walk_type(walk, type, at + (W)(starts[0] * extent), parts[0], depth);
        return;
    }
    for (int i = 0; i < parts[0] && !walk->gave_up; ++i)
        walk_subarray(walk, type, at + (W)((starts[0] + i) * inner * extent), extent, dimensions - 1, sizes + step,
                      parts + step, starts + step, step, depth);
}

static void walk_contents(Walk* walk, int combiner, const int* ints, const long* longs, const W* types, W at,
                          int depth) {
    long low = 0, extent = 0;
    if (combiner != kStruct && library.type_extent(types[0], &low, &extent) != 0) {
        walk->gave_up = 1;
        return;
    }
    const int count = ints[0];
    switch (combiner) {
        case kDup: walk_type(walk, types[0], at, 1, depth); return;
        case kResized: walk_type(walk, types[0], at, 1, depth); return;
        case kContiguous: walk_type(walk, types[0], at, count, depth); return;
        case kVector:
        case kHvector: {
            const long stride = combiner == kVector ? ints[2] * extent : longs[0];
            for (int i = 0; i < count && !walk->gave_up; ++i)
                walk_type(walk, types[0], at + (W)(i * stride), ints[1], depth);
            return;
        }
        case kIndexed:
        case kHindexed:
            for (int i = 0; i < count && !walk->gave_up; ++i)
                walk_type(walk, types[0],
                          at + (W)(combiner == kIndexed ? ints[1 + count + i] * extent : longs[i]), ints[1 + i],
                          depth);
            return;
        case kIndexedBlock:
        case kHindexedBlock:
            for (int i = 0; i < count && !walk->gave_up; ++i)
                walk_type(walk, types[0], at + (W)(combiner == kIndexedBlock ? ints[2 + i] * extent : longs[i]),
                          ints[1], depth);
            return;
        case kStruct:
            for (int i = 0; i < count && !walk->gave_up; ++i)
                walk_type(walk, types[i], at + (W)longs[i], ints[1 + i], depth);
            return;
        case kSubarray: {
            const int is_c = ints[1 + 3 * count] == library.order_c;
            const int first = is_c ? 1 : count;
            walk_subarray(walk, types[0], at, extent, count, ints + first, ints + first + count,
                          ints + first + 2 * count, is_c ? 1 : -1, depth);
            return;
        }
        default: walk->gave_up = 1;
    }
}

static void walk_type(Walk* walk, W type, W at, long count, int depth) {
    int ints = 0, longs = 0, types = 0, combiner = 0, size = 0;
    long low = 0, extent = 0;
    if (count <= 0 || walk->gave_up) return;
    if (depth == kDeepest || library.type_envelope(type, &ints, &longs, &types, &combiner) != 0 ||
        library.type_extent(type, &low, &extent) != 0 || library.type_size(type, &size) != 0) {
        walk->gave_up = 1;
        return;
    }
    combiner -= library.first_combiner;
    if (is_of_the_language(combiner)) {
        walk_named(walk, at, count, size, extent);
        return;
    }
    if (size == 0) return;
    if (types < 1 || ints + longs + types > kMostParts) {
        walk->gave_up = 1;
        return;
    }
    int all_ints[ints + 1];
    long all_longs[longs + 1];
    W raw_types[types], all_types[types];
    if (library.type_contents(type, ints, longs, types, all_ints, all_longs, raw_types) != 0) {
        walk->gave_up = 1;
        return;
    }
    for (int i = 0; i < types; ++i) all_types[i] = handle_at(raw_types, i);
    for (long i = 0; i < count && !walk->gave_up; ++i)
        walk_contents(walk, combiner, all_ints, all_longs, all_types, at + (W)(i * extent), depth + 1);
    // The library's answer are types of the caller's own, unless the language has them.
    for (int i = 0; i < types; ++i)
        if (library.type_envelope(all_types[i], &ints, &longs, &size, &combiner) == 0 &&
            !is_of_the_language(combiner - library.first_combiner))
            library.type_free(&all_types[i]);
}

void tell_buffer(const char* parameter, int use, W buffer, int count, W type) {
    if (buffer == library.in_place || use == 0) return;
    Walk walk = {{0, 0, parameter, use}, 0, 0};
    walk_type(&walk, type, buffer, count, 0);
    flush(&walk);
}

void tell_buffers(const char* parameter, int use, W buffer, const int* counts, const int* offsets, int ranks,
                  W type) {
    long low = 0, extent = 0;
    if (buffer == library.in_place || library.type_extent(type, &low, &extent) != 0) return;
    Walk walk = {{0, 0, parameter, use}, 0, 0};
    for (int i = 0; i < ranks; ++i) walk_type(&walk, type, buffer + (W)(offsets[i] * extent), counts[i], 0);
    flush(&walk);
}

void tell_blocks(const char* parameter, int use, W buffer, int count, int ranks, W type) {
    if (count > 0 && count <= 0x7fffffff / (ranks > 0 ? ranks : 1))
        tell_buffer(parameter, use, buffer, count * ranks, type);
}
