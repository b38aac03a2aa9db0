// SPDX-License-Identifier: GPL-2.0-or-later
//
// Parses values of attributes and texts of elements. Throws BadElement if they are invalid.
#pragma once

#include <charconv>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/fields.h"
#include "report/string_pool.h"
#include "report/xml_stream.h"

namespace memspy::report {

std::string quoted(std::string_view text);
u64 parse_number(std::string_view text, int base = 10, u64 largest = std::numeric_limits<u64>::max());
std::vector<u64> parse_numbers(std::string_view list);
// A list such as `8/7 8/8`.
std::vector<NumberPair> parse_pairs(std::string_view list, char between);

void assign(u64& value, std::string_view text, StringPool& strings);
void assign(double& value, std::string_view text, StringPool& strings);
void assign(Address& value, std::string_view text, StringPool& strings);
void assign(bool& value, std::string_view text, StringPool& strings);
void assign(Text& value, std::string_view text, StringPool& strings);
template <Reference T>
void assign(T& value, std::string_view text, StringPool&) {
    value = static_cast<T>(parse_number(text, 10, std::numeric_limits<u32>::max()));
}

// Parses the attributes of one element. Unknown ones are skipped.
template <typename R>
void read_attributes(R& record, std::string_view element, std::span<const XmlAttribute> attributes,
                     StringPool& strings) {
    for_each_field<R>([&](const auto& field) {
        if (const std::string_view* value = find_attribute(attributes, field.name)) {
            assign(record.*field.member, *value, strings);
        } else if (field.required) {
            throw BadElement("<" + std::string(element) + "> without " + std::string(field.name));
        }
    });
}

}  // namespace memspy::report
