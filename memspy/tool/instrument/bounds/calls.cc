// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/bounds/calls.h"

#include <algorithm>
#include <iterator>

#include "instrument/bounds/known_pointers.h"
#include "instrument/bounds/outside.h"
#include "instrument/bounds/registers.h"
#include "instrument/core/registers.h"
#include "vg/entry_names.h"

namespace memspy::instrument {
namespace {

constexpr u64 kWide = 4;  // bytes of a wchar_t

// How many units a function reads or writes. `n` is its third argument, in units; `to` and `from` are texts.
enum class Amount : u8 {
    None,
    Count,           // n
    Second,          // its second argument
    Product,         // the second times the third
    From,            // from with its end
    FromAtMost,      // the same, at most n
    Appended,        // to, from and an end
    AppendedAtMost,  // to, at most n of from, and an end
    Text,            // the text that is there when the function has returned, with its end
};

struct BufferFunction {
    const char* name;
    u64 unit;
    u8 to, from;  // numbers of arguments
    Amount written, read;
};
constexpr u8 kNoArgument = 0xff;
constexpr BufferFunction kFunctions[] = {
    {nullptr, 1, kNoArgument, kNoArgument, Amount::None, Amount::None},
    {"memcpy", 1, 0, 1, Amount::Count, Amount::Count},
    {"memmove", 1, 0, 1, Amount::Count, Amount::Count},
    {"mempcpy", 1, 0, 1, Amount::Count, Amount::Count},
    {"bcopy", 1, 1, 0, Amount::Count, Amount::Count},
    {"memset", 1, 0, kNoArgument, Amount::Count, Amount::None},
    {"bzero", 1, 0, kNoArgument, Amount::Second, Amount::None},
    {"strcpy", 1, 0, 1, Amount::From, Amount::From},
    {"stpcpy", 1, 0, 1, Amount::From, Amount::From},
    {"strncpy", 1, 0, 1, Amount::Count, Amount::FromAtMost},
    {"stpncpy", 1, 0, 1, Amount::Count, Amount::FromAtMost},
    {"strcat", 1, 0, 1, Amount::Appended, Amount::From},
    {"strncat", 1, 0, 1, Amount::AppendedAtMost, Amount::FromAtMost},
    {"strlen", 1, kNoArgument, 0, Amount::None, Amount::From},
    {"wmemcpy", kWide, 0, 1, Amount::Count, Amount::Count},
    {"wmemmove", kWide, 0, 1, Amount::Count, Amount::Count},
    {"wmemset", kWide, 0, kNoArgument, Amount::Count, Amount::None},
    {"wcscpy", kWide, 0, 1, Amount::From, Amount::From},
    {"wcsncpy", kWide, 0, 1, Amount::Count, Amount::FromAtMost},
    {"wcscat", kWide, 0, 1, Amount::Appended, Amount::From},
    {"wcsncat", kWide, 0, 1, Amount::AppendedAtMost, Amount::FromAtMost},
    {"wcslen", kWide, kNoArgument, 0, Amount::None, Amount::From},
    {"read", 1, 1, kNoArgument, Amount::Count, Amount::None},
    {"write", 1, kNoArgument, 1, Amount::None, Amount::Count},
    {"recv", 1, 1, kNoArgument, Amount::Count, Amount::None},
    {"send", 1, kNoArgument, 1, Amount::None, Amount::Count},
    {"fread", 1, 0, kNoArgument, Amount::Product, Amount::None},
    {"fwrite", 1, kNoArgument, 0, Amount::None, Amount::Product},
    {"sprintf", 1, 0, kNoArgument, Amount::Text, Amount::None},
    {"vsprintf", 1, 0, kNoArgument, Amount::Text, Amount::None},
    {"snprintf", 1, 0, kNoArgument, Amount::Text, Amount::None},
    {"vsnprintf", 1, 0, kNoArgument, Amount::Text, Amount::None},
    {"gets", 1, 0, kNoArgument, Amount::Text, Amount::None},
    {"fgets", 1, 0, kNoArgument, Amount::Text, Amount::None},
};

// The same functions under other names: what FORTIFY_SOURCE calls, and what the C library calls them inside.
bool is_named(const char* name, const char* function) {
    constexpr const char* kBefore[] = {"__GI_", "__", "_IO_"};
    constexpr const char* kBehind[] = {"_chk",  "_sse2",  "_avx",       "_evex",
                                       "_erms", "_ssse3", "_unaligned", "@"};
    for (const char* before : kBefore)
        if (const usize length = VG_(strlen)(before); VG_(strncmp)(name, before, length) == 0) name += length;
    const usize length = VG_(strlen)(function);
    if (VG_(strncmp)(name, function, length) != 0) return false;
    name += length;
    return *name == '\0' || std::any_of(std::begin(kBehind), std::end(kBehind), [&](const char* behind) {
        return VG_(strncmp)(name, behind, VG_(strlen)(behind)) == 0;
    });
}

// Characters before the end of a text; `most` is enough. It stops where no memory is.
u64 text_length(Address text, u64 unit, u64 most) {
    for (u64 length = 0; length < most; ++length) {
        const Address at = text + length * unit;
        if ((length == 0 || at % VKI_PAGE_SIZE < unit) &&
            !VG_(am_is_valid_for_client)(at, unit, VKI_PROT_READ))
            return length;
        const bool ends =
            unit == 1 ? *reinterpret_cast<const u8*>(at) == 0 : *reinterpret_cast<const u32*>(at) == 0;
        if (ends) return length;
    }
    return most;
}

u64 amount_of(const BufferFunction& function, Amount amount, const u64 (&arguments)[kArgumentRegisters]) {
    constexpr u64 kMostLength = u64{1} << 30;
    const u64 count = arguments[2];
    const auto from = [&](u64 most) { return text_length(arguments[function.from], function.unit, most); };
    const auto to = [&] { return text_length(arguments[function.to], function.unit, kMostLength); };
    switch (amount) {
        case Amount::None:
        case Amount::Text: return 0;
        case Amount::Count: return count;
        case Amount::Second: return arguments[1];
        case Amount::Product: return arguments[1] * count;
        case Amount::From: return from(kMostLength) + 1;
        case Amount::FromAtMost: {
            const u64 length = from(std::min(count, kMostLength));
            return length < count ? length + 1 : length;
        }
        case Amount::Appended: return to() + from(kMostLength) + 1;
        case Amount::AppendedAtMost: return to() + from(std::min(count, kMostLength)) + 1;
    }
    return 0;
}

// The bytes of [begin, begin + bytes) that are outside of the variable, if there are any, are told.
void judge(const KnownPointer& pointer, u64 bytes, bool stores) {
    if (bytes == 0) return;
    const u64 offset = pointer.value - pointer.begin;  // huge in front of it
    if (offset <= pointer.bytes && bytes <= pointer.bytes - offset) return;
    // In front of the variable everything is outside, up to there.
    const bool is_in = offset < pointer.bytes;
    const Address first = is_in ? pointer.begin + pointer.bytes : pointer.value;
    tell_outside({.address = first,
                  .code = 0,
                  .bytes = pointer.value + bytes - first,
                  .stores = stores,
                  .begin = pointer.begin,
                  .variable = pointer.variable});
}

// A call whose text is looked at when it has returned.
struct OpenCall {
    Address returns_to = 0;  // 0: none
    u64 stack_pointer = 0;   // then
    KnownPointer to;
};
OpenCall open_call;

extern "C" {
[[gnu::used]] void memspy_called_with(ULong number) {
    const BufferFunction& function = kFunctions[number];
    const u64 stack_pointer = guest_word(guest_layout().stack_pointer);
    const Address frame_end = stack_pointer + kReturnAddressBytes;
    u64 arguments[kArgumentRegisters];
    for (u32 i = 0; i < kArgumentRegisters; ++i) arguments[i] = guest_word(argument_register(i));
    const auto known = [&](u8 argument) {
        return argument == kNoArgument ? nullptr : known_argument(frame_end, argument, arguments[argument]);
    };
    const KnownPointer *const to = known(function.to), *const from = known(function.from);
    if (to != nullptr && function.written == Amount::Text) {
#if defined(VGA_amd64)
        open_call = {*reinterpret_cast<const Address*>(stack_pointer), frame_end, *to};
#endif
    } else if (to != nullptr) {
        judge(*to, amount_of(function, function.written, arguments) * function.unit, true);
    }
    if (from != nullptr) judge(*from, amount_of(function, function.read, arguments) * function.unit, false);
}

[[gnu::used]] void memspy_returned_from(Addr code) {
    const OpenCall call = open_call;
    open_call = {};
    if (guest_word(guest_layout().stack_pointer) != call.stack_pointer) return;
    const AtInstruction calling(code - 1);
    constexpr u64 kMostText = u64{1} << 30;
    judge(call.to, text_length(call.to.value, 1, kMostText) + 1, true);
}
}

void add_call(Emitter& emit, const char* name, void* function, IRExpr* argument, IRExpr* guard) {
    IRDirty* call = unsafeIRDirty_0_N(0, name, VG_(fnptr_to_fnentry)(function), mkIRExprVec_1(argument));
    if (guard != nullptr) call->guard = guard;
    emit.add(IRStmt_Dirty(call));
}

}  // namespace

u32 buffer_function(Address code) {
    u32 found = 0;
    vg::any_name_of_entry(
        code,
        [](const char* name, void* argument) {
            for (u32 i = 1; i < std::size(kFunctions); ++i) {
                if (!is_named(name, kFunctions[i].name)) continue;
                *static_cast<u32*>(argument) = i;
                return true;
            }
            return false;
        },
        &found);
    return found;
}

void emit_call_check(Emitter& emit, u32 function) {
    add_call(emit, "memspy_called_with", reinterpret_cast<void*>(&memspy_called_with),
             Emitter::u64c(function), nullptr);
}

// if (open_call.returns_to == code) memspy_returned_from(code)
void emit_return_check(Emitter& emit, Address code) {
    IRExpr* open = emit.load(Ity_I64, Emitter::pointer(&open_call.returns_to));
    add_call(emit, "memspy_returned_from", reinterpret_cast<void*>(&memspy_returned_from),
             Emitter::u64c(code), emit.binop(Iop_CmpEQ64, open, Emitter::u64c(code)));
}

}  // namespace memspy::instrument
