// SPDX-License-Identifier: GPL-2.0-or-later
#include "advice/sentence.h"

namespace memspy::advice {
namespace {

using rt::Text;

constexpr const char* kCopies =
    "if they are the indices of a ring, let each thread keep a copy of the other's index, and look at that "
    "again only when by the copy the ring is full or empty";

const char* plural(u64 count) { return count == 1 ? "" : "s"; }

// "32 elements of 4 bytes", where all accesses have one width.
void add_elements(Text& text, u64 width, u64 bytes) {
    if (width == 0 || bytes % width != 0) {
        text.add_number(bytes).add(" bytes");
        return;
    }
    text.add_number(bytes / width).add(" elements of ").add_number(width).add(" byte").add(plural(width));
}

// The sentences of one finding.
class SentenceWriter {
public:
    SentenceWriter(Text& text, const AdvicePlan& plan) : text_(text), plan_(plan) {}

    void write() {
        for (usize i = 0; i < plan_.advice.size(); ++i) {
            if (i > 0) text_.add("; ");
            set(plan_.advice[i]);
            if (!write_algorithm() && !write_parts() && !write_elements()) write_objects();
            write_removed(i);
        }
        write_change();
    }

private:
    void set(const Advice& advice) {
        advice_ = &advice;
        items_ = plan_.items.data() + advice.first_item;
    }
    // The n-th item with that role; a nameless one where there is none.
    const AdviceItem& item(ItemRole role, usize n = 0) const {
        static constexpr AdviceItem kNone{};
        for (u32 i = 0; i < advice_->item_count; ++i)
            if (items_[i].role == role && n-- == 0) return items_[i];
        return kNone;
    }
    usize count(ItemRole role) const {
        usize found = 0;
        for (u32 i = 0; i < advice_->item_count; ++i) found += items_[i].role == role ? 1 : 0;
        return found;
    }
    // Subjects come first, so they are one row.
    void names() { add_names(text_, items_, count(ItemRole::Subject), advice_->more); }
    void subject() { add_part(text_, item(ItemRole::Subject)); }
    void subjects() {
        const usize all = count(ItemRole::Subject);
        for (usize i = 0; i < all; ++i) {
            if (i > 0) text_.add(i + 1 == all ? " and " : ", ");
            add_part(text_, item(ItemRole::Subject, i));
        }
    }

    // "alignas(64)", as the language has it.
    Text& alignment() {
        const bool rust = advice_->means == Means::Repr;
        text_.add(rust ? "#[repr(align(" : "alignas(").add_number(advice_->line);
        return text_.add(rust ? "))]" : ")");
    }
    // Before a type.
    Text& alignment_on() {
        alignment().add(" on ");
        return advice_->means == Means::FirstMember ? text_.add("the first member of ") : text_;
    }
    // " (alignas(64))": how a variable gets a line of its own. Fortran knows no alignment, and only
    // components and common blocks have an order.
    void means() {
        text_.add(" (");
        if (advice_->means == Means::Padding)
            text_.add_number(advice_->line)
                .add(" bytes of padding before and behind, in a derived type or a common block)");
        else
            alignment().add(')');
    }
    void where() {
        const usize places = count(ItemRole::Place);
        for (usize i = 0; i < places; ++i)
            text_.add(i == 0 ? ": " : " and ").add(item(ItemRole::Place, i).place);
    }

    bool write_algorithm();
    bool write_parts();
    bool write_elements();
    void write_objects();
    void write_turns();
    void write_private();
    void write_table();
    void write_exchange();
    void write_members();
    void write_padding();
    void write_padding_of_fortran();
    void write_removed(usize index);
    void write_change();

    Text& text_;
    const AdvicePlan& plan_;
    const Advice* advice_ = nullptr;
    const AdviceItem* items_ = nullptr;
};

void SentenceWriter::write_turns() {
    if (count(ItemRole::Subject) == 0) {
        text_.add(
            "threads take turns or wait for each other here: do so less often, for more work at a time, or "
            "divide what is protected");
        return;
    }
    const AdviceItem& lock = item(ItemRole::Other);
    text_.add("threads take turns with ");
    names();
    text_.add(", under ");
    if (lock.fields[0] != '\0')
        text_.add(lock.fields);
    else if (lock.object != 0)
        add_name(text_.add("the lock in "), lock);
    else
        text_.add("a lock");
    text_.add(": take the lock less often, for more work at a time, or give each thread a part of its own");
}

// A variable on a stack may have no name: compilers copy those that an OpenMP construct shares.
void SentenceWriter::write_private() {
    const AdviceItem& hot = item(ItemRole::Subject);
    text_.add("make ");
    if (hot.place[0] != '\0')
        text_.add("the variable of ").add(hot.name).add(" that is written at ").add(hot.place);
    else
        subject();
    text_.add(" private: each thread writes it before it reads it, so it needs one of its own (");
    if (!advice_->openmp)
        text_.add("a local variable, or thread_local)");
    else
        text_.add("OpenMP: private(").add(hot.variable[0] != '\0' ? hot.variable : "...").add("))");
}

// "parts of hist"; of a heap block, which may have more than the table: "elements in bytes 0..63 of a heap
// block".
void SentenceWriter::write_table() {
    const AdviceItem& table = item(ItemRole::Subject);
    const bool in_turn = advice_->remedy == Remedy::AddUpLocally;
    text_.add("several threads add to ").add(in_turn ? "" : "the same ");
    if (table.block)
        add_part(text_.add("elements in "), table);
    else
        add_name(text_.add("parts of "), table);
    if (in_turn) {
        text_.add(
            ", each to its own for a while: let it add up in a local variable, and store that at the end");
        return;
    }
    text_.add(": give each thread a copy of its own, and add the copies up at the end");
    if (!advice_->openmp) return;
    text_.add(" (OpenMP: reduction(+: ");
    if (advice_->count != 0)
        add_name(text_, table), text_.add("[:").add_plain(advice_->count).add("]))");
    else
        text_.add("...))");
}

void SentenceWriter::write_exchange() {
    const AdviceItem &one = item(ItemRole::Subject), &other = item(ItemRole::Subject, 1);
    add_part(text_, one);
    add_user(text_.add(" (written by "), one);
    add_part(text_.add(") and "), other);
    add_user(text_.add(" ("), other);
    text_.add(")");
}

bool SentenceWriter::write_algorithm() {
    switch (advice_->remedy) {
        case Remedy::RunWithSharing:
            text_.add("run without --sharing=no to learn whether a better layout helps");
            return true;
        case Remedy::SynchroniseLess: write_turns(); return true;
        case Remedy::MakePrivate: write_private(); return true;
        case Remedy::AddUpLocally:
        case Remedy::CopyTable: write_table(); return true;
        case Remedy::CopyCounter:
            text_.add("several threads only add to ");
            subjects();
            text_.add(": keep a copy for each thread, on a line of its own, and combine them at the end");
            return true;
        case Remedy::CopyIndices: text_.add(kCopies); return true;
        case Remedy::Exchange:
            text_.add("two threads look at what the other writes: ");
            write_exchange();
            return true;
        case Remedy::HandOver:
            text_.add("threads hand over data in ");
            names();
            where();
            return true;
        case Remedy::WriteLess:
            text_.add("one thread writes what others read (");
            subject();
            text_.add("): write only when the value changes, or let readers look less often");
            return true;
        case Remedy::TakeSeveral:
            text_.add("several threads add to ");
            subject();
            // Code without optimisation keeps the value in its frame, used or not.
            text_
                .add(": where the value that they get is used, let each take several at a time, or hold one ")
                .add("reference for many uses; else keep a copy for each thread and combine them at the end");
            return true;
        case Remedy::ChangeLess:
            text_.add("several threads change ");
            subject();
            where();
            return true;
        case Remedy::Irregular:
            text_.add("threads meet within lines of ");
            names();
            text_.add(", at no regular distance");
            where();
            return true;
        default: return false;
    }
}

// "a (thread 2), b (thread 3) on lines of their own".
void SentenceWriter::write_members() {
    const AdviceItem* unnamed = nullptr;
    const usize members = count(ItemRole::Subject);
    for (usize i = 0; i < members; ++i) {
        const AdviceItem& member = item(ItemRole::Subject, i);
        add_fields(text_.add(i == 0 ? "put " : ", "), member);
        if (member.fields[0] == '\0') unnamed = &member;
        add_user(text_.add(" ("), member);
        text_.add(")");
    }
    if (advice_->more) text_.add(", ...");
    if (unnamed != nullptr) add_owner(text_.add(" of "), *unnamed);
    text_.add(" on lines of their own");
    if (advice_->means == Means::Padding) return means();
    text_.add(" (");
    alignment().add(" on each)");
}

bool SentenceWriter::write_parts() {
    switch (advice_->remedy) {
        case Remedy::KeepFromLock:
            text_.add("keep ");
            add_name(text_, item(ItemRole::Subject));
            text_.add(" away from it");
            means();
            text_.add(": ").add_number(advice_->removes);
            text_.add(" of these events are its own, and false sharing");
            return true;
        case Remedy::PartIndices:
            text_.add("put ");
            write_exchange();
            text_.add(" on lines of their own");
            means();
            return true;
        case Remedy::MoveWritten:
            text_.add("separate what is written (");
            subject();
            text_.add(") from what is only read: move it to a line of its own");
            means();
            return true;
        case Remedy::MoveRead:
            text_.add("move what is only read (");
            subject();
            text_.add(") to a line of its own");
            return true;
        case Remedy::MoveNeighbours: text_.add("own lines for its neighbours"); return true;
        case Remedy::MoveOwn:
            text_.add("move ");
            subject();
            add_user(text_.add(", which only "), item(ItemRole::Subject));
            text_.add(" uses, to a line of its own");
            means();
            add_fields(text_.add("; what several threads use ("), item(ItemRole::Other));
            text_.add(") may stay together");
            return true;
        case Remedy::PartMembers: write_members(); return true;
        case Remedy::PartThreads:
            text_.add("put parts of different threads on lines of their own");
            means();
            return true;
        case Remedy::PartInside:
            text_.add("inside them, too, parts of different threads need lines of their own");
            return true;
        case Remedy::KeepApart:
            text_.add("keep ");
            names();
            add_name(text_.add(", which is only read, away from "), item(ItemRole::Other));
            means();
            return true;
        default: return false;
    }
}

// Without alignment only a whole line of padding keeps apart what may cross a line's end.
void SentenceWriter::write_padding_of_fortran() {
    if (is_record(advice_->type)) {
        const char* name = advice_->type;
        while (*name != ' ') ++name;
        text_.add("a component more in type").add(name).add(", character :: padding(");
        text_.add_number(advice_->bytes - advice_->stride).add(")");
    } else {
        text_.add("a first dimension of ").add_number(advice_->bytes / advice_->stride);
        text_.add(", of which each thread uses one element");
    }
}

void SentenceWriter::write_padding() {
    const char* const type = advice_->type;
    const bool named = advice_->array[0] != '\0', fortran = advice_->means == Means::Padding;
    const char* const element = advice_->element;
    text_.add("pad each ").add(named || element[0] == '\0' ? "element" : element).add(" of ");
    if (named) text_.add(advice_->array).add(" (");
    text_.add_number(advice_->stride).add(" byte").add(plural(advice_->stride));
    text_.add(named ? ") to " : " to ").add_number(advice_->bytes);
    if (fortran) {
        text_.add(": ");
        return write_padding_of_fortran();
    }
    text_.add(" and align the first to ").add_number(advice_->line).add(" (");
    alignment_on();
    if (is_record(type))
        text_.add(type);
    else if (*type != '\0')
        text_.add("a struct around each ").add(type);
    else
        text_.add(element[0] != '\0' ? element : "the element's type");
    text_.add(")");
}

bool SentenceWriter::write_elements() {
    const u64 line = advice_->line;
    switch (advice_->remedy) {
        case Remedy::PadElements: write_padding(); return true;
        case Remedy::AlignElements:
        case Remedy::AlignRows:
            add_name(text_.add("align "), item(ItemRole::Subject));
            text_.add(" to ").add_number(line).add(" bytes: its ");
            text_.add(advice_->remedy == Remedy::AlignRows ? "rows of " : "elements of ");
            text_.add_number(advice_->stride).add(" bytes begin in the middle of lines");
            return true;
        case Remedy::WidenRows:
            if (advice_->means == Means::Padding && advice_->width != 0) {
                add_name(text_.add("let each column of "), item(ItemRole::Subject));
                text_.add(", or each thread's part, begin ").add_number(advice_->bytes);
                text_.add(" bytes after the one before: a first dimension of ");
                text_.add_number(advice_->bytes / advice_->width).add(" instead of ");
                text_.add_number(advice_->stride / advice_->width);
                return true;
            }
            add_name(text_.add("let each row of "), item(ItemRole::Subject));
            text_.add(", or each thread's part, begin at a multiple of ").add_number(line);
            text_.add(" bytes: a pitch of ").add_number(advice_->bytes).add(" bytes instead of ");
            add_elements(text_.add_number(advice_->stride).add(" ("), advice_->width, advice_->bytes);
            text_.add("), and the first aligned to ").add_number(line);
            return true;
        case Remedy::AlignShares:
            add_name(text_.add("let each thread's part of "), item(ItemRole::Subject));
            text_.add(" begin at a multiple of ").add_number(line);
            add_elements(text_.add(" bytes: pad its rows, or deal out multiples of "), advice_->width, line);
            return true;
        case Remedy::DealOut:
            text_.add("deal out ");
            if (advice_->array[0] != '\0')
                text_.add(advice_->array);
            else
                add_name(text_, item(ItemRole::Subject));
            text_.add(" to the threads in multiples of ").add_number(advice_->bytes / advice_->stride);
            text_.add(" elements of ").add_number(advice_->stride).add(" byte").add(plural(advice_->stride));
            text_.add(", and align the first to ").add_number(line);
            text_.add(": taken one by one, each line has elements of several threads");
            return true;
        case Remedy::DealBits:
            add_name(text_.add("several threads set bits in the same lines of "), item(ItemRole::Subject));
            text_.add(": let each have whole lines, ").add_number(line * 8).add(" bits from a multiple of ");
            text_.add_number(line).add(" bytes on, or a vector or bitset of its own that begins so");
            return true;
        case Remedy::JoinArrays: {
            text_.add("put together what each thread has of ");
            const usize arrays = count(ItemRole::Subject);
            for (usize i = 0; i < arrays; ++i) {
                text_.add(i == 0 ? "" : i + 1 == arrays ? " and " : ", ");
                add_part(text_, item(ItemRole::Subject, i));
            }
            text_.add(": one array with an element of ").add_number(line).add(" bytes for each thread");
            means();
            return true;
        }
        default: return false;
    }
}

void SentenceWriter::write_objects() {
    const u64 line = advice_->line;
    switch (advice_->remedy) {
        case Remedy::AllocateApart:
            text_.add("allocate what other threads use of ");
            names();
            text_.add(" on lines of its own, or put ");
            alignment().add(" on each such variable");
            return;
        case Remedy::PadBetween:
            text_.add("put ").add_number(line).add(" bytes of padding between ");
            names();
            text_.add(": components of a derived type or members of a common block keep their order, and ");
            text_.add("blocks of threads are allocated with ").add_number(line).add(" bytes more");
            return;
        case Remedy::OwnLine:
            text_.add("give ");
            names();
            text_.add(" a cache line of its own (");
            alignment().add(" and padding)");
            return;
        case Remedy::Align:
            text_.add("align ");
            names();
            text_.add(" to ").add_number(line).add(" bytes");
            text_.add(count(ItemRole::Subject) > 1 || advice_->more ? " each (" : " (");
            alignment().add(')');
            return;
        case Remedy::AlignBlocks:
            text_.add("align the blocks to ").add_number(line);
            text_.add(" bytes and round their sizes up to a multiple of ").add_number(line);
            text_.add(" (aligned_alloc, or ");
            alignment_on().add("the type)");
            return;
        case Remedy::OwnLines:
            text_.add("give ");
            names();
            text_.add(" cache lines of their own (");
            alignment().add(", aligned_alloc and sizes that are multiples of ").add_number(line).add(")");
            return;
        default: CHECK(!"each remedy has a sentence");
    }
}

void SentenceWriter::write_removed(usize index) {
    if (advice_->events == 0) return;
    if (advice_->remedy == Remedy::MoveNeighbours)
        text_.add(" remove ");
    else if (index > 0 && plan_.advice[0].remedy == Remedy::PartIndices)
        text_.add(": both together remove ");
    else
        text_.add(": removes ");
    text_.add(advice_->about ? "about " : "").add_number(advice_->removes);
    text_.add(" of ").add_number(advice_->events);
    text_.add(advice_->observed ? " observed events" : " modelled events");
}

void SentenceWriter::write_change() {
    usize told = 0;
    for (const AdviceItem& change : plan_.items)
        if (change.role == ItemRole::Change)
            text_.add(told++ == 0 ? ". To change: " : ", ").add(change.place);
}

}  // namespace

void add_sentence(Text& text, const AdvicePlan& plan) {
    Text sentence;
    SentenceWriter(sentence, plan).write();
    const char* words = sentence.c_str();
    if (*words >= 'a' && *words <= 'z') text.add(static_cast<char>(*words++ - 'a' + 'A'));
    text.add(words);
}

}  // namespace memspy::advice
