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
// The table of all that were found; objects.h finds them.
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
    usize size = 0;              // 0 if not known (a static object ends where the next symbol starts)
    u64 blocks = 0;              // Heap: 1; 2: several were alive at once
    u64 on_lines = 0;            // Heap: blocks found on shared lines
    Address latest = 0;          // Heap: the block that was met last, while `blocks` is 1
    bool of_many_sizes = false;  // of these; `size` is the first one's
    u32 number = 0;              // Heap: of one block of its allocation, from 1 on; 0: all of its blocks
    // The object table owns all texts.
    const char* name = nullptr;      // Static: symbol or section; Stack: function; Unknown: a description
    const char* variable = nullptr;  // Stack: null for the rest of a frame
    u64 line = 0;                    // of the variable's declaration
    u64 unit = 0, file = 0;          // Stack: of the declaration's file, see declared_file()
    // Static: the ELF symbol as in the file (C++: mangled); null for sections. Unknown: that of a
    // thread-local variable; else null.
    const char* symbol = nullptr;
    const char* common = nullptr;    // Static: the COMMON block that the variable is a member of, else null
    vg::ModuleId loaded_from{};      // Static; a variable's on a stack; thread-local
    const char* module = nullptr;    // Static, Unknown file mapping: path of the ELF object or file
    const char* build_id = nullptr;  // Static: hexadecimal, or null
    // Static: link-time address of `start` in its module (address - load bias). Variable on a stack: of its
    // function, which is not the one called `name` if that was inlined. Thread-local: in its module's storage.
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

const Object& object(ObjectId id);  // its address does not change
u32 object_count();                 // ids are 1 … object_count()

// For who finds objects: to complete them.
Object& object_at(ObjectId id);

inline u64 mix(u64 a, u64 b) {
    u64 key = (a ^ (b * 0x9E3779B97F4A7C15u)) * 0xD6E8FEB86659FD93u;
    return key ^ (key >> 32);
}
ObjectId* find_by_key(u64 key);  // null: no object has it
ObjectId add_object(u64 key, const Object& object);
// The object equal to `wanted` according to `same`; it is made if there is none.
template <typename Same>
ObjectId find_or_make(u64 key, const Object& wanted, Same same) {
    for (;; ++key) {
        const ObjectId* found = find_by_key(key);
        if (found == nullptr) return add_object(key, wanted);
        const Object& object = object_at(*found);
        if (object.kind == wanted.kind && same(object)) return *found;
    }
}

// Memory that has no better name; `thread`: whose it is, 0: nobody's.
ObjectId named_unknown(const char* name, u32 thread, Address start, usize size);

}  // namespace memspy::places
