/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The pieces of a buffer of MPI: elements of a type without the holes between them.
 */
#ifndef MEMSPY_PRELOAD_MPI_BUFFERS_H
#define MEMSPY_PRELOAD_MPI_BUFFERS_H

#include "preload/mpi_library.h"
#include "requests/mpi_signature.h"

/* Tells the tool all pieces of `count` elements at `buffer`, in the order in which a message fills them.
 * `use`: kMpiReads, kMpiWrites. Nothing for MPI_IN_PLACE. What lies behind a part of a type that is not
 * understood is not told. */
INTERNAL void tell_buffer(const char* parameter, int use, W buffer, long count, W type);
/* The same with each partition of a partitioned message, one behind the other. */
INTERNAL void tell_partitions(const char* parameter, int use, W buffer, int partitions, long count, W type);
/* The same with a buffer of each rank: counts[i] elements, offsets[i] extents from the start. */
INTERNAL void tell_buffers(const char* parameter, int use, W buffer, Numbers counts, Numbers offsets,
                           int ranks, W type);

/* The kinds and sizes of the type's elements; none (length 0) if it is not understood, or MPI_PACKED, which
 * matches every type. Types of C and of Fortran that have the same kind of value and the same size are equal. */
INTERNAL MpiSignature signature_of_type(W type);

#endif
