// SPDX-License-Identifier: GPL-2.0-or-later
//
// The findings that were printed, as texts and stacks, for the profile. Findings made of sums are not kept:
// their analyses' sections have them as data.
#pragma once

#include "findings/record.h"
#include "rt/hash_map.h"
#include "rt/vector.h"

namespace memspy::findings {

class KeptFindings {
public:
    // A line of text, and the stack that it describes, if any.
    struct KeptPart {
        u32 text;  // its place among all texts
        ContextId stack;
    };
    struct KeptFinding {
        FindingKind kind;
        u32 thread;  // guest thread
        u64 times;
        u64 leaked_bytes, leaked_indirectly, leaked_blocks;
        u32 first_part, part_count;
    };

    // What is added until end() belongs to this finding. `error`: the core's, which stays and may happen
    // again; null: it comes once. Nothing is added if it is known.
    void begin(FindingKind kind, u32 thread, const Error* error);
    void begin_leak(u32 thread, const LeakRecord& leak);
    void add_text(const char* text);
    void add_stack(ContextId stack);
    void end() { open_ = false; }
    void happened_again(const Error* error);
    // A forked child counts from zero, and the core still knows its parent's errors: those that do not happen
    // again have no times.
    void forget_times();
    // All of an earlier search for leaks are forgotten.
    void begin_search();
    bool searched() const { return searched_; }

    const rt::Vector<KeptFinding>& all() const { return findings_; }
    const KeptPart* parts(const KeptFinding& finding) const { return parts_.data() + finding.first_part; }
    const char* text(const KeptPart& part) const { return texts_.data() + part.text; }

private:
    rt::Vector<KeptFinding> findings_;
    rt::Vector<KeptPart> parts_;
    rt::Vector<char> texts_;
    rt::HashMap<u32> numbers_;  // by the error's address: of its finding, from 1
    bool open_ = false, searched_ = false;
};

KeptFindings& kept_errors();
KeptFindings& kept_leaks();  // of the last search

}  // namespace memspy::findings
