// SPDX-License-Identifier: GPL-2.0-or-later
//
// What can be changed where the heap profile's counts prove it: a sentence for each line that allocates.
#pragma once

#include <string>
#include <vector>

#include "report/section.h"
#include "report/sections/heap_profile/heap_lines.h"

namespace memspy::report::heap_profile {

enum class HeapAdviceKind : u8 { Growth, Temporary, Unread, Room, Cold, Leak };
inline constexpr const char* kAdviceWords[] = {"growth", "temporary", "unread", "room", "cold", "leak"};

struct HeapAdvice {
    HeapAdviceKind kind{};
    u64 figure = 0;  // bytes copied, blocks, bytes never read, bytes of room, of cold members, at the end
    u64 weight = 0;  // of the run, or of the heap's peak: millionths
    std::string function, line, text;
    StackId stack{};  // one of those that allocate
};

// Most weight first.
std::vector<HeapAdvice> heap_advice(const Catalog& catalog, const HeapRecords& records, SourceNames* names);

extern const ConclusionKind kConclusions;  // in JSON: the same, and members of blocks (heap_lines.h)

}  // namespace memspy::report::heap_profile
