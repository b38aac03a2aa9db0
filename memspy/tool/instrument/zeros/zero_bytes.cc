// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/zeros/zero_bytes.h"

#include "instrument/zeros/byte_marks.h"
#include "instrument/zeros/value_bits.h"

namespace memspy::instrument {

namespace {

// The halves of a vector, and longer data, are processed in words of eight bytes.
constexpr u32 kWord = 8;

// What a load of `bytes` bytes adds: its marks in the low 16 bits, and what its tally grows by above them.
constexpr u64 entry_of(u32 bytes, u32 significant) {
    u32 redundant = 0;
    for (u32 i = 0; i < bytes; ++i) redundant += ~significant >> i & 1;
    return marks_of(bytes, significant) | tally_of(bytes, redundant) << 16;
}

// By an integer's number of leading zeros as counted by entry_of_integer.
struct IntegerEntries {
    u64 of_size[4][64];
    constexpr IntegerEntries() : of_size{} {
        for (u32 size = 0; size < 4; ++size)
            for (u32 zeros = 0; zeros < 64; ++zeros) {
                // 63: the value is 0. Otherwise its top bit is number 62 - zeros; 0 zeros mean bit 62 or 63.
                const u32 significant = zeros == 63 ? 0 : (62 - zeros) / 8 + 1;
                of_size[size][zeros] = entry_of(1u << size, static_cast<u32>((1ull << significant) - 1));
            }
    }
};
constexpr IntegerEntries kIntegerEntries;

// Of eight bytes, by the set of significant ones.
struct ByteSetEntries {
    u64 of_set[256];
    constexpr ByteSetEntries() : of_set{} {
        for (u32 set = 0; set < 256; ++set) of_set[set] = entry_of(kWord, set);
    }
};
constexpr ByteSetEntries kByteSetEntries;

// A mark, and one redundant cell less.
constexpr u64 significant_cell(u32 bit) { return (u64{1} << bit) - (u64{1} << 48); }
constexpr u64 kSigns[] = {significant_cell(kSignOfFloat), significant_cell(kSignOfFloat + 8)};

// Of a double, by its lower eight cells and by its top four bits; of two floats, by their lower four cells each.
struct FloatEntries {
    u64 of_double[256], of_top[16], of_floats[256];
    constexpr FloatEntries() : of_double{}, of_top{}, of_floats{} {
        for (u32 set = 0; set < 256; ++set) {
            of_double[set] = tally_of(kCellsOfDouble, kCellsOfDouble) << 16 | kDoubleMark;
            of_floats[set] =
                tally_of(2 * kCellsOfFloat, 2 * kCellsOfFloat) << 16 | kFloatMark | kFloatMark << 8;
            for (u32 i = 0; i < 8; ++i)
                if ((set >> i & 1) != 0) {
                    of_double[set] += significant_cell(2 * i + 1);
                    of_floats[set] += significant_cell(2 * i + 1);
                }
        }
        for (u32 top = 0; top < 16; ++top) {
            if ((top & 7) != 0) of_top[top] += significant_cell(kHighExponentOfDouble);
            if ((top & 8) != 0) of_top[top] += significant_cell(kSignOfDouble);
        }
    }
};
constexpr FloatEntries kFloatEntries;

IRExpr* shift_by(u32 bits) { return Emitter::u8c(static_cast<u8>(bits)); }

}  // namespace

// A byte: entry = entry of a zero byte + (word != 0) * (entry of another one - that). Else entry =
// table[clz(word | word << 1 | 1)] The word is widened by one bit because the count is not defined for 0. See
// IntegerEntries for the meaning of the count.
IRExpr* ByteMarker::entry_of_integer(IRExpr* word, u32 bytes) {
    if (bytes == 1) {
        IRExpr* significant = emit_.unop(Iop_1Uto64, emit_.unop(Iop_CmpNEZ64, word));
        // A significant byte has one mark more, and is not among the redundant ones.
        IRExpr* marks = emit_.binop(Iop_Shl64, significant, shift_by(1));
        IRExpr* redundant = emit_.binop(Iop_Shl64, significant, shift_by(48));
        return emit_.binop(Iop_Sub64, emit_.binop(Iop_Add64, Emitter::u64c(entry_of(1, 0)), marks),
                           redundant);
    }
    IRExpr* wider = emit_.binop(Iop_Or64, emit_.binop(Iop_Shl64, word, shift_by(1)), Emitter::u64c(1));
    if (bytes == kWord) wider = emit_.binop(Iop_Or64, wider, word);
    IRExpr* zeros = emit_.unop(leading_zeros_64(), wider);
    const u32 size = bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    return entry_in(kIntegerEntries.of_size[size], zeros);
}

IRExpr* ByteMarker::entry_in(const u64* table, IRExpr* index) {
    return emit_.load(
        Ity_I64, emit_.binop(Iop_Add64, Emitter::pointer(table), emit_.binop(Iop_Shl64, index, shift_by(3))));
}

// In elements of integers of more than a byte, a flag is copied to all lower bytes of the element.
IRExpr* ByteMarker::nonzero_bytes(IRExpr* word, u32 element) {
    IRExpr* flags = nonzero_flags(emit_, word);
    auto copy_down = [&](u32 by, u64 where) {
        IRExpr* lower =
            emit_.binop(Iop_And64, emit_.binop(Iop_Shr64, flags, shift_by(by)), Emitter::u64c(where));
        flags = emit_.binop(Iop_Or64, flags, lower);
    };
    if (element == 2) copy_down(8, 0x0080'0080'0080'0080u);
    if (element == 4) {
        copy_down(8, 0x0080'8080'0080'8080u);
        copy_down(16, 0x0000'8080'0000'8080u);
    }
    return set_of_flags(emit_, flags);
}

// entry = table[nonzero bytes], less what it has for bytes that were not loaded
IRExpr* ByteMarker::entry_of_elements(IRExpr* word, u32 bytes, ValueType type) {
    IRExpr* set = nonzero_bytes(word, type.bytes());
    IRExpr* entry = entry_in(kByteSetEntries.of_set, set);
    if (bytes == kWord) return entry;
    return emit_.binop(Iop_Sub64, entry, Emitter::u64c(entry_of(kWord, 0) - entry_of(bytes, 0)));
}

// A double: entry = table[nonzero cells] + table[word >> 60]. Floats: entry = table[nonzero cells] + the signs.
IRExpr* ByteMarker::entry_of_floats(IRExpr* word, u32 bytes, ValueType type) {
    const bool is_double = type.bytes() == kWord;
    IRExpr* set = nonzero_bytes(cells_of_floats(emit_, word, is_double), 1);
    const auto add = [&](IRExpr* entry, IRExpr* more) { return emit_.binop(Iop_Add64, entry, more); };
    if (is_double) {
        IRExpr* top = emit_.binop(Iop_Shr64, word, shift_by(60));
        return add(entry_in(kFloatEntries.of_double, set), entry_in(kFloatEntries.of_top, top));
    }
    IRExpr* entry = entry_in(kFloatEntries.of_floats, set);
    for (u32 i = 0; i < bytes / 4; ++i) {
        IRExpr* sign = emit_.binop(Iop_Shr64, word, shift_by(32 * i + 31));
        if (bytes == kWord && i == 0) sign = emit_.binop(Iop_And64, sign, Emitter::u64c(1));
        entry = add(entry, emit_.binop(Iop_Mul64, sign, Emitter::u64c(kSigns[i])));
    }
    if (bytes == kWord) return entry;
    return emit_.binop(Iop_Sub64, entry,
                       Emitter::u64c(tally_of(kCellsOfFloat, kCellsOfFloat) << 16 | kFloatMark << 8));
}

// Marks of cells are only understood at an element's own alignment. Elsewhere all bytes count as loaded, and
// those that no cell's mark stands for as significant.
IRExpr* ByteMarker::with_odd_address(IRExpr* marks, const Access& access, ValueType type) {
    const u32 element = type.bytes();
    constexpr u64 kOfDoubles = 0xF555'F555'F555'F555u, kOfFloats = 0xF5F5'F5F5'F5F5'F5F5u;
    const u64 all = element == kWord ? kOfDoubles : kOfFloats;
    const u64 own = access.bytes >= 2 * kWord ? all & 0xFFFF'FFFF : all & ((u64{1} << 2 * access.bytes) - 1);
    IRExpr* odd =
        emit_.unop(Iop_CmpwNEZ64, emit_.binop(Iop_And64, access.address, Emitter::u64c(element - 1)));
    return emit_.binop(Iop_Or64, marks, emit_.binop(Iop_And64, odd, Emitter::u64c(own)));
}

// a = address + offset
// at = leaves[a >> 26 & mask] + ((a & leaf mask) >> 2)
// *at |= marks << 2 * (a & 3)
// tally = leaf + kTalliesAt + (((a & leaf mask) >> 2) & ~7)
// *tally += growth
void ByteMarker::set(const Access& access, u32 offset, u32 bytes, IRExpr* marks, IRExpr* growth) {
    IRExpr* a = access.address;
    if (offset != 0) a = emit_.binop(Iop_Add64, a, Emitter::u64c(offset));
    if (access.guard != nullptr) {
        // A load that did not happen leaves no trace. Its address may have marks of its own.
        marks = emit_.ite(access.guard, marks, Emitter::u64c(0));
        growth = emit_.ite(access.guard, growth, Emitter::u64c(0));
    }
    IRExpr* index = emit_.binop(Iop_Shr64, a, shift_by(kMarkLeafBits - 3));
    index = emit_.binop(Iop_And64, index, Emitter::u64c(kMarkIndexMask << 3));
    IRExpr* leaf = emit_.load(Ity_I64, emit_.indexed(Emitter::pointer(mark_leaves()), index));
    IRExpr* within = emit_.binop(Iop_And64, a, Emitter::u64c(kMarkLeafMask));
    IRExpr* by_four = emit_.binop(Iop_Shr64, within, shift_by(2));
    // An address is part of the instruction that uses it.
    auto at = [&] { return emit_.indexed(leaf, by_four); };
    IRExpr* low = emit_.binop(Iop_And64, a, Emitter::u64c(3));
    IRExpr* shift = emit_.unop(Iop_64to8, emit_.binop(Iop_Add64, low, low));
    marks = emit_.binop(Iop_Shl64, marks, shift);
    // The smallest type that holds the marks for every position in a byte of marks.
    if (bytes == 1) {
        marks = emit_.binop(Iop_Or64, emit_.unop(Iop_8Uto64, emit_.load(Ity_I8, at())), marks);
        emit_.store(at(), emit_.unop(Iop_64to8, marks));
    } else if (bytes <= 4) {
        marks = emit_.binop(Iop_Or64, emit_.unop(Iop_16Uto64, emit_.load(Ity_I16, at())), marks);
        emit_.store(at(), emit_.unop(Iop_64to16, marks));
    } else if (bytes <= kWord) {
        marks = emit_.binop(Iop_Or64, emit_.unop(Iop_32Uto64, emit_.load(Ity_I32, at())), marks);
        emit_.store(at(), emit_.unop(Iop_64to32, marks));
    } else {
        emit_.store(at(), emit_.binop(Iop_Or64, emit_.load(Ity_I64, at()), marks));
    }
    static_assert(kTallyBits == 2 + 3, "a tally of eight bytes stands beside eight bytes of marks");
    IRExpr* tally = emit_.binop(Iop_And64, by_four, Emitter::u64c(~u64{7}));
    auto tally_at = [&] { return emit_.indexed(leaf, tally, kTalliesAt); };
    emit_.store(tally_at(), emit_.binop(Iop_Add64, emit_.load(Ity_I64, tally_at()), growth));
}

void ByteMarker::loaded(const IRStmt* s, const Access& access, ValueType type) {
    if (s->tag == Ist_Dirty) {
        // Whole states of the processor (fxsave and the like) are not data.
        constexpr u32 kLongest = 32;
        if (access.bytes > kLongest) return;
        for (u32 at = 0; at < access.bytes; at += kWord) {
            const u32 bytes = access.bytes - at < kWord ? access.bytes - at : kWord;
            set(access, at, bytes, Emitter::u64c(marks_of(bytes, 0xFF)), Emitter::u64c(tally_of(bytes, 0)));
        }
        return;
    }
    auto entry_at = [&](u32 offset, u32 bytes) {
        IRExpr* word = loaded_word(emit_, s, offset, bytes);
        if (type.is_float()) return entry_of_floats(word, bytes, type);
        const bool whole = type.bytes() >= bytes;
        return whole ? entry_of_integer(word, bytes) : entry_of_elements(word, bytes, type);
    };
    auto marks_of_entry = [&](IRExpr* entry) { return emit_.binop(Iop_And64, entry, Emitter::u64c(0xFFFF)); };
    auto growth_of_entry = [&](IRExpr* entry) { return emit_.binop(Iop_Shr64, entry, shift_by(16)); };
    auto marks_at_address = [&](IRExpr* marks) {
        return type.is_float() ? with_odd_address(marks, access, type) : marks;
    };
    if (access.bytes <= kWord) {
        IRExpr* entry = entry_at(0, access.bytes);
        // The marks of four bytes are stored in 16 bits, so nothing above them is.
        IRExpr* marks = access.bytes <= kWord / 2 ? entry : marks_of_entry(entry);
        return set(access, 0, access.bytes, marks_at_address(marks), growth_of_entry(entry));
    }
    for (u32 at = 0; at < access.bytes; at += 2 * kWord) {
        IRExpr* low = entry_at(at, kWord);
        IRExpr* high = entry_at(at + kWord, kWord);
        IRExpr* marks = emit_.binop(Iop_Or64, marks_of_entry(low),
                                    emit_.binop(Iop_Shl64, marks_of_entry(high), shift_by(2 * kWord)));
        set(access, at, 2 * kWord, marks_at_address(marks),
            emit_.binop(Iop_Add64, growth_of_entry(low), growth_of_entry(high)));
    }
}

}  // namespace memspy::instrument
