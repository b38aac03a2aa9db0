// SPDX-License-Identifier: GPL-2.0-or-later
//
// Objects: owners of the bytes of shared lines.
//
//   heap     all blocks of one allocation stack and kind are one object
//   static   an ELF symbol of a module, or the module's section if there is no symbol
//   stack    a variable of one function on a thread's stack; what lies in none, or none that is certain, belongs to the
//            frames of the function
//   unknown  a mapping (file or anonymous), thread-local storage, heap memory outside blocks…
//
// The owner is that at the time of the call. A freed heap block counts as long as it is in quarantine. The
// stack of a thread that is gone counts until another thread gets it, but its frames are not known.
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
    u32 allocated_by = 0;          // Heap: serial of the thread that allocated the first block; 0: not known
    u32 thread = 0;                // Stack, thread-local storage: serial of its thread
    bool of_all_threads =
        false;          // Stack: a variable of any frame of its function; `thread` is the first one's
    Address start = 0;  // of the symbol, section, mapping, variable, frame; of the first block found
    Address code = 0;   // Stack: an instruction of the function, when its frame was found; and these:
    Address frame_begin = 0, frame_end = 0;
    usize size = 0;  // 0 if not known (a static object ends where the next symbol starts)
    u64 blocks = 0;  // Heap: blocks found on shared lines
    u32 number = 0;  // Heap: of one block of its allocation, from 1 on; 0: all of its blocks
    // The object table owns all texts.
    const char* name = nullptr;      // Static: symbol or section; Stack: function; Unknown: a description
    const char* variable = nullptr;  // Stack: null for the rest of a frame
    u64 line = 0;                    // of the variable's declaration
    u64 unit = 0, file = 0;          // Stack: of the declaration's file, see declared_file()
    // Static: the ELF symbol as in the file (C++: mangled); null for sections. Unknown: that of a
    // thread-local variable; else null.
    const char* symbol = nullptr;
    const char* common = nullptr;    // Static: the COMMON block that the variable is a member of, else null
    vg::ModuleId loaded_from{};      // Static; a variable's on a stack
    const char* module = nullptr;    // Static, Unknown file mapping: path of the ELF object or file
    const char* build_id = nullptr;  // Static: hexadecimal, or null
    // Static: link-time address of `start` in its module (address - load bias). Variable on a stack: of its
    // function, which is not the one called `name` if that was inlined.
    u64 module_offset = 0;
};

// A variable of a program, not a section or a part of a frame that has no name.
inline bool is_variable(const Object& object) {
    return object.kind == Object::StorageKind::Static
               ? object.symbol != nullptr
               : object.kind == Object::StorageKind::Stack && object.variable != nullptr;
}

// Memory between symbols is named by its section.
inline bool is_section(const Object& object) {
    return object.kind == Object::StorageKind::Static && object.symbol == nullptr;
}

// The bytes around an address that have one owner. Clipped to the kExtentWindow bytes (aligned) around the
// address, which contain the address' line for any size of line.
inline constexpr usize kExtentWindow = 256;
struct Extent {
    Address begin = 0, end = 0;  // end is exclusive
    ObjectId object{};
    Address start = 0;  // of the block or symbol with these bytes: offsets count from here
};

// Call when the run starts, by each who needs it. From then on the stack pointers of new threads are read
// when they start, which separates stack from thread-local storage exactly. For threads that started before,
// the limit is an estimate.
void follow_threads();
// Whether it is known by now where the first thread's is: the loader makes it, in what was an anonymous
// mapping before. Who keeps extents forgets them then.
bool first_thread_has_tls();
bool is_thread_local(Address a);  // of any thread

// Finds (or makes) the object that `a` belongs to now. Slow: the caller caches extents by line and drops them
// when heap memory gets another owner.
Extent find_extent(Address a);
// The same for all the bytes around `a`, however many: a stack as a whole, without a name; a symbol, a
// mapping. For addresses outside the client's heap. Ignores blocks that the client described.
Extent find_whole(Address a);
// Where a thread is, or was when it made accesses that are looked at now.
struct StackPosition {
    threads::CallPath path{};
    Address code = 0;  // of the innermost function
    // Where frames of a path are, as in threads/frame_slots.h.
    Address (*slot_of)(u32 thread, threads::CallPath path) = nullptr;
};
// The bytes around `a` on a stack, `whole`: a variable's of one of the program's own functions, which is one
// object for all frames of that function. False if `a` is in none that is known; the extent then has the
// bytes that are in none either, and the object of the whole stack. It holds for all paths that are not above
// `below` (threads::is_below).
struct StackPart {
    Extent extent;
    threads::CallPath below{};
    u32 turn = 0;  // other frames of a recursion have the same, so many bytes below or above; 0: none do
};
bool find_stack_part(const Extent& whole, const StackPosition& at, Address a, StackPart* part);
// The same in a frame that was left: it had [begin, end), and `code` ran in its function.
Extent find_in_left_frame(Address code, Address begin, Address end, Address a);
// The object of a heap block. The block does not count as one found on a shared line.
ObjectId heap_object(const heap::Block& block);
// An object of this block alone, beside that of all blocks of its allocation: the block with that number.
ObjectId single_block(const heap::Block& block, u32 number);
const Object& object(ObjectId id);  // its address does not change
u32 object_count();                 // ids are 1 … object_count()

// Calls f for each extent with bytes in [begin, end) that find_extent ever found, clipped to that range,
// including earlier owners of the same bytes. By ascending address of the whole block, symbol…
void for_each_known_extent(Address begin, Address end, void (*f)(const Extent&, void*), void* argument);

}  // namespace memspy::places
