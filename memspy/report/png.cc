// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/png.h"

#include <zlib.h>

#include <algorithm>
#include <stdexcept>

namespace memspy::report {
namespace {

// Five rows of three pixels, each row an octal digit.
struct Glyph {
    char letter;
    u32 rows;
};
constexpr u32 kRows = 5, kColumns = 3, kScale = 2;
constexpr Glyph kFont[] = {
    {'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711}, {'5', 074717}, {'6', 074757},
    {'7', 071122}, {'8', 075757}, {'9', 075717}, {'A', 025755}, {'B', 065656}, {'C', 034443}, {'D', 065556},
    {'E', 074647}, {'F', 074644}, {'G', 034553}, {'H', 055755}, {'I', 072227}, {'J', 011152}, {'K', 055655},
    {'L', 044447}, {'M', 057755}, {'N', 065555}, {'O', 025552}, {'P', 065644}, {'Q', 025573}, {'R', 065655},
    {'S', 034216}, {'T', 072222}, {'U', 055557}, {'V', 055552}, {'W', 055775}, {'X', 055255}, {'Y', 055222},
    {'Z', 071247}, {'.', 000002}, {',', 000024}, {'-', 000700}, {'_', 000007}, {':', 002020}, {'/', 011244},
    {'(', 024442}, {')', 021112}, {'<', 012421}, {'>', 042124}, {'*', 005250}, {'+', 002720}, {'=', 007070},
    {'[', 064446}, {']', 031113}, {'%', 051245}, {'&', 025356}, {'~', 003600},
};

u32 rows_of(char letter) {
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    for (const Glyph& glyph : kFont)
        if (glyph.letter == letter) return glyph.rows;
    return 0;
}

void add_number(std::string& to, u32 value) {
    for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 255);
}

const Bytef* bytes_of(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

// Length, name and content, and a checksum of the last two.
void add_chunk(std::string& to, std::string_view name, std::string_view content) {
    add_number(to, static_cast<u32>(content.size()));
    std::string checked(name);
    checked += content;
    to += checked;
    add_number(to, static_cast<u32>(crc32(0, bytes_of(checked), static_cast<uInt>(checked.size()))));
}

std::string compressed(const std::string& content) {
    uLongf size = compressBound(content.size());
    std::string result(size, '\0');
    if (compress2(reinterpret_cast<Bytef*>(result.data()), &size, bytes_of(content), content.size(),
                  Z_BEST_COMPRESSION) != Z_OK)
        throw std::runtime_error("no memory for a picture");
    result.resize(size);
    return result;
}

}  // namespace

void Canvas::fill(u32 x, u32 y, u32 width, u32 height, u8 colour) {
    for (u32 row = y; row < std::min(y + height, height_); ++row)
        for (u32 column = x; column < std::min(x + width, width_); ++column)
            pixels_[std::size_t{row} * width_ + column] = colour;
}

void Canvas::write(u32 x, u32 y, std::string_view text, u8 colour) {
    for (const char letter : text) {
        const u32 rows = rows_of(letter);
        for (u32 i = 0; i < kRows * kColumns; ++i)
            if ((rows >> (kRows * kColumns - 1 - i) & 1) != 0)
                fill(x + i % kColumns * kScale, y + i / kColumns * kScale, kScale, kScale, colour);
        x += kLetterWidth;
    }
}

std::string Canvas::png() const {
    std::string header, colours, lines;
    add_number(header, width_);
    add_number(header, height_);
    header.append("\x08\x03\0\0\0", 5);  // 8 bits for a pixel, of a palette; nothing unusual
    for (const Colour& each : palette_)
        for (const u8 part : {each.red, each.green, each.blue}) colours += static_cast<char>(part);
    for (u32 row = 0; row < height_; ++row) {
        lines += '\0';  // no filter
        lines.append(reinterpret_cast<const char*>(pixels_.data()) + std::size_t{row} * width_, width_);
    }
    std::string file = "\x89PNG\r\n\x1a\n";
    add_chunk(file, "IHDR", header);
    add_chunk(file, "PLTE", colours);
    add_chunk(file, "IDAT", compressed(lines));
    add_chunk(file, "IEND", {});
    return file;
}

}  // namespace memspy::report
