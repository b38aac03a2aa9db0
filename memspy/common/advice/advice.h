// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on threads that meet in cache lines, as data: what is to be done to which bytes of which object, and
// what that removes. The tool decides it and writes it into the profile; sentence.h makes the words, in the
// tool and in memspy-report, which may know better names by then. Nobody needs to read the words to know what
// is advised.
//
// Texts are not owned, and never null.
#pragma once

#include "rt/vector.h"

namespace memspy::advice {

enum class Remedy : u8 {
#define MEMSPY_REMEDY(name, word) name,
#define MEMSPY_LAYOUT(name, word) name,
#include "advice/remedies.def"
    Count
};
// How something gets a line of its own, in the language of the code that uses it. C has alignment for members
// only, so a type gets it by its first one; Fortran has no alignment at all.
enum class Means : u8 { Alignas, FirstMember, Repr, Padding, Count };
enum class ItemRole : u8 {
    Subject,  // what the remedy is for
    Other,    // what it is to be kept from, or what may stay
    Place,    // where threads meet
    Change,   // what is to be edited, or where
    Count
};
enum class Users : u8 {
    Untold,
    One,  // another one in each block
    Several,
    Count
};

const char* word(Remedy remedy);
const char* word(Means means);
const char* word(ItemRole role);
const char* word(Users users);
// By its word; `Count` if it is none.
Remedy remedy_of(const char* word);
Means means_of(const char* word);
ItemRole role_of(const char* word);
Users users_of(const char* word);
bool is_layout(Remedy remedy);

// Of an element's type: "struct Stats (program.c:4)", or "stats_t (program.c:4)" of a structure without a
// name of its own. Other types have no place.
bool is_record(const char* type);

// An object, bytes of it, or a place in the program.
struct AdviceItem {
    ItemRole role = ItemRole::Subject;
    u32 object = 0;             // its number in the run; 0: none
    u64 first = 0, bytes = 0;   // in a block or variable; bytes = 0: all of it
    const char* fields = "";    // what lies in these bytes: "stats.hits and stats.misses"; "": not known
    const char* name = "";      // of the object: "stats", "k of main"; "" for blocks
    bool block = false;         // the object is on the heap: these tell its name
    bool several = false;       // more than one block
    bool each = false;          // what is told of one of the group's blocks is told of each
    bool more = false;          // blocks of other origins, too
    const char* type = "";      // of the block, if it is known
    const char* variable = "";  // that a block is allocated for; for others, what to name in a clause
    const char* origin = "";    // where the block is allocated: "main (program.c:8)"
    const char* place =
        "";          // of Place and Change: "worker (program.c:30)"; of others, where the bytes are written
    u32 thread = 0;  // that uses it, or writes it; 0: not told
    Users users = Users::Untold;
};

struct Advice {
    Remedy remedy{};
    Means means{};
    u64 line = 0;              // bytes of a cache line
    u64 stride = 0;            // bytes from element to element, or from row to row
    u64 bytes = 0;             // what it becomes; of DealOut: bytes that a thread takes at a time
    u64 width = 0;             // of the accesses; 0: they have several widths
    u64 count = 0;             // elements of a table
    const char* array = "";    // that has the elements: "counts of main"
    const char* type = "";     // of the elements, with its place: "struct Stats (program.c:4)"
    const char* element = "";  // the same, in a word, where the array has no name
    bool openmp = false;       // the code is in a construct of OpenMP
    bool more = false;         // further objects, or members, which are not told
    // Events that it removes together with all before it, of so many in the view; `events` = 0: not told. Of
    // KeepFromLock: those that are false sharing.
    u64 removes = 0, events = 0;
    bool about = false, observed = false;
    u32 first_item = 0, item_count = 0;  // in AdvicePlan::items
};

// All that is told about a finding: one advice, or several that belong together, in their order.
struct AdvicePlan {
    rt::Vector<Advice> advice;
    rt::Vector<AdviceItem> items;

    Advice& add(Remedy remedy) {
        advice.push_back({.remedy = remedy, .first_item = static_cast<u32>(items.size())});
        return advice.back();
    }
    // To the last advice.
    AdviceItem& add(const AdviceItem& item) {
        items.push_back(item);
        ++advice.back().item_count;
        return items.back();
    }
    void cut(usize size) {
        if (size == advice.size()) return;
        items.resize(advice[size].first_item);
        advice.resize(size);
    }
};

}  // namespace memspy::advice
