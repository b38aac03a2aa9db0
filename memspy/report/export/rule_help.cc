// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/rule_help.h"

#include <algorithm>

namespace memspy::report {
namespace {

constexpr RuleHelp kHelp[] = {
    {"InvalidRead", "Memory is read that is not the program's: outside a block, freed, or never allocated.",
     "The further stacks say where the block was allocated and freed. Check the index or the pointer against "
     "the block's size, or let the block live as long as its last use."},
    {"InvalidWrite",
     "Memory is written that is not the program's: outside a block, freed, or never allocated.",
     "What lies there is destroyed. The further stacks say where the block was allocated and freed. Check "
     "the index or the pointer against the block's size, or let the block live as long as its last use."},
    {"InvalidJump", "The program jumps to an address without code.",
     "Mostly a function pointer that was not set or was overwritten, or a destroyed return address: look at "
     "the writes that were reported before."},
    {"UninitCondition", "A decision depends on a value that was never set.",
     "Set the value where it is made; the origin names the allocation or the variable."},
    {"UninitValue", "A value that was never set is used as an address.",
     "Set the value where it is made; the origin names the allocation or the variable."},
    {"SyscallParam", "A system call gets bytes that were never set, or memory that is not the program's.",
     "Set the whole buffer, padding too, before it is written or sent: what was in memory leaves the "
     "program."},
    {"ClientCheck", "Memory that the program asked about is not accessible, or not initialised.",
     "The request (memspy.h) stands at the first frame; the text names the first such byte."},
    {"InvalidFree", "Memory is freed that is no block, or is freed already.",
     "Free each block once, with the pointer that the allocation gave. The further stacks say where it was "
     "freed before."},
    {"MismatchedFree", "A block is freed by a function that does not belong to its allocation.",
     "malloc needs free, new needs delete, new[] needs delete[]."},
    {"InvalidMemPool", "A request names a memory pool that does not exist.",
     "Create the pool before its first request, and destroy it after the last one."},
    {"Overlap", "Source and destination of a copy overlap.", "Use memmove, or other memory."},
    {"FishyValue", "The size of an allocation would be negative if it were signed.",
     "Mostly a subtraction gone wrong: check the operands before the allocation."},
    {"ReallocSizeZero", "A block is reallocated with size 0.",
     "That frees the block on some systems and not on others: call free, or do not shrink to nothing."},
    {"StackOverflow",
     "An access by an index, or of a library function, leaves the local variable that it belongs to.",
     "Check the index against the variable's size, which the text names, or give the function the room that "
     "is left."},
    {"GlobalOverflow",
     "An access by an index, or of a library function, leaves the static variable that it belongs to.",
     "Check the index against the variable's size, which the text names, or give the function the room that "
     "is left."},
    {"Leak_DefinitelyLost", "Nothing points to a block any more, and it was not freed.",
     "The stack is that of its allocation. Free it before the last pointer to it goes, or give it an owner."},
    {"Leak_IndirectlyLost", "Only lost blocks point to a block.",
     "Free the blocks that point to it, and it with them."},
    {"Leak_PossiblyLost", "Only pointers into the middle of a block are left.",
     "Keep a pointer to its start, unless the program computes it, as some containers do."},
    {"Leak_StillReachable", "A block was not freed, but the program still had a pointer to it at the end.",
     "Harmless unless there are more of them the longer the program runs."},
    {"FalseSharing", "Threads use different bytes of one cache line, which moves between cores at each use.",
     "Put what different threads write on lines of their own (alignas(64), padding), or keep a copy for each "
     "thread. The text names the fields."},
    {"TrueSharing", "Threads use the same bytes of a cache line, which moves between cores at each use.",
     "Write less often, or hand over more at a time. What threads only add to can be a copy for each thread, "
     "added up at the end. The text says which it is, where that is known."},
    {"Contention", "A cache line moves between the cores of several threads.",
     "Whether they use the same bytes is known with --sharing=yes."},
    {"RedundantZeros", "Values are loaded of which many bytes are zero.",
     "Narrower types make the data smaller; zero elements need not be stored or calculated with. The text "
     "says which."},
    {"HeapLimit", "The heap is above a limit that --heap-limit sets.",
     "The stack is that of the blocks with the largest share; memspy-report heap shows the others."},
    {"MpiBuffer", "A call of MPI sends bytes that were never set, or names memory that is not the program's.",
     "Set the whole buffer before it is sent; check count, type and displacements against its size."},
    {"MpiBufferInUse", "A buffer is changed or used again while a non-blocking call of MPI still owns it.",
     "Leave the buffer alone until MPI_Wait or MPI_Test has completed the request, or use another one."},
    {"MpiRequest", "A request was begun and never completed, or started or freed before it had completed.",
     "Complete each request by MPI_Wait, MPI_Test or their kin. The further stack is the call that began "
     "it."},
    {"MpiTruncation", "A message is longer than the buffer of the receive that it matches.",
     "Ask for its size first (MPI_Probe, MPI_Get_count), or receive as many elements as are sent."},
    {"MpiTypes", "A message is received as other types than were sent.",
     "Give the same types in the same order in both calls. The further stack is the call that gave the "
     "buffer."},
    {"Regression", "Something costs more than in the accepted runs, or did not cost anything in them.",
     "Look at what changed at this place since the baseline was made; if it is meant, accept the run as the "
     "new baseline."},
    {"Race", "Two threads access the same bytes, one of them stores, and nothing orders the two.",
     "Order them: a lock that both take, a join or barrier between them, an atomic variable, or a copy for "
     "each "
     "thread. The further stack is the other access."},
    {"LockOrder", "Two threads take the same locks in different orders.",
     "Take them in one order everywhere. The further stack is the other thread's take."},
    {"MpiDeadlock", "A rank waits for others in a call of MPI from which nothing lets it go on.",
     "Have each message received that is sent, and all ranks make the same collective calls in one order; "
     "use "
     "MPI_Sendrecv or MPI_Isend where ranks send to each other."},
    {"MpiCollective",
     "Ranks make different collective calls, or name different roots, operations or elements.",
     "All ranks of a communicator make the same collective calls in the same order, with arguments that "
     "agree."},
    {"MpiOverlap", "Buffers of one call of MPI overlap, and one of them is written.",
     "Use separate buffers, or MPI_IN_PLACE."},
    {"MpiRace",
     "Memory of a one-sided operation is used before its window is synchronised, by the program or another "
     "operation.",
     "Close the epoch first: MPI_Win_fence, MPI_Win_unlock, MPI_Win_flush and their kin; let ranks use bytes "
     "of their own, or accumulate by one operation."},
    {"MpiLeak", "An object of MPI was made and never freed, or a message was never received.",
     "Free each object (MPI_Comm_free, MPI_Type_free, ...) before MPI_Finalize. The stack is that of its "
     "making."},
    {"MpiError", "The library of MPI found an error in a call, and ends the program.",
     "Mend the argument that the message names."},
};

constexpr const RuleHelp* find(std::string_view kind) {
    const auto* const found = std::find_if(std::begin(kHelp), std::end(kHelp),
                                           [&](const RuleHelp& help) { return help.kind == kind; });
    return found == std::end(kHelp) ? nullptr : found;
}

#define MEMSPY_KIND(name, extra) static_assert(find(#name) != nullptr, #name " has no help text");
#define MEMSPY_SUMMED(name, by) MEMSPY_KIND(name, None)
#include "kinds/all.def"

}  // namespace

const RuleHelp* rule_help(std::string_view kind) { return find(kind); }

}  // namespace memspy::report
