// SPDX-License-Identifier: GPL-2.0-or-later
//
// The only includes of Valgrind's headers: no other file of the tool names a pub_tool_*.h or libvex*.h.
//
// pub_tool_basics.h and pub_tool_vki.h have a template each for C++ compilers, so they are outside extern
// "C"; all others declare C functions without saying so. The order of blocks is the one that the headers
// need. Valgrind's NULL is ((void*)0), which C++ does not accept as a pointer: the tool uses nullptr.
#pragma once

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wunused-parameter"
// Guest-state headers of 3.27 use the C keyword.
#define _Static_assert static_assert
#include "pub_tool_basics.h"
#include "pub_tool_vki.h"

extern "C" {
#include "libvex.h"
#include "libvex_ir.h"
#include "pub_tool_execontext.h"
#include "pub_tool_wordfm.h"
#include "pub_tool_xarray.h"

#include "pub_tool_debuginfo.h"

#include "pub_tool_addrinfo.h"
#include "pub_tool_aspacehl.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_clientstate.h"
#include "pub_tool_clreq.h"
#include "pub_tool_errormgr.h"
#include "pub_tool_gdbserver.h"
#include "pub_tool_guest.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_libcsetjmp.h"
#include "pub_tool_libcsignal.h"
#include "pub_tool_machine.h"
#include "pub_tool_mallocfree.h"
#include "pub_tool_options.h"
#include "pub_tool_replacemalloc.h"
#include "pub_tool_signals.h"
#include "pub_tool_stacktrace.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_transtab.h"
#include "pub_tool_vkiscnums.h"
#include "valgrind.h"
// Requests of programs that were compiled for Memcheck.
#include "memcheck.h"
}
#undef _Static_assert
#pragma GCC diagnostic pop

// Later versions only have the counts of leading and trailing zeros that are defined for zero.
#define MEMSPY_VEX_HAS_PARTIAL_COUNTS (__VALGRIND_MINOR__ < 27)

#include "rt/base.h"

namespace memspy {

// A word of the guest state that nothing on Linux uses, so that its shadows are free. Later versions do not
// have the first one on AMD64.
template <typename State = VexGuestArchState>
constexpr Int spare_state_word() {
    if constexpr (requires(State state) { state.guest_IP_AT_SYSCALL; })
        return static_cast<Int>(offsetof(State, guest_IP_AT_SYSCALL));
    else
        return static_cast<Int>(offsetof(State, guest_SC_CLASS));
}

// Counts the leading zeros of a word that is not zero.
template <typename Ops = IROp>
constexpr Ops leading_zeros_64() {
    if constexpr (requires { Ops::Iop_Clz64; })
        return Ops::Iop_Clz64;
    else
        return Ops::Iop_ClzNat64;
}

// The core finds a context by its number only by walking through all of them. contexts.cc keeps where those
// are whose number was asked for here.
ExeContext* context_of(ContextId id);
ContextId id_of(ExeContext* context);

}  // namespace memspy
