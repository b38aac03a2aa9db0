// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/locality/map_image.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "report/png.h"

namespace memspy::report::locality {
namespace {

// The palette: paper, ink, grey, then shades for few to many accesses, those of reads first.
constexpr u8 kPaper = 0, kInk = 1, kGrey = 2, kFirstShade = 3;
constexpr u32 kShades = 16;
constexpr Colour kLight[] = {{205, 223, 240}, {252, 217, 196}}, kDark[] = {{8, 48, 107}, {127, 20, 8}};

std::vector<Colour> palette() {
    std::vector<Colour> colours = {{255, 255, 255}, {40, 40, 40}, {160, 160, 160}};
    for (std::size_t use = 0; use < 2; ++use)
        for (u32 i = 0; i < kShades; ++i) {
            const auto between = [&](u8 light, u8 dark) {
                return static_cast<u8>((light * (kShades - 1 - i) + dark * i) / (kShades - 1));
            };
            const Colour &light = kLight[use], &dark = kDark[use];
            colours.push_back({between(light.red, dark.red), between(light.green, dark.green),
                               between(light.blue, dark.blue)});
        }
    return colours;
}

// By powers of two, up to that of `most`.
u8 shade(Use use, u64 count, u64 most) {
    const u32 power = static_cast<u32>(std::bit_width(count)) - 1,
              top = std::max<u32>(static_cast<u32>(std::bit_width(most)) - 1, 1);
    const u32 first = kFirstShade + (use == Use::Write ? kShades : 0);
    return static_cast<u8>(first + std::min(power * (kShades - 1) / top, kShades - 1));
}

// Pixels.
constexpr u32 kLetter = Canvas::kLetterWidth, kLine = Canvas::kLetterHeight + 4;
constexpr u32 kLeft = 7 * kLetter, kRight = 2 * kLetter, kWide = 768, kHigh = 256;
constexpr u32 kPanelHead = kLine, kPanelFoot = 2 * kLine;

struct Panel {
    u32 cell_width, cell_height;  // of a cell
    u32 width, height;
    explicit Panel(const Picture& picture)
        : cell_width(std::max(1u, kWide / std::max(1u, picture.columns()))),
          cell_height(std::max(1u, std::min(24u, kHigh / std::max(1u, picture.rows())))),
          width(cell_width * picture.columns()),
          height(cell_height * picture.rows()) {}
};

// Three labels along an axis of so many cells: its ends and the middle.
template <typename F>
void for_each_mark(u32 cells, F f) {
    f(0u);
    if (cells >= 16) f(cells / 2);
    f(cells);
}

void draw_panel(Canvas& canvas, const Picture& picture, Use use, u64 most, u32 top) {
    const Panel panel(picture);
    canvas.write(kLeft, top + 2, use == Use::Read ? "reads" : "writes", kInk);
    top += kPanelHead;
    canvas.fill(kLeft - 1, top - 1, panel.width + 2, panel.height + 2, kGrey);
    canvas.fill(kLeft, top, panel.width, panel.height, kPaper);
    for (u32 row = 0; row < picture.rows(); ++row)
        for (u32 column = 0; column < picture.columns(); ++column)
            if (const u64 count = picture.at(use, column, row); count != 0)
                canvas.fill(kLeft + column * panel.cell_width, top + row * panel.cell_height,
                            panel.cell_width, panel.cell_height, shade(use, count, most));
    for_each_mark(picture.rows(), [&](u32 row) {
        const std::string label = brief_bytes(picture.first_byte() + row * picture.row_bytes());
        const u32 y = top + row * panel.cell_height;
        canvas.fill(kLeft - 5, y, 4, 1, kInk);
        canvas.write(kLeft - 8 - static_cast<u32>(label.size()) * kLetter, y < 5 ? 0 : y - 5, label, kInk);
    });
    for_each_mark(picture.columns(), [&](u32 column) {
        const std::string label = brief_count(picture.begin() + column * picture.step());
        const u32 x = kLeft + column * panel.cell_width, width = static_cast<u32>(label.size()) * kLetter;
        canvas.fill(x, top + panel.height + 1, 1, 4, kInk);
        canvas.write(column == picture.columns() ? x - width : x, top + panel.height + 7, label, kInk);
    });
}

u32 panel_height(const Picture& picture) { return kPanelHead + Panel(picture).height + kPanelFoot; }

// Those that it has.
std::vector<Use> uses_of(const Picture& picture) {
    std::vector<Use> uses;
    for (const Use use : {Use::Read, Use::Write})
        if (picture.accesses(use) != 0) uses.push_back(use);
    return uses;
}

u32 height_of(const Picture& picture) {
    return kLine + static_cast<u32>(uses_of(picture).size()) * panel_height(picture);
}

}  // namespace

std::string brief_bytes(u64 bytes) {
    static constexpr const char* kUnits[] = {"", "K", "M", "G", "T", "P", "E"};
    std::size_t unit = 0;
    auto value = static_cast<double>(bytes);
    for (; value >= 1024; ++unit) value /= 1024;
    char text[32];
    const bool whole = value >= 100 || value == static_cast<double>(static_cast<u64>(value));
    std::snprintf(text, sizeof text, whole ? "%.0f%s" : "%.1f%s", value, kUnits[unit]);
    return text;
}

std::string brief_count(u64 count) {
    static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P", "E"};
    std::size_t unit = 0;
    auto value = static_cast<double>(count);
    for (; value >= 1000; ++unit) value /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, value >= 100 || unit == 0 ? "%.0f%s" : "%.1f%s", value, kUnits[unit]);
    return text;
}

std::string png_of(const std::vector<TitledPicture>& pictures) {
    u32 width = kLeft + kRight + 60 * kLetter, height = kLine + 4;
    for (const TitledPicture& each : pictures) {
        width = std::max(width, kLeft + Panel(each.picture).width + kRight);
        height += height_of(each.picture);
    }
    Canvas canvas(width, height, palette());
    u32 top = 2;
    for (const TitledPicture& each : pictures) {
        const Picture& picture = each.picture;
        const u64 most = picture.most();
        canvas.write(kLeft, top + 2, each.title, kInk);
        u32 at = top + kLine;
        for (const Use use : uses_of(picture)) {
            draw_panel(canvas, picture, use, most, at);
            at += panel_height(picture);
        }
        // The legend.
        u32 x = width - kRight - 2 * kShades * 6 - 12 * kLetter;
        const u32 y = top + kLine + 2;
        canvas.write(x, y, "1", kInk);
        x += 2 * kLetter;
        for (u32 i = 0; i < 2 * kShades; ++i)
            canvas.fill(x + i % kShades * 6, y + (i < kShades ? 0 : 5), 6, 5,
                        static_cast<u8>(kFirstShade + i));
        canvas.write(x + kShades * 6 + kLetter, y, brief_count(most) + " accesses a cell", kInk);
        top += height_of(picture);
    }
    canvas.write(kLeft, height - kLine, "down: bytes of the object, right: instructions of the program",
                 kInk);
    return canvas.png();
}

}  // namespace memspy::report::locality
