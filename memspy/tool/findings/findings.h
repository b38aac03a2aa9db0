// SPDX-License-Identifier: GPL-2.0-or-later
//
// Findings as plain data, and their way into Valgrind's error manager.
//
// An analysis fills a Finding and calls report(). Everything that depends on the output form (text in
// Memcheck's layout, Valgrind XML, suppressions, generated suppressions) is decided only in this folder. The
// printer does not decide what is an error.
#pragma once

#include "rt/base.h"

namespace memspy::findings {

// XML <kind> and suppression name are the enumerator's name. The order must not change: suppressions store
// it.
enum class FindingKind : int {
#define MEMSPY_KIND(name, extra) name,
#define MEMSPY_SUMMED(name, by) name,
#include "kinds/all.def"
    Count
};

// The owner of an address, determined when the error happens (its block may be gone when it is printed).
struct AddressOwner {
    enum class OwnerKind : u8 {
        Unknown,       // described by the core if possible (stack, segment, symbol)
        HeapBlock,     // in, before or after a block of the client's heap
        ForeignBlock,  // the same for a block made known by a client request
        PoolBlock,     // the same for a block of a memory pool
        NamedBlock,    // in memory that the program called `name`; `allocated` is where it did so
        DeadFrame,  // `offset` bytes below the stack pointer, in a frame of `function` that has returned; `name`
                    // is its variable, if that is known
        Variable  // before or behind the variable `name`, which is declared in `declared_in`
    };
    OwnerKind what = OwnerKind::Unknown;
    bool freed = false;
    i64 offset = 0;  // bytes from the payload's start: < 0 before it, >= size behind it
    usize size = 0;  // of the block
    ContextId allocated{};
    ContextId freed_at{};
    u32 allocated_by = 0, freed_by = 0;  // serials of threads; 0: not known
    const char* name = nullptr;  // NamedBlock, DeadFrame, Variable; lives as long as the run, as the next
    const char* declared_in = nullptr;  // Variable: its function; null: none
    Address function = 0;               // DeadFrame: the function's entry; 0: not known
};

struct Finding {
    FindingKind kind{};
    Address address = 0;  // of the access, freed pointer, overlap destination…
    usize size = 0;       // bytes of the access or the overlap; 0: unknown
    AddressOwner place{};
    // About the running function's whole call, whichever of its instructions is at fault: errors of one call
    // are the same error whatever their sizes.
    bool whole_call = false;
    ContextId origin{};  // Uninit*, SyscallParam: where the value came from, see places/origins.h
    // SyscallParam: "write(buf)"; Overlap, FishyValue, ReallocSizeZero: function. InvalidRead and
    // InvalidWrite by a system call: its parameter, which changes the text to "Syscall param …
    // unaddressable byte(s)". The error manager makes a copy.
    const char* name = nullptr;
    const char* argument = nullptr;   // FishyValue: argument's name, static storage
    bool writes = false;              // StackOverflow, GlobalOverflow
    Address source = 0;               // Overlap
    i64 value = 0;                    // FishyValue
    bool unaddressable = false;       // SyscallParam, ClientCheck: bad address, else uninitialised bytes
    bool in_memory = true;            // SyscallParam: points to / contains
    const char* allocator = nullptr;  // MismatchedFree: e.g. "operator new []", static storage, or null
    // Kinds that are told: `name` and `sentence` are the text, "MPI_Send(buf)" "points to uninitialised
    // byte(s)". Static storage.
    const char* sentence = nullptr;
    const char* subject = "";  // stands before them: "Rank 0 waits in"
    ContextId where{};         // its stack; None: where the thread is
    ContextId begun{};         // the call that began the request that it is about; None: there is none
};

// Reports through the core's error manager (duplicates are merged, suppressions applied). `thread` is a guest
// thread id.
void report(u32 thread, const Finding& finding);

// One leak record: all lost blocks with one allocation stack and one kind. Printed and counted at once in the
// leak check's order, not through the error list.
struct LeakRecord {
    FindingKind kind{};
    ContextId allocated{};
    u64 direct_bytes = 0, indirect_bytes = 0, blocks = 0;
    u64 number = 0, total = 0;  // "loss record `number` of `total`"
    // The amounts of an earlier search for the same record; printed as differences if `compared`.
    bool compared = false;
    u64 old_direct_bytes = 0, old_indirect_bytes = 0, old_blocks = 0;
};
// Call at the start of each leak search: resets the counts of suppressions.
void begin_leak_search();

// Returns true if a suppression silenced the record. `print` false: only counts it. `count_error`: it is an
// error for --error-exitcode.
bool report_leak(u32 thread, const LeakRecord& record, bool print, bool count_error);

// A finding made of sums: objects whose cache lines move between threads, or loads or objects that are full
// of zeros. Printed and counted at once, like leaks. Strings belong to the caller and are only read during
// the call.
struct SummedRecord {
    FindingKind kind{};        // is_summed()
    const char* what = "";     // one sentence, the same in each run
    const char* gain = "";     // what the finding costs, for its headline; may be empty
    const char* figures = "";  // the counts
    const char* advice = "";   // may be empty
    // How the two sides meet, if it is not at a cache line; ahead of the second side's stack.
    const char* met = nullptr;

    // The colliding accesses: first those with most events, then those that they collide with.
    struct AccessSide {
        ContextId stack{};  // None: not known
        u32 thread = 0;     // serial
        bool loads = false, stores = false;
    };
    AccessSide sides[2];
    // More sides, each with a sentence and its stack.
    struct FurtherSide {
        const char* met = nullptr;  // null: there is no further one
        ContextId stack{};
    };
    static constexpr u32 kMostFurther = 4;
    FurtherSide further[kMostFurther + 1];

    struct ObjectPart {
        enum class PartKind : u8 { HeapBlock, Variable, Section, Stack, Unknown };
        PartKind what = PartKind::Unknown;
        Address address = 0;
        u64 offset = 0;
        u64 size = 0;  // 0 is unknown
        const char* name = nullptr;
        const char* variable = nullptr;  // Stack: `name` is its function
        const char* module = nullptr;
        ContextId allocated{};  // HeapBlock
        u64 blocks = 0;         // HeapBlock: number of such blocks
        u32 thread = 0;         // Stack: serial
    };
    static constexpr u32 kMostParts = 8;
    ObjectPart parts[kMostParts];
    u32 part_count = 0;
    u32 parts_left_out = 0;
};
// Returns true if a suppression silenced the finding. Otherwise it is an error for --error-exitcode.
bool report_summed(u32 thread, const SummedRecord& record);

// Prints all findings once more, a line each, if there are sums among them. Call at the end of the run.
void print_recap();

// Registers the error-manager callbacks and XML with the core. Call before command-line processing.
void register_with_core();

// Makes entries of Memcheck, Helgrind and DRD in the suppression files count as memspy's. Call when the first
// code is instrumented (the core has read the files by then) and before a finding is judged, because the
// program may have added a file since.
void load_other_suppressions();
// Call in a forked child: findings of the profile are its own.
void begin_child();
// Has the core read another of memspy's suppression files, beside default.supp. Does nothing if it is not
// installed.
void read_suppressions(const char* name);

// An origin that made memory uninitialised: a request of the program, or an operation of a library, which
// will give the memory its values.
enum class Requester : bool { Program, Library };
void note_requested(ContextId origin, Requester by);
// To use a value of such an operation before it ends is a finding of another kind than to use what was never
// set.
struct EarlyUse {
    FindingKind kind;
    const char *name, *sentence;  // live as long as the run
};
void note_early_use(ContextId origin, const EarlyUse& use);
const EarlyUse* early_use_of(ContextId origin);  // null: it is no such origin

const char* kind_name(FindingKind kind);

}  // namespace memspy::findings
