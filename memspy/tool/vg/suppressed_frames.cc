// SPDX-License-Identifier: GPL-2.0-or-later
//
// To match a suppression, the core asks for the functions inlined in each frame, so that the first leak of a
// run would have the lines of its modules read (late_lines.h), although hardly any suppression fits. The
// linker sends the comparison here (--wrap, flags.mk): a suppression cannot fit that names
//   an object that no frame is in, or
//   a function of the system's (its name is reserved: "__tls_get_addr") that is in modules of which no frame
//   is, and so cannot be inlined in one either.
#include "rt/global.h"
#include "rt/prefix.h"
#include "rt/vector.h"
#include "vg/late_lines.h"

// Declared by the core for itself only.
struct SymbolAddresses;
extern "C" {
Bool VG_(get_fnname_no_cxx_demangle)(DiEpoch, Addr, const HChar** name, const InlIPCursor*);
Bool VG_(string_match)(const HChar* pattern, const HChar* text);
Int VG_(DebugInfo_syms_howmany)(const DebugInfo*);
void VG_(DebugInfo_syms_getidx)(const DebugInfo*, Int, SymbolAddresses*, UInt*, const HChar**, const HChar***,
                                Bool*, Bool*, Bool*);
}

namespace memspy::vg {
namespace {

// As the error manager declares them for itself: a line of a suppression, and the stack it is compared with.
enum class NameOf : Int { Object = 1, Function = 2 };
struct SuppressedFrame {
    NameOf what;
    Bool is_literal;
    const HChar* name;
    UInt line;
};
struct Stack {
    DiEpoch epoch;
    const Addr* frames;
    UWord count;
};

bool has_symbol(const DebugInfo* module, const HChar* name) {
    for (Int i = 0; i < VG_(DebugInfo_syms_howmany)(module); ++i) {
        const HChar* first = nullptr;
        const HChar** others = nullptr;
        VG_(DebugInfo_syms_getidx)(module, i, nullptr, nullptr, &first, &others, nullptr, nullptr, nullptr);
        if (VG_STREQ(first, name)) return true;
        for (; others != nullptr && *others != nullptr; ++others)
            if (VG_STREQ(*others, name)) return true;
    }
    return false;
}

bool is_in_function(const Stack& stack, UWord frame, const HChar* function) {
    const HChar* name = nullptr;
    return VG_(get_fnname_no_cxx_demangle)(stack.epoch, stack.frames[frame], &name, nullptr) &&
           VG_STREQ(name, function);
}

struct Owner {
    const HChar* function;
    const DebugInfo* module;  // null behind the last one
};
// The modules that have the functions asked for, until modules come or go.
class SymbolOwners {
public:
    // Whether some module has the function, and none of those that the frames are in; nor is it one that is
    // replaced, which another module shows under its name.
    bool are_elsewhere(const HChar* function, const Stack& stack) {
        for (UWord i = 0; i < stack.count; ++i)
            if (is_in_function(stack, i, function)) return false;
        if (epoch_ != stack.epoch.n) known_.clear();
        epoch_ = stack.epoch.n;
        usize at = 0;
        while (at < known_.size() && known_[at].function != function) ++at;
        if (at == known_.size()) find(function);
        const bool has_owner = known_[at].module != nullptr;
        for (; known_[at].module != nullptr; ++at)
            for (UWord i = 0; i < stack.count; ++i)
                if (VG_(find_DebugInfo)(stack.epoch, stack.frames[i]) == known_[at].module) return false;
        return has_owner;
    }

private:
    void find(const HChar* function) {
        const DebugInfo* module = nullptr;
        while ((module = VG_(next_DebugInfo)(module)) != nullptr)
            if (has_symbol(module, function)) known_.push_back({function, module});
        known_.push_back({function, nullptr});
    }
    rt::Vector<Owner> known_;
    UInt epoch_ = 0;
};
rt::Global<SymbolOwners> owners;

bool is_in_object(const HChar* pattern, const Stack& stack) {
    for (UWord i = 0; i < stack.count; ++i) {
        const HChar* name = nullptr;
        if (!VG_(get_objname)(stack.epoch, stack.frames[i], &name)) name = "???";
        if (VG_(string_match)(pattern, name)) return true;
    }
    return false;
}

// No program may define such a name.
bool is_reserved(const HChar* name) {
    constexpr const HChar* kStarts[] = {"__", "_dl_"};
    return rt::starts_with_one_of(name, kStarts);
}

bool may_fit(const SuppressedFrame* frames, UWord count, const Stack& stack) {
    for (UWord i = 0; i < count; ++i) {
        const SuppressedFrame& frame = frames[i];
        if (frame.what == NameOf::Object && !is_in_object(frame.name, stack)) return false;
        if (frame.what == NameOf::Function && frame.is_literal && is_reserved(frame.name) &&
            owners->are_elsewhere(frame.name, stack))
            return false;
    }
    return true;
}

}  // namespace
}  // namespace memspy::vg

extern "C" {
using Match = Bool(Bool, const void*, SizeT, UWord, UWord, const void*, SizeT, UWord, UWord,
                   Bool (*)(const void*), Bool (*)(const void*),
                   Bool (*)(const void*, const void*, void*, UWord), void*, Bool (*)(void*, UWord));
Match __real_vgPlain_generic_match, __wrap_vgPlain_generic_match;

Bool __wrap_vgPlain_generic_match(Bool all, const void* pattern, SizeT pattern_bytes, UWord patterns,
                                  UWord at, const void* input, SizeT input_bytes, UWord inputs,
                                  UWord input_at, Bool (*is_star)(const void*), Bool (*is_query)(const void*),
                                  Bool (*equals)(const void*, const void*, void*, UWord), void* completer,
                                  Bool (*has_input)(void*, UWord)) {
    using namespace memspy::vg;
    if (has_late_lines() && pattern_bytes == sizeof(SuppressedFrame) && input == nullptr &&
        !may_fit(static_cast<const SuppressedFrame*>(pattern), patterns,
                 *static_cast<const Stack*>(completer)))
        return False;
    return __real_vgPlain_generic_match(all, pattern, pattern_bytes, patterns, at, input, input_bytes, inputs,
                                        input_at, is_star, is_query, equals, completer, has_input);
}
}
