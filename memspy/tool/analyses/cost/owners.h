// SPDX-License-Identifier: GPL-2.0-or-later
//
// Owners: the object of every byte, as a small number. Object 0 is the heap outside large blocks
// (--cost-min-block).
#pragma once

#include "analyses/cost/figures.h"
#include "log/records.h"

namespace memspy::cost {

// Bytes [begin, end) are the object's, as long as owner_age stays the same.
struct OwnedExtent {
    Address begin = 0, end = 0;
    u32 object = 0;
    u32 stack_of = 0;  // a stack's thread, by serial; 0: it is none
    u32 turn = 0;      // as in places::StackPart
};
// A stack is one object.
OwnedExtent owner_of(Address a);

// Where the thread that makes an access is.
struct AccessPosition {
    u32 thread;
    threads::CallPath path;
    Address code;
    bool is_known;  // else `path` is not that of the access
};
// On a stack, the variable of the function that has it: for accesses from that position.
OwnedExtent owner_at(Address a, const AccessPosition& position);
// From now on the thread makes accesses in these calls. For other threads' accesses to its stack.
void thread_is_in(u32 thread, threads::CallPath path);
// The thread's next record behind `before` is of the calls `next`. Where a caller takes memory as it goes, the
// return address that it stores shows where the frame is (not on arm64).
void follow_call(u32 thread, const log::Record& before, threads::CallPath next);
// The same of the thread's last record that was read earlier, if `next` are other calls.
void follow_from_last(u32 thread, threads::CallPath next);
void keep_last(u32 thread, const log::Record& last);
// All that the thread logged before the record, of those from `first` on, has been looked at: frames are as they were
// then.
void read_until(u32 thread, const u64* first, const u64* record);

// The object that has all bytes of the line, whoever accesses it: of a stack's there is none.
inline constexpr u32 kSeveralOwners = ~u32{0};
u32 owner_of_line(u64 line);

// Increases when memory changes its owner: it is mapped or unmapped, a large block comes or goes, a stack
// ends.
extern u64 owner_age;
// Frames of some calls are not where they were (threads/frame_slots.h): increases the age if so.
void look_at_frames();

rt::Vector<ObjectCost>& objects();  // by number

// `lines_changed`: called where memory may have got another owner though the age is the same.
void start_owners(u32 line_bits, void (*lines_changed)(Address begin, Address end));
void forget_owners();  // in a forked child
// A stack ends.
void owners_changed();
// Memory is mapped or unmapped.
void owners_changed_between(Address begin, Address end);

}  // namespace memspy::cost
