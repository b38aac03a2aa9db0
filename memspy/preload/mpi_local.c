// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of functions that use the program's buffers and communicate nothing: what is packed and unpacked,
// and MPI_Reduce_local. In both families packed elements have no bytes between them.
#include "preload/mpi_wrap.h"

static W packed_at(const Call* call, W buffer, W position) {
    const Numbers at = numbers_of(call, position);
    return buffer + (W)number_at(at, 0);
}

#define LOCAL(name, words, parameters, arguments, comm, BEFORE)                                              \
    WRAP_COUNTS(name, words, parameters, arguments, comm, BEFORE,                                            \
                if ((int)result == 0) arrived(&call, kAllBytes))
LOCAL(Pack, 7W, (W in, W count, W type, W out, W room, W position, W comm),
      (in, count, type, out, room, position, comm), comm, gives(&call, "inbuf", in, count, type);
      if (call.checks) tell_buffer("outbuf", kMpiWrites, packed_at(&call, out, position),
                                   (long)bytes_of(&call, count, type), library.byte_type))
LOCAL(Unpack, 7W, (W in, W room, W position, W out, W count, W type, W comm),
      (in, room, position, out, count, type, comm), comm, takes(&call, "outbuf", out, count, type);
      if (call.checks) tell_buffer("inbuf", kMpiReads, packed_at(&call, in, position),
                                   (long)bytes_of(&call, count, type), library.byte_type))
// How many bytes elements have in another representation is not known here.
LOCAL(Pack_external, 7W, (W kind, W in, W count, W type, W out, W room, W position),
      (kind, in, count, type, out, room, position), 0, gives(&call, "inbuf", in, count, type))
LOCAL(Unpack_external, 7W, (W kind, W in, W room, W position, W out, W count, W type),
      (kind, in, room, position, out, count, type), 0, takes(&call, "outbuf", out, count, type))
LOCAL(Reduce_local, 5W, (W in, W inout, W count, W type, W op), (in, inout, count, type, op), 0,
      gives(&call, "inbuf", in, count, type);
      if (call.checks) tell_buffer("inoutbuf", kMpiReads | kMpiWrites, inout, count_of(&call, count), type))
