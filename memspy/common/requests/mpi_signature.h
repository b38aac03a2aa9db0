/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The type signature of a message (MPI, "Datatypes"): the kinds and sizes of its elements one after the other,
 * without their places. It is kept as a polynomial hash, of which a repetition has its value in a few steps: so
 * ten numbers, and five times a structure of two, are the same. For the preloaded library, too.
 */
#ifndef MEMSPY_ANALYSES_MPI_SIGNATURE_H
#define MEMSPY_ANALYSES_MPI_SIGNATURE_H

typedef struct {
    unsigned long hash;
    unsigned long length; /* elements of the language */
} MpiSignature;

/* The prime that makes collisions improbable and multiplication cheap: 2^61 - 1. */
static const unsigned long kMpiPrime = (1ul << 61) - 1;
static const unsigned long kMpiBase = 0x1234567890abcdful;

static inline unsigned long mpi_product(unsigned long a, unsigned long b) {
    return (unsigned long)((unsigned __int128)a * b % kMpiPrime);
}
static inline unsigned long mpi_power(unsigned long exponent) {
    unsigned long result = 1, factor = kMpiBase;
    for (; exponent != 0; exponent >>= 1) {
        if ((exponent & 1) != 0) result = mpi_product(result, factor);
        factor = mpi_product(factor, factor);
    }
    return result;
}

/* `first`, and `second` behind it. */
static inline MpiSignature mpi_joined(MpiSignature first, MpiSignature second) {
    const unsigned long shifted = mpi_product(second.hash, mpi_power(first.length));
    MpiSignature both;
    both.hash = (first.hash + shifted) % kMpiPrime;
    both.length = first.length + second.length;
    return both;
}
static inline MpiSignature mpi_repeated(MpiSignature one, unsigned long times) {
    MpiSignature all = {0, 0};
    for (; times != 0; times >>= 1) {
        if ((times & 1) != 0) all = mpi_joined(all, one);
        one = mpi_joined(one, one);
    }
    return all;
}

#endif
