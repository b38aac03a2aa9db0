// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/replacement.h"

#include "client/guards.h"
#include "instrument/core/policy.h"
#include "options.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "shadow/shadow_map.h"
#include "shadow/side_table.h"
#include "threads/registry.h"
#include "vg/compat.h"
#include "vg/known_stacks.h"
#include "vg/static_program.h"
#include "vg/vg.h"

namespace memspy::client {
namespace {

using namespace heap;
using shadow::State;

// Whether accesses are checked against the states of bytes. Otherwise there are no states.
bool keeps_states() { return instrument::policy().check_accesses; }

Mistakes mistakes;

void* acquire_chunk(usize bytes) {
    void* chunk = VG_(cli_malloc)(16, bytes);
    if (chunk != nullptr && keeps_states())
        shadow::set_range(reinterpret_cast<Address>(chunk), bytes, State::Unaddressable);
    if (chunk == nullptr) return nullptr;
    tell_acquired(reinterpret_cast<Address>(chunk), bytes);
    return chunk;
}

void release_chunk(void* chunk, usize bytes) {
    if (keeps_states()) shadow::set_range(reinterpret_cast<Address>(chunk), bytes, State::Fine);
    // The arena keeps returned memory; its records are in the first and last bytes.
    if (bytes > 2 * VKI_PAGE_SIZE)
        vg::discard_pages(reinterpret_cast<Address>(chunk) + VKI_PAGE_SIZE, bytes - 2 * VKI_PAGE_SIZE);
    VG_(cli_free)(chunk);
}

// Red zones become freed, too: whole leaves of one state need no shadow.
void discard_freed(void* begin, usize bytes) {
    vg::discard_pages(reinterpret_cast<Address>(begin), bytes);
    if (keeps_states()) shadow::set_range(reinterpret_cast<Address>(begin), bytes, State::Freed);
}

ContextId here(ThreadId thread) { return vg::record_stack(thread); }

bool is_fishy(ThreadId thread, SizeT size, const char* function, const char* argument) {
    if (static_cast<SSizeT>(size) >= 0) return false;
    if (mistakes.fishy_size != nullptr)
        mistakes.fishy_size(thread, function, argument, static_cast<i64>(size));
    return true;
}

// Tells listeners of no new block: realloc's has a past.
Block* take_untold(ThreadId thread, SizeT size, SizeT alignment, AllocKind kind, bool zeroed) {
    Block* block = allocate(size, alignment, kind, stack_of_allocation(thread),
                            threads::thread_of_guest(thread).serial, zeroed);
    if (block == nullptr) return nullptr;
    mark_allocated(*block, zeroed);
    if (!block->fresh) tell_reused(*block);
    if (!zeroed && options().malloc_fill >= 0)
        VG_(memset)(reinterpret_cast<void*>(block->payload), options().malloc_fill, size);
    return block;
}

void* take(ThreadId thread, SizeT size, SizeT alignment, AllocKind kind, bool zeroed) {
    const Block* block = take_untold(thread, size, alignment, kind, zeroed);
    if (block == nullptr) return nullptr;
    note_peak();
    tell_allocated(*block);
    return reinterpret_cast<void*>(block->payload);
}

void report_bad_free(ThreadId thread, Address payload) {
    if (mistakes.bad_free != nullptr) mistakes.bad_free(thread, payload);
}

void report_mismatch(ThreadId thread, const Block& block) {
    if (mistakes.mismatched_free != nullptr) mistakes.mismatched_free(thread, block);
}

// The core's replacement of realloc (up to 3.20) calls its free when a block shrinks to nothing, without
// telling the tool. The caller of free shows it.
bool is_called_by_realloc(ThreadId thread) {
    static rt::Global<rt::HashMap<bool>> known;
    Addr frames[2] = {};
    if (VG_(get_StackTrace)(thread, frames, 2, nullptr, nullptr, 0) < 2) return false;
    const Address caller = frames[1];
    if (const bool* answer = known->find(caller)) return *answer;
    const HChar* name = nullptr;
    bool answer = VG_(get_fnname)(VG_(current_DiEpoch)(), caller, &name) && VG_STREQ(name, "realloc");
    (*known)[caller] = answer;
    return answer;
}

void report_realloc_size_zero(ThreadId thread, Address payload) {
    if (mistakes.realloc_size_zero == nullptr) return;
    if (const Block* block = find_live(payload)) mistakes.realloc_size_zero(thread, *block);
}

// The live block at `p` that the heap itself may free, or null with a report.
Block* owned(ThreadId thread, void* p) {
    Block* block = find_live(reinterpret_cast<Address>(p));
    if (block == nullptr) report_bad_free(thread, reinterpret_cast<Address>(p));
    return block;
}

// Freed blocks from this size on give their pages back at once. The C library unmaps blocks of 128 KiB, or
// gives the end of its heap back, so a program cannot count on what was in them. Smaller ones are freed too
// often for a system call each time.
constexpr usize kGivesPagesBack = usize{60} << 10;

void give_back(ThreadId thread, Block& block) {
    tell_released(block);
    if (keeps_states()) shadow::set_range(block.payload, block.size, State::Freed);
    if (options().free_fill >= 0)
        VG_(memset)(reinterpret_cast<void*>(block.payload), options().free_fill, block.size);
    else if (block.size > kGivesPagesBack && !is_foreign(block))
        vg::discard_pages(block.payload, block.size);
    const ContextId context = stack_of_free(thread);
    const u32 serial = threads::thread_of_guest(thread).serial;
    if (is_foreign(block))
        free_foreign(block, context, serial);
    else
        free(block, context, serial);
    forget_allocation(block);
}

void release(ThreadId thread, void* p, AllocKind expected) {
    if (Block* block = owned(thread, p)) free_as(thread, *block, expected);
}

extern "C" {

void* ms_malloc(ThreadId thread, SizeT size) {
    return is_fishy(thread, size, "malloc", "size") ? nullptr
                                                    : take(thread, size, 0, AllocKind::Malloc, false);
}
void* ms_new(ThreadId thread, SizeT size) {
    return is_fishy(thread, size, "__builtin_new", "size") ? nullptr
                                                           : take(thread, size, 0, AllocKind::New, false);
}
void* ms_new_aligned(ThreadId thread, SizeT size, SizeT alignment) {
    return is_fishy(thread, size, "__builtin_new_aligned", "size")
               ? nullptr
               : take(thread, size, alignment, AllocKind::New, false);
}
void* ms_vec_new(ThreadId thread, SizeT size) {
    return is_fishy(thread, size, "__builtin_vec_new", "size")
               ? nullptr
               : take(thread, size, 0, AllocKind::NewArray, false);
}
void* ms_vec_new_aligned(ThreadId thread, SizeT size, SizeT alignment) {
    return is_fishy(thread, size, "__builtin_vec_new_aligned", "size")
               ? nullptr
               : take(thread, size, alignment, AllocKind::NewArray, false);
}
void* ms_memalign(ThreadId thread, SizeT alignment, SizeT size) {
    return is_fishy(thread, size, "memalign", "size")
               ? nullptr
               : take(thread, size, alignment, AllocKind::Malloc, false);
}
void* ms_calloc(ThreadId thread, SizeT count, SizeT size) {
    if (is_fishy(thread, count, "calloc", "nmemb") || is_fishy(thread, size, "calloc", "size"))
        return nullptr;
    SizeT bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
    return take(thread, bytes, 0, AllocKind::Malloc, true);
}
void ms_free(ThreadId thread, void* p) {
    if (mistakes.realloc_size_zero != nullptr && is_called_by_realloc(thread))
        report_realloc_size_zero(thread, reinterpret_cast<Address>(p));
    release(thread, p, AllocKind::Malloc);
}
void ms_delete(ThreadId thread, void* p) { release(thread, p, AllocKind::New); }
void ms_delete_aligned(ThreadId thread, void* p, SizeT) { release(thread, p, AllocKind::New); }
void ms_vec_delete(ThreadId thread, void* p) { release(thread, p, AllocKind::NewArray); }
void ms_vec_delete_aligned(ThreadId thread, void* p, SizeT) { release(thread, p, AllocKind::NewArray); }

// Always moves the block, so that an access through the old pointer is found.
void* ms_realloc(ThreadId thread, void* p, SizeT size) {
    if (is_fishy(thread, size, "realloc", "size")) return nullptr;
    // Up to 3.20 the core handles these two cases itself.
    if (p == nullptr) return take(thread, size, 0, AllocKind::Malloc, false);
    if (size == 0) {
        report_realloc_size_zero(thread, reinterpret_cast<Address>(p));
        release(thread, p, AllocKind::Malloc);
        return nullptr;
    }
    Block* old = owned(thread, p);
    if (old == nullptr) return nullptr;
    if (old->kind != AllocKind::Malloc) report_mismatch(thread, *old);
    Address from = old->payload;
    SizeT kept = old->size < size ? old->size : size;
    lift_guards(from, kept);  // their states are not the bytes' own
    const Block* moved = take_untold(thread, size, 0, AllocKind::Malloc, false);
    if (moved == nullptr) return nullptr;
    const Address to = moved->payload;
    VG_(memcpy)(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), kept);
    if (instrument::policy().undefined) {
        shadow::copy_range(to, from, kept);
        if (!shadow::side_empty()) shadow::side_copy_range(to, from, kept);
    }
    tell_resized(*find_live(from), *moved);
    give_back(thread, *find_live(from));
    note_peak();
    return reinterpret_cast<void*>(to);
}

SizeT ms_malloc_usable_size(ThreadId, void* p) {
    const Block* block = find_live(reinterpret_cast<Address>(p));
    return block == nullptr ? 0 : block->size;
}

}  // extern "C"

}  // namespace

void free_as(u32 thread, Block& block, AllocKind expected) {
    if (block.kind != expected) report_mismatch(thread, block);
    give_back(thread, block);
}

ContextId stack_of_allocation(u32 thread) {
    const KeepStacks kept = options().keep_stacktraces;
    return kept == KeepStacks::Free || kept == KeepStacks::None ? ContextId::None : here(thread);
}

ContextId stack_of_free(u32 thread) {
    const KeepStacks kept = options().keep_stacktraces;
    return kept == KeepStacks::Alloc || kept == KeepStacks::None ? ContextId::None : here(thread);
}

void forget_allocation(Block& block) {
    if (options().keep_stacktraces == KeepStacks::AllocThenFree) block.allocated = ContextId::None;
}

void mark_allocated(const Block& block, bool defined) {
    if (!keeps_states()) return;
    Extents slot = extents(block);
    Address end = block.payload + block.size;
    if (!block.fresh) {
        shadow::set_range(slot.begin, block.payload - slot.begin, State::Unaddressable);
        shadow::set_range(end, slot.end - end, State::Unaddressable);
    }
    bool undefined = !defined && instrument::policy().undefined;
    if (undefined && !shadow::side_empty()) shadow::side_forget_range(block.payload, block.size);
    shadow::set_range(block.payload, block.size, undefined ? State::Uninitialised : State::Fine);
}

void register_replacement() {
    vg::replace_malloc({.malloc = ms_malloc,
                        .new_ = ms_new,
                        .new_aligned = ms_new_aligned,
                        .vec_new = ms_vec_new,
                        .vec_new_aligned = ms_vec_new_aligned,
                        .memalign = ms_memalign,
                        .calloc = ms_calloc,
                        .free = ms_free,
                        .delete_ = ms_delete,
                        .delete_aligned = ms_delete_aligned,
                        .vec_delete = ms_vec_delete,
                        .vec_delete_aligned = ms_vec_delete_aligned,
                        .realloc = ms_realloc,
                        .usable_size = ms_malloc_usable_size});
}

bool is_replaced() {
    for (const DebugInfo* info = VG_(next_DebugInfo)(nullptr); info != nullptr;
         info = VG_(next_DebugInfo)(info))
        if (VG_(strstr)(VG_(DebugInfo_get_filename)(info), "/vgpreload_memspy-") != nullptr) return true;
    return false;
}

void start_replacement() {
    Limits limits;
    // The core adds to what the user asked for.
    const usize zone = VG_(malloc_effective_client_redzone_size)();
    limits.red_zone = zone < heap::kWidestZone ? (zone + 15) & ~usize{15} : heap::kWidestZone;
    limits.quarantine_volume = static_cast<usize>(options().freelist_vol);
    limits.quarantine_big_block = static_cast<usize>(options().freelist_big_blocks);
    // The client arena takes a request above its superblock size straight from the kernel.
    constexpr usize kFreshFrom = (usize{4} << 20) + (usize{64} << 10);
    initialise(limits, ChunkSource{.acquire = acquire_chunk,
                                   .release = release_chunk,
                                   .discard = discard_freed,
                                   .zeroed_from = kFreshFrom});
    vg::load_into_static_program();
}

void judge(const Mistakes& chosen) { mistakes = chosen; }

}  // namespace memspy::client
