// SPDX-License-Identifier: GPL-2.0-or-later
//
// Differences between the versions of Valgrind that the tool builds with (3.19 to 3.27), each behind one
// function. They are distinguished by types rather than by version numbers.
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

// Zero-filled memory of the tool's own that costs nothing until it is touched. Ends the run if there is none.
void* map_zeroed(SizeT bytes, const HChar* what);
// The same, null if there is none.
void* map_zeroed_or_null(SizeT bytes);
extern bool is_mapping_zeroed;  // while it asks the core for it (low_memory.cc)

// Enables the core's own reports (bad arguments of pthread and system calls).
void need_core_errors();

// Makes a system call for the tool.
SysRes system_call(UWord number, UWord a = 0, UWord b = 0, UWord c = 0, UWord d = 0);
inline constexpr UWord kFutexWait = 0, kFutexWake = 1;

// Gives the whole pages inside [begin, begin + bytes) back to the kernel. They read as zeros afterwards.
void discard_pages(Address begin, usize bytes);

// Whether the file of the report is still writable, which the core does not check. Adds a newline to it. True
// if the report does not go to a file.
bool report_is_writable();
// Whether a person reads the report while the program runs.
bool reports_to_terminal();

// In a forked process: stops output to its parent's XML file if both would have the same one (no %p or %n in
// its name). Returns whether they had.
bool leave_xml_to_parent();

// At the end the core has the C and C++ libraries free their memory, so that it is no leak: the program's
// code runs on for that. Call at the start if nobody asks what was leaked.
void skip_library_cleanup();
void want_library_cleanup();  // somebody looks at what lives at the end: it is not skipped; call before

// Discards all translations. For callbacks that the core does not make from generated code, and for functions
// called by its gdbserver, which soon leaves generated code and discards translations itself.
void discard_translations();
void discard_translation(Address first);  // that of the superblock that begins here

// Errors so far as in the core's summary: all, and the reported ones (the first of each kind and place).
struct ErrorCounts {
    u32 found, shown;
};
ErrorCounts error_counts();

// Whether the program that an exec starts runs under Valgrind as well.
bool traces_children();
bool traces_exec(const HChar* program, const HChar** arguments);

// Threads take turns unless the user asks for something else; by default the core may let the same thread
// continue again and again. Call before the command line is read.
void prefer_fair_scheduling();

}  // namespace memspy::vg
