// SPDX-License-Identifier: GPL-2.0-or-later
//
// Emits the test whether the accesses of a record are quiet (log/quiet_lines.h).
//
// A record's words are written at the cursor in any case, where they stay in the host's first cache. Before an exit a
// helper is called if the test says that they are to be kept: it writes the shape of what was executed and the call
// path, and moves the cursor. Instructions and accesses that were passed are counted in the guest state and belong to
// the pause before the next record. Some records are always kept: atomic updates, hints to wait, calls on locks and
// what follows until they have returned. Compilers' fences (`lock or $0, (%rsp)`) are no updates.
//
// Accesses off one base share tests: if two bytes at most a line apart have been tested, so has every byte
// between them. An access of up to eight bytes alone is tested at its first byte; if it crosses the end of
// its line, it is not quiet.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

// Offset from the guest state of the running thread's bit in quiet lines; kNobody while it is followed.
Int quiet_bit_offset();
// Offset of a word: while it is not 0, all accesses of the thread are followed.
Int follow_until_offset();

class QuietChecks {
public:
    explicit QuietChecks(Emitter& emit) : emit_(emit) {}

    void begin();  // a record begins
    void add(const Access& access, const Origin& origin);
    void keep() { keep_ = true; }  // the record is logged in any case
    // Emits the tests of the accesses that have been added. Returns an atom of type I64: not 0 if any access
    // of the record up to here is not quiet.
    IRExpr* test();

private:
    struct Tested {  // bytes of accesses, offsets from the origin's root
        Origin origin;
        IRExpr* address;  // of the byte at origin.offset
        i64 last;
        u32 bytes;
        bool stores;
        bool alone;
        bool in_one_line;
    };
    struct Run {  // [first, last] has been tested
        IRTemp root;
        Origin::AddressRoot kind;
        i64 first, last;
        bool stores;
    };

    bool is_tested(const Tested& access) const;
    void test_group(usize first, usize end);
    IRExpr* test_byte(const Tested& near, i64 at, bool stores);
    void test_in_two_lines(const Tested& low, i64 last, bool stores);

    Emitter& emit_;
    Scratch<Tested> new_;
    Scratch<Run> runs_;
    IRExpr* words_ = nullptr;  // the address of all words, once something has been tested
    IRExpr* loads_ = nullptr;  // I64, the words ANDed
    IRExpr* stores_ = nullptr;
    IRExpr* crossing_ =
        nullptr;  // has the bit of the line size if an access goes on in a line that is not quiet alike
    IRExpr* result_ = nullptr;  // of the last test(), or null
    bool keep_ = false;
};

}  // namespace memspy::instrument
