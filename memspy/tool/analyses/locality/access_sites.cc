// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/access_sites.h"

#include <new>

#include "places/objects.h"
#include "places/stacks.h"
#include "rt/runtime_libraries.h"

namespace memspy::locality {
namespace {

// Threads whose serials differ by kThreads share sites.
constexpr u32 kThreads = 8;
struct ShapeSites {
    AccessSites* first = nullptr;  // of those below, or for no thread: it has the names
    AccessSites* of[kThreads] = {};
};
rt::Global<rt::Vector<ShapeSites*>> sites_by_shape;

ShapeSites& sites_of_all(u32 number) {
    const u32 index = number >> log::kLengthBits;
    if (sites_by_shape->size() <= index) sites_by_shape->resize(log::shape_count());
    ShapeSites*& sites = (*sites_by_shape)[index];
    if (sites == nullptr) [[unlikely]]
        sites = new (rt::allocate(sizeof(ShapeSites), "memspy.sites")) ShapeSites;
    return *sites;
}
AccessSites* new_sites() {
    return static_cast<AccessSites*>(rt::allocate(sizeof(AccessSites), "memspy.sites"));
}
// Names the code if it was not named before.
AccessSites& first_sites(ShapeSites& all, const log::Shape& shape) {
    if (all.first == nullptr) all.first = new (new_sites()) AccessSites(shape);
    return *all.first;
}

// A record's first word, its shape and path, is not zero.
u16 place_of(u8 word) { return word == log::kNoWord ? u16{0} : static_cast<u16>(word + log::kRecordHead); }

}  // namespace

rt::Global<rt::Vector<const RecordDigest*>> digests;

const RecordDigest* make_digest(const log::Shape& shape) {
    using QuickWord = RecordDigest::QuickWord;
    rt::Vector<QuickWord> words;
    rt::Vector<u64> fixed;
    bool is_plain = shape.always;
    const auto add_word = [&](const QuickWord& word) {
        for (const QuickWord& each : words)
            if (each.offset == word.offset && each.place == word.place && each.reach >= word.reach) return;
        words.push_back(word);
    };
    for (const log::AccessUse& use : shape.uses) {
        if (use.word == log::kNoWord) {
            const auto a = static_cast<Address>(use.offset);
            for (Word word = a / 8; word <= (a + use.bytes - 1) / 8; ++word)
                fixed.push_back(log::WordSample::hash_of(word));
            continue;
        }
        for (u32 done = 0; done < use.bytes; done += 8) {
            const u32 bytes = use.bytes - done < 8 ? use.bytes - done : 8;
            const i64 offset = use.offset + done;
            is_plain = is_plain && offset == static_cast<i32>(offset);
            add_word({static_cast<i32>(offset), place_of(use.word), static_cast<u16>(bytes - 1)});
        }
    }
    const usize parts = shape.segments.size();
    void* memory = rt::allocate(sizeof(RecordDigest) + words.size() * sizeof(QuickWord) +
                                    fixed.size() * sizeof(u64) + parts * sizeof(RecordDigest::ExecutedPart),
                                "memspy.digest");
    auto* digest = new (memory) RecordDigest;
    digest->is_plain_ = is_plain;
    digest->words_ = static_cast<u16>(words.size());
    digest->fixed_ = static_cast<u16>(fixed.size());
    auto* word = const_cast<QuickWord*>(digest->words());
    for (const QuickWord& each : words) *word++ = each;
    auto* hash = const_cast<u64*>(digest->fixed());
    for (const u64 each : fixed) *hash++ = each;
    auto* part = const_cast<RecordDigest::ExecutedPart*>(digest->parts()) + parts;
    u32 sum = 0;
    for (const log::Segment& segment : shape.segments) {
        for (const log::AccessUse& use : shape.uses)
            if (use.proof == segment.marker) sum += use.word_accesses();
        *--part =
            RecordDigest::ExecutedPart{place_of(segment.marker), segment.instructions, static_cast<u16>(sum)};
    }
    digest->whole_ = *part;
    return digest;
}

const RecordDigest& digest_first(u32 index) {
    if (digests->size() <= index) digests->resize(log::shape_count());
    const RecordDigest*& digest = (*digests)[index];
    digest = make_digest(*log::shape_table[index].shape);
    return *digest;
}

void find_object(AccessSite& site) {
    site.object = site.block = 0;
    site.of_variable = false;
    if (site.extent.object == places::ObjectId::None) return;
    const places::ObjectId whole = object_of_block(site.extent.object);
    const bool is_block = whole != places::ObjectId::None;
    const places::ObjectId object = is_block ? whole : site.extent.object;
    const bool of_variable = places::is_own_variable(places::object(object));
    const bool by_loader = site.code.function != 0 && rt::is_loader(function_name(site.code.function).module);
    if (of_variable && by_loader) return;
    site.object = static_cast<u32>(object);
    site.block = is_block ? static_cast<u32>(site.extent.object) : 0;
    site.of_variable = of_variable;
}

AccessSites::AccessSites(const log::Shape& shape) {
    sites_.resize(shape.uses.size());
    for (usize i = 0; i < sites_.size(); ++i) sites_[i].code = code_at(shape.uses[i].instruction);
}

AccessSites::AccessSites(const NamedLike& other) {
    sites_.resize(other.sites.sites_.size());
    for (usize i = 0; i < sites_.size(); ++i) sites_[i].code = other.sites.sites_[i].code;
}

AccessSites& sites_of(u32 number, u32 thread) {
    ShapeSites& all = sites_of_all(number);
    AccessSites*& sites = all.of[thread % kThreads];
    if (sites != nullptr) [[likely]]
        return *sites;
    if (all.first == nullptr)
        sites = &first_sites(all, log::shape(number));
    else
        sites = new (new_sites()) AccessSites(AccessSites::NamedLike{*all.first});
    return *sites;
}

void forget_streams() {
    for (ShapeSites* all : *sites_by_shape)
        if (all != nullptr)
            for (AccessSites* sites : all->of)
                if (sites != nullptr) sites->forget_streams();
}

void name_sites(Address begin, usize bytes) {
    for (u32 i = 0; i < log::shape_count(); ++i) {
        const log::Shape& shape = *log::shape_table[i].shape;
        if (!shape.uses.empty() && shape.uses[0].instruction - begin < bytes)
            first_sites(sites_of_all(i << log::kLengthBits), shape);
    }
}

}  // namespace memspy::locality
