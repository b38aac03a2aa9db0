// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/output/summary_lines.h"

namespace memspy::contention {

void SummaryLines::end() {
    // Without blanks at its end.
    usize length = text.size();
    while (length > 0 && text.c_str()[length - 1] == ' ') --length;
    text.cut(length);
    options_.line(text.c_str());
    text.reset();
}

void SummaryLines::number(usize column, u64 value) {
    put_right(text, column, [&] { text.add_number(value); });
}

void SummaryLines::wrapped(const char* words, usize indent) {
    while (*words != '\0') {
        text.pad_to(indent);
        usize length = 0, cut = 0;
        while (words[length] != '\0' && indent + length < kSummaryWidth) {
            if (words[length] == ' ') cut = length;
            ++length;
        }
        if (words[length] == '\0' || words[length] == ' ' || cut == 0) cut = length;
        for (usize i = 0; i < cut; ++i) text.add(words[i]);
        end();
        words += cut;
        while (*words == ' ') ++words;
    }
}

void add_blocks(rt::Text& text, const Object& owner, const SummaryOptions& options) {
    if (options.describe_blocks != nullptr)
        options.describe_blocks(text, owner.allocated, owner.on_lines > 1);
}

}  // namespace memspy::contention
