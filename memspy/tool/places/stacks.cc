// SPDX-License-Identifier: GPL-2.0-or-later
#include "places/stacks.h"

#include "places/code.h"
#include "places/frame_text.h"
#include "places/inlined_code.h"
#include "places/names.h"
#include "rt/function_name.h"
#include "rt/prefix.h"
#include "rt/system_paths.h"
#include "threads/call_tree.h"
#include "vg/modules.h"

namespace memspy::places {
namespace {

// "worker (file.c:12)": of the functions at `a`, that which the cursor is at. Code without a name has its
// address in its file, "0x8a31 (in pigz)".
void add_function(rt::Text& text, DiEpoch epoch, Addr a, const InlIPCursor* cursor) {
    const DescribeAs as_text(DescribeAs::FrameForm::Text);
    const HChar* line = VG_(describe_IP)(epoch, a, cursor);
    const HChar* from = VG_(strstr)(line, ": ");
    if (from != nullptr) line = from + 2;
    const vg::ModuleId module = rt::starts_with(line, "??? ") ? vg::module_of_code(a) : vg::ModuleId::None;
    if (module == vg::ModuleId::None) return void(text.add(line));
    text.add_hex(a - vg::module(module).bias);
    add_base_name(text.add(" (in "), vg::module(module).path);
    text.add(')');
}

// The same of the innermost of the functions there, as in the first line of a stack.
void describe(rt::Text& text, DiEpoch epoch, Addr a) {
    InlIPCursor* cursor = VG_(new_IIPC)(epoch, a);
    add_function(text, epoch, a, cursor);
    VG_(delete_IIPC)(cursor);
}

void add_shortened(rt::Text& text, const char* description) {
    constexpr usize kLongestName = 40;
    rt::Text name;
    name.add(description);
    usize open = name.size();
    while (open > 0 && !(description[open] == '(' && description[open - 1] == ' ')) --open;
    if (open == 0) return void(text.add_short(description, kLongestName));
    // Some compilers write the file's folder as well. The file's name stays whole, so that editors and terminals
    // find it.
    const char* file = description + open + 1;
    for (const char* c = file; *c != '\0'; ++c)
        if (*c == '/') file = c + 1;
    name.cut(open - 1);
    rt::Text bare;
    add_bare_function(bare, name.c_str());
    text.add_short(bare.c_str(), kLongestName).add(" (").add(file);
}

// f(cursor, depth) for the functions at `a`, innermost first, until it returns true. The outermost has depth
// 0: it is the one that is not inlined.
template <typename F>
bool for_each_function(DiEpoch epoch, Addr a, F f) {
    u32 depth = 0;
    InlIPCursor* cursor = VG_(new_IIPC)(epoch, a);
    while (VG_(next_IIPC)(cursor)) ++depth;
    VG_(delete_IIPC)(cursor);
    cursor = VG_(new_IIPC)(epoch, a);
    bool found = f(cursor, depth);
    while (!found && VG_(next_IIPC)(cursor)) found = f(cursor, --depth);
    VG_(delete_IIPC)(cursor);
    return found;
}

// Of the function at `a`; null if it has none. Valid until the next call.
const HChar* name_at(DiEpoch epoch, Addr a) {
    const HChar* name = nullptr;
    return VG_(get_fnname)(epoch, a, &name) ? name : nullptr;
}

// For a program without symbols whose work a library does: of the frames, the innermost one with a name that
// is not in a language's runtime, and that `is_fit`; 0 if there is none.
template <typename F>
Addr named_library_code(DiEpoch epoch, const Addr* frames, u32 count, F is_fit) {
    for (u32 i = 0; i < count; ++i)
        if (is_library_code(epoch, frames[i]) && !is_runtime_code(frames[i])) {
            const HChar* const name = name_at(epoch, frames[i]);
            if (name != nullptr && is_fit(name)) return frames[i];
        }
    return 0;
}

// Templates of the C++ library are compiled into the program.
bool is_of_library(const char* own) {
    return VG_(strncmp)(own, "std::", 5) == 0 || VG_(strncmp)(own, "__gnu_cxx::", 11) == 0;
}

// "worker (file.c:12)"; what runs initialisers, or a function of the library's into which one of the
// program's was inlined that the core does not know, has no name that the author knows, only the line.
void add_line(rt::Text& text, const char* function, const char* file, u64 line) {
    const bool named = !rt::is_nameless(function) && !is_of_library(function);
    if (named) text.add(function).add(" (");
    text.add(file).add(':').add_plain(line);
    if (named) text.add(')');
}

// The function that makes the call, if the one that holds the code has this name.
const char* caller_in(dwarf::InlinedCall& call, const char* outermost) {
    return call.depth == 0 ? outermost : call.function.c_str();
}

u64 number(const char* digits) { return static_cast<u64>(VG_(strtoll10)(digits, nullptr)); }

// Whether the function at `a` is one of the system's headers.
bool is_of_system_headers(DiEpoch epoch, Addr a, const InlIPCursor* cursor) {
    const DescribeAs as_xml(DescribeAs::FrameForm::Xml);
    const FrameText folder(VG_(describe_IP)(epoch, a, cursor), "<dir>");
    return rt::is_system_path(folder.text());
}

// f(function, folder, file, line) of the innermost function at `a` that is the program's own code: not in a system
// library, and not inlined from its headers. False if there is none.
template <typename F>
bool find_own(DiEpoch epoch, Addr a, F f) {
    if (is_library_code(epoch, a)) return false;
    const DescribeAs as_xml(DescribeAs::FrameForm::Xml);
    return for_each_function(epoch, a, [&](const InlIPCursor* cursor, u32 depth) {
        const HChar* description = VG_(describe_IP)(epoch, a, cursor);
        const FrameText function(description, "<fn>"), folder(description, "<dir>"),
            file(description, "<file>"), line(description, "<line>");
        if (file.text()[0] == '\0') return false;
        dwarf::InlinedCall call;
        if (!rt::is_system_path(folder.text()))
            f(function.text(), folder.text(), file.text(), number(line.text()));
        else if (depth == 0 && find_own_call(a, &call))
            f(caller_in(call, function.text()), call.folder.c_str(), call.file.c_str(), call.line);
        else
            return false;
        return true;
    });
}

// That function, "worker (file.c:12)".
bool describe_own(rt::Text& text, DiEpoch epoch, Addr a) {
    return find_own(epoch, a, [&](const char* function, const char*, const char* file, u64 line) {
        text.reset();
        add_line(text, function, file, line);
    });
}

// Chooses among the functions at `a` the innermost one of the program's own, or of wrappers the outermost one
// so far; for want of these the innermost one of a library that is compiled into the program, but for the C++
// library's. Returns whether that is final.
bool find_allocating(DiEpoch epoch, Addr a, AllocatingCode& chosen, rt::Text& described) {
    return for_each_function(epoch, a, [&](const InlIPCursor* cursor, u32 depth) {
        rt::Text function;
        add_function(function, epoch, a, cursor);
        const char* own = rt::own_name(function.c_str());
        const DescribeAs as_xml(DescribeAs::FrameForm::Xml);
        const HChar* description = VG_(describe_IP)(epoch, a, cursor);
        const FrameText folder(description, "<dir>"), line(description, "<line>");
        // The core does not know of all C and C++ compilers what is inlined: a function of the program's own
        // may have a line in a library's header.
        const bool is_foreign = rt::is_system_path(folder.text());
        const bool surely_inlined = depth != 0 || rt::starts_with_one_of(folder.text(), rt::kRustPaths);
        const bool is_library = is_of_library(own);
        const bool is_chosen = chosen.address != 0 && !chosen.foreign;
        if ((is_library && (depth != 0 || is_chosen)) || (surely_inlined && is_foreign)) return is_chosen;
        const FrameText name(description, "<fn>"), file(description, "<file>");
        bool found = false, is_final = false;
        for (dwarf::InlinedCall call; is_foreign && !is_final && find_own_call(a, &call); found = true) {
            chosen = {.address = a, .depth = call.depth, .line = call.line};
            described.reset();
            add_line(described, caller_in(call, name.text()), call.file.c_str(), call.line);
            is_final = !is_allocator_code(a, call.depth);
        }
        if (found) return is_final;
        if (is_library && (is_foreign || file.text()[0] == '\0')) return false;
        if (is_foreign && chosen.address != 0) return is_chosen;
        chosen = {.address = a, .depth = depth, .line = number(line.text()), .foreign = is_foreign};
        described.reset();
        if (is_library || (rt::is_nameless(own) && !is_foreign && file.text()[0] != '\0'))
            add_line(described, own, file.text(), chosen.line);
        else
            described.add(own);
        return !is_foreign && !is_allocator_code(a, depth);
    });
}

}  // namespace

bool is_library_data(const Object& object) {
    return object.kind == Object::StorageKind::Static && object.module != nullptr &&
           is_library_file(object.module);
}

bool is_own_variable(const Object& object) {
    switch (object.kind) {
        case Object::StorageKind::Heap: {
            // The first frame is that of the allocation function.
            ExeContext* const context = context_of(object.allocated);
            const Frames frames = context == nullptr ? Frames{nullptr, 0} : frames_of(context);
            return frames.count > 1 && !is_library_code(frames.addresses[1]);
        }
        case Object::StorageKind::Static:
        case Object::StorageKind::Stack: return is_variable(object) && !is_library_data(object);
        case Object::StorageKind::Unknown: return object.symbol != nullptr;
    }
    return false;
}

bool is_library_source(Address instruction) {
    const DiEpoch epoch = VG_(current_DiEpoch)();
    if (is_library_code(epoch, instruction)) return true;
    InlIPCursor* cursor = VG_(new_IIPC)(epoch, instruction);
    const bool result = is_of_system_headers(epoch, instruction, cursor);
    VG_(delete_IIPC)(cursor);
    return result;
}

// As the core does, it ends with main, or with what calls that.
void print_own_frames(ExeContext* context, u32 most) {
    const DiEpoch epoch = VG_(get_ExeContext_epoch)(context);
    const Frames frames = frames_of(context);
    u32 shown = 0;
    bool done = false;
    for (u32 i = 0; i < frames.count && !done; ++i) {
        const Addr a = frames.addresses[i];
        const HChar* const name = name_at(epoch, a);
        const bool nameless = name == nullptr && is_library_code(epoch, a);
        const bool ends =
            name != nullptr && !VG_(clo_show_below_main) && VG_(get_fnname_kind)(name) != Vg_FnNameNormal;
        done = for_each_function(epoch, a,
                                 [&](const InlIPCursor* cursor, u32) {
                                     if (shown != 0 && (nameless || is_of_system_headers(epoch, a, cursor)))
                                         return false;
                                     const DescribeAs as_text(DescribeAs::FrameForm::Text);
                                     VG_(umsg)("   %s %s\n", shown == 0 ? "at" : "by",
                                               VG_(describe_IP)(epoch, a, cursor));
                                     return ++shown == most;
                                 }) ||
               ends;
    }
}

bool find_source(Address instruction, OwnSource* found) {
    const DiEpoch epoch = VG_(current_DiEpoch)();
    const auto set = [&](const char*, const char* folder, const char* file, u64 line) {
        found->folder = folder != nullptr && folder[0] != '\0' ? vg::intern(folder) : nullptr;
        found->file = vg::intern(file);
        found->line = static_cast<u32>(line);
    };
    if (find_own(epoch, instruction, set)) return true;
    const HChar *file = nullptr, *folder = nullptr;
    UInt line = 0;
    if (!VG_(get_filename_linenum)(epoch, instruction, &file, &folder, &line)) return false;
    set(nullptr, folder, file, line);
    return true;
}

void describe_instruction(rt::Text& text, Address instruction) {
    rt::Text name;
    describe(name, VG_(current_DiEpoch)(), instruction);
    add_shortened(text, name.c_str());
}

void describe_place(rt::Text& text, const Place& place) {
    constexpr u32 kMost = 32;
    Addr stack[1 + kMost];
    const u32 count = code_of(place, stack, 1 + kMost);
    const DiEpoch epoch = VG_(current_DiEpoch)();
    rt::Text name;
    bool found = false;
    for (u32 i = 0; i < count && !found; ++i) found = describe_own(name, epoch, stack[i]);
    if (found) return add_shortened(text, name.c_str());
    // Without debug information at least the function of the program, or its name; in a thread that a library
    // has started, that of this library rather than that of the C library, which it called.
    const auto innermost_outside = [&](bool (*is_inside)(Address)) {
        for (u32 i = 0; i < count; ++i)
            if (!is_inside(stack[i])) return stack[i];
        return Addr{0};
    };
    Addr own = innermost_outside([](Address code) { return is_library_code(code); });
    if (own == 0) own = innermost_outside(is_runtime_code);
    if (own != 0 && name_at(epoch, own) == nullptr) {
        const Addr code = named_library_code(epoch, stack, count, [](const HChar*) { return true; });
        if (code != 0) own = code;
    }
    describe_instruction(text, own == 0 ? place.instruction : own);
}

Place own_place(const Place& place) {
    Place own = place;
    while (is_library_code(own.instruction)) {
        Address return_address = 0;
        if (threads::return_addresses(own.path, &return_address, 1) == 0) return place;
        own = {return_address - 1, threads::parent_of(own.path)};
    }
    return own;
}

// The preloaded library's frame says nothing, those of the C++ library's containers and of other libraries
// little, and as little those that only pass a size on.
AllocatingCode allocating_code(ContextId allocated, rt::Text* described) {
    ExeContext* context = context_of(allocated);
    if (context == nullptr) return {};
    const DiEpoch epoch = VG_(get_ExeContext_epoch)(context);
    const Frames frames = frames_of(context);
    const auto is_preloaded = [&](Addr a) {
        const HChar* module = nullptr;
        return VG_(get_objname)(epoch, a, &module) && VG_(strstr)(module, "vgpreload_") != nullptr;
    };
    u32 first = 0;
    while (first + 1 < frames.count && is_preloaded(frames.addresses[first])) ++first;
    if (first == frames.count) return {};
    AllocatingCode chosen;
    bool found = false;
    for (u32 i = first; i < frames.count && !found; ++i) {
        // What calls back from a library is not the caller of a wrapper.
        found = is_library_code(epoch, frames.addresses[i])
                    ? chosen.address != 0
                    : find_allocating(epoch, frames.addresses[i], chosen, *described);
        if (chosen.address == frames.addresses[i] && i > first) chosen.called = frames.addresses[i - 1];
    }
    if (chosen.address == 0 || name_at(epoch, chosen.address) == nullptr) {
        // Without debug information, what passes a size on shows by its name only.
        const auto is_none_of_alloc = [](const HChar* name) { return !rt::names_allocator(name); };
        const Addr code =
            named_library_code(epoch, frames.addresses + first, frames.count - first, is_none_of_alloc);
        if (code != 0 || chosen.address == 0) {
            described->reset();
            describe(*described, epoch, code != 0 ? code : frames.addresses[first]);
        }
    }
    return chosen;
}

void describe_allocation(rt::Text& text, ContextId allocated) {
    rt::Text description;
    allocating_code(allocated, &description);
    if (!description.empty()) add_shortened(text, description.c_str());
}

}  // namespace memspy::places
