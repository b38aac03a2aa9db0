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

void add_user(Text& text, const AdviceItem& item) {
    if (item.users == Users::Several)
        text.add("several threads");
    else if (item.users == Users::One)
        text.add("one thread");
    else
        text.add("thread ").add_number(item.thread);
}

static void add_bytes(Text& text, const AdviceItem& item) {
    if (item.bytes == 1)
        text.add("byte ").add_number(item.first);
    else
        text.add("bytes ").add_number(item.first).add("..").add_number(item.first + item.bytes - 1);
}

void add_fields(Text& text, const AdviceItem& item) {
    if (item.fields[0] != '\0')
        text.add(item.fields);
    else
        add_bytes(text, item);
}
void add_owner(Text& text, const AdviceItem& item) {
    if (!item.block || !item.each) return add_name(text, item);
    text.add("each of the ").add(item.type[0] != '\0' ? "blocks of " : "heap blocks").add(item.type);
}
void add_part(Text& text, const AdviceItem& item) {
    add_fields(text, item);
    if (item.fields[0] == '\0') add_owner(text.add(" of "), item);
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
