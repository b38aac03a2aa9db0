/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The exchange of letters about sent messages (analyses/mpi/type_matching.h), in MPI_Finalize.
 */
#ifndef MEMSPY_PRELOAD_MPI_LETTERS_H
#define MEMSPY_PRELOAD_MPI_LETTERS_H

#include "preload/mpi_library.h"

typedef struct {
    int ranks;
    int *sent, *received;       /* bytes, by rank */
    int *sent_at, *received_at; /* offsets */
    char *out, *in;             /* null: a rank did not answer */
} Letters;

/* All ranks call it. The others' letters are in `in`. A rank that does not call it costs the others half a
 * minute. */
INTERNAL Letters exchange_letters(void);
INTERNAL void free_letters(Letters* letters);

#endif
