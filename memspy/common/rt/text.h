// SPDX-License-Identifier: GPL-2.0-or-later
//
// Text: a string built piece by piece, for reports that are laid out without Valgrind.
#pragma once

#include "rt/share.h"
#include "rt/vector.h"

namespace memspy::rt {

inline bool are_same(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a == *b;
}

class Text {
public:
    usize size() const { return characters_.size(); }
    bool empty() const { return characters_.empty(); }
    // Valid until the next change.
    const char* c_str() {
        characters_.push_back('\0');
        characters_.pop_back();
        return characters_.data();
    }
    bool equals(const Text& other) const {
        if (size() != other.size()) return false;
        for (usize i = 0; i < size(); ++i)
            if (characters_[i] != other.characters_[i]) return false;
        return true;
    }
    // Keeps the memory.
    void reset() { cut(0); }
    void cut(usize size) {
        while (characters_.size() > size) characters_.pop_back();
    }

    Text& add(char c) {
        characters_.push_back(c);
        return *this;
    }
    Text& add(const char* text) {
        for (; *text != '\0'; ++text) characters_.push_back(*text);
        return *this;
    }
    // At most `most` characters; longer ones end in "...".
    Text& add_short(const char* text, usize most) {
        usize length = 0;
        while (text[length] != '\0') ++length;
        if (length <= most) return add(text);
        for (usize i = 0; i + 3 < most; ++i) characters_.push_back(text[i]);
        return add("...");
    }
    Text& repeat(char c, usize times) {
        for (usize i = 0; i < times; ++i) characters_.push_back(c);
        return *this;
    }

    // 1234567 as "1,234,567".
    Text& add_number(u64 value) {
        char digits[32];
        usize length = 0;
        usize count = 0;
        do {
            if (count != 0 && count % 3 == 0) digits[length++] = ',';
            digits[length++] = static_cast<char>('0' + value % 10);
            value /= 10;
            ++count;
        } while (value != 0);
        while (length > 0) characters_.push_back(digits[--length]);
        return *this;
    }
    Text& add_plain(u64 value) {
        char digits[20];
        usize length = 0;
        do digits[length++] = static_cast<char>('0' + value % 10);
        while ((value /= 10) != 0);
        while (length > 0) characters_.push_back(digits[--length]);
        return *this;
    }
    // In at most four characters: "999", "12k", "3.4M".
    Text& add_brief(u64 value) {
        constexpr char kUnits[] = {'k', 'M', 'G', 'T', 'P', 'E'};
        if (value < 1000) return add_number(value);
        u64 tenths = value / 100;
        u32 unit = 0;
        while (tenths >= 10000) {
            tenths /= 1000;
            ++unit;
        }
        add_number(tenths / 10);
        if (tenths < 100) add('.').add_number(tenths % 10);
        return add(kUnits[unit]);
    }
    Text& add_hex(u64 value) {
        add("0x");
        int shift = 60;
        while (shift > 0 && (value >> shift) == 0) shift -= 4;
        for (; shift >= 0; shift -= 4) add("0123456789abcdef"[(value >> shift) & 15]);
        return *this;
    }
    // part / whole as "12.3%", rounded, but up to "100.0%" for the whole only; 0 / 0 is "-".
    Text& add_percent(u64 part, u64 whole) {
        if (whole == 0) return add('-');
        const u64 tenths = tenths_of_percent(part, whole);
        return add_number(tenths / 10).add('.').add_number(tenths % 10).add('%');
    }
    // part / whole with five decimals.
    Text& add_ratio(u64 part, u64 whole) {
        if (whole == 0) return add('-');
        const u64 value = scaled(part, whole, 100'000);
        add_number(value / 100'000).add('.');
        for (u64 digit = 10'000; digit > 0; digit /= 10) add(static_cast<char>('0' + value / digit % 10));
        return *this;
    }

    // part / whole as "1.23", "12.3".
    Text& add_factor(u64 part, u64 whole) {
        if (whole == 0) return add('-');
        const u64 hundredths = (scaled(part, whole, 1000) + 5) / 10;
        add_number(hundredths / 100).add('.').add_number(hundredths / 10 % 10);
        return hundredths < 1000 ? add_number(hundredths % 10) : *this;
    }
    // The same as "1.23 x", "12.3 x".
    Text& add_times(u64 part, u64 whole) {
        add_factor(part, whole);
        return whole == 0 ? *this : add(" x");
    }

    // Blanks up to this column.
    Text& pad_to(usize column) {
        while (characters_.size() < column) characters_.push_back(' ');
        return *this;
    }
    // Moves the text from `start` on to the right, so that it ends at `column`; if it is too long, by as much
    // as parts it from what stands before it.
    Text& align_right(usize start, usize column) {
        const usize old_size = characters_.size();
        const usize least = start > 0 && characters_[start - 1] != ' ' ? 1 : 0;
        const usize shift = old_size + least > column ? least : column - old_size;
        if (shift == 0) return *this;
        characters_.resize(old_size + shift);
        for (usize i = old_size; i > start; --i) characters_[i - 1 + shift] = characters_[i - 1];
        for (usize i = start; i < start + shift; ++i) characters_[i] = ' ';
        return *this;
    }

private:
    Vector<char> characters_;
};

}  // namespace memspy::rt
