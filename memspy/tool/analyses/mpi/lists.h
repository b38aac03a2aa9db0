// SPDX-License-Identifier: GPL-2.0-or-later
//
// Many short lists in one pool. T is trivially copyable and has a member `next`, which belongs to the pool. A
// list is a pair of item numbers, so it may be copied; whoever has the only copy that is used releases it.
#pragma once

#include "rt/base.h"
#include "rt/vector.h"

namespace memspy::mpi {

// Item numbers; 0: none.
struct ItemList {
    u32 first = 0, last = 0;
    u32 count = 0;
    bool empty() const { return first == 0; }
};

template <typename T>
class Lists {
public:
    void add(ItemList& list, const T& item) {
        u32 number = free_;
        if (number != 0) {
            free_ = items_[number - 1].next;
        } else {
            items_.push_back({});
            number = static_cast<u32>(items_.size());
        }
        items_[number - 1] = item;
        items_[number - 1].next = 0;
        if (list.empty())
            list.first = number;
        else
            items_[list.last - 1].next = number;
        list.last = number;
        ++list.count;
    }
    void release(ItemList& list) {
        if (list.empty()) return;
        items_[list.last - 1].next = free_;
        free_ = list.first;
        list = {};
    }
    void clear() {
        items_.clear();
        free_ = 0;
    }
    // The first item, and the one behind another; null if there is none.
    T* first(const ItemList& list) { return at(list.first); }
    T* behind(const T& item) { return at(item.next); }
    // Calls f(item) for each one.
    template <typename F>
    void for_each(const ItemList& list, F&& f) {
        for (u32 number = list.first; number != 0; number = items_[number - 1].next) f(items_[number - 1]);
    }

private:
    T* at(u32 number) { return number == 0 ? nullptr : &items_[number - 1]; }

    rt::Vector<T> items_;
    u32 free_ = 0;  // a list of unused ones
};

}  // namespace memspy::mpi
