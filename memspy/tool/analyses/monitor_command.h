// SPDX-License-Identifier: GPL-2.0-or-later
//
// A command that memspy understands from gdb ("monitor …") and vgdb, and the words of such a command. Each
// analysis lists its own commands in its Analysis; monitor.cc has those that concern all.
#pragma once

#include "rt/base.h"
#include "vg/vg.h"

namespace memspy {

// The words of a command, one after the other. The text is modified in place.
class CommandWords {
public:
    explicit CommandWords(HChar* text) : text_(text) {}

    // The next word, or nullptr.
    HChar* next() {
        HChar* word = VG_(strtok_r)(text_, " ", &rest_);
        text_ = nullptr;
        return word;
    }
    // The number of the keyword that the next word abbreviates. Returns a negative number, after a message to
    // the user, if there is none.
    Int keyword(const HChar* keywords) {
        HChar* word = next();
        return VG_(keyword_id)(keywords, word == nullptr ? "" : word, kwd_report_all);
    }
    // ADDR [LEN]; reports mistakes to the user.
    bool address_and_length(Addr* address, SizeT* length) {
        return VG_(strtok_get_address_and_size)(address, length, &rest_);
    }
    // The rest of the command.
    const HChar* rest() const { return rest_ == nullptr ? "" : rest_; }

private:
    HChar* text_;
    HChar* rest_ = nullptr;
};

struct MonitorCommand {
    const char* name;  // may be abbreviated as long as it is unique
    const char* help;  // lines that end
    void (*carry_out)(u32 thread, CommandWords& words);
};

}  // namespace memspy
