/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the wrappers of MPI's functions (mpi.c) tell the tool: the layouts behind the requests
 * MEMSPY_REQ_MPI_* of memspy.h. Handles are numbers here: pointers with Open MPI, ints with MPICH.
 */
#ifndef MEMSPY_ANALYSES_MPI_REQUESTS_H
#define MEMSPY_ANALYSES_MPI_REQUESTS_H

#include "requests/mpi_signature.h"

typedef enum {
#define MPI_CALL(name, pattern) kMpi_##name,
#include "requests/mpi_calls.def"
    kMpiCalls
} MpiCallNumber;

/* Bits of MEMSPY_REQ_MPI_ENTER's value. */
enum {
    kMpiCounts = 1,      /* this call is counted: the outermost one, with --mpi=yes */
    kMpiUnknownComm = 2, /* its communicator has not been described yet */
    kMpiChecks = 4,      /* its buffers are checked (--mpi-checks=yes) */
    kMpiTypes = 8,       /* the types of its messages are wanted (--mpi-types=yes) */
    kMpiUnbuffered = 16  /* a send is to wait for its receive (--mpi-buffering=none) */
};

/* Which threads may call the library: MPI_THREAD_SINGLE and so on, the same numbers in both families. */
enum { kMpiThreadsSingle, kMpiThreadsFunneled, kMpiThreadsSerialized, kMpiThreadsMultiple };

/* A piece of a buffer that the call is about to use, without holes. */
enum {
    kMpiReads = 1,
    kMpiWrites = 2,
    kMpiNoValues = 4, /* its bytes need not be defined */
    kMpiAtTarget = 8  /* of another rank's window; the address counts from `target_offset` */
};
typedef struct {
    unsigned long address, bytes;
    const char* parameter; /* "buf", static storage */
    int use;               /* kMpiReads ... */
    int partition;         /* of a partitioned message */
} MpiPiece;

/* `count` elements of a type; bytes 0: not known. */
typedef struct {
    MpiSignature element;
    unsigned long bytes; /* of the values of one */
    long count;
} MpiTypes;

enum {
    kMpiNobody = -1, /* as a peer: no single rank, or none at all */
    kMpiAnyone = -3, /* MPI_ANY_SOURCE */
    /* As the root of an operation between groups: this rank (MPI_ROOT), another one of its group. */
    kMpiRootHere = -4,
    kMpiRootBeside = -5
};

/* One call. Filled in by the wrapper between ENTER and LEAVE. */
typedef struct {
    unsigned long comm;     /* its handle, 0: none */
    unsigned long request;  /* what completes it, 0: nothing */
    unsigned long window;   /* the window whose synchronisation completes it, 0: nothing */
    unsigned long sent;     /* bytes that this rank gives: to `peer`, or to the collective operation */
    unsigned long received; /* bytes that it gets, where known when the call ends */
    int peer;               /* rank in comm that gets `sent` */
    int source;             /* rank in comm that `received` comes from */
    int tag;                /* of what is sent */
    int received_tag;       /* of what is received */
    int awaits;      /* rank in comm without which the call may not end, or of which it asks: the sender of a
                               receive or a probe, the target of a lock; kMpiAnyone */
    int awaited_tag; /* of such a message; negative: any */
    int root;        /* rank in comm that all of a collective operation name */
    int in_vain;     /* the call asked whether something has come, and nothing had */
    int failed;      /* the call returned an error */
    int persistent;  /* the request can be started again and again, and this call did not start it */
    int partitions;  /* of the request that it makes, if it is partitioned; or that it marks ready */
    MpiTypes given, taken;      /* of what is sent, and of the buffer that receives; if wanted */
    int agrees;                 /* `agreed` is known */
    MpiTypes agreed;            /* what all ranks of a collective operation must name alike */
    unsigned long op;           /* a predefined operation, the same number in all ranks; 0: none */
    long target_offset;         /* of a one-sided operation, in the window's units */
    unsigned long target_bytes; /* that it uses there */
    int is_exclusive;           /* of a lock */
} MpiCallFacts;

/* What this rank gives to another one, or takes from it, in the collective operation that it is about to begin. */
typedef struct {
    unsigned long comm;
    int peer; /* rank in comm */
    int is_taken;
    MpiTypes types;
} MpiShare;

/* What this rank gives to another one in the collective operation that it is about to begin. */
typedef struct {
    unsigned long comm;
    int peer; /* rank in comm */
    unsigned long bytes;
} MpiGift;

/* A call waits for a request. As soon as the library has completed it, another thread's request may get its
 * handle. So the call asks for the request's number before, and has it until it is complete or given back. */
typedef unsigned MpiAwaited; /* 0: not known */
enum { kMpiAwaitedReceives = 1u << 31 };

/* An awaited request is complete; `source` and `received` are for what receives. */
typedef struct {
    MpiAwaited request;
    unsigned long received;
    int source;
    int tag;
} MpiCompletion;

/* What a program makes, and frees. */
typedef enum {
    kMpiComm,
    kMpiType,
    kMpiGroup,
    kMpiWindow,
    kMpiInfo,
    kMpiFile,
    kMpiOperation,
    kMpiErrorHandler,
    kMpiKey,     /* of attributes */
    kMpiMessage, /* that a probe has matched */
    kMpiObjectKinds
} MpiObjectKind;
typedef struct {
    MpiObjectKind kind;
    unsigned long handle;
    const char* maker; /* the function that made it, static storage; "": the program has its handle once more,
                          if it ever made it; 0: it is freed */
} MpiObject;

/* The value of MEMSPY_REQ_MPI_USE, by which a call asks about a handle or a count before it gives it to the
 * library. What is wrong is reported when the call is checked, or at once with the name of one that is not
 * followed. */
enum { kMpiUsable, kMpiUnusable };
/* In the place of the object's kind: the call has a negative count, or MPI_IN_PLACE where only the root may. */
enum { kMpiNegativeCount = kMpiObjectKinds, kMpiInPlaceBesideRoot };

/* In the place of a predefined operation's number: one that the program has made. */
#define kMpiOwnOperation 0xFFFFul

/* A window that the collective call has just made. */
typedef struct {
    unsigned long handle;
    unsigned long unit;        /* bytes by which offsets in this rank's part count */
    unsigned long base, bytes; /* of this part; 0: not known */
    int self;                  /* this rank's number in it */
} MpiWindowFacts;

/* A letter of type_matching.h: to `rank`, or from it. */
typedef struct {
    int rank;
    unsigned long address, bytes; /* address 0: only its size is asked for */
} MpiLetter;

/* The statuses that a call for several requests fills in. */
typedef struct {
    unsigned long statuses;
    int count;
} MpiStatuses;

/* A communicator: world_ranks[r] is the rank in MPI_COMM_WORLD of its rank r. Between groups these are the ranks
 * of the other group, and own_ranks those of this one. */
typedef struct {
    unsigned long handle;
    const char* name; /* as MPI_Comm_get_name has it, may be "" */
    const int* world_ranks;
    int size;
    const int* own_ranks;
    int own_size; /* 0: not between groups */
    int numbered; /* apart: communicators 0, windows 1, files 2 */
} MpiCommFacts;

#endif
