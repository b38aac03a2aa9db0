// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the advised change makes of a group's lines, and which events it leaves: the kept stays of each line
// (stays.h) are replayed twice, with the line as it is and with each of its bytes where the advice puts it.
// A part of a line that gets lines of its own only sees what touches its bytes. So an access that found the
// line because its thread had fetched other bytes of it before has the event then, and nothing is gained by
// moving those. No Valgrind here.
#pragma once

#include "remedies/advice_case.h"
#include "sharing/stays.h"

namespace memspy::remedies {

class ChangedLayout {
public:
    // By the case's plan, from this advice on.
    explicit ChangedLayout(const AdviceCase& c, usize from = 0);

    // Bytes of a line stay together if these are equal.
    static constexpr u64 kStays = 0;         // where it is
    static constexpr u64 kCopied = ~u64{0};  // each thread has its own: there are no events
    u64 place_of(const UsedPart& part, Address a) const;
    // What a thread has of so many lines fills one.
    u64 gathers() const { return gathers_; }

private:
    struct StridedElements {
        ObjectId object;
        u64 stride, first;  // an element begins there
    };
    u64 element_of(const UsedPart& part, Address a) const;
    u64 place_by(const advice::Advice& advice, const UsedPart& part, Address a) const;
    void add_elements(const advice::Advice& advice);

    const AdviceCase& c_;
    const usize from_;
    u64 gathers_ = 1;
    rt::Vector<StridedElements> elements_;
};

// What stays at some bytes tell: events that are no first touches, and how many threads touched them first.
struct PlacedEvents {
    u64 events = 0, places = 0, fetches = 0;  // `fetches`: with that by the first of them

    void add(const PlacedEvents& other, u64 times);
    void raise(const PlacedEvents& other, u64 times);
};

struct LeftEvents {
    PlacedEvents before, after;  // of the stays that were kept
    bool known() const { return before.events != 0; }
    u64 removed() const {
        return before.events - (after.events < before.events ? after.events : before.events);
    }
    // Of so many first touches those that remain, and of so many other events those that go.
    u64 first_touches(u64 of) const;
    u64 removed_of(u64 all, u64 first_touches) const;

private:
    // Of the places before those that somebody had set before their threads came.
    u64 set_before(u64 first_touches) const;
};
// Of some of the group's lines, or all.
LeftEvents replay(const AdviceCase& c, const ChangedLayout& layout, Slice lines);
LeftEvents replay(const AdviceCase& c, const ChangedLayout& layout);

}  // namespace memspy::remedies
