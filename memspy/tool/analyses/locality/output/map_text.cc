// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/output/map_text.h"

namespace memspy::locality {
namespace {

char letter_of(u32 count) {
    const auto power = static_cast<u32>(31 - __builtin_clz(count));
    return static_cast<char>(power < 26 ? 'A' + power : 'a' + power - 26);
}

void add_run(rt::Text& text, char letter, u32 length) {
    if (length > 1) text.add_plain(length);
    if (length > 0) text.add(letter);
}

bool are_equal(rt::Text& a, rt::Text& b) {
    if (a.size() != b.size()) return false;
    const char *left = a.c_str(), *right = b.c_str();
    for (usize i = 0; i < a.size(); ++i)
        if (left[i] != right[i]) return false;
    return true;
}

}  // namespace

void MapText::cell(u32 row, u32 column, u32 count) {
    if (count == 0) return;
    if (run_ != 0 && row != row_) end_row();
    row_ = row;
    const char letter = letter_of(count);
    if (column != end_ || letter != letter_) {
        end_run();
        add_run(cells_, '.', column - end_);
        letter_ = letter;
    }
    ++run_;
    end_ = column + 1;
}

void MapText::end_run() {
    add_run(cells_, letter_, run_);
    run_ = 0;
}

void MapText::end_row() {
    end_run();
    if (equal_.empty() || row_ != last_ + 1 || !are_equal(equal_, cells_)) {
        end_equal_rows();
        first_ = row_;
        equal_.add(cells_.c_str());
    }
    last_ = row_;
    cells_.reset();
    end_ = 0;
    letter_ = '\0';
}

void MapText::end_equal_rows() {
    if (equal_.empty()) return;
    if (!text_.empty()) text_.add(' ');
    text_.add_plain(first_);
    if (last_ != first_) text_.add('-').add_plain(last_);
    text_.add(':').add(equal_.c_str());
    equal_.reset();
}

const char* MapText::finish() {
    if (run_ != 0) end_row();
    end_equal_rows();
    return text_.c_str();
}

}  // namespace memspy::locality
