// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/data_symbols.h"

#include <elf.h>

#include <algorithm>
#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/file.h"

// Only the core's own headers declare these.
struct SymbolAddresses {
    Addr first;
};
extern "C" {
Int VG_(DebugInfo_syms_howmany)(const DebugInfo* info);
void VG_(DebugInfo_syms_getidx)(const DebugInfo* info, Int number, SymbolAddresses* addresses, UInt* size,
                                const HChar** name, const HChar*** other_names, Bool* is_text,
                                Bool* is_indirect, Bool* is_global);
}

namespace memspy::vg {
namespace {

// A broken file may claim any number. The largest programs have a million symbols.
constexpr u64 kMostSymbols = u64{1} << 23;
constexpr usize kChunk = 1024;  // symbols read at a time: 24 kB
constexpr usize kMostName = 4096;

struct SymbolSpan {
    u64 start = 0;
    u64 size = 0;
    u32 name = 0;  // offset in the string table
    bool global = false;
    bool operator<(const SymbolSpan& other) const {
        if (start != other.start) return start < other.start;
        // Of several symbols for the same bytes the last one is found: the largest, and among these a global
        // one.
        if (size != other.size) return size < other.size;
        if (global != other.global) return other.global;
        return name > other.name;
    }
};

// A variable of the core's, as offsets from the module's begin. They do not overlap.
struct CoreSpan {
    u32 begin, end;
};

struct DataSymbolTable {
    rt::Vector<SymbolSpan> data, tls;  // by start
    rt::Vector<CoreSpan> core;         // by begin
    Int core_symbols = 0;  // of any kind, when `core` was made: later versions read them when needed
};

rt::Global<rt::HashMap<DataSymbolTable*>> tables;  // by module

void read_table(const Module& module, DataSymbolTable& table) {
    const SymbolTable& where = module.symbols;
    const u64 count = where.bytes / sizeof(Elf64_Sym);
    if (count == 0 || count > kMostSymbols) return;
    const File file(module.path);
    rt::Vector<Elf64_Sym> symbols;
    for (u64 first = 0; first < count; first += kChunk) {
        symbols.resize(std::min<u64>(kChunk, count - first));
        if (!file.read(where.offset + first * sizeof(Elf64_Sym), symbols.data(),
                       symbols.size() * sizeof(Elf64_Sym)))
            break;
        for (const Elf64_Sym& symbol : symbols) {
            const auto type = ELF64_ST_TYPE(symbol.st_info);
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_size == 0 || symbol.st_name == 0) continue;
            if (symbol.st_shndx == SHN_ABS || symbol.st_shndx == SHN_COMMON) continue;
            const SymbolSpan entry{symbol.st_value, symbol.st_size, symbol.st_name,
                                   ELF64_ST_BIND(symbol.st_info) != STB_LOCAL};
            if (type == STT_OBJECT) table.data.push_back(entry);
            if (type == STT_TLS) table.tls.push_back(entry);
        }
    }
    std::sort(table.data.begin(), table.data.end());
    std::sort(table.tls.begin(), table.tls.end());
}

DataSymbolTable& table_of(ModuleId id) {
    DataSymbolTable*& table = (*tables)[static_cast<u64>(id)];
    if (table == nullptr) {
        table = new (rt::allocate(sizeof(DataSymbolTable), "memspy.symbols")) DataSymbolTable();
        read_table(module(id), *table);
    }
    return *table;
}

const rt::Vector<CoreSpan>& core_spans(const Module& module, DataSymbolTable& table) {
    const DebugInfo* const info = VG_(find_DebugInfo)(VG_(current_DiEpoch)(), module.text);
    const Int count = info == nullptr ? 0 : VG_(DebugInfo_syms_howmany)(info);
    if (count == table.core_symbols) return table.core;
    table.core_symbols = count;
    table.core.resize(0);
    for (Int i = 0; i < count; ++i) {
        SymbolAddresses at;
        UInt size;
        Bool is_text;
        VG_(DebugInfo_syms_getidx)(info, i, &at, &size, nullptr, nullptr, &is_text, nullptr, nullptr);
        if (is_text || at.first < module.begin || at.first + size > module.end) continue;
        const u32 begin = static_cast<u32>(at.first - module.begin);
        table.core.push_back({begin, begin + size});
    }
    std::sort(table.core.begin(), table.core.end(),
              [](const CoreSpan& a, const CoreSpan& b) { return a.begin < b.begin; });
    return table.core;
}

// A variable may lie inside another one (an alias for a part of it), but not many do.
constexpr int kMostInside = 16;

const char* name_at(const Module& module, u32 offset) {
    const SymbolTable& where = module.symbols;
    if (offset >= where.string_bytes) return nullptr;
    rt::Vector<char> name;
    name.resize(std::min<u64>(kMostName, where.string_bytes - offset) + 1);  // zero-terminated
    const File file(module.path);
    if (!file.read(where.strings + offset, name.data(), name.size() - 1)) return nullptr;
    return intern(name.data());
}

bool find_in(const Module& module, const rt::Vector<SymbolSpan>& entries, u64 address, DataSymbol* symbol) {
    const SymbolSpan* after =
        std::upper_bound(entries.begin(), entries.end(), address,
                         [](u64 a, const SymbolSpan& entry) { return a < entry.start; });
    for (int i = 0; i < kMostInside && after != entries.begin(); ++i) {
        const SymbolSpan& entry = *--after;
        if (address - entry.start >= entry.size) continue;
        symbol->name = name_at(module, entry.name);
        symbol->start = entry.start;
        symbol->size = entry.size;
        return symbol->name != nullptr;
    }
    return false;
}

}  // namespace

bool find_data_symbol(ModuleId id, u64 address, DataSymbol* symbol) {
    return find_in(module(id), table_of(id).data, address, symbol);
}

SymbolGap symbol_gap(ModuleId id, Address a) {
    const Module& of = module(id);
    DataSymbolTable& table = table_of(id);
    SymbolGap gap;
    const auto cut = [&](Address begin, Address end) {
        if (end <= a && end > gap.begin) gap.begin = end;
        if (begin > a && begin < gap.end) gap.end = begin;
    };
    const SymbolSpan* own =
        std::upper_bound(table.data.begin(), table.data.end(), a - of.bias,
                         [](u64 address, const SymbolSpan& entry) { return address < entry.start; });
    if (own != table.data.end()) cut(of.bias + own->start, of.bias + own->start + own->size);
    for (int i = 0; i < kMostInside && own != table.data.begin(); ++i) {
        --own;
        cut(of.bias + own->start, of.bias + own->start + own->size);
    }
    const rt::Vector<CoreSpan>& spans = core_spans(of, table);
    const CoreSpan* core =
        std::upper_bound(spans.begin(), spans.end(), a - of.begin,
                         [](u64 offset, const CoreSpan& span) { return offset < span.begin; });
    if (core != spans.end()) cut(of.begin + core->begin, of.begin + core->end);
    if (core != spans.begin()) {
        --core;
        cut(of.begin + core->begin, of.begin + core->end);
    }
    return gap;
}

bool find_tls_symbol(ModuleId id, u64 offset, DataSymbol* symbol) {
    return find_in(module(id), table_of(id).tls, offset, symbol);
}

}  // namespace memspy::vg
