// SPDX-License-Identifier: GPL-2.0-or-later
#include "vg/data_symbols.h"

#include <elf.h>

#include <algorithm>
#include <new>

#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/file.h"

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

struct DataSymbolTable {
    rt::Vector<SymbolSpan> data, tls;  // by start
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

const DataSymbolTable& table_of(ModuleId id) {
    DataSymbolTable*& table = (*tables)[static_cast<u64>(id)];
    if (table == nullptr) {
        table = new (rt::allocate(sizeof(DataSymbolTable), "memspy.symbols")) DataSymbolTable();
        read_table(module(id), *table);
    }
    return *table;
}

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
    // A variable may lie inside another one (an alias for a part of it), but not many do.
    constexpr int kMostInside = 16;
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

bool find_tls_symbol(ModuleId id, u64 offset, DataSymbol* symbol) {
    return find_in(module(id), table_of(id).tls, offset, symbol);
}

}  // namespace memspy::vg
