// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/names.h"

#include "places/frames.h"
#include "places/stacks.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/modules.h"
#include "vg/vg.h"

namespace memspy::locality {
namespace {

rt::Global<rt::Vector<FunctionName>> functions;
rt::Global<rt::Vector<LineName>> lines;
rt::Global<rt::HashMap<u32>> functions_by_name, lines_by_name;
rt::Global<rt::HashMap<CodeName>> codes;

// Texts are interned, so pointers can be compared.
u64 key_of(const void* a, const void* b, u64 c) {
    const auto first = reinterpret_cast<u64>(a), second = reinterpret_cast<u64>(b);
    return (first * 0x9E3779B97F4A7C15u ^ second) * 0xED5AD4BBAC4C1B51u ^ c;
}

u32 function_number(const FunctionName& name) {
    u32& number = (*functions_by_name)[key_of(name.name, name.module, 0)];
    if (number == 0) {
        functions->push_back(name);
        number = static_cast<u32>(functions->size());
    }
    return number;
}

u32 line_number(const LineName& name) {
    u32& number = (*lines_by_name)[key_of(name.folder, name.file, name.line)];
    if (number == 0) {
        lines->push_back(name);
        number = static_cast<u32>(lines->size());
    }
    return number;
}

}  // namespace

CodeName code_at(Address instruction) {
    CodeName& code = (*codes)[instruction];
    if (code.function != 0) return code;
    const DiEpoch epoch = VG_(current_DiEpoch)();
    const HChar* text = nullptr;
    FunctionName function;
    if (VG_(get_fnname)(epoch, instruction, &text)) function.name = vg::intern(text);
    if (VG_(get_objname)(epoch, instruction, &text)) function.module = vg::intern(text);
    function.own = !places::is_library_code(instruction);
    code.function = function_number(function);
    if (places::OwnSource source; places::find_source(instruction, &source))
        code.line = line_number({source.folder, source.file, source.line, function.own});
    return code;
}

const FunctionName& function_name(u32 function) { return (*functions)[function - 1]; }
const LineName& line_name(u32 line) { return (*lines)[line - 1]; }

}  // namespace memspy::locality
