// SPDX-License-Identifier: GPL-2.0-or-later
#include "advice/loops.h"

#include "advice/sentence.h"
#include "advice/words.h"

namespace memspy::advice {
namespace {

using rt::Text;

constexpr const char* kRemedies[] = {"interchange", "tiles", "columns", "hot-field", "blocks"};

// "a.c:7 (multiply)"
void add_code(Text& text, const LoopAdvice& advice) {
    if (advice.file[0] == '\0') return void(text.add(advice.function));
    text.add(advice.file).add(':').add_plain(advice.line).add(" (").add(advice.function).add(')');
}

void add_bytes(Text& text, u64 bytes) { text.add_number(bytes).add(bytes == 1 ? " byte" : " bytes"); }

void add_use(Text& text, const LoopAdvice& advice) {
    add_code(text, advice);
    text.add(" uses ").add_number(advice.used).add(" of each ");
    add_bytes(text, advice.step);
}

void add_blocks(Text& text, const LoopAdvice& advice) {
    add_bare_name(text.add("work on parts of "), advice.object);
    add_bytes(text.add(" that fit the cache of "), advice.cache);
    if (advice.loops > 1) {
        text.add(", each in all of the ").add_number(advice.loops).add(" loops through it: ");
        add_code(text, advice);
        text.add(" comes to what another one used after ");
    } else {
        add_code(text.add(": "), advice);
        text.add(" comes back to what it used after ");
    }
    add_bytes(text.add_number(advice.low).add(" to "), advice.high);
    text.add(" of it");
}

}  // namespace

const char* word(LoopRemedy remedy) { return kRemedies[static_cast<usize>(remedy)]; }
LoopRemedy loop_remedy_of(const char* word) { return value_of<LoopRemedy>(word, kRemedies); }

void add_fraction(Text& text, double value) {
    constexpr u64 kUnit = 100'000;
    text.add_ratio(static_cast<u64>(value * kUnit + 0.5), kUnit);
}

void add_bare_name(Text& text, const AdviceItem& item) {
    if (item.block && item.type[0] == '\0' && !item.several && item.variable[0] == '\0') {
        text.add("heap block");
        if (item.origin[0] != '\0') text.add(" of ").add(item.origin);
    } else {
        add_name(text, item);
    }
}

void add_sentence(Text& text, const LoopAdvice& advice) {
    switch (advice.remedy) {
        case LoopRemedy::Interchange:
        case LoopRemedy::Tiles: {
            const bool tiles = advice.remedy == LoopRemedy::Tiles;
            text.add(tiles ? "work in square blocks at " : "interchange the loops around ");
            add_code(text, advice);
            add_bare_name(text.add(": the inner one goes through "), advice.object);
            add_bytes(text.add(" in steps of "), advice.step);
            text.add(", the one around it in steps of ").add_number(advice.shift);
            if (tiles) text.add(", and through other memory the other way round");
            break;
        }
        case LoopRemedy::Columns:
            add_bare_name(text.add("store "), advice.object);
            add_use(text.add(" by columns: "), advice);
            break;
        case LoopRemedy::HotField:
            add_bare_name(text.add("give the members of "), advice.object);
            add_use(text.add(" that are used most an array of their own: "), advice);
            break;
        case LoopRemedy::Blocks:
        case LoopRemedy::Count: add_blocks(text, advice); break;
    }
    if (advice.spatial < 0) return;
    add_fraction(text.add("; its locality is spatial "), advice.spatial);
    add_fraction(text.add(", temporal "), advice.temporal);
}

}  // namespace memspy::advice
