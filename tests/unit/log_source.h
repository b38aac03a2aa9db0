// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records of the access log, written as generated code would write them, for the tests of log and recorder.
#pragma once

#include <vector>

#include "log/records.h"

namespace memspy::log {

using threads::CallPath;

// A record under construction: the shape, and the words written by one execution.
class RecordBuilder {
public:
    explicit RecordBuilder(u32 line_bytes = 64) : line_bytes_(line_bytes) {}

    // How the record gets an access's address.
    enum class Way {
        Static,  // it is part of the shape
        Based,   // off the word `base`
        Guarded  // in a word of its own, behind a condition that holds
    };

    u8 base(Address value) { return word(value); }

    void access(Address a, u32 bytes, bool loads, bool stores, Way way = Way::Static, u8 base = kNoWord) {
        AccessUse use{};
        use.instruction = 0x400000 + instructions_;
        use.ordinal = instructions_;
        use.bytes = static_cast<u16>(bytes);
        use.loads = loads;
        use.stores = stores;
        use.proof = marker_;
        use.word = kNoWord;
        use.offset = static_cast<i64>(a);
        if (way == Way::Based) {
            use.word = base;
            use.offset = static_cast<i64>(a - bases_[base]);
        } else if (way == Way::Guarded) {
            use.word = use.proof = word(a);
            use.offset = 0;
            shape_.always = false;
        }
        add_use(shape_, use, line_bytes_);
        if (way == Way::Guarded && guard_fails_) words_[use.word] = 0;
    }
    void load(Address a, u32 bytes = 4) { access(a, bytes, true, false); }
    void store(Address a, u32 bytes = 4) { access(a, bytes, false, true); }
    void update(Address a, u32 bytes = 4) { access(a, bytes, true, true); }
    void atomic_update(Address a, u32 bytes = 4) {
        update(a, bytes);
        shape_.uses[shape_.uses.size() - 1].atomic = shape_.updates = true;
    }
    // A call of a function in the table of locks.
    void event(LockEvent event, Address lock) {
        word(lock);
        shape_.event = event;
    }

    // The instructions from here on are the next `count` ones.
    void instructions(u32 count = 1) { instructions_ = static_cast<u16>(instructions_ + count); }
    void guards_fail(bool fail) { guard_fails_ = fail; }
    // A side exit in the present instruction; taken: nothing behind it is reached.
    void side_exit(bool taken) {
        shape_.segments.push_back(Segment{marker_, static_cast<u16>(instructions_ + 1)});
        left_ = left_ || taken;
        marker_ = word(1);
    }
    void yields() { shape_.yields = true; }
    void may_spin() { shape_.may_spin = true; }
    // Instructions that access nothing, before the record and behind it.
    void pauses(u32 before, u32 after) { before_ = before, after_ = after; }

    // Completes the shape with the present instruction as its last.
    Shape& shape() {
        if (!complete_) shape_.segments.push_back(Segment{marker_, static_cast<u16>(instructions_ + 1)});
        complete_ = true;
        return shape_;
    }
    // Writes the record. Returns the place of the next one.
    u64* write(u64* at, CallPath path = CallPath::Root) {
        auto* record = reinterpret_cast<Record*>(at);
        record->shape = number_of_shape(shape());
        record->path = path;
        record->time += before_;
        for (usize i = 0; i < words_.size(); ++i)
            if (words_[i] != 0) at[kRecordHead + i] = words_[i];
        u64* const next = at + shape_.record_words();
        reinterpret_cast<Record*>(next)->time += after_;
        return next;
    }

private:
    u8 word(Address value) {
        words_.push_back(left_ ? 0 : value);
        bases_.push_back(value);
        return static_cast<u8>(shape_.words++);
    }
    u32 line_bytes_;
    Shape shape_;
    std::vector<u64> words_;      // as written by the execution
    std::vector<Address> bases_;  // the full value of each word
    u16 instructions_ = 0;
    u32 before_ = 0, after_ = 0;
    u8 marker_ = kNoWord;
    bool left_ = false, guard_fails_ = false, complete_ = false;
};

}  // namespace memspy::log
