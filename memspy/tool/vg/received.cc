// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core says of recv and recvfrom that they fill the whole buffer. They fill as much of it as they return;
// with MSG_TRUNC they return more. The linker redirects the core's functions here (--wrap, flags.mk).
#include "vg/vg.h"

extern "C" {
using Received = void(ThreadId, SysRes result, UWord socket, UWord buffer, UWord bytes, UWord flags,
                      UWord from, UWord from_bytes);
Received __real_vgModuleLocal_generic_POST_sys_recvfrom, __wrap_vgModuleLocal_generic_POST_sys_recvfrom;

void __wrap_vgModuleLocal_generic_POST_sys_recvfrom(ThreadId thread, SysRes result, UWord socket,
                                                    UWord buffer, UWord bytes, UWord flags, UWord from,
                                                    UWord from_bytes) {
    const UWord received = sr_Res(result);
    __real_vgModuleLocal_generic_POST_sys_recvfrom(
        thread, result, socket, buffer, received < bytes ? received : bytes, flags, from, from_bytes);
}
}
