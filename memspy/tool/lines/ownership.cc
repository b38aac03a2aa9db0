// SPDX-License-Identifier: GPL-2.0-or-later
#include "lines/ownership.h"

#include <algorithm>
#include <new>

#include "lines/byte_mask.h"
#include "lines/line_memory.h"
#include "rt/count_bits.h"
#include "rt/global.h"
#include "rt/vector.h"

namespace memspy::lines {

// The representation of a line's state.
//
// The life of a line is divided into *epochs*: each store that invalidates starts one, with its thread as the
// only holder. A thread has an entry with the epoch in which its copy was last valid; it holds the line if
// that is the line's epoch. So a store takes the copies of all others away by counting up, without visiting
// them.
//
// The bytes used in the current epoch are kept as the sum of all threads (`any`), the bytes used by two or
// more (`many`), and each holder's own. The bytes used by threads other than t are then (any - own of t) +
// many. Holders whose thread is gone stay in these sums and in the number of holders. Their entries are no
// longer needed, and the next thread in their slot takes them over.
//
// Stores happen only while there is one holder, so an epoch's stores come before its loads by other threads.
// The bytes written since t lost its copy are therefore those written in epochs later than its entry's. Each
// byte is kept with the last epoch that wrote it: `written` has the bytes of the current epoch, `past` the
// others, in no order. There are as many pasts as groups of bytes written together, not as many as epochs.

namespace {

OwnershipOptions g_options;
usize g_bytes = 0;
u64 g_lines = 0;  // that exist now

void* take(usize bytes) {
    g_bytes += bytes;
    return line_memory().take(bytes);
}
void give(void* memory, usize bytes) {
    g_bytes -= bytes;
    line_memory().give(memory, bytes);
}
// For rt::Vector.
struct OnOwnershipMemory {
    static void* allocate(usize bytes) { return take(bytes); }
    static void release(void* memory, usize bytes) { give(memory, bytes); }
};

template <usize kWords>
struct Line : Ownership {
    using ByteMask = Mask<kWords>;

    struct Holder {
        u32 serial = 0;
        u32 epoch = 0;    // the last one in which the thread held the line; 0: it never did
        ByteMask used{};  // in that epoch
    };
    struct LostCopies {
        u32 epoch;
        u32 storer;  // an epoch's stores are of one thread
        ByteMask written;
    };
    static constexpr u32 kStored = u32{1} << 31;
    static constexpr u32 kNear = 64;  // slots with an entry behind the line itself
    // Entries of as many further slots.
    struct FarSlots {
        u64 slots;
        Holder* entries;
    };
    // Data that few lines need.
    struct More {
        rt::Vector<LostCopies, OnOwnershipMemory> past;
        rt::Vector<FarSlots, OnOwnershipMemory> far;
    };

    ByteMask any{};
    ByteMask many{};
    ByteMask written{};
    u64 slots = 0;  // that have an entry, a bit each; the entries stand behind the line, in the slots' order
    u32 epoch = 1;
    u32 holders = 0;
    u32 storer = 0;    // serial of the last one
    u32 last = 0;      // serial of the thread that accessed last; it is a holder
    u32 previous = 0;  // serial of the accessor before it; a holder if any other than `last` is
    // The last thread whose first touch it was, as long as it neither comes back nor takes others' copies
    // away a second time: its serial, and kStored after the first time.
    u32 newcomer = 0;
    More* more = nullptr;

    Holder* entries() const { return reinterpret_cast<Holder*>(const_cast<Line*>(this) + 1); }

    static u64 bit_of(u32 slot) { return u64{1} << slot % kNear; }
    static u32 count_below(u64 used, u32 slot) {
        const u64 lower = bit_of(slot) - 1;
        // Mostly all lower slots have an entry.
        return (used & lower) == lower ? slot % kNear : rt::count_bits(used & lower);
    }
    static u32 count(u64 used) { return rt::count_bits(used); }
    static u32 room(u32 entries) { return std::max((entries + 1) & ~1u, 2u); }
    static usize bytes_of_entries(u64 used) { return room(count(used)) * sizeof(Holder); }
    static usize bytes_of_line(u64 used) { return sizeof(Line) + bytes_of_entries(used); }

    FarSlots* far_of(u32 slot) const {
        const u32 i = slot / kNear - 1;
        return more != nullptr && i < more->far.size() ? &more->far[i] : nullptr;
    }
    Holder* find(u32 slot) const {
        if (slot < kNear) [[likely]]
            return (slots & bit_of(slot)) == 0 ? nullptr : entries() + count_below(slots, slot);
        const FarSlots* const group = far_of(slot);
        return group == nullptr || (group->slots & bit_of(slot)) == 0
                   ? nullptr
                   : group->entries + count_below(group->slots, slot);
    }

    // Copies the slots' entries with an empty one for another slot.
    static void copy_with(u64 used, const Holder* from, u32 slot, Holder* to) {
        const u32 at = count_below(used, slot);
        for (u32 i = count(used); i > at; --i) to[i] = from[i - 1];
        to[at] = Holder{};
        if (to != from) std::copy_n(from, at, to);
    }

    // The line with an entry for the slot, which had none. It may have moved.
    static Line* with_entry(Line* line, u32 slot) {
        if (slot >= kNear) {
            line->add_far(slot);
            return line;
        }
        Line* const old = line;
        const u64 used = old->slots | bit_of(slot);
        if (bytes_of_line(used) != bytes_of_line(old->slots))
            line = new (take(bytes_of_line(used))) Line(*old);
        copy_with(old->slots, old->entries(), slot, line->entries());
        if (line != old) give(old, bytes_of_line(old->slots));
        line->slots = used;
        return line;
    }

    void add_far(u32 slot) {
        rt::Vector<FarSlots, OnOwnershipMemory>& far = with_more().far;
        while (far_of(slot) == nullptr) far.push_back({0, static_cast<Holder*>(take(bytes_of_entries(0)))});
        FarSlots& group = *far_of(slot);
        const u64 used = group.slots | bit_of(slot);
        Holder* const old = group.entries;
        if (bytes_of_entries(used) != bytes_of_entries(group.slots))
            group.entries = static_cast<Holder*>(take(bytes_of_entries(used)));
        copy_with(group.slots, old, slot, group.entries);
        if (group.entries != old) give(old, bytes_of_entries(group.slots));
        group.slots = used;
    }

    template <typename F>
    void for_each_entry(F f) const {
        std::for_each_n(entries(), count(slots), f);
        if (more == nullptr) return;
        for (const FarSlots& group : more->far) std::for_each_n(group.entries, count(group.slots), f);
    }

    More& with_more() {
        if (more == nullptr) more = new (take(sizeof(More))) More;
        return *more;
    }

    // The entry of t, which its slot has. It is taken over from a thread that had the slot before.
    Holder& entry_of(Thread t) {
        Holder& entry = *find(t.slot);
        if (entry.serial != t.serial) entry = Holder{t.serial, 0, ByteMask::none()};
        return entry;
    }

    // These bytes are written again: they leave older epochs, which are removed when they are empty.
    void forget_past(const ByteMask& bytes) {
        if (more == nullptr) return;
        auto& past = more->past;
        for (usize i = 0; i < past.size();) {
            if (past[i].written.meets(bytes)) {
                past[i].written = past[i].written - bytes;
                if (past[i].written.empty()) {
                    past[i] = past.back();
                    past.pop_back();
                    continue;
                }
            }
            ++i;
        }
    }

    bool written_since(u32 lost, const ByteMask& bytes) const {
        if (written.meets(bytes)) return true;
        if (more == nullptr) return false;
        for (const LostCopies& past : more->past)
            if (past.epoch > lost && past.written.meets(bytes)) return true;
        return false;
    }

    // See Events::hides_true_invalidation.
    bool stored_by_another(u32 serial, const ByteMask& bytes) const {
        u32 others = 0, own = 0;  // epochs
        if (!written.empty() && storer == serial) own = epoch;
        if (written.meets(bytes) && storer != serial) others = epoch;
        if (more == nullptr) return others > own;
        for (const LostCopies& past : more->past) {
            if (past.storer == serial)
                own = std::max(own, past.epoch);
            else if (past.written.meets(bytes))
                others = std::max(others, past.epoch);
        }
        return others > own;
    }

    // The epochs' numbers have run out: numbers them again, in the same order among entries and pasts.
    void renumber() {
        auto& past = with_more().past;
        std::sort(past.begin(), past.end(),
                  [](const LostCopies& a, const LostCopies& b) { return a.epoch < b.epoch; });
        const u32 pasts = static_cast<u32>(past.size());
        for_each_entry([&](Holder& entry) {
            if (entry.epoch == 0) return;
            if (entry.epoch == epoch) {
                entry.epoch = pasts + 2;
                return;
            }
            u32 before = 0;
            while (before < pasts && past[before].epoch <= entry.epoch) ++before;
            entry.epoch = before + 1;
        });
        for (u32 i = 0; i < pasts; ++i) past[i].epoch = i + 2;
        epoch = pasts + 2;
    }

    // A store of `bytes` takes away all copies except t's.
    void take_over(Holder& entry, const ByteMask& bytes) {
        if (epoch >= g_options.most_epochs) [[unlikely]]
            renumber();
        forget_past(bytes);
        ByteMask older = written - bytes;
        if (!older.empty()) with_more().past.push_back({epoch, storer, older});
        ++epoch;
        written = any = entry.used = bytes;
        many = ByteMask::none();
        holders = 1;
        entry.epoch = epoch;
    }

    void use(Holder& entry, const ByteMask& bytes) {
        ByteMask fresh = bytes - entry.used;
        if (fresh.empty()) return;
        many = many | (any & fresh);
        any = any | fresh;
        entry.used = entry.used | fresh;
    }

    // An access of a holder, the only one if it stores.
    void hit(Holder& entry, u32 serial, const ByteMask& bytes, bool stores) {
        use(entry, bytes);
        if (!stores) return;
        if (!bytes.within(written)) {
            forget_past(bytes);
            written = written | bytes;
        }
        if (storer != serial) storer = serial;
    }

    void accessed_by(u32 serial) {
        if (last == serial) return;
        previous = last;
        last = serial;
    }

    // Writes everything that a hit could change, even if nothing changes.
    void write_anyway(Holder& entry, u32 serial, const ByteMask& bytes, bool stores) {
        auto* v = static_cast<volatile Line*>(this);
        for (usize i = 0; i < kWords; ++i) {
            *static_cast<volatile u64*>(&entry.used.words[i]) = entry.used.words[i] | bytes.words[i];
            v->any.words[i] = any.words[i] | bytes.words[i];
            if (stores) v->written.words[i] = written.words[i] | bytes.words[i];
        }
        v->last = serial;
        if (stores) v->storer = serial;
    }

    static Events apply(Line*& line, Thread t, const LineAccess& access) {
        ByteMask bytes = ByteMask::range(access.first, access.bytes);
        Holder* entry = line->find(t.slot);
        if (entry != nullptr && entry->serial == t.serial && entry->epoch == line->epoch &&
            bytes.within(entry->used) &&
            (!access.stores || (line->holders == 1 && bytes.within(line->written)))) [[likely]] {
            line->accessed_by(t.serial);
            if (!g_options.test_before_write) [[unlikely]]
                line->write_anyway(*entry, t.serial, bytes, access.stores);
            return {};
        }
        if (entry == nullptr) line = with_entry(line, t.slot);
        return line->change(t, access, bytes);
    }

    [[gnu::noinline]] Events change(Thread t, const LineAccess& access, const ByteMask& bytes) {
        Events events;
        Holder& entry = entry_of(t);
        bool holder = entry.epoch == epoch;
        u32 others = holders - (holder ? 1 : 0);
        if (holders == 0) {
            events.cold = true;
        } else if (!holder) {
            events.first_touch = entry.epoch == 0;
            events.coherence = entry.epoch != 0;
            events.true_miss = written_since(entry.epoch, bytes);
            events.hides_true_miss =
                !events.true_miss && events.coherence && written_since(entry.epoch, entry.used);
            events.from = storer != 0 ? storer : last;
            events.handed_over = events.coherence && events.from == (newcomer & ~kStored);
            if (events.first_touch)
                newcomer = t.serial;
            else if ((newcomer & ~kStored) == t.serial)
                newcomer = 0;
        }
        if (access.stores && others != 0 && (newcomer & ~kStored) == t.serial)
            newcomer = (newcomer & kStored) != 0 ? 0 : newcomer | kStored;
        if (access.stores && others != 0) {
            ByteMask used_by_others = (holder ? any - entry.used : any) | many;
            events.invalidation = true;
            events.true_invalidation = bytes.meets(used_by_others);
            events.hides_true_invalidation = !events.true_invalidation && stored_by_another(t.serial, bytes);
            events.victim = last != t.serial ? last : previous;
            take_over(entry, bytes);
            storer = t.serial;
        } else {
            if (!holder) {
                ++holders;
                entry.epoch = epoch;
                entry.used = ByteMask::none();
            }
            hit(entry, t.serial, bytes, access.stores);
        }
        accessed_by(t.serial);
        return events;
    }

    static Line* make() {
        ++g_lines;
        return new (take(bytes_of_line(0))) Line;
    }

    static Line* make_of(Thread t) {
        Line* line = with_entry(make(), t.slot);
        Holder& entry = line->entry_of(t);
        entry.epoch = line->epoch;
        entry.used = line->any = line->written = ByteMask::range(0, g_options.line_bytes);
        line->holders = 1;
        line->storer = line->last = t.serial;
        return line;
    }

    void release() {
        if (more != nullptr) {
            for (const FarSlots& group : more->far) give(group.entries, bytes_of_entries(group.slots));
            more->~More();
            give(more, sizeof(More));
        }
        give(this, bytes_of_line(slots));
        --g_lines;
    }
};

using Small = Line<1>;  // lines up to 64 bytes
using Large = Line<kMostLineBytes / 64>;
static_assert(sizeof(Small) == 64);  // a host line

bool small() { return g_options.line_bytes <= 64; }

}  // namespace

void configure(const OwnershipOptions& options) {
    CHECK_EQ(g_lines, u64{0});
    CHECK(options.line_bytes >= 16 && options.line_bytes <= kMostLineBytes);
    CHECK_EQ(options.line_bytes & (options.line_bytes - 1), 0u);
    g_options = options;
}

u32 line_words() { return small() ? 1 : kMostLineBytes / 64; }

Ownership* make_ownership() {
    if (small()) return Small::make();
    return Large::make();
}

Ownership* make_ownership_of(Thread t) {
    if (small()) return Small::make_of(t);
    return Large::make_of(t);
}

void release(Ownership* line) {
    if (small())
        static_cast<Small*>(line)->release();
    else
        static_cast<Large*>(line)->release();
}

Events apply(Ownership*& any_line, Thread t, const LineAccess& access) {
    DCHECK((access.loads || access.stores) && access.bytes != 0);
    DCHECK_LE(u32{access.first} + access.bytes, g_options.line_bytes);
    auto apply_to = [&](auto* line) {
        const Events events = line->apply(line, t, access);
        any_line = line;
        return events;
    };
    if (small()) [[likely]]
        return apply_to(static_cast<Small*>(any_line));
    return apply_to(static_cast<Large*>(any_line));
}

bool holds(const Ownership& line, Thread t) {
    auto holds_it = [&](const auto& known) {
        const auto* entry = known.find(t.slot);
        return entry != nullptr && entry->serial == t.serial && entry->epoch == known.epoch;
    };
    return small() ? holds_it(static_cast<const Small&>(line)) : holds_it(static_cast<const Large&>(line));
}

bool is_settled(const Ownership& any_line, Thread t, u64 read, u64 written) {
    if (!small()) return false;
    const auto& line = static_cast<const Small&>(any_line);
    const Small::Holder* entry = line.find(t.slot);
    return entry != nullptr && entry->serial == t.serial && entry->epoch == line.epoch &&
           ((read | written) & ~entry->used.words[0]) == 0 &&
           (written == 0 || (line.holders == 1 && (written & ~line.written.words[0]) == 0));
}

void add_read(Ownership& any_line, Thread t, u64 read) {
    auto& line = static_cast<Small&>(any_line);
    Small::Holder& entry = *line.find(t.slot);
    DCHECK_EQ(entry.epoch, line.epoch);
    Small::ByteMask bytes;
    bytes.words[0] = read;
    line.use(entry, bytes);
    line.accessed_by(t.serial);
}

void add_written(Ownership& any_line, Thread t, u64 written) {
    auto& line = static_cast<Small&>(any_line);
    DCHECK(line.find(t.slot)->epoch == line.epoch && line.holders == 1);
    Small::ByteMask bytes;
    bytes.words[0] = written;
    line.hit(*line.find(t.slot), t.serial, bytes, true);
    line.accessed_by(t.serial);
}

bool takes_copies(const Ownership& line, Thread t) {
    auto takes = [&](const auto& known) { return known.holders > (holds(line, t) ? 1u : 0u); };
    return small() ? takes(static_cast<const Small&>(line)) : takes(static_cast<const Large&>(line));
}

void read_stay(const Ownership& line, LineStay& stay) {
    auto read = [&](const auto& known) {
        stay.storer = known.storer;
        stay.written = known.written.words;
        known.for_each_entry([&](const auto& entry) {
            if (entry.epoch == known.epoch) stay.used(entry.serial, entry.used.words, stay.argument);
        });
    };
    if (small())
        read(static_cast<const Small&>(line));
    else
        read(static_cast<const Large&>(line));
}

bool is_only_holder(const Ownership& line, Thread t) {
    if (!holds(line, t)) return false;
    return small() ? static_cast<const Small&>(line).holders == 1
                   : static_cast<const Large&>(line).holders == 1;
}

usize ownership_bytes() { return g_bytes; }

}  // namespace memspy::lines
