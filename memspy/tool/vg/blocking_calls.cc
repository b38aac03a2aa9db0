// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core holds its lock while a thread waits in io_uring_enter, so that no other thread could ever give it what
// it waits for. The linker redirects the core's function here (--wrap, flags.mk).
#include "vg/vg.h"

extern "C" {
using BeforeCall = void(ThreadId, void* layout, void* arguments, void* status, UWord* flags);
BeforeCall __real_vgSysWrap_linux_sys_io_uring_enter_before, __wrap_vgSysWrap_linux_sys_io_uring_enter_before;

void __wrap_vgSysWrap_linux_sys_io_uring_enter_before(ThreadId thread, void* layout, void* arguments,
                                                      void* status, UWord* flags) {
    constexpr UWord kMayBlock = 2;  // as in the core's own header
    __real_vgSysWrap_linux_sys_io_uring_enter_before(thread, layout, arguments, status, flags);
    *flags |= kMayBlock;
}
}
