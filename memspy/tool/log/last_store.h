// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the last instruction of a record stored. On amd64 a call stores the return address, so that a log of all
// accesses shows where the frame of the function called is. (arm64 puts it into a register.)
#pragma once

#include "log/records.h"
#include "threads/call_tree.h"

namespace memspy::log {

struct LastStore {
    Address at = 0;  // 0: nothing as long as a return address
    Address by = 0;  // the instruction

    // Whether it is that of the call by which the thread came to `next`.
    bool is_call_to(threads::CallPath next) const {
        constexpr Address kLongestCall = 8;  // bytes of the instruction
        Address return_address = 0;
        return at != 0 && threads::return_addresses(next, &return_address, 1) == 1 &&
               return_address - by <= kLongestCall;
    }
};

inline LastStore last_store(const Record& record, const Shape& shape) {
    if (shape.uses.empty()) return {};
    const AccessUse& last = shape.uses.back();
    const bool is_word = last.stores && !last.loads && last.bytes == sizeof(Address);
    if (!is_word || !record.reached(last.proof)) return {};
    return {record.address(last.word, last.offset), last.instruction};
}

}  // namespace memspy::log
