// SPDX-License-Identifier: GPL-2.0-or-later
//
// Objects: owners of the bytes of shared lines.
//
//   heap     all blocks of one allocation stack and kind are one object
//   static   an ELF symbol of a module, or the module's section where no symbol says more
//   stack    the frames of one function on a thread's stack
//   unknown  a mapping (file or anonymous), thread-local storage, heap memory outside blocks…
//
// What is asked about is the address at the time of the call: a heap block that was freed counts as long as
// it is in quarantine, the stack of a thread that is gone as long as no other thread has it, but of its
// frames nothing is known.
#pragma once

#include "heap/heap.h"
#include "places/place.h"
#include "vg/modules.h"

namespace memspy::places {

struct Object {
    enum class StorageKind : u8 { Heap, Static, Stack, Unknown };
    StorageKind kind{};
    heap::AllocKind alloc_kind{};  // Heap
    ContextId allocated{};         // Heap
    u32 allocated_by = 0;          // Heap: guest thread id of the first block's allocation
    u32 thread = 0;                // Stack, thread-local storage: serial of its thread
    Address start = 0;             // of the symbol, section, mapping, frame; of the first block seen
    usize size = 0;  // 0 when not known (sizes of static objects come from where the next symbol starts)
    u64 blocks = 0;  // Heap: blocks seen on shared lines
    // All texts are the table's own.
    const char* name = nullptr;  // Static: symbol or section; Stack: function; Unknown: a description
    // Static: the ELF symbol as in the file (C++: mangled); null for sections. Unknown: of a thread-local
    // variable; else null.
    const char* symbol = nullptr;
    vg::ModuleId loaded_from{};      // Static
    const char* module = nullptr;    // Static, Unknown file mapping: path of the ELF object or file
    const char* build_id = nullptr;  // Static: hexadecimal, or null
    u64 module_offset = 0;  // Static: link-time address of `start` in its module (address - load bias)
};

// The memory between symbols goes by its section.
inline bool is_section(const Object& object) {
    return object.kind == Object::StorageKind::Static && object.symbol == nullptr;
}

// The bytes around an address that have one owner, clipped to certain bytes, and to the kExtentWindow bytes
// (aligned) that any line around the address lies in.
inline constexpr usize kExtentWindow = 256;
struct Extent {
    Address begin = 0, end = 0;  // end is exclusive
    ObjectId object{};
    Address start = 0;  // of the block or symbol that the bytes are in: offsets count from here
};

// From here on new threads' stack pointers are looked at when they start, which separates stack from thread-local
// storage exactly; of threads that started before, the limit is an estimate. Call once, when the run starts.
void follow_threads();

// Finds (and makes) the object that `a` belongs to now. Slow; the caller caches extents by line and drops
// them when heap memory changes hands.
Extent find_extent(Address a);
// The same for all the bytes around `a`, however many: a stack as a whole, with no name; a symbol, a mapping.
// For addresses outside the client's heap; blocks that the client described are not seen.
Extent find_whole(Address a);
// The object that a block of the heap belongs to. The block does not count as one seen on a shared line.
ObjectId heap_object(const heap::Block& block);
const Object& object(ObjectId id);  // stays where it is
u32 object_count();                 // ids are 1 … object_count()

// Calls f for each extent with bytes in [begin, end) that find_extent ever found, clipped to that range;
// earlier owners of the same bytes too. By ascending address of the whole block, symbol…
void for_each_known_extent(Address begin, Address end, void (*f)(const Extent&, void*), void* argument);

}  // namespace memspy::places
