// SPDX-License-Identifier: GPL-2.0-or-later
//
// Types are taken apart by MPI_Type_get_envelope and MPI_Type_get_contents, which do not communicate. Pieces
// that touch each other become one.
#include "preload/mpi_buffers.h"

#include "memspy.h"
#include "requests/mpi.h"

typedef struct {
    MpiSignature* types;  // wanted instead of pieces, or null
    MpiPiece run;         // the last piece, not told yet
    long told;            // pieces
    int gave_up;          // part of the type is not understood, or has too many pieces
} Walk;

enum { kMostPieces = 1 << 16, kMostParts = 2048, kDeepest = 24 };

// MPI_COMBINER_*, counted from MPI_COMBINER_NAMED.
enum {
    kNamed,
    kDup,
    kContiguous,
    kVector,
    kHvectorInteger,
    kHvector,
    kIndexed,
    kHindexedInteger,
    kHindexed,
    kIndexedBlock,
    kStructInteger,
    kStruct,
    kSubarray,
    kDarray,
    kF90Real,
    kF90Complex,
    kF90Integer,
    kResized,
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

// Elements of the language: x86-64's long double has ten bytes of value in sixteen, and the pairs for
// MPI_MAXLOC may have holes.
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

// --- signatures

static int begins_with(const char* text, const char* word) {
    while (*word != 0 && *text == *word) ++text, ++word;
    return *word == 0;
}
static int has(const char* text, const char* word) {
    for (; *text != 0; ++text)
        if (begins_with(text, word)) return 1;
    return 0;
}

// What distinguishes an element of the language, apart from its size; 0 for MPI_PACKED.
static unsigned long kind_of(const char* name) {
    static const struct {
        const char* word;
        unsigned long kind;
    } kKinds[] = {{"PACKED", 0},     {"COMPLEX", 'c'}, {"BYTE", 'b'},      {"BOOL", 'l'},
                  {"LOGICAL", 'l'},  {"WCHAR", 'w'},   {"CHARACTER", 'C'}, {"SIGNED_CHAR", 'i'},
                  {"UNSIGNED", 'u'}, {"UINT", 'u'},    {"FLOAT", 'f'},     {"DOUBLE", 'f'},
                  {"REAL", 'f'},     {"CHAR", 'C'}};
    // Pairs for MPI_MAXLOC: MPI_DOUBLE_INT, MPI_2REAL.
    unsigned long pair = 0;
    for (const char* at = name; *at != 0; ++at)
        if (begins_with(at, "_INT") && at[4] == 0 && at != name + 3) pair = 'p';
    if (begins_with(name, "MPI_2")) pair = 'p';
    if (pair != 0) {
        for (; *name != 0; ++name) pair = pair * 31 + (unsigned char)*name;
        return pair;
    }
    for (unsigned long i = 0; i < sizeof kKinds / sizeof *kKinds; ++i)
        if (has(name, kKinds[i].word)) return kKinds[i].kind;
    return 'i';
}

// Of an element of the language, which is never freed: its name is looked up for many messages.
static unsigned long kind_of_type(W type) {
    static __thread struct {
        W type;
        unsigned long kind;
    } known __attribute__((tls_model("initial-exec")));
    char name[256] = "";  // MPI_MAX_OBJECT_NAME is 128 or less
    int length = 0;
    if (known.kind != 0 && known.type == type) return known.kind;
    library.type_name(type, name, &length);
    known.type = type;
    known.kind = kind_of(name);
    return known.kind;
}

static void add_types(Walk* walk, W type, long count, long size) {
    const unsigned long kind = kind_of_type(type);
    if (kind == 0) walk->gave_up = 1;
    const MpiSignature element = {mpi_product(kind * 64 + (unsigned long)size, kMpiBase), 1};
    *walk->types = mpi_joined(*walk->types, mpi_repeated(element, (unsigned long)count));
}

MpiSignature signature_of_type(W type) {
    MpiSignature found = {0, 0};
    Walk walk = {&found, {0, 0, 0, 0, 0}, 0, 0};
    walk_type(&walk, type, 0, 1, 0);
    return walk.gave_up ? (MpiSignature){0, 0} : found;
}

// --- types

// Of a type without large counts; returns 0 if it is one.
static int envelope(W type, int* ints, int* longs, int* types, int* combiner) {
    if (library.type_envelope_large != 0) {
        long many[4] = {0};
        if (library.type_envelope_large(type, &many[0], &many[1], &many[2], &many[3], combiner) != 0 ||
            many[2] != 0)
            return 1;
    }
    return library.type_envelope(type, ints, longs, types, combiner);
}

// What a type takes of a dimension of an array: `run` elements from `first` on, again each `step` elements.
typedef struct {
    long size, first, run, step;
} Dimension;

// The slowest dimension first, and the fastest one has the elements' `extent`.
static void walk_array(Walk* walk, W type, W at, long extent, int dimensions, const Dimension* slowest,
                       int depth) {
    long inner = extent;
    for (int d = 1; d < dimensions; ++d) inner *= slowest[d].size;
    for (long from = slowest->first; from < slowest->size && !walk->gave_up; from += slowest->step) {
        const long left = slowest->size - from, run = left < slowest->run ? left : slowest->run;
        if (dimensions == 1) {
            walk_type(walk, type, at + (W)(from * inner), run, depth);
            continue;
        }
        for (long i = from; i < from + run && !walk->gave_up; ++i)
            walk_array(walk, type, at + (W)(i * inner), extent, dimensions - 1, slowest + 1, depth);
    }
}

// `ints`: dimensions, sizes, sizes of the part, its starts, order.
static void walk_subarray(Walk* walk, W type, W at, long extent, const int* ints, int depth) {
    const int dimensions = ints[0];
    const int *sizes = ints + 1, *parts = sizes + dimensions, *starts = parts + dimensions;
    const int is_c = starts[dimensions] == library.order_c;
    Dimension all[dimensions];
    for (int d = 0; d < dimensions; ++d)
        all[is_c ? d : dimensions - 1 - d] = (Dimension){sizes[d], starts[d], parts[d], sizes[d]};
    walk_array(walk, type, at, extent, dimensions, all, depth);
}

// `ints`: processes, the process whose part this is, dimensions, sizes, distributions, their arguments,
// processes along each dimension, order. The last dimension of the grid of processes is the fastest, in both
// orders.
static void walk_darray(Walk* walk, W type, W at, long extent, const int* ints, int depth) {
    const int dimensions = ints[2];
    const int *sizes = ints + 3, *kinds = sizes + dimensions, *blocks = kinds + dimensions,
              *grid = blocks + dimensions;
    const int is_c = grid[dimensions] == library.order_c;
    Dimension all[dimensions];
    int process = ints[1];
    for (int d = dimensions - 1; d >= 0; --d) {
        const long size = sizes[d], across = grid[d], place = process % across;
        process /= (int)across;
        long run = blocks[d];
        if (kinds[d] == library.not_distributed)
            run = size;
        else if (blocks[d] == library.default_block)
            run = kinds[d] == library.cyclic ? 1 : (size + across - 1) / across;
        all[is_c ? d : dimensions - 1 - d] = (Dimension){size, place * run, run, across * run};
    }
    walk_array(walk, type, at, extent, dimensions, all, depth);
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
                          at + (W)(combiner == kIndexed ? ints[1 + count + i] * extent : longs[i]),
                          ints[1 + i], depth);
            return;
        case kIndexedBlock:
        case kHindexedBlock:
            for (int i = 0; i < count && !walk->gave_up; ++i)
                walk_type(walk, types[0],
                          at + (W)(combiner == kIndexedBlock ? ints[2 + i] * extent : longs[i]), ints[1],
                          depth);
            return;
        case kStruct:
            for (int i = 0; i < count && !walk->gave_up; ++i)
                walk_type(walk, types[i], at + (W)longs[i], ints[1 + i], depth);
            return;
        case kSubarray: walk_subarray(walk, types[0], at, extent, ints, depth); return;
        case kDarray: walk_darray(walk, types[0], at, extent, ints, depth); return;
        default: walk->gave_up = 1;
    }
}

static void walk_type(Walk* walk, W type, W at, long count, int depth) {
    int ints = 0, longs = 0, types = 0, combiner = 0;
    long low = 0, extent = 0, size = 0;
    if (count <= 0 || walk->gave_up) return;
    if (depth == kDeepest || envelope(type, &ints, &longs, &types, &combiner) != 0 ||
        library.type_extent(type, &low, &extent) != 0 || library.type_size(type, &size) != 0) {
        walk->gave_up = 1;
        return;
    }
    combiner -= library.first_combiner;
    if (is_of_the_language(combiner)) {
        if (walk->types != 0)
            add_types(walk, type, count, size);
        else
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
    int types_inside = 0;
    for (int i = 0; i < types; ++i)
        if (envelope(all_types[i], &ints, &longs, &types_inside, &combiner) == 0 &&
            !is_of_the_language(combiner - library.first_combiner))
            library.type_free(&all_types[i]);
}

int is_freed_type(W type) {
    return VALGRIND_DO_CLIENT_REQUEST_EXPR(kMpiUsable, MEMSPY_REQ_MPI_USE, kMpiType, handle(type), 0, 0, 0) !=
           kMpiUsable;
}
static void note_negative_count(void) {
    VALGRIND_DO_CLIENT_REQUEST_STMT(MEMSPY_REQ_MPI_USE, kMpiNegativeCount, 0, 0, 0, 0);
}

void tell_buffer(const char* parameter, int use, W buffer, long count, W type) {
    if (count < 0) note_negative_count();
    if (buffer == library.in_place || use == 0 || (library.frees_types && is_freed_type(type))) return;
    Walk walk = {0, {0, 0, parameter, use, 0}, 0, 0};
    walk_type(&walk, type, buffer, count, 0);
    flush(&walk);
}

void tell_partitions(const char* parameter, int use, W buffer, int partitions, long count, W type) {
    long low = 0, extent = 0;
    if (library.type_extent(type, &low, &extent) != 0) return;
    Walk walk = {0, {0, 0, parameter, use, 0}, 0, 0};
    for (int i = 0; i < partitions && !walk.gave_up; ++i) {
        walk.run.partition = i;
        walk_type(&walk, type, buffer + (W)(i * count * extent), count, 0);
        flush(&walk);
    }
}

void tell_buffers(const char* parameter, int use, W buffer, Numbers counts, Numbers offsets, int ranks,
                  W type) {
    long low = 0, extent = 0;
    if (buffer == library.in_place || (library.frees_types && is_freed_type(type)) ||
        library.type_extent(type, &low, &extent) != 0)
        return;
    Walk walk = {0, {0, 0, parameter, use, 0}, 0, 0};
    for (int i = 0; i < ranks; ++i) {
        if (number_at(counts, i) < 0) note_negative_count();
        walk_type(&walk, type, buffer + (W)(number_at(offsets, i) * extent), number_at(counts, i), 0);
    }
    flush(&walk);
}
