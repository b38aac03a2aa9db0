// SPDX-License-Identifier: GPL-2.0-or-later
//
// The cells of an access map as a text (docs/profile.md): rows with a blank between them, each `number:` or,
// for equal ones, `first-last:`, and cells from the first column on. A letter is a power of two of accesses:
// A one, B two or three, C four to seven…, then a to f; a dot is none. A number ahead of it says how many
// such cells there are.
#pragma once

#include "rt/text.h"

namespace memspy::locality {

class MapText {
public:
    // By row, and in a row by column. Counts of 0 leave no trace.
    void cell(u32 row, u32 column, u32 count);
    // All of it; nothing may come any more. Valid as long as this.
    const char* finish();

private:
    void end_run();
    void end_row();
    void end_equal_rows();

    rt::Text text_;
    rt::Text equal_;  // the cells of the rows first_ to last_, which are not in text_ yet
    u32 first_ = 0, last_ = 0;
    rt::Text cells_;  // of row_, without the last run_ cells
    u32 row_ = 0, end_ = 0;
    char letter_ = '\0';
    u32 run_ = 0;
};

}  // namespace memspy::locality
