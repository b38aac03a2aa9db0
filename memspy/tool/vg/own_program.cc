// SPDX-License-Identifier: GPL-2.0-or-later
//
// Programs start themselves anew by execve("/proc/self/exe"). To the kernel that is the tool; so the core's function
// comes here (--wrap, flags.mk), and starts the program instead. Cores from 3.22 on do it, too.
#include "vg/vg.h"

// As in the core's own headers.
extern "C" {
struct CallArguments {
    Word number;
    UWord arguments[8];
};
using BeforeExec = void(ThreadId, void* layout, CallArguments*, void* status, UWord* flags);
BeforeExec __real_vgSysWrap_generic_sys_execve_before, __wrap_vgSysWrap_generic_sys_execve_before;
enum ExecType { kExecve };
void handle_pre_sys_execve(ThreadId, void* status, Addr path, Addr argv, Addr envp, ExecType,
                           Bool path_is_clients);
extern Int vgPlain_cl_exec_fd;  // the program's file
}

namespace {

// Whether the program's text at `at` is this one.
bool is_text(Addr at, const HChar* text) {
    for (;; ++at, ++text) {
        if (!VG_(am_is_valid_for_client)(at, 1, VKI_PROT_READ)) return false;
        if (*reinterpret_cast<const HChar*>(at) != *text) return false;
        if (*text == '\0') return true;
    }
}

bool names_own_program(Addr path) {
    HChar by_number[32];
    VG_(sprintf)(by_number, "/proc/%d/exe", VG_(getpid)());
    return is_text(path, "/proc/self/exe") || is_text(path, "/proc/thread-self/exe") ||
           is_text(path, by_number);
}

// Null if it is not known.
const HChar* own_program() {
    static HChar program[VKI_PATH_MAX];
    HChar link[32];
    VG_(sprintf)(link, "/proc/self/fd/%d", vgPlain_cl_exec_fd);
    const SSizeT length = VG_(readlink)(link, program, sizeof program - 1);
    if (length <= 0 || program[0] != '/') return nullptr;
    program[length] = '\0';
    return program;
}

}  // namespace

void __wrap_vgSysWrap_generic_sys_execve_before(ThreadId thread, void* layout, CallArguments* call,
                                                void* status, UWord* flags) {
    const HChar* const program = names_own_program(call->arguments[0]) ? own_program() : nullptr;
    if (program == nullptr)
        return __real_vgSysWrap_generic_sys_execve_before(thread, layout, call, status, flags);
    handle_pre_sys_execve(thread, status, reinterpret_cast<Addr>(program), call->arguments[1],
                          call->arguments[2], kExecve, False);
}
