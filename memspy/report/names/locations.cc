// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/names/locations.h"

#include <dwarf.h>

#include "report/names/dwarf_file.h"

namespace memspy::report::names {
namespace {

class ListReader {
public:
    ListReader(const Units& units, const Unit& unit, Bytes list, u64 at)
        : units_(units), unit_(unit), list_(list), at_(at) {
        if (const auto low = units.code_address(unit, unit.skeleton, DW_AT_low_pc)) base_ = *low;
    }

    // GNU's extension of DWARF 4.
    Bytes old_expression(u64 address) {
        constexpr unsigned char kOffsets = 4;
        while (at_ < list_.size()) {
            CodeExtent range{0, 0};
            switch (list_[at_++]) {
                case DW_LLE_GNU_base_address_selection_entry: base_ = indexed(); continue;
                case DW_LLE_GNU_start_end_entry:
                    range.begin = indexed();
                    range.end = indexed();
                    break;
                case DW_LLE_GNU_start_length_entry:
                    range.begin = indexed();
                    range.end = range.begin + fixed(4);
                    break;
                case kOffsets:
                    range.begin = base_ + fixed(4);
                    range.end = base_ + fixed(4);
                    break;
                default: return {};
            }
            const Bytes found = expression(fixed(2));
            if (range.contains(address)) return found;
        }
        return {};
    }

    Bytes expression_at(u64 address) {
        while (at_ < list_.size()) {
            CodeExtent range{0, 0};
            switch (list_[at_++]) {
                case DW_LLE_base_addressx: base_ = indexed(); continue;
                case DW_LLE_base_address: base_ = fixed(8); continue;
                case DW_LLE_GNU_view_pair:
                    leb();
                    leb();
                    continue;
                case DW_LLE_startx_endx:
                    range.begin = indexed();
                    range.end = indexed();
                    break;
                case DW_LLE_startx_length:
                    range.begin = indexed();
                    range.end = range.begin + leb();
                    break;
                case DW_LLE_offset_pair:
                    range.begin = base_ + leb();
                    range.end = base_ + leb();
                    break;
                case DW_LLE_default_location: range = {0, ~u64{0}}; break;
                case DW_LLE_start_end:
                    range.begin = fixed(8);
                    range.end = fixed(8);
                    break;
                case DW_LLE_start_length:
                    range.begin = fixed(8);
                    range.end = range.begin + leb();
                    break;
                default: return {};
            }
            const Bytes found = expression(leb());
            if (range.contains(address)) return found;
        }
        return {};
    }

private:
    u64 leb() { return read_uleb(list_, at_); }
    u64 fixed(unsigned size) {
        at_ += size;
        return read_number(list_, at_ - size, size);
    }
    u64 indexed() { return units_.indexed_address(unit_, leb()).value_or(0); }
    Bytes expression(u64 length) {
        if (at_ > list_.size() || length > list_.size() - at_) {
            at_ = list_.size();
            return {};
        }
        at_ += length;
        return list_.subspan(at_ - length, length);
    }

    const Units& units_;
    const Unit& unit_;
    Bytes list_;
    u64 at_;
    u64 base_ = 0;
};

long long read_sleb(Bytes bytes, u64& at) {
    u64 value = 0;
    unsigned shift = 0;
    while (at < bytes.size()) {
        const unsigned char byte = bytes[at++];
        if (shift < 64) value |= u64{byte & 0x7Fu} << shift;
        shift += 7;
        if ((byte & 0x80) != 0) continue;
        if ((byte & 0x40) != 0 && shift < 64) value |= ~u64{0} << shift;
        break;
    }
    return static_cast<long long>(value);
}

std::vector<Dwarf_Op> operations_in(const Units& units, const Unit& unit, Bytes expression) {
    std::vector<Dwarf_Op> found;
    for (u64 at = 0; at < expression.size();) {
        Dwarf_Op operation{};
        operation.atom = expression[at++];
        const auto number = [&](long long value) { operation.number = static_cast<Dwarf_Word>(value); };
        if (operation.atom >= DW_OP_breg0 && operation.atom <= DW_OP_breg31) {
            number(read_sleb(expression, at));
        } else if (operation.atom < DW_OP_reg0 || operation.atom > DW_OP_reg31) {
            switch (operation.atom) {
                case DW_OP_regx: operation.number = read_uleb(expression, at); break;
                case DW_OP_bregx:
                    operation.number = read_uleb(expression, at);
                    operation.number2 = static_cast<Dwarf_Word>(read_sleb(expression, at));
                    break;
                case DW_OP_fbreg: number(read_sleb(expression, at)); break;
                case DW_OP_stack_value: break;
                case DW_OP_addr:
                    operation.number = read_number(expression, at, 8);
                    at += 8;
                    break;
                case DW_OP_addrx:
                case DW_OP_GNU_addr_index:
                    operation.atom = DW_OP_addr;
                    if (const auto address = units.indexed_address(unit, read_uleb(expression, at))) {
                        operation.number = *address;
                        break;
                    }
                    [[fallthrough]];
                default:
                    operation.atom = DW_OP_nop;
                    found.push_back(operation);
                    return found;
            }
        }
        found.push_back(operation);
    }
    return found;
}

}  // namespace

std::vector<Dwarf_Op> location_at(const Units& units, const Unit& unit, Dwarf_Die variable, u64 address) {
    Dwarf_Attribute attribute;
    if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) return {};
    if (!unit.split || variable.cu == unit.skeleton.cu) {
        Dwarf_Op* operations;
        std::size_t count;
        if (dwarf_getlocation_addr(&attribute, address, &operations, &count, 1) != 1) return {};
        return {operations, operations + count};
    }
    Dwarf_Block block;
    if (dwarf_formblock(&attribute, &block) == 0)
        return operations_in(units, unit, Bytes(block.data, block.length));
    Elf* const elf = dwarf_getelf(dwarf_cu_getdwarf(attribute.cu));
    const Bytes lists = section_bytes(elf, ".debug_loclists.dwo");
    if (attribute.form == DW_FORM_loclistx) {
        // There is one table, whose offsets count from the end of its header.
        constexpr u64 kHeader = 12;
        u64 at = 0;
        const u64 index = read_uleb(Bytes(attribute.valp, 10), at);
        const u64 offset = read_number(lists, kHeader + 4 * index, 4);
        return operations_in(units, unit,
                             ListReader(units, unit, lists, kHeader + offset).expression_at(address));
    }
    if (attribute.form != DW_FORM_sec_offset && attribute.form != DW_FORM_data4) return {};
    const u64 offset = read_number({attribute.valp, 4}, 0, 4);
    const Bytes expression =
        lists.empty()
            ? ListReader(units, unit, section_bytes(elf, ".debug_loc.dwo"), offset).old_expression(address)
            : ListReader(units, unit, lists, offset).expression_at(address);
    return operations_in(units, unit, expression);
}

}  // namespace memspy::report::names
