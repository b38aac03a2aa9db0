// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts of frames that their functions took as they went: arrays of variable length, and what alloca() gave.
// Debug information tells where they are only while their function runs. So each is noted when the stack pointer
// moves, with the variable that is declared in the line of that code (of memory from alloca() "*p", for the pointer p).
// A part stays until another one gets its bytes: accesses are looked at later than they happen.
// Code that takes memory page by page (-fstack-clash-protection) makes one part of its pages.
#pragma once

#include "places/frame_variables.h"
#include "places/object.h"
#include "rt/vector.h"

namespace memspy::places {

// Code that takes memory of the stack. Without a variable nobody can say what that memory is.
struct GrowingCode {
    Address address = 0;
    const char* function = nullptr;  // the program's own, interned
    StackVariable variable;          // without a name: none
    dwarf::ElementPart element;
};
struct GrownPart {
    Address begin = 0, end = 0;
    GrowingCode* code = nullptr;
};

class GrownParts {
public:
    bool has(const GrownPart& part) const;
    void put(GrownPart part);
    // The variable that `a` is in, of a part that `function` (an interned name) took. `found` has the bytes around `a`
    // that belong to no other variable of the frame; they become those of the part, or are cut at its neighbours.
    bool find(const char* function, Address a, StackVariable* found) const;

private:
    const GrownPart* first_behind(Address a) const;
    rt::Vector<GrownPart> parts_;  // by begin; none has bytes of another
};

// The parts as who reads the logs of threads finds them.
class GrownPartsOfLog {
public:
    void start();  // call before any translation
    // What the thread took before the record, of those from `first` on, which follow each other. Returns whether that
    // changed anything. `record` may be the end of them.
    bool advance(u32 thread, const u64* first, const u64* record) {
        return left_ != 0 && take_until(thread, first, record);
    }
    void advance_to_end();  // of all logs, which are gone: a child of fork() has new ones
    const GrownParts& parts() const { return parts_; }
    u32 age() const { return age_; }  // grows with each change

    // The thread has taken the part; its accesses from `record` on come later.
    void foresee(u32 thread, const GrownPart& part, const u64* record);

private:
    struct WaitingPart {
        GrownPart part;
        const u64* record;
    };
    struct ThreadQueue {
        rt::Vector<WaitingPart> all;
        usize taken = 0;
    };
    bool take_until(u32 thread, const u64* first, const u64* record);

    rt::Vector<ThreadQueue*> waiting_;  // by serial; null: none
    u64 left_ = 0;
    u32 age_ = 0;
    GrownParts parts_;
};

// From now on; call before any translation.
void follow_grown_parts();
const GrownParts& present_grown_parts();
// Calls `took` whenever the running thread has taken a part of a variable, also where another call had the same one.
void listen_to_grown_parts(void (*took)(const GrownPart& part));

// What the elements of such a variable are, if `owner` is one; null if it is none, or that is not known. `array` is not
// set.
dwarf::ElementPart* find_grown_element(const Object& owner);

}  // namespace memspy::places
