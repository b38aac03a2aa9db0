// SPDX-License-Identifier: GPL-2.0-or-later
//
// Differences between the versions of Valgrind that the tool builds with (3.19 to 3.27), each behind one
// function. A difference shows in types rather than in a version number.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// The client's malloc family, as the core calls it.
struct MallocFamily {
    void* (*malloc)(ThreadId, SizeT);
    void* (*new_)(ThreadId, SizeT);
    void* (*new_aligned)(ThreadId, SizeT, SizeT);
    void* (*vec_new)(ThreadId, SizeT);
    void* (*vec_new_aligned)(ThreadId, SizeT, SizeT);
    void* (*memalign)(ThreadId, SizeT alignment, SizeT);
    void* (*calloc)(ThreadId, SizeT count, SizeT);
    void (*free)(ThreadId, void*);
    void (*delete_)(ThreadId, void*);
    void (*delete_aligned)(ThreadId, void*, SizeT);
    void (*vec_delete)(ThreadId, void*);
    void (*vec_delete_aligned)(ThreadId, void*, SizeT);
    void* (*realloc)(ThreadId, void*, SizeT);
    SizeT (*usable_size)(ThreadId, void*);
};
void replace_malloc(const MallocFamily& family);

// Zero-filled memory of the tool's own that costs nothing until it is touched; ends the run when there is
// none.
void* map_zeroed(SizeT bytes, const HChar* what);

// Reports of the core's own (bad arguments of pthread and system calls).
void need_core_errors();

// A system call of the tool's own.
SysRes system_call(UWord number, UWord a = 0, UWord b = 0, UWord c = 0);

// Gives the whole pages inside [begin, begin + bytes) back to the kernel, except the first and the last; they
// read as zeros from then on.
void discard_pages(Address begin, usize bytes);

// Whether the file that the report goes to can still be written; the core itself takes no notice. Adds a
// newline to it. True when the report goes to no file.
bool report_is_writable();

// In a process that was forked: nothing is written to its parent's XML file, if they would have the same (no %p
// or %n in its name). True when it was so.
bool leave_xml_to_parent();

// Throws away all translations. For callbacks that the core does not make from generated code, and for what
// its gdbserver calls, which leaves generated code soon and throws translations away itself.
void discard_translations();

// Errors so far, as the core's summary counts them: all, and those reported (the first of a kind and place).
struct ErrorCounts {
    u32 found, shown;
};
ErrorCounts error_counts();

// Whether the program that an exec starts runs under Valgrind as well.
bool traces_children();

// Threads take turns unless the user says otherwise; by default the core may let one go on again and again.
// Call before the command line.
void prefer_fair_scheduling();

// Inlined functions appear in stacks, as they do for Memcheck; the core's own default for other tools is no.
void read_inline_info();

}  // namespace memspy::vg
