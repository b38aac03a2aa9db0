// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/objects.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <new>

#include "places/frame_variables.h"
#include "places/regions.h"
#include "places/statics.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/system_paths.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "threads/call_tree.h"
#include "threads/frame_slots.h"
#include "threads/registry.h"
#include "vg/data_symbols.h"
#include "vg/unwind.h"
#include "vg/vg.h"

// Only the core's own headers declare this.
extern "C" Addr VG_(brk_limit);

namespace memspy::places {
namespace {

// No line is longer, see Extent.
constexpr Address kWindow = kExtentWindow;
constexpr Address window_begin(Address a) { return a & ~(kWindow - 1); }
constexpr Address window_end(Address a) { return window_begin(a) + kWindow; }

// glibc's thread descriptor, rounded up: 2304 bytes in 2.36. On amd64 it follows the thread pointer, on arm64
// it precedes it.
constexpr usize kDescriptor = 2304;
// Deeper frames of a recursion have no name.
constexpr UInt kMostFrames = 512;

// The stack of one thread, dead or alive: [low, high), and its thread-local storage if that is known.
struct ThreadStack {
    u32 serial, guest_id;
    Address low, high;
    Address tls_begin, tls_end;
    Address pointer;  // the thread pointer; 0: no thread-local storage is known
};

rt::Global<rt::Vector<Object*>> objects;
rt::Global<rt::HashMap<ObjectId>> objects_by_key;
rt::Global<rt::Vector<ObjectId>> anonymous_mappings;
rt::Global<rt::HashMap<u8>> known_blocks;  // by payload and object: each block is counted once
rt::Global<rt::Vector<ThreadStack>> stacks;

Object& object_at(ObjectId id) { return *(*objects)[static_cast<usize>(id) - 1]; }

// The object equal to `wanted` according to `same`; it is made if there is none.
template <typename Same>
ObjectId find_or_make(u64 key, const Object& wanted, Same same) {
    for (;; ++key) {
        ObjectId* found = objects_by_key->find(key);
        if (found == nullptr) break;
        const Object& object = object_at(*found);
        if (object.kind == wanted.kind && same(object)) return *found;
    }
    objects->push_back(new (rt::allocate(sizeof(Object), "memspy.objects")) Object(wanted));
    const auto id = static_cast<ObjectId>(objects->size());
    (*objects_by_key)[key] = id;
    return id;
}

ObjectId named_unknown(const char* name, u32 thread, Address start, usize size) {
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern(name);
    wanted.thread = thread;
    wanted.start = start;
    wanted.size = size;
    return find_or_make(mix(reinterpret_cast<u64>(wanted.name), thread), wanted, [&](const Object& o) {
        return o.name == wanted.name && o.thread == thread && o.module == nullptr;
    });
}

// The bytes around `a`, in its window and in [low, high), for which `same` gives the same result as for `a`.
template <typename Same>
ObjectRegion grow(Address a, Address low, Address high, Same same) {
    if (low < window_begin(a)) low = window_begin(a);
    if (high > window_end(a)) high = window_end(a);
    ObjectRegion region{a, a + 1, a, ObjectId::None};
    while (region.begin > low && same(region.begin - 1)) --region.begin;
    while (region.end < high && same(region.end)) ++region.end;
    return region;
}

// Heap

const heap::Block* block_around(Address a) {
    const heap::Block* block = heap::find_near(a);
    return block != nullptr && block->contains(a) ? block : nullptr;
}

// Blocks that the client described may be anywhere. Cuts `region` down to the bytes around `a` that are in
// `block`, or in no block if it is null. Described blocks of eight bytes and more are always found, smaller
// ones if they are aligned to their size.
ObjectRegion without_inner_blocks(const ObjectRegion& region, Address a, const heap::Block* block) {
    const Address low = region.begin > window_begin(a) ? region.begin : window_begin(a);
    const Address high = region.end < window_end(a) ? region.end : window_end(a);
    bool clear = true;
    for (Address b = low; b < high && clear; b = (b | 3) + 1) clear = block_around(b) == block;
    if (clear) return region;
    ObjectRegion around = grow(a, low, high, [&](Address b) { return block_around(b) == block; });
    around.start = region.start;
    around.object = region.object;
    return around;
}

// `number`: of a block that is an object of its own; 0: of all blocks of the allocation. The key differs by it.
ObjectId find_block(const heap::Block& block, u32 number, u64 key) {
    Object wanted;
    wanted.kind = Object::StorageKind::Heap;
    wanted.alloc_kind = block.kind;
    wanted.allocated = block.allocated;
    wanted.allocated_by = block.allocated_by;
    wanted.start = block.payload;
    wanted.size = block.size;
    wanted.number = number;
    if (number != 0) wanted.blocks = 1;
    return find_or_make(mix(static_cast<u64>(block.allocated), key), wanted, [&](const Object& o) {
        return o.allocated == block.allocated && o.alloc_kind == block.kind && o.number == number;
    });
}
ObjectId object_of_block(const heap::Block& block) {
    return find_block(block, 0, static_cast<u64>(block.kind) + 1);
}

ObjectRegion heap_region(const heap::Block& block, Address a) {
    const ObjectId id = object_of_block(block);
    u8& counted = (*known_blocks)[(static_cast<u64>(id) << 40) ^ block.payload];
    if (counted == 0) {
        counted = 1;
        ++object_at(id).blocks;
    }
    const ObjectRegion whole{block.payload, block.payload + block.size, block.payload, id};
    return without_inner_blocks(whole, a, &block);
}

ObjectRegion heap_gap(Address a) {
    ObjectRegion region = grow(
        a, 0, ~Address{0}, [](Address b) { return heap::is_heap_memory(b) && block_around(b) == nullptr; });
    region.object = named_unknown("heap memory outside all blocks", 0, 0, 0);
    region.start = region.begin;
    return region;
}

// Threads: stacks and thread-local storage

Address thread_pointer(ThreadId thread) {
#if defined(VGA_amd64)
    constexpr usize kOffset = offsetof(VexGuestArchState, guest_FS_CONST);
#elif defined(VGA_arm64)
    constexpr usize kOffset = offsetof(VexGuestArchState, guest_TPIDR_EL0);
#else
#error "where does this architecture keep the thread pointer?"
#endif
    u64 pointer = 0;
    VG_(get_shadow_regs_area)(thread, reinterpret_cast<UChar*>(&pointer), 0, static_cast<PtrdiffT>(kOffset),
                              sizeof pointer);
    return pointer;
}

// Whether a C library keeps thread-local storage at the thread pointer. amd64's ABI wants the pointer itself
// in the word there; Go's runtime has words of its own around it, in its static data and its heap. On arm64,
// Go leaves the register alone.
bool has_tls(Address pointer) {
#if defined(VGA_amd64)
    return VG_(am_is_valid_for_client)(pointer, sizeof(Address), VKI_PROT_READ) &&
           *reinterpret_cast<const Address*>(pointer) == pointer;
#else
    return pointer != 0;
#endif
}

usize tls_bytes_of_all_modules() {
    vg::know_modules();
    usize bytes = 0;
    for (u32 i = 1; i <= vg::module_count(); ++i) bytes += vg::module(static_cast<vg::ModuleId>(i)).tls_bytes;
    return bytes;
}

// To the core, a stack reaches down to its mapping's start. That is not so of one that was made amid other
// memory, such as Go's heap; where it ends, nobody knows. (C libraries map a stack together with thread-local
// storage on top of it.)
bool is_amid_mapping(const ThreadStack& stack) {
    const NSegment* const mapping = stack.high == 0 ? nullptr : VG_(am_find_nsegment)(stack.high - 1);
    return mapping != nullptr && mapping->end >= stack.high + VKI_PAGE_SIZE &&
           (stack.pointer < stack.high || stack.pointer > mapping->end);
}

bool is_alive(const ThreadStack& stack) {
    return threads::thread_of_guest(stack.guest_id).serial == stack.serial;
}

void add_stack(ThreadId guest_id, u32 serial, bool at_first_instruction) {
    ThreadStack stack{};
    stack.serial = serial;
    stack.guest_id = guest_id;
    stack.high = VG_(thread_get_stack_max)(guest_id) + 1;
    stack.low = stack.high - VG_(thread_get_stack_size)(guest_id);
    if (stack.low >= stack.high) stack.low = stack.high = 0;

    if (const Address pointer = thread_pointer(guest_id); has_tls(pointer)) {
        const usize tls = tls_bytes_of_all_modules();
        stack.pointer = pointer;
#if defined(VGA_amd64)
        stack.tls_begin = pointer - tls;
        stack.tls_end = pointer + kDescriptor;
#else
        stack.tls_begin = pointer - kDescriptor;
        stack.tls_end = pointer + 2 * sizeof(Address) + tls;
#endif
    }
    // glibc puts thread-local storage and the thread descriptor on top of the stack that it makes for a
    // thread.
    const Address sp = VG_(get_SP)(guest_id);
    if (at_first_instruction && sp > stack.low && sp <= stack.high && stack.tls_begin >= stack.low &&
        stack.tls_begin <= stack.high)
        stack.tls_begin = stack.high = sp;
    if (is_amid_mapping(stack)) stack.low = stack.high = 0;

    // The former owner of this memory is gone.
    for (usize i = 0; i < stacks->size();) {
        const ThreadStack& other = (*stacks)[i];
        if (other.serial == serial || (other.low < stack.high && other.high > stack.low)) {
            (*stacks)[i] = stacks->back();
            stacks->pop_back();
        } else {
            ++i;
        }
    }
    stacks->push_back(stack);
}

// Asks the core only if a thread is new since it told all stacks: most addresses that are looked up are in
// none.
void find_new_stacks() {
    static u32 threads_seen = 0;
    if (threads_seen == threads::threads_ever()) return;
    threads_seen = threads::threads_ever();
    ThreadId guest_id;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&guest_id);
    while (VG_(thread_stack_next)(&guest_id, &low, &high)) {
        const u32 serial = threads::thread_of_guest(guest_id).serial;
        if (serial == 0) {
            threads_seen = 0;
            continue;
        }
        bool known = false;
        for (const ThreadStack& stack : *stacks) known = known || stack.serial == serial;
        if (!known) add_stack(guest_id, serial, false);
    }
}

bool in_tls(const ThreadStack& stack, Address a) { return a >= stack.tls_begin && a < stack.tls_end; }
bool in_stack(const ThreadStack& stack, Address a) { return a >= stack.low && a < stack.high; }

const ThreadStack* known_stack_around(Address a) {
    for (const ThreadStack& stack : *stacks)
        if (in_tls(stack, a) || in_stack(stack, a)) return &stack;
    return nullptr;
}

// Where the first thread has its thread-local storage became known, and its stack is to be added anew.
constinit ThreadId first_got_tls = 0;
bool first_has_tls = false;

const ThreadStack* stack_around(Address a) {
    if (first_got_tls != 0) [[unlikely]] {
        const ThreadId guest_id = first_got_tls;
        first_got_tls = 0;
        add_stack(guest_id, 1, false);
    }
    const ThreadStack* stack = known_stack_around(a);
    if (stack != nullptr && is_alive(*stack)) return stack;
    find_new_stacks();
    return known_stack_around(a);
}

// The return address is between the slot of a frame (threads/frame_slots.h) and its end.
#if defined(VGA_amd64)
constexpr usize kReturnPops = sizeof(Address);
#else
constexpr usize kReturnPops = 0;
#endif
// Of a frame whose size is not known.
constexpr usize kMostFrame = usize{64} << 20;

// The function that the code belongs to; null if it has no name, or is not the program's own.
const char* own_function(Address code) {
    struct OwnFunction {
        const char* name;
        bool is_known;
    };
    static rt::Global<rt::HashMap<OwnFunction>> functions;
    OwnFunction& function = (*functions)[code];
    if (function.is_known) return function.name;
    function.is_known = true;
    const vg::ModuleId id = vg::module_of_code(code);
    const HChar* name = nullptr;
    if (id != vg::ModuleId::None && !rt::is_system_path(vg::module(id).path) &&
        VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name))
        function.name = vg::intern(name);
    return function.name;
}

struct StackFrame {
    Address begin = 0, end = 0;
    const char* name = nullptr;
    Address code = 0;
    Address lowest = 0;  // the innermost frame's: of its red zone
};

// The frame that `a` is in now, without a name if that is not known.
StackFrame frame_around(const ThreadStack& stack, Address a) {
    static Addr ips[kMostFrames], sps[kMostFrames];  // the tool has one thread, and its stack is small
    StackFrame frame{.begin = stack.low, .end = stack.high};
    if (!is_alive(stack)) return frame;
    const UInt count = VG_(get_StackTrace)(stack.guest_id, ips, kMostFrames, sps, nullptr, 0);
    if (count == 0) return frame;
    const Address top = sps[0] - VG_STACK_REDZONE_SZB;
    if (a < top) {
        if (top < frame.end) frame.end = top;
        return frame;
    }
    for (UInt i = 0; i < count; ++i) {
        const Address begin = sps[i];
        const Address end = i + 1 < count ? sps[i + 1] : stack.high;
        if (begin < stack.low || end > stack.high) break;  // it runs on another stack
        // The red zone belongs to the innermost function.
        const bool in_red_zone = i == 0 && a < begin;
        if (!in_red_zone && (a < begin || a >= end)) continue;
        frame.begin = begin;
        frame.end = end;
        frame.lowest = i == 0 ? top : begin;
        // The end of the outermost frame is not known, nor whether there are more frames.
        const HChar* name = nullptr;
        if (i + 1 < count && VG_(get_fnname)(VG_(current_DiEpoch)(), ips[i], &name))
            frame.name = vg::intern(name);
        frame.code = ips[i];
        break;
    }
    return frame;
}

// The variable, or for want of one what the frame has around `a`.
ObjectRegion frame_region(u32 thread, const StackFrame& frame, const StackVariable& found,
                          bool of_all_threads = false) {
    const bool is_variable = found.name != nullptr;
    Object wanted;
    wanted.kind = Object::StorageKind::Stack;
    wanted.thread = thread;
    wanted.of_all_threads = of_all_threads;
    wanted.start = is_variable ? found.begin : frame.begin;
    wanted.size = (is_variable ? found.end : frame.end) - wanted.start;
    wanted.name = found.function != nullptr ? found.function : frame.name;
    wanted.code = frame.code;
    wanted.frame_begin = frame.begin;
    wanted.frame_end = frame.end;
    wanted.variable = found.name;
    wanted.line = found.line;
    wanted.unit = found.unit;
    wanted.file = found.file;
    wanted.loaded_from = found.module;
    wanted.module_offset = found.entry;
    const u64 key =
        mix(mix(reinterpret_cast<u64>(wanted.name), reinterpret_cast<u64>(found.name) + found.line),
            (of_all_threads ? 0 : u64{thread}) << 1 | 1);
    const ObjectId id = find_or_make(key, wanted, [&](const Object& o) {
        const bool is_same_thread = of_all_threads || o.thread == wanted.thread;
        return o.name == wanted.name && o.of_all_threads == of_all_threads && is_same_thread &&
               o.variable == wanted.variable && o.line == wanted.line &&
               o.module_offset == wanted.module_offset;
    });
    return {found.begin, found.end, wanted.start, id};
}

ObjectRegion stack_region(const ThreadStack& stack, const StackFrame& frame, Address a) {
    StackVariable found{.begin = frame.begin, .end = frame.end};
    const bool found_one =
        frame.name != nullptr && find_frame_variable(frame.code, frame.begin, frame.end, a, &found);
    if (!found_one && a < frame.begin) {
        found.begin = frame.lowest;
        found.end = frame.begin;
    }
    return frame_region(stack.serial, frame, found);
}

// gfortran's "__state_MOD_hits" as "state::hits"; null for other symbols.
const char* fortran_name(const char* symbol) {
    const HChar* const between = VG_(strstr)(symbol, "_MOD_");
    if (between == nullptr || between < symbol + 2 || symbol[0] != '_' || symbol[1] != '_') return nullptr;
    rt::Text name;
    for (const char* c = symbol + 2; c != between; ++c) name.add(*c);
    name.add("::").add(between + VG_(strlen)("_MOD_"));
    return vg::intern(name.c_str());
}

// Without the version of some symbols ("stdout@GLIBC_2.2.5"), and without the number that compilers append to
// the name of a function's static variable ("count.0").
const char* readable_name(const char* symbol) {
    if (const char* const name = fortran_name(symbol)) return name;
    const char* name = vg::intern(vg::demangled(symbol));
    usize length = VG_(strcspn)(name, "@");
    const HChar* dot = VG_(strchr)(name, '.');
    if (dot != nullptr && dot > name && VG_(strspn)(dot + 1, "0123456789") == VG_(strlen)(dot + 1))
        length = static_cast<usize>(dot - name);
    if (length == 0 || name[length] == '\0') return name;
    rt::Vector<char> unversioned;
    unversioned.resize(length + 1);  // ends with a zero
    VG_(memcpy)(unversioned.data(), name, length);
    return vg::intern(unversioned.data());
}

struct TlsBlock {
    Address begin = 0, end = 0;
};

// The main program's thread-local variables of this thread. They are at a distance from the thread pointer
// that the linker chose: below it on amd64, behind the two words there on arm64. (Those of a library may be
// anywhere.)
TlsBlock main_tls_block(const ThreadStack& stack) {
    const vg::ModuleId id = vg::main_module();
    if (id == vg::ModuleId::None || stack.pointer == 0) return {};
    const vg::Module& module = vg::module(id);
#if defined(VGA_amd64)
    const Address begin = stack.pointer - module.tls_bytes;
#else
    const Address begin =
        stack.pointer + (2 * sizeof(Address) + module.tls_align - 1) / module.tls_align * module.tls_align;
#endif
    return {begin, begin + module.tls_bytes};
}

ObjectId tls_variable(const vg::DataSymbol& symbol, u32 thread, Address start) {
    char name[256];
    VG_(snprintf)(name, sizeof name, "%s of thread %u", readable_name(symbol.name), thread);
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern(name);
    wanted.symbol = symbol.name;
    wanted.thread = thread;
    wanted.start = start;
    wanted.size = symbol.size;
    // Two files may have variables of the same name.
    return find_or_make(mix(reinterpret_cast<u64>(wanted.name), start), wanted,
                        [&](const Object& o) { return o.name == wanted.name && o.start == start; });
}

// What no variable is known in. Threads that live one after the other get the same memory: of thousands of
// them it is one object, the first one's.
ObjectId nameless_tls(const ThreadStack& stack) {
    static rt::Global<rt::HashMap<ObjectId>> known;  // by place
    const usize size = stack.tls_end - stack.tls_begin;
    ObjectId& id = (*known)[mix(stack.tls_begin, size)];
    char name[80];
    const bool is_first = id == ObjectId{};
    const u32 first = is_first ? stack.serial : object_at(id).thread;
    const char* const others = first == stack.serial ? "" : " and later ones";
    VG_(snprintf)(name, sizeof name, "thread-local storage of thread %u%s", first, others);
    if (is_first) id = named_unknown(name, first, stack.tls_begin, size);
    if (others[0] != '\0') object_at(id).name = vg::intern(name);
    return id;
}

ObjectRegion tls_region(const ThreadStack& stack, Address a) {
    const TlsBlock block = main_tls_block(stack);
    vg::DataSymbol symbol;
    const auto has_symbol = [&](Address b) {
        return b >= block.begin && b < block.end &&
               vg::find_tls_symbol(vg::main_module(), b - block.begin, &symbol);
    };
    if (has_symbol(a)) {
        const Address start = block.begin + symbol.start;
        return {start, start + symbol.size, start, tls_variable(symbol, stack.serial, start)};
    }
    ObjectRegion region = grow(a, stack.tls_begin, stack.tls_end, [&](Address b) { return !has_symbol(b); });
    region.start = stack.tls_begin;
    region.object = nameless_tls(stack);
    return region;
}

// Static data

// By the core's symbols.
bool in_symbol(Address a, Address start) {
    const char* name;
    Address other;
    return vg::data_symbol(a, &name, &other) && other == start;
}

// The end of the symbol around `a`: a symbol's bytes have no gaps, so bisection finds it.
Address symbol_end(Address a, Address start) {
    Address inside = a;
    Address step = 1;
    while (in_symbol(inside + step, start)) {
        inside += step;
        step *= 2;
    }
    for (; step > 1; step /= 2)
        if (in_symbol(inside + step / 2, start)) inside += step / 2;
    return inside + 1;
}

void set_module(Object& object, vg::ModuleId id) {
    const vg::Module& module = vg::module(id);
    object.kind = Object::StorageKind::Static;
    object.loaded_from = id;
    object.module = module.path;
    object.build_id = module.build_id;
    object.module_offset = object.start - module.bias;
}

ObjectId static_object(const Object& wanted) {
    const u64 key = mix(wanted.module_offset, u64{static_cast<u32>(wanted.loaded_from)} << 8 | 2);
    return find_or_make(key, wanted, [&](const Object& o) {
        return o.loaded_from == wanted.loaded_from && o.module_offset == wanted.module_offset &&
               (o.symbol == nullptr) == (wanted.symbol == nullptr) && o.common == wanted.common &&
               (o.symbol != nullptr || o.name == wanted.name);
    });
}

// A section, or the core's name for it if the file could not be read.
struct SectionPart {
    Address begin;
    usize size;  // 0 when not known
    const char* name;
    bool operator==(const SectionPart&) const = default;
};
SectionPart section_part(const vg::Module& module, Address a) {
    if (const vg::ModuleSection* section = vg::section_of(module, a))
        return {section->begin, section->size, section->name};
    const VgSectKind kind = VG_(DebugInfo_sect_kind)(nullptr, a);
    return {module.begin, 0, kind == Vg_SectUnknown ? "mapped file" : VG_(pp_SectKind)(kind)};
}

// The variable around `a`, from the core's symbols, else from the module's own symbol table.
bool variable_around(vg::ModuleId id, Address a, Object* found) {
    const char* symbol;
    if (vg::data_symbol(a, &symbol, &found->start)) {
        found->symbol = vg::intern(symbol);
        found->size = symbol_end(a, found->start) - found->start;
        return true;
    }
    const vg::Module& module = vg::module(id);
    vg::DataSymbol own;
    if (!vg::find_data_symbol(id, a - module.bias, &own)) return false;
    found->start = module.bias + own.start;
    found->symbol = own.name;
    found->size = own.size;
    return true;
}

// Fortran compilers append an underscore to the name of a COMMON block (`__BLNK__`: the one without a name).
bool may_be_common(const char* symbol) {
    const usize length = VG_(strlen)(symbol);
    return length > 1 && symbol[length - 1] == '_';
}

// The region of a variable, or of the member of a COMMON block around `a`.
ObjectRegion variable_region(vg::ModuleId id, Address a, Object& wanted) {
    const u64 bias = vg::module(id).bias;
    ObjectRegion region{wanted.start, wanted.start + wanted.size, wanted.start, ObjectId::None};
    wanted.name = readable_name(wanted.symbol);
    if (may_be_common(wanted.symbol)) {
        u64 begin = region.begin - bias, end = region.end - bias;
        const DeclaredStatic* const member = find_common_member(id, a - bias, &begin, &end);
        region.begin = begin + bias;
        region.end = end + bias;
        if (member != nullptr) {
            wanted.start = region.start = region.begin;
            wanted.size = end - begin;
            wanted.name = member->name;
            wanted.common = member->block;
        }
    }
    set_module(wanted, id);
    region.object = static_object(wanted);
    return region;
}

bool static_region(Address a, ObjectRegion* region) {
    const vg::ModuleId id = vg::module_of_data(a);
    if (id == vg::ModuleId::None) return false;
    const vg::Module& module = vg::module(id);
    Object wanted;
    if (variable_around(id, a, &wanted)) {
        *region = variable_region(id, a, wanted);
        return true;
    }
    const SectionPart part = section_part(module, a);
    wanted.start = part.begin;
    wanted.size = part.size;
    wanted.name = vg::intern(part.name);
    set_module(wanted, id);
    if (part.size == 0) {
        *region =
            grow(a, module.begin, module.end, [&](Address b) { return section_part(module, b) == part; });
    } else {
        region->begin = part.begin;
        region->end = part.begin + part.size;
    }
    const vg::SymbolGap gap = vg::symbol_gap(id, a);
    if (gap.begin > region->begin) region->begin = gap.begin;
    if (gap.end < region->end) region->end = gap.end;
    region->start = part.begin;
    region->object = static_object(wanted);
    return true;
}

// Everything else

ObjectId file_mapping(const char* path, Address start, usize size) {
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern("mapped file");
    wanted.module = vg::intern(path);
    wanted.start = start;
    wanted.size = size;
    return find_or_make(mix(reinterpret_cast<u64>(wanted.module), 3), wanted,
                        [&](const Object& o) { return o.module == wanted.module; });
}

// Anonymous mappings grow and merge with their neighbours, so a mapping that was around `a` before is the
// same object.
ObjectId anonymous_mapping(const char* name, Address a, Address start, usize size) {
    for (const ObjectId id : *anonymous_mappings)
        if (const Object& o = object_at(id); a - o.start < o.size) return id;
    Object wanted;
    wanted.kind = Object::StorageKind::Unknown;
    wanted.name = vg::intern(name);
    wanted.start = start;
    wanted.size = size;
    const ObjectId id = find_or_make(mix(start, 4), wanted, [&](const Object& o) {
        return o.name == wanted.name && o.start == start && o.size == size;
    });
    anonymous_mappings->push_back(id);
    return id;
}

ObjectRegion mapping_region(Address a) {
    ObjectRegion region{window_begin(a), window_end(a), 0, ObjectId::None};
    const NSegment* segment = VG_(am_find_nsegment)(a);
    if (segment == nullptr ||
        (segment->kind != SkFileC && segment->kind != SkAnonC && segment->kind != SkShmC)) {
        region.object = named_unknown("unmapped memory", 0, 0, 0);
        region.start = region.begin;
        return region;
    }
    const Address start = segment->start;
    const usize size = segment->end - start + 1;
    if (segment->kind == SkFileC) {
        const HChar* path = VG_(am_get_filename)(segment);
        region.object = file_mapping(path == nullptr ? "" : path, start, size);
    } else if (segment->kind == SkShmC) {
        region.object = anonymous_mapping("shared memory", a, start, size);
    } else if (VG_(brk_limit) >= start && VG_(brk_limit) <= start + size) {
        region.object = named_unknown("data segment (brk)", 0, start, size);
    } else {
        region.object = anonymous_mapping("anonymous mapping", a, start, size);
    }
    // Offsets count from the object's first known start, unless this is another mapping of its file.
    const Object& object = object_at(region.object);
    region.start = a - object.start < object.size ? object.start : start;
    region.begin = start;
    region.end = start + size;
    // Thread-local storage may lie in the same mapping.
    for (const ThreadStack& stack : *stacks) {
        for (const Address edge : {stack.low, stack.high, stack.tls_begin, stack.tls_end}) {
            if (edge <= a && edge > region.begin) region.begin = edge;
            if (edge > a && edge < region.end) region.end = edge;
        }
    }
    heap::cut_at_heap_memory(a, &region.begin, &region.end);
    return region;
}

// `a` is not in any block.
ObjectRegion region_outside_blocks(Address a) {
    ObjectRegion region;
    if (const ThreadStack* stack = stack_around(a))
        return in_tls(*stack, a) ? tls_region(*stack, a) : stack_region(*stack, frame_around(*stack, a), a);
    if (static_region(a, &region)) return region;
    return mapping_region(a);
}

ObjectRegion region_around(Address a) {
    if (const heap::Block* block = block_around(a)) return heap_region(*block, a);
    if (heap::is_heap_memory(a)) return heap_gap(a);
    return without_inner_blocks(region_outside_blocks(a), a, nullptr);
}

}  // namespace

bool first_thread_has_tls() { return first_has_tls; }

void follow_threads() {
    static bool follows = false;
    if (follows) return;
    follows = true;
    threads::ThreadListener listener;
    listener.started = [](threads::Thread t, u32 guest_id, u64) {
        // The thread-local storage of the program's first thread is elsewhere, and does not exist at its
        // first instruction.
        if (t.serial == 1 && !first_has_tls && has_tls(thread_pointer(guest_id))) {
            first_has_tls = true;
            first_got_tls = guest_id;
        }
        // Threads may begin in another order than that of their creation.
        static rt::Global<rt::Vector<bool>> has_begun;  // by serial
        if (has_begun->size() <= t.serial) has_begun->resize(t.serial + 1);
        if (!(*has_begun)[t.serial] && t.serial != 1) add_stack(guest_id, t.serial, true);
        (*has_begun)[t.serial] = true;
    };
    // The core knows a stack only while its thread lives, and the first thread's stack may not have been
    // looked up before.
    listener.exited = [](threads::Thread, u32) { find_new_stacks(); };
    threads::listen(listener);
}

Extent find_extent(Address a) {
    const ObjectRegion region = region_around(a);
    DCHECK_LE(region.begin, a);
    DCHECK_LT(a, region.end);
    remember(region);
    return clip(region, window_begin(a), window_end(a));
}

bool is_thread_local(Address a) {
    const ThreadStack* stack = stack_around(a);
    return stack != nullptr && in_tls(*stack, a);
}

Extent find_whole(Address a) {
    ObjectRegion region;
    const ThreadStack* stack = stack_around(a);
    if (stack != nullptr && in_stack(*stack, a) && !in_tls(*stack, a)) {
        region = stack_region(*stack, StackFrame{stack->low, stack->high, nullptr}, a);
        // Thread-local storage may lie on top of it.
        if (stack->tls_begin > a && stack->tls_begin < region.end) region.end = stack->tls_begin;
    } else {
        region = region_outside_blocks(a);
    }
    return {region.begin, region.end, region.object, region.start};
}

// As if no frame of the path were one of a recursion.
static bool find_part_once(const Extent& whole, const StackPosition& position, Address a, StackPart* part) {
    const u32 thread = object_at(whole.object).thread;
    *part = {whole, position.path};
    StackFrame frame{.begin = kUnknownBegin, .code = position.code};
    bool all_known = true;
    for (auto at = position.path; at != threads::CallPath::Root; at = threads::parent_of(at)) {
        const Address slot = position.slot_of(thread, at);
        all_known = all_known && slot != 0;
        frame.end = slot == 0 ? 0 : slot + kReturnPops;
        if (a < frame.end) break;
        Address return_address = 0;
        threads::return_addresses(at, &return_address, 1);
        frame = {.begin = frame.end, .code = return_address - 1};
        part->below = at;
        all_known = all_known || slot != 0;
        if (slot != 0) part->extent.begin = frame.begin;
    }
    if (frame.end == 0) return false;
    part->extent.end = frame.end;
    // Below the innermost frame's slot all may be its own.
    if (!all_known || (frame.begin == kUnknownBegin && a + kMostFrame < frame.end)) return false;
    frame.name = own_function(frame.code);
    if (frame.name == nullptr) return false;
    if (const usize size = frame.begin == kUnknownBegin ? vg::frame_size_at(frame.code) : 0; size != 0)
        frame.begin = frame.end - size;
    StackVariable found;
    const bool is_variable = find_frame_variable(frame.code, frame.begin, frame.end, a, &found);
    part->extent.begin = found.begin > part->extent.begin ? found.begin : part->extent.begin;
    part->extent.end = found.end;
    if (!is_variable) return false;
    const ObjectRegion region = frame_region(thread, frame, found, true);
    part->extent = {region.begin, region.end, region.object, region.start};
    return true;
}

bool find_stack_part(const Extent& whole, const StackPosition& position, Address a, StackPart* part) {
    const threads::Recursion recursion = threads::recursion_of(position.path);
    if (recursion.turn == 0) return find_part_once(whole, position, a, part);
    const Address slot = position.slot_of(object_at(whole.object).thread, recursion.first);
    if (*part = {whole, position.path}; slot == 0) return false;
    const Address end = part->extent.end = slot + kReturnPops;
    if (a >= end) return find_part_once(whole, position, a, part);
    if (recursion.turn == threads::kVaryingTurns) return false;
    // All turns are like the first one.
    const u64 above = (end - 1 - a) / recursion.turn * recursion.turn;
    const bool found = find_part_once(whole, position, a + above, part);
    part->turn = recursion.turn;
    part->extent.begin = std::max(part->extent.begin, end - recursion.turn) - above;
    part->extent.end = std::min(part->extent.end, end) - above;
    if (found) part->extent.start -= above;
    return found;
}

Extent find_in_left_frame(Address code, Address begin, Address end, Address a) {
    const ThreadStack* const stack = stack_around(a);
    if (stack == nullptr || !in_stack(*stack, a)) return find_whole(a);
    StackFrame frame{
        .begin = begin, .end = end, .name = nullptr, .code = code, .lowest = begin - VG_STACK_REDZONE_SZB};
    const HChar* name = nullptr;
    if (VG_(get_fnname)(VG_(current_DiEpoch)(), code, &name)) frame.name = vg::intern(name);
    const ObjectRegion region = stack_region(*stack, frame, a);
    return {region.begin, region.end, region.object, region.start};
}

ObjectId heap_object(const heap::Block& block) { return object_of_block(block); }

ObjectId single_block(const heap::Block& block, u32 number) {
    return find_block(block, number, u64{number} << 8 | static_cast<u64>(block.kind));
}

const Object& object(ObjectId id) { return object_at(id); }
u32 object_count() { return static_cast<u32>(objects->size()); }

}  // namespace memspy::places
