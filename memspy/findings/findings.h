// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings as plain data, and their way into Valgrind's error manager.
//
// An analysis fills a Finding and calls report(); everything that depends on the output form (text as
// Memcheck's layout, Valgrind XML, suppressions, generated suppressions) is decided in this folder and
// nowhere else. The printer does not decide what is an error.
#pragma once

#include "rt/base.h"

namespace memspy::findings {

// XML <kind> and suppression name are the enumerator's name. The order is frozen: suppressions store it.
enum class FindingKind : int {
#define MEMSPY_KIND(name, extra) name,
#define MEMSPY_SUMMED(name) name,
#include "findings/kinds.def"
    Count
};

// What an address belongs to, taken when the error happens (blocks may be gone when it is printed).
struct AddressOwner {
    enum class OwnerKind : u8 {
        Unknown,       // described by the core where it can be (stack, segment, symbol)
        HeapBlock,     // in, before or after a block of the client's heap
        ForeignBlock,  // the same for a block made known by a client request
        PoolBlock,     // the same for a block of a memory pool
        DeadFrame      // `offset` bytes below the stack pointer, in a frame of `function` that has returned
    };
    OwnerKind what = OwnerKind::Unknown;
    bool freed = false;
    i64 offset = 0;  // bytes from the payload's start: < 0 before it, >= size behind it
    usize size = 0;  // of the block
    ContextId allocated{};
    ContextId freed_by{};
    Address function = 0;  // DeadFrame: its entry; 0: not known
};

struct Finding {
    FindingKind kind{};
    Address address = 0;  // of the access, freed pointer, overlap destination…
    usize size = 0;       // bytes of the access, of the overlap; 0 is unknown
    AddressOwner place{};
    ContextId origin{};  // Uninit*, SyscallParam: the allocation that the value came from
    // SyscallParam: "write(buf)"; Overlap, FishyValue, ReallocSizeZero: function. InvalidRead and
    // InvalidWrite by a system call: its parameter, which changes the text to "Syscall param … unaddressable
    // byte(s)". Copied where it is kept.
    const char* name = nullptr;
    const char* argument = nullptr;   // FishyValue: argument's name, static storage
    Address source = 0;               // Overlap
    i64 value = 0;                    // FishyValue
    bool unaddressable = false;       // SyscallParam, ClientCheck: bad address, else uninitialised
    bool in_memory = true;            // SyscallParam: points to / contains
    const char* allocator = nullptr;  // MismatchedFree: e.g. "operator new []", static storage, or null
};

// Reports through the core's error manager (duplicates are folded, suppressions applied).
// `thread` is a guest thread id.
void report(u32 thread, const Finding& finding);

// One leak record: all lost blocks with one allocation stack and one kind. Printed and counted at once,
// outside the error list's folding, as the leak check orders them.
struct LeakRecord {
    FindingKind kind{};
    ContextId allocated{};
    u64 direct_bytes = 0, indirect_bytes = 0, blocks = 0;
    u64 number = 0, total = 0;  // "loss record `number` of `total`"
    // What an earlier search found in the same record; printed as differences when `compared`.
    bool compared = false;
    u64 old_direct_bytes = 0, old_indirect_bytes = 0, old_blocks = 0;
};
// Call at the start of each leak search: from here on suppressions count again from zero.
void begin_leak_search();

// True when a suppression silenced it. `print` false counts it only; `count_error` makes it an error for
// --error-exitcode.
bool report_leak(u32 thread, const LeakRecord& record, bool print, bool count_error);

// One finding made of sums: objects whose cache lines go back and forth between threads; loads, or objects,
// that are full of zeros. Printed and counted at once, as leaks are. Strings are the caller's and are only
// read during the call.
struct SummedRecord {
    FindingKind kind{};        // is_summed()
    const char* what = "";     // one sentence, the same in each run
    const char* figures = "";  // how often
    const char* advice = "";   // may be empty

    // Who is in each other's way: first the accesses with most events, then those that they collide with.
    struct AccessSide {
        ContextId stack{};  // None: not known
        u32 thread = 0;     // serial
        bool loads = false, stores = false;
    };
    AccessSide sides[2];

    struct ObjectPart {
        enum class PartKind : u8 { HeapBlock, Variable, Section, Stack, Unknown };
        PartKind what = PartKind::Unknown;
        Address address = 0;
        u64 offset = 0;
        u64 size = 0;  // 0 is unknown
        const char* name = nullptr;
        const char* module = nullptr;
        ContextId allocated{};  // HeapBlock
        u64 blocks = 0;         // HeapBlock: how many such blocks are concerned
        u32 thread = 0;         // Stack: serial
    };
    static constexpr u32 kMostParts = 8;
    ObjectPart parts[kMostParts];
    u32 part_count = 0;
    u32 parts_left_out = 0;
};
// True when a suppression silenced it. Else it is an error for --error-exitcode.
bool report_summed(u32 thread, const SummedRecord& record);

// Registers the error-manager callbacks and XML with the core; call before command-line processing.
void register_with_core();

// Makes entries with tool name "Memcheck" count in the suppression files that the core has read, as if they
// said "memspy". Call when the first code is instrumented (the core has read the files by then); later calls
// do nothing.
void load_memcheck_suppressions();
// Has the core read another suppression file, one of ours beside default.supp; nothing where it is not installed.
void read_suppressions(const char* name);

// An origin that is a frame on the stack and no heap block: a stack of one call, the function's entry.
void note_frame(ContextId origin);
bool is_frame(ContextId origin);

const char* kind_name(FindingKind kind);

}  // namespace memspy::findings
