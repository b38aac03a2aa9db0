// SPDX-License-Identifier: GPL-2.0-or-later
//
// StreamHeap: the streams that can take a step; the one whose step is earliest in virtual time comes first
// (ties: the lower serial).
#pragma once

#include "lines/rules.h"
#include "rt/vector.h"

namespace memspy::replay {

using lines::Time;

class StreamHeap {
public:
    struct Item {
        Time at = 0;
        u32 serial = 0;

        bool before(const Item& other) const {
            return at != other.at ? at < other.at : serial < other.serial;
        }
    };
    bool empty() const { return items_.empty(); }
    const Item& first() const { return items_[0]; }
    void clear() { items_.resize(0); }
    // Adds without order: call sort() behind the last one.
    void add(const Item& item) { items_.push_back(item); }
    void sort() {
        for (usize i = items_.size() / 2; i-- > 0;) sink(i);
    }
    void push(const Item& added) {
        items_.push_back(added);
        for (usize i = items_.size() - 1; i > 0 && items_[i].before(items_[(i - 1) / 2]); i = (i - 1) / 2) {
            const Item item = items_[i];
            items_[i] = items_[(i - 1) / 2];
            items_[(i - 1) / 2] = item;
        }
    }
    void pop() {
        items_[0] = items_.back();
        items_.pop_back();
        if (!items_.empty()) sink(0);
    }

private:
    void sink(usize i) {
        Item item = items_[i];
        for (;;) {
            usize child = 2 * i + 1;
            if (child >= items_.size()) break;
            if (child + 1 < items_.size() && items_[child + 1].before(items_[child])) ++child;
            if (!items_[child].before(item)) break;
            items_[i] = items_[child];
            i = child;
        }
        items_[i] = item;
    }
    rt::Vector<Item> items_;
};

}  // namespace memspy::replay
