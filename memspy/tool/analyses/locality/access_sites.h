// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sites: the accesses of a shape of records by a thread, with what is known of each: its code, and where it
// went the last time, so that most accesses need no look-up.
//
// RecordDigest: whether a record needs more than to be counted. In a sampled run nearly all records need not.
#pragma once

#include "analyses/locality/maps.h"
#include "analyses/locality/names.h"
#include "analyses/locality/places.h"
#include "analyses/locality/streams.h"
#include "analyses/locality/walks.h"
#include "analyses/locality/zones.h"
#include "log/records.h"
#include "rt/global.h"

namespace memspy::locality {

struct AccessSite {
    CodeName code;
    // Of an access of this thread to these bytes in this epoch; all below is of it, too.
    u32 thread = 0;
    u64 epoch = 0;
    places::Extent extent;
    // On a stack, the extent is that of calls that are not above this one, while frames have the same grown
    // parts. 0: it is not on a stack.
    u32 stack_of = 0, grown_age = 0;
    threads::CallPath below{};
    u32 object = 0, block = 0;  // of the extent: an object and, if it is one of several blocks, that block
    bool of_variable = false;
    Zone* zone = nullptr;
    ZoneRange noted;  // bytes that the zone has
    StreamSet* set = nullptr;
    MapCursor map;
    Walks::LiveWalk* walk = nullptr;
};
// What the extent belongs to. Not to the program's variables if the loader accesses them before the program begins:
// addresses in tables, the first thread's storage.
void find_object(AccessSite& site);

// In one piece, most of it in one line of a cache: behind it stand the words, the other parts, and the fixed
// words.
class alignas(8) RecordDigest {
public:
    // What was executed of a record if this marker, and no later one, is not zero.
    struct ExecutedPart {
        u16 place;  // of the marker in the record; 0: there is none, it always was
        u16 instructions;
        u16 words;  // accessed; one that crosses a border between words counts as one
    };
    const ExecutedPart& executed(const log::Record& record) const {
        const auto* at = reinterpret_cast<const u64*>(&record);
        if (at[whole_.place] != 0) [[likely]]
            return whole_;
        const ExecutedPart* part = parts();
        while (at[part->place] == 0) ++part;
        return *part;
    }
    // Whether the record may access a word that is followed, or crosses a border between words.
    bool may_concern(const log::Record& record, const Streams& streams) const {
        const auto* at = reinterpret_cast<const u64*>(&record);
        u64 crossed = 0, found = 0;
        for (const QuickWord* word = words(); word != words() + words_; ++word) {
            const Address a = at[word->place] + static_cast<Address>(i64{word->offset});
            crossed |= (a & 7) + word->reach;
            found |= (log::WordSample::hash_of(a / 8) & streams.mask()) - 1;
        }
        for (const u64* hash = fixed(); hash != fixed() + fixed_; ++hash)
            found |= (*hash & streams.mask()) - 1;
        return static_cast<i64>(found) < 0 || crossed >= 8;
    }
    // Whether the two above are true of its records: no access is guarded or too far from its base.
    bool is_plain() const { return is_plain_; }

private:
    friend const RecordDigest* make_digest(const log::Shape& shape);

    // At most eight bytes of one access or several.
    struct QuickWord {
        i32 offset;
        u16 place;  // of the base in the record
        u16 reach;  // bytes but one
    };
    const QuickWord* words() const { return reinterpret_cast<const QuickWord*>(this + 1); }
    const u64* fixed() const { return reinterpret_cast<const u64*>(words() + words_); }  // hashes
    const ExecutedPart* parts() const {
        return reinterpret_cast<const ExecutedPart*>(fixed() + fixed_);
    }  // the last first

    ExecutedPart whole_{};
    u16 words_ = 0, fixed_ = 0;
    bool is_plain_ = false;
};
static_assert(sizeof(RecordDigest) == 16);

class AccessSites {
public:
    struct NamedLike {
        const AccessSites& sites;  // of the same shape
    };
    explicit AccessSites(const log::Shape& shape);
    explicit AccessSites(const NamedLike& other);
    AccessSites(const AccessSites&) = delete;
    AccessSites& operator=(const AccessSites&) = delete;
    AccessSite& operator[](usize use) { return sites_[use]; }
    void forget_streams() {
        for (AccessSite& each : sites_) each.set = nullptr;
    }

private:
    rt::Vector<AccessSite> sites_;
};

extern rt::Global<rt::Vector<const RecordDigest*>> digests;  // by the shape's index
const RecordDigest& digest_first(u32 index);
inline const RecordDigest& digest_of(u32 shape_number) {
    const u32 index = shape_number >> log::kLengthBits;
    if (index < digests->size() && (*digests)[index] != nullptr) [[likely]]
        return *(*digests)[index];
    return digest_first(index);
}

// Of the shape of this number, for this thread and few others: in the replay's order threads take turns after
// a few accesses. The code must be mapped the first time.
AccessSites& sites_of(u32 number, u32 thread);
// What sites know of streams is not true any more.
void forget_streams();
// Names the code of all shapes in [begin, begin + bytes), which is about to be unmapped.
void name_sites(Address begin, usize bytes);

}  // namespace memspy::locality
