// SPDX-License-Identifier: GPL-2.0-or-later
//
// PROVES: unmapped memory is not addressable, for requests and for system calls
// ARGS: --leak-check=no
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <valgrind/memcheck.h>
#include "case.h"

int main(void) {
    char* two = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(two + 4096, 4096);
    char* gone = HIDE(two + 4096);
    struct stat state;
    if (VALGRIND_CHECK_MEM_IS_ADDRESSABLE(two, 4096) != 0) return 1;
    if (VALGRIND_CHECK_MEM_IS_ADDRESSABLE(gone, 1) != (unsigned long)gone) return 2;   /* expect: ClientCheck */
    if (VALGRIND_CHECK_MEM_IS_DEFINED(two, 4098) != (unsigned long)gone) return 3;     /* expect: ClientCheck */
    if (write(1, gone, 10) != -1) return 4;                     /* expect: InvalidRead only=memspy */ /* expect: SyscallParam only=memcheck */
    if (read(open("/dev/zero", O_RDONLY), gone, 10) != -1) return 5;  /* expect: InvalidWrite only=memspy */ /* expect: SyscallParam only=memcheck */
    if (stat(gone, &state) != -1) return 6;                     /* expect: InvalidRead only=memspy */ /* expect: SyscallParam only=memcheck */
    if (VALGRIND_MAKE_MEM_DEFINED(two, 1) != -1) return 7;
    return 0;
}
