// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClientMemory: reads the words of the client's memory that can be pointers, without touching pages that need
// not be read.
//
// A word counts if shadow memory says that all its bytes are defined and its mapping is readable. Untouched
// pages of large anonymous mappings are skipped: they are zeros, and there can be many gigabytes of them, for
// which reading would create at least page tables. If the address space manager and the kernel disagree about
// what is readable, a fault costs the rest of that page, not the run.
#pragma once

#include "analyses/defects/leak_graph.h"
#include "analyses/defects/leak_words.h"
#include "rt/base.h"

namespace memspy::defects {

// Finds pages that were never touched, from the kernel's page map; none if that is not available.
class UntouchedPages {
public:
    // If the page of `at` is untouched, moves `at` behind it (not beyond `stop`) and returns true. Otherwise
    // limits `stop` to the page's end. `mapping_end` is the end of the mapping.
    bool skip(Address& at, Address& stop, Address mapping_end);
    void close();

private:
    static constexpr usize kEntries = 512;

    bool load(Address at, Address mapping_end);

    int file_ = -1;
    bool unavailable_ = false;
    Address window_begin_ = 0;
    Address window_end_ = 0;
    u64 entries_[kEntries] = {};
};

class ClientMemory {
public:
    // Forgets shadow memory and mappings, because the client has run since.
    void refresh();
    // Call when the client is about to run again.
    void finish() { untouched_.close(); }

    WordReader reader();

    // Calls f(FoundWord) for each usable word.
    template <typename F>
    void for_each_word(Address begin, Address end, F&& f) {
        FoundWord words[kWordsAtOnce];
        while (begin < end) {
            usize count = read(begin, end, words, kWordsAtOnce);
            for (usize i = 0; i < count; ++i) f(words[i]);
        }
    }

    u64 bytes_read() const { return bytes_read_; }
    u64 bytes_faulted() const { return bytes_faulted_; }

private:
    static constexpr usize kWordsAtOnce = 256;

    usize read(Address& at, Address end, FoundWord* words, usize capacity);
    bool read_word(Address at, u64& value);
    bool is_function_table(Address at);
    bool is_readable(Address at);
    usize copy(Address& at, Address stop, FoundWord* words, usize capacity);

    DefinedWords words_;
    UntouchedPages untouched_;
    // The mapping found last.
    Address readable_begin_ = 0;
    Address readable_end_ = 0;
    bool anonymous_ = false;
    u64 bytes_read_ = 0;
    u64 bytes_faulted_ = 0;
};

}  // namespace memspy::defects
