// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of objects in sentences, and the sentence that says which objects meet.
#include "advice/sentence.h"
#include "advice/words.h"

namespace memspy::advice {

using rt::Text;

static constexpr const char* kMeetings[] = {"between", "inside", "true", "unknown"};

void add_name(Text& text, const AdviceItem& item) {
    if (!item.block) {
        text.add(item.name);
        return;
    }
    const char* const variable = item.variable;
    if (item.type[0] != '\0')
        text.add(item.several ? "blocks of " : "").add(item.type);
    else
        text.add(item.several ? "heap blocks" : variable[0] != '\0' ? "heap block" : "a heap block");
    if (variable[0] != '\0') text.add(' ').add(variable);
    if (item.origin[0] != '\0') text.add(" of ").add(item.origin);
    if (item.more) text.add(" and others");
}

void add_names(Text& text, const AdviceItem* items, usize count, bool more) {
    const usize all = count + (more ? 1 : 0);
    for (usize i = 0; i < all; ++i) {
        if (i > 0) text.add(i + 1 == all ? " and " : ", ");
        if (i < count)
            add_name(text, items[i]);
        else
            text.add("others");
    }
}

const char* word(Encounter meeting) { return kMeetings[static_cast<usize>(meeting)]; }
Encounter meeting_of(const char* word) { return value_of<Encounter>(word, kMeetings); }

void add_what(Text& text, Encounter meeting, const AdviceItem* items, usize count, bool more,
              const AdviceItem* beside) {
    constexpr const char* kStarts[] = {"False sharing between ", "False sharing inside ", "True sharing of ",
                                       "Contention on "};
    text.add(beside != nullptr ? "False sharing of " : kStarts[static_cast<usize>(meeting)]);
    add_names(text, items, count, more);
    if (beside != nullptr) add_name(text.add(" beside "), *beside);
}

}  // namespace memspy::advice
