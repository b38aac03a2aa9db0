// SPDX-License-Identifier: GPL-2.0-or-later
//
// A session (MPI 4) beside MPI_Init that nobody ends.
#include <mpi.h>

int main(int count, char** words) {
    MPI_Session session;
    MPI_Init(&count, &words);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Finalize();
    return 0;
}
