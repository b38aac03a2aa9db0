// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/thread_storage.h"

#include "places/static_objects.h"
#include "places/statics.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/data_symbols.h"
#include "vg/vg.h"

namespace memspy::places {
namespace {

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
    wanted.loaded_from = vg::main_module();
    wanted.module_offset = symbol.start;
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

}  // namespace

ObjectRegion tls_region(const ThreadStack& stack, Address a) {
    const TlsBlock block = main_tls_block(stack);
    vg::DataSymbol symbol;
    const auto has_symbol = [&](Address b) {
        return b >= block.begin && b < block.end &&
               vg::find_tls_symbol(vg::main_module(), b - block.begin, &symbol);
    };
    if (has_symbol(a)) {
        u64 begin = symbol.start, end = symbol.start + symbol.size;
        const DeclaredStatic* const member =
            may_be_common(symbol.name)
                ? find_member(vg::main_module(), MemberOf::ThreadCommon, a - block.begin, &begin, &end)
                : nullptr;
        if (member != nullptr) symbol = {.name = member->name, .start = begin, .size = end - begin};
        const Address start = block.begin + symbol.start;
        if (member == nullptr && end - begin != symbol.size)
            return {block.begin + begin, block.begin + end, start, tls_variable(symbol, stack.serial, start)};
        return {start, start + symbol.size, start, tls_variable(symbol, stack.serial, start)};
    }
    ObjectRegion region = grow(a, stack.tls_begin, stack.tls_end, [&](Address b) { return !has_symbol(b); });
    region.start = stack.tls_begin;
    region.object = nameless_tls(stack);
    return region;
}

ObjectRegion whole_tls(const ThreadStack& stack) {
    return {stack.tls_begin, stack.tls_end, stack.tls_begin, nameless_tls(stack)};
}

}  // namespace memspy::places
