// SPDX-License-Identifier: GPL-2.0-or-later
//
// Wrappers of MPI's access to files: bytes written are sent, bytes read (by the status) received. A split
// access is followed as a request, which its file stands for: a file has one at a time. A file is a group of
// ranks, as a communicator is: those that opened it.
#include "preload/mpi_wrap.h"

#define PARAMETERS W file, W buffer, W count, W type
#define ARGUMENTS file, buffer, count, type
#define AT_PARAMETERS W file, W offset, W buffer, W count, W type
#define AT_ARGUMENTS file, offset, buffer, count, type

static void writes(Call* call, W buffer, W count, W type) {
    call->facts.sent = bytes_of(call, count, type);
    gives(call, "buf", buffer, count, type);
}

#define READS_BY(name, words, parameters, arguments)                                                         \
    WRAP_STATUS(name, words, (WRAP_OPEN parameters, W status), (WRAP_OPEN arguments, status), file,          \
                takes(&call, "buf", buffer, count, type), set_received(&call, status);                       \
                call.facts.source = kMpiNobody)
#define WRITES_BY(name, words, parameters, arguments)                                                        \
    WRAP_COUNTS(name, words, (WRAP_OPEN parameters, W status), (WRAP_OPEN arguments, status), file,          \
                writes(&call, buffer, count, type), NOTHING)
#define BEGINS_READ_BY(name, words, parameters, arguments)                                                   \
    WRAP_COUNTS(name, words, (WRAP_OPEN parameters, W request), (WRAP_OPEN arguments, request), file,        \
                takes(&call, "buf", buffer, count, type), set_request(&call, result, request))
#define BEGINS_WRITE_BY(name, words, parameters, arguments)                                                  \
    WRAP_COUNTS(name, words, (WRAP_OPEN parameters, W request), (WRAP_OPEN arguments, request), file,        \
                writes(&call, buffer, count, type), set_request(&call, result, request))
#define FILE_CALLS(suffix)                                                                                   \
    READS_BY(File_read##suffix, 5W, (PARAMETERS), (ARGUMENTS))                                               \
    WRITES_BY(File_write##suffix, 5W, (PARAMETERS), (ARGUMENTS))
#define FILE_REQUESTS(suffix)                                                                                \
    BEGINS_READ_BY(File_iread##suffix, 5W, (PARAMETERS), (ARGUMENTS))                                        \
    BEGINS_WRITE_BY(File_iwrite##suffix, 5W, (PARAMETERS), (ARGUMENTS))
#define FILE_AT(suffix)                                                                                      \
    READS_BY(File_read_at##suffix, 6W, (AT_PARAMETERS), (AT_ARGUMENTS))                                      \
    WRITES_BY(File_write_at##suffix, 6W, (AT_PARAMETERS), (AT_ARGUMENTS))                                    \
    BEGINS_READ_BY(File_iread_at##suffix, 6W, (AT_PARAMETERS), (AT_ARGUMENTS))                               \
    BEGINS_WRITE_BY(File_iwrite_at##suffix, 6W, (AT_PARAMETERS), (AT_ARGUMENTS))
FILE_CALLS()
FILE_CALLS(_all)
FILE_CALLS(_shared)
FILE_CALLS(_ordered)
FILE_REQUESTS()
FILE_REQUESTS(_all)
FILE_REQUESTS(_shared)
FILE_AT()
FILE_AT(_all)

// As a handle: no request has such a one.
static W split_access_of(W file) { return file | (W)1 << 63; }
static void begins_split(Call* call, W result, W file) {
    call->facts.failed = (int)result != 0;
    call->facts.request = split_access_of(file);
}
#define ENDS_SPLIT(name)                                                                                     \
    WRAP_AS(name, kMpi_##name, OWN_STATUS(status) MpiAwaited awaited = 0, WWW,                               \
            (W file, W buffer, W status), (file, buffer, status), file,                                      \
            const W access = split_access_of(file);                                                          \
            await(1, &access, &awaited), if ((int)result == 0) complete(&awaited, (const char*)status);      \
            give_back(1, &awaited, result))
#define SPLIT(suffix, words, parameters, arguments)                                                          \
    WRAP_COUNTS(File_read##suffix##_begin, words, parameters, arguments, file,                               \
                takes(&call, "buf", buffer, count, type), begins_split(&call, result, file))                 \
    WRAP_COUNTS(File_write##suffix##_begin, words, parameters, arguments, file,                              \
                writes(&call, buffer, count, type), begins_split(&call, result, file))                       \
    ENDS_SPLIT(File_read##suffix##_end)                                                                      \
    ENDS_SPLIT(File_write##suffix##_end)
SPLIT(_all, WWWW, (PARAMETERS), (ARGUMENTS))
SPLIT(_ordered, WWWW, (PARAMETERS), (ARGUMENTS))
SPLIT(_at_all, 5W, (AT_PARAMETERS), (AT_ARGUMENTS))

// Libraries implement these by messages and collective operations of their own.
#define MANAGES(name, words, parameters, arguments)                                                          \
    WRAP(name, words, parameters, arguments, file, NOTHING, NOTHING)
INLINE void opened(W result, W file) {
    if ((int)result != 0) return;
    // Now, since all ranks open their files in the same order.
    describe(kMpi_File_close, *(const W*)file);
    note_made(kMpiFile, file, "MPI_File_open");
}
WRAP(File_open, 5W, (W comm, W name, W mode, W info, W file), (comm, name, mode, info, file), comm, NOTHING,
     opened(result, file))
WRAP_AS(File_close, kMpi_File_close, const W file = *(const W*)at, W, (W at), (at), file, NOTHING,
        if ((int)result == 0) note_freed(kMpiFile, (W)&file))
MANAGES(File_set_view, 6W, (W file, W offset, W element, W type, W name, W info),
        (file, offset, element, type, name, info))
MANAGES(File_set_size, WW, (W file, W bytes), (file, bytes))
MANAGES(File_preallocate, WW, (W file, W bytes), (file, bytes))
MANAGES(File_set_atomicity, WW, (W file, W flag), (file, flag))
MANAGES(File_seek_shared, WWW, (W file, W offset, W from), (file, offset, from))
MANAGES(File_sync, W, (W file), (file))
