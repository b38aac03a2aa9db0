// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the test whether a record of a sampled log is to be kept (log/word_sample.h).
//
// An access of up to eight bytes is tested by the hash of its first byte's word; if it crosses the border of
// a word the record is kept. So an access within bytes that have been tested needs no test of its own. Nor
// does one need a test for watched lines whose first byte is between two bytes off the same root that have
// been tested, at most a line apart.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

// For generated code: the mask of the running thread's sample.
void set_sample_mask(u64 mask);

class SampleChecks {
public:
    explicit SampleChecks(Emitter& emit) : emit_(emit) {}

    void begin();  // a record begins
    void add(const Access& access, const Origin& origin);
    void keep() { keep_ = true; }  // the record is kept in any case
    // Emits the tests of the accesses that have been added. `pause`: an atom of what was executed since the
    // last record that was kept, as in the guest state. Returns an atom of type I64: 0 or 1, 1 if the record
    // up to here is to be kept.
    IRExpr* test(IRExpr* pause);

private:
    struct WordTest {  // bytes off the origin's root that are in one word, or the record is kept
        Origin origin;
        i64 first, last;
    };

    struct WatchTest {
        Origin origin;
        i64 at;
    };

    void test_word(IRExpr* address);
    void test_watched(IRExpr* address, const Origin& origin, i64 at);
    void test_border(IRExpr* address, u32 bytes);

    Emitter& emit_;
    Scratch<WordTest> tested_;
    Scratch<WatchTest> watch_tested_;
    IRExpr* mask_ = nullptr;
    IRExpr* found_ = nullptr;     // negative if a word is of the sample
    IRExpr* crossing_ = nullptr;  // has the bit of value 8 if an access goes on in another word
    IRExpr* watched_ = nullptr;   // has the bit WatchedLines::kWatched if a line is watched
    bool keep_ = false;
};

}  // namespace memspy::instrument
