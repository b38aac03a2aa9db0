// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/contention/ownership.h"

#include <algorithm>
#include <new>

#include "analyses/contention/line_memory.h"
#include "rt/global.h"

namespace memspy::contention {

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

// A set of bytes of a line.
template <usize kWords>
struct Mask {
    u64 words[kWords];

    static Mask none() { return Mask{}; }
    static Mask range(u32 first, u32 bytes) {
        Mask mask{};
        if constexpr (kWords == 1) {
            mask.words[0] = (~u64{0} >> (64 - bytes)) << first;
        } else {
            for (usize i = 0; i < kWords; ++i) {
                u32 begin = static_cast<u32>(i) * 64, end = begin + 64;
                u32 from = first > begin ? first : begin;
                u32 to = first + bytes < end ? first + bytes : end;
                if (from < to) mask.words[i] = (~u64{0} >> (64 - (to - from))) << (from - begin);
            }
        }
        return mask;
    }

    bool empty() const {
        u64 all = 0;
        for (u64 word : words) all |= word;
        return all == 0;
    }
    bool meets(const Mask& other) const { return !(*this & other).empty(); }
    bool within(const Mask& other) const { return (*this - other).empty(); }
    Mask operator&(const Mask& other) const {
        return each(other, [](u64 a, u64 b) { return a & b; });
    }
    Mask operator|(const Mask& other) const {
        return each(other, [](u64 a, u64 b) { return a | b; });
    }
    Mask operator-(const Mask& other) const {
        return each(other, [](u64 a, u64 b) { return a & ~b; });
    }

private:
    template <typename F>
    Mask each(const Mask& other, F f) const {
        Mask result;
        for (usize i = 0; i < kWords; ++i) result.words[i] = f(words[i], other.words[i]);
        return result;
    }
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
    static constexpr u32 kFirst = 4;  // entries: a host line for lines up to 64 bytes
    static constexpr u32 kNear = 3;
    struct Group {
        static constexpr u32 kEntries = 2;
        Holder entries[kEntries];
    };
    // Data that few lines need: groups of slots other than the first four, and older writes.
    struct More {
        Group* near[kNear] = {};  // slots 4 … 9
        Group** far = nullptr;    // slots 10 …
        u32 far_size = 0;
        u32 pasts = 0;
        u32 past_room = 0;
        LostCopies* past = nullptr;
    };

    ByteMask any{};
    ByteMask many{};
    ByteMask written{};
    u32 epoch = 1;
    u32 holders = 0;
    u32 storer = 0;    // serial of the last one
    u32 last = 0;      // serial of the thread that accessed last; it is a holder
    u32 previous = 0;  // serial of the accessor before it; a holder if any other than `last` is
    // The last thread whose first touch it was, as long as it neither comes back nor takes others' copies away a
    // second time: its serial, and kStored after the first time.
    u32 newcomer = 0;
    More* more = nullptr;
    alignas(16) Holder first[kFirst] = {};  // slots 0 … 3; of Small in a host line of its own

    Holder* find(u32 slot) const {
        if (slot < kFirst) [[likely]]
            return const_cast<Holder*>(&first[slot]);
        const u32 group = (slot - kFirst) / Group::kEntries;
        Group* found = nullptr;
        if (more == nullptr)
            found = nullptr;
        else if (group < kNear)
            found = more->near[group];
        else if (group - kNear < more->far_size)
            found = more->far[group - kNear];
        return found == nullptr ? nullptr : &found->entries[slot % Group::kEntries];
    }

    More& with_more() {
        if (more == nullptr) more = new (take(sizeof(More))) More;
        return *more;
    }

    // The entry of t. It is made if t has none, or taken over from a thread that had the slot before.
    Holder& entry_of(Thread t) {
        Holder* entry = find(t.slot);
        if (entry == nullptr) {
            Group*& group = place_of_group((t.slot - kFirst) / Group::kEntries);
            group = new (take(sizeof(Group))) Group{};
            entry = &group->entries[t.slot % Group::kEntries];
        }
        if (entry->serial != t.serial) *entry = Holder{t.serial, 0, ByteMask::none()};
        return *entry;
    }

    Group*& place_of_group(u32 group) {
        More& m = with_more();
        if (group < kNear) return m.near[group];
        const u32 i = group - kNear;
        if (i >= m.far_size) {
            u32 size = m.far_size == 0 ? 8 : m.far_size;
            while (size <= i) size *= 2;
            auto** far = static_cast<Group**>(take(size * sizeof(Group*)));
            for (u32 j = 0; j < size; ++j) far[j] = j < m.far_size ? m.far[j] : nullptr;
            if (m.far != nullptr) give(m.far, m.far_size * sizeof(Group*));
            m.far = far;
            m.far_size = size;
        }
        return m.far[i];
    }

    // These bytes are written again: they leave older epochs, which are removed when they are empty.
    void forget_past(const ByteMask& bytes) {
        if (more == nullptr) return;
        LostCopies* past = more->past;
        for (u32 i = 0; i < more->pasts;) {
            if (past[i].written.meets(bytes)) {
                past[i].written = past[i].written - bytes;
                if (past[i].written.empty()) {
                    past[i] = past[--more->pasts];
                    continue;
                }
            }
            ++i;
        }
    }

    void remember_past(const LostCopies& past) {
        More& m = with_more();
        if (m.pasts == m.past_room) {
            const u32 room = m.past_room < 4 ? m.past_room + 2 : m.past_room * 2;
            auto* items = static_cast<LostCopies*>(take(room * sizeof(LostCopies)));
            for (u32 i = 0; i < m.pasts; ++i) items[i] = m.past[i];
            if (m.past != nullptr) give(m.past, m.past_room * sizeof(LostCopies));
            m.past = items;
            m.past_room = room;
        }
        m.past[m.pasts++] = past;
    }

    bool written_since(u32 lost, const ByteMask& bytes) const {
        if (written.meets(bytes)) return true;
        if (more == nullptr) return false;
        for (u32 i = 0; i < more->pasts; ++i)
            if (more->past[i].epoch > lost && more->past[i].written.meets(bytes)) return true;
        return false;
    }

    // See Events::hides_true_invalidation.
    bool stored_by_another(u32 serial, const ByteMask& bytes) const {
        u32 others = 0, own = 0;  // epochs
        if (!written.empty() && storer == serial) own = epoch;
        if (written.meets(bytes) && storer != serial) others = epoch;
        for (u32 i = 0; more != nullptr && i < more->pasts; ++i) {
            const LostCopies& past = more->past[i];
            if (past.storer == serial)
                own = std::max(own, past.epoch);
            else if (past.written.meets(bytes))
                others = std::max(others, past.epoch);
        }
        return others > own;
    }

    // The epochs' numbers have run out: numbers them again, in the same order among entries and pasts.
    void renumber() {
        u32 pasts = more == nullptr ? 0 : more->pasts;
        if (pasts != 0)
            std::sort(more->past, more->past + pasts,
                      [](const LostCopies& a, const LostCopies& b) { return a.epoch < b.epoch; });
        auto renumber_entry = [&](Holder& entry) {
            if (entry.epoch == 0) return;
            if (entry.epoch == epoch) {
                entry.epoch = pasts + 2;
                return;
            }
            u32 before = 0;
            while (before < pasts && more->past[before].epoch <= entry.epoch) ++before;
            entry.epoch = before + 1;
        };
        auto renumber_group = [&](Group* group) {
            if (group == nullptr) return;
            for (Holder& entry : group->entries) renumber_entry(entry);
        };
        for (Holder& entry : first) renumber_entry(entry);
        if (more != nullptr) {
            for (Group* group : more->near) renumber_group(group);
            for (u32 i = 0; i < more->far_size; ++i) renumber_group(more->far[i]);
            for (u32 i = 0; i < pasts; ++i) more->past[i].epoch = i + 2;
        }
        epoch = pasts + 2;
    }

    // A store of `bytes` takes away all copies except t's.
    void take_over(Holder& entry, const ByteMask& bytes) {
        if (epoch >= g_options.most_epochs) [[unlikely]]
            renumber();
        forget_past(bytes);
        ByteMask older = written - bytes;
        if (!older.empty()) remember_past({epoch, storer, older});
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

    Events apply(Thread t, const LineAccess& access) {
        ByteMask bytes = ByteMask::range(access.first, access.bytes);
        Holder* entry = find(t.slot);
        if (entry != nullptr && entry->serial == t.serial && entry->epoch == epoch &&
            bytes.within(entry->used) && (!access.stores || (holders == 1 && bytes.within(written))))
            [[likely]] {
            accessed_by(t.serial);
            if (!g_options.test_before_write) [[unlikely]]
                write_anyway(*entry, t.serial, bytes, access.stores);
            return {};
        }
        return change(t, access, bytes);
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
        events.used_before = entry.used.words[0];
        if (access.stores && others != 0) {
            ByteMask used_by_others = (holder ? any - entry.used : any) | many;
            events.invalidation = true;
            if (storer == t.serial) events.stored_before = written.words[0];
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
        return new (take(sizeof(Line))) Line;
    }

    static Line* make_of(Thread t) {
        Line* line = make();
        Holder& entry = line->entry_of(t);
        entry.epoch = line->epoch;
        entry.used = line->any = line->written = ByteMask::range(0, g_options.line_bytes);
        line->holders = 1;
        line->storer = line->last = t.serial;
        return line;
    }

    void release() {
        auto give_group = [](Group* group) {
            if (group != nullptr) give(group, sizeof(Group));
        };
        if (more != nullptr) {
            for (Group* group : more->near) give_group(group);
            for (u32 i = 0; i < more->far_size; ++i) give_group(more->far[i]);
            if (more->far != nullptr) give(more->far, more->far_size * sizeof(Group*));
            if (more->past != nullptr) give(more->past, more->past_room * sizeof(LostCopies));
            give(more, sizeof(More));
        }
        give(this, sizeof(Line));
        --g_lines;
    }
};

using Small = Line<1>;  // lines up to 64 bytes
using Large = Line<kMostLineBytes / 64>;
static_assert(sizeof(Small) == 128);  // two host lines

bool small() { return g_options.line_bytes <= 64; }

}  // namespace

void configure(const OwnershipOptions& options) {
    CHECK_EQ(g_lines, u64{0});
    CHECK(options.line_bytes >= 16 && options.line_bytes <= kMostLineBytes);
    CHECK_EQ(options.line_bytes & (options.line_bytes - 1), 0u);
    g_options = options;
}

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

Events apply(Ownership& line, Thread t, const LineAccess& access) {
    DCHECK(t.serial != 0 && (access.loads || access.stores) && access.bytes != 0);
    DCHECK_LE(u32{access.first} + access.bytes, g_options.line_bytes);
    if (small()) [[likely]]
        return static_cast<Small&>(line).apply(t, access);
    return static_cast<Large&>(line).apply(t, access);
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

bool is_only_holder(const Ownership& line, Thread t) {
    if (!holds(line, t)) return false;
    return small() ? static_cast<const Small&>(line).holders == 1
                   : static_cast<const Large&>(line).holders == 1;
}

usize ownership_bytes() { return g_bytes; }

}  // namespace memspy::contention
