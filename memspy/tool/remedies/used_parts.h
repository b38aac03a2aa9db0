// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which threads use which bytes of a group's lines, as *parts*, and regular distances between the parts of
// different threads. No Valgrind here.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::remedies {

inline constexpr u32 kSeveral = ~u32{0};  // in place of a thread

// Adjacent bytes of one block or symbol that are used by the same thread, or by several threads. In the
// latter case all are written, by threads of one set, or by one, about equally often, or all are only read.
struct UsedPart {
    Address begin = 0, end = 0;
    Address start = 0;  // of the block or symbol
    ObjectId object{};
    u64 line = 0;
    u32 thread = 0;  // or kSeveral
    u32 writers = 0;
    u32 writer = 0;    // its serial if there is just one
    u32 width = 0;     // of accesses, if all have the same; else 0
    u32 elements = 0;  // of that width
    bool read = false, written = false;
    bool counts = false;          // all stores add to it
    bool adds = false;            // all that is done to it is to add to it
    bool adds_and_tells = false;  // and the program uses the value that it gets
    bool only_read_by_some = false;
    // Each thread writes the bytes before it reads them, except perhaps one.
    bool own_values = false;
    u64 stores = 0;  // of all threads to its most used byte
    // Bit n: one of the threads with serial n, n + 64, ... writes it, or reads it.
    u64 writing_set = 0, reading_set = 0;

    u64 bytes() const { return end - begin; }
};

// The parts of the group's objects, by address.
void collect_parts(rt::Vector<UsedPart>& parts, const SharingReport& report, const ReportGroup& group);

// Whether parts of more than one block or symbol are in each other's way, or parts of one. Aligning blocks
// does not help in the latter case.
bool has_neighbours(const SharingReport& report, const ReportGroup& group, const rt::Vector<UsedPart>& parts);
bool is_divided_inside(const SharingReport& report, const ReportGroup& group,
                       const rt::Vector<UsedPart>& parts);

// Whether the same several threads write all parts of the line but those that are hardly written: none of
// them gains if the parts get lines of their own.
bool goes_round(const rt::Vector<UsedPart>& parts, u64 line);

// The distance between successive parts of different threads if it is the same for most of them, else 0. A
// part that is cut off by a line's edge begins in the line before. Two parts have one if they are alike:
// members of different sizes, as many and as long.
u64 stride_of(const rt::Vector<UsedPart>& parts, u64 line_bytes);

// Whether the threads with parts in the line come in an order that repeats itself.
bool is_regular(const rt::Vector<UsedPart>& parts, u64 line);

// Two arrays or more in one block or variable, each with an element for each thread: their strides. The
// threads come in the same order in each.
struct ThreadArrays {
    static constexpr u32 kMost = 4;
    u32 count = 0;                            // 0: this is something else
    u64 first[kMost] = {}, last[kMost] = {};  // offsets of the bytes used
};
ThreadArrays thread_arrays_of(const rt::Vector<UsedPart>& parts);

}  // namespace memspy::remedies
