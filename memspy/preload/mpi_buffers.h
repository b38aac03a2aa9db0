/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pieces of a buffer of MPI: elements of a type without the holes between them.
 */
#ifndef MEMSPY_PRELOAD_MPI_BUFFERS_H
#define MEMSPY_PRELOAD_MPI_BUFFERS_H

#include "preload/mpi_library.h"

/* Tells the tool all pieces of `count` elements at `buffer`, in the order in which a message fills them.
 * `use`: kMpiReads, kMpiWrites. Nothing for MPI_IN_PLACE. What lies behind a part of a type that is not
 * understood is not told. */
INTERNAL void tell_buffer(const char* parameter, int use, W buffer, int count, W type);
/* The same with a buffer of each rank: counts[i] elements, offsets[i] extents from the start. */
INTERNAL void tell_buffers(const char* parameter, int use, W buffer, const int* counts, const int* offsets,
                           int ranks, W type);
/* The same with a block of `count` elements for each rank, one behind the other. */
INTERNAL void tell_blocks(const char* parameter, int use, W buffer, int count, int ranks, W type);

#endif
