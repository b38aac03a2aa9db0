// SPDX-License-Identifier: GPL-2.0-or-later
//
// Small pictures with words in them, written as PNG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/fields.h"

namespace memspy::report {

struct Colour {
    u8 red, green, blue;
};

// Each pixel is the number of a colour of the palette, 0 at first.
class Canvas {
public:
    Canvas(u32 width, u32 height, std::vector<Colour> palette)
        : width_(width),
          height_(height),
          palette_(std::move(palette)),
          pixels_(std::size_t{width} * height) {}

    static constexpr u32 kLetterWidth = 8, kLetterHeight = 10;

    // What is outside is not drawn.
    void fill(u32 x, u32 y, u32 width, u32 height, u8 colour);
    // In capitals: the font has no others.
    void write(u32 x, u32 y, std::string_view text, u8 colour);
    std::string png() const;

private:
    u32 width_, height_;
    std::vector<Colour> palette_;
    std::vector<u8> pixels_;
};

}  // namespace memspy::report
