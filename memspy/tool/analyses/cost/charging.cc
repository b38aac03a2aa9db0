// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/cost/charging.h"

#include <algorithm>

#include "analyses/cost/block_cache.h"
#include "analyses/cost/owners.h"
#include "analyses/cost/record_loop.h"
#include "analyses/cost/rows.h"
#include "analyses/cost/thread_uses.h"
#include "rt/global.h"

namespace memspy::cost {
namespace {

using threads::CallPath;
using threads::Thread;

u64 tags_age = 0;

// Who touched an object first: the first access of all, unless another one touched a page of it first.
void note_first_touch(Thread t, const places::Place& place, u32 object, bool made, bool touched_page) {
    ObjectCost& whose = objects()[object];
    if (!(made && whose.first_thread == 0) && !(touched_page && !whose.touched_page)) return;
    whose.first_touch = place;
    whose.first_thread = t.serial;
    whose.touched_page = touched_page;
}

// `known`: its outcome, if it went through the hierarchy already.
Outcome charge_one(Thread t, const QuickView& view, const log::AccessUse& use, CallPath path, Address a,
                   u32 object, const Outcome* known = nullptr) {
    bool made = false;
    const places::Place place{use.instruction, path};
    const u32 row = row_of(place, object, made);
    CostFigures& figures = rows()[row].figures;
    figures.loads += use.loads;
    figures.stores += use.stores;
    const QuickEntries entries = use.bytes == 0 || known != nullptr
                                     ? QuickEntries{SetCache::kNoEntry, Tlb::kNone}
                                     : view.entries_of(a, use.bytes - 1u, use.stores);
    Outcome outcome;
    if (known != nullptr) {
        outcome = *known;
    } else if (entries.found()) {
        view.used(entries);
        outcome.cycles = hierarchy->latency(0);
    } else {
        outcome = hierarchy->access(t.serial - 1, a, use.bytes, use.stores);
    }
    charge(figures, outcome);
    if (made || outcome.first_touch) note_first_touch(t, place, object, made, outcome.first_touch);
    return outcome;
}

Address address_of(const log::AccessUse& use, const QuickStep& step, const u64* at) {
    return static_cast<Address>(use.offset) + (step.place == 0 ? 0 : at[step.place]);
}

OtherObject* other_object(const BlockStep& step, u32 object) {
    OtherObject* other = step.others;
    while (other != nullptr && other->object != object) other = other->next;
    return other;
}

// From here on the step's rows are the object's. What the block has counted belongs to those of before.
void bind(Thread t, RecordBlock& block, usize number, u32 object, CallPath path) {
    BlockStep& step = block.steps()[number];
    QuickStep& quick = block.quick_steps()[number];
    // Without an object, it has only counted records whose step was elsewhere.
    if (step.object != kNoObject) settle(block);
    const UseRange uses = uses_of(block, number);
    u32* const own = block.rows + uses.first;
    OtherObject* const other = other_object(step, object);
    if (other != nullptr) {
        other->object = step.object;
        std::swap_ranges(own, block.rows + uses.end, other->rows());
    } else if (step.object != kNoObject && !quick.on_stack) {
        if (OtherObject* const before = add_other(step, uses, step.object))
            std::copy(own, block.rows + uses.end, before->rows());
    }
    step.object = object;
    quick.owned = can_have_tag(object) ? owned_word(object + 1) : kUnbound;
    quick.on_stack = false;
    step.size = 0;
    if (other != nullptr) return;
    for (usize i = uses.first; i < uses.end; ++i) {
        const places::Place place{block.shape->uses[i].instruction, block.path};
        bool made = false;
        block.rows[i] = row_of(place, object, made);
        if (made) note_first_touch(t, {place.instruction, path}, object, true, false);
    }
}

// Where the thread is at a use. Blocks below all calls are not told.
AccessPosition position_of(Thread t, const RecordBlock& block, const u64* at, Address code) {
    const CallPath path = reinterpret_cast<const log::Record*>(at)->path;
    return {t.serial, path, code, path == block.path};
}

// From here on the step's rows are those of the variables that its uses are to now. They are of other
// addresses, too, if it is inside one variable.
void bind_on_stack(Thread t, const u64* at, RecordBlock& block, usize number, u32 stack) {
    BlockStep& step = block.steps()[number];
    QuickStep& quick = block.quick_steps()[number];
    const UseRange uses = uses_of(block, number);
    if (step.object != kNoObject) settle(block);
    if (step.object != kNoObject && !quick.on_stack)
        if (OtherObject* const before = add_other(step, uses, step.object))
            std::copy(block.rows + uses.first, block.rows + uses.end, before->rows());
    quick.on_stack = true;
    quick.owned = owned_word(kSeveralTag);
    step.object = stack;
    OwnedExtent all{};
    bool is_one = true;
    for (usize i = uses.first; i < uses.end; ++i) {
        const log::AccessUse& use = block.shape->uses[i];
        const Address a = address_of(use, quick, at);
        const OwnedExtent extent = owner_at(a, position_of(t, block, at, use.instruction));
        if (i == uses.first) all = extent;
        is_one = is_one && extent.begin == all.begin && a + use.bytes <= extent.end;
        if (extent.turn != all.turn) all.turn = 0;
        bool made = false;
        const places::Place place{use.instruction, block.path};
        block.rows[i] = row_of(place, extent.object, made);
        if (made) note_first_touch(t, place, extent.object, true, false);
    }
    const Address a = quick.address(at);
    if (is_one)
        step.set_extent(all.begin, all.end, quick.reach, all.turn);
    else
        step.set_extent(a, a + quick.reach + 1u, quick.reach, all.turn);
}

// Whose the bytes of a step are; kNoObject: several objects'. And its line, if it has only one.
struct StepOwner {
    u32 object;
    bool has_line;
    bool on_stack = false;  // a stack's, and not those of the step's own rows
};

StepOwner owner_of_step(BlockStep& step, const QuickStep& quick, Address a, const QuickView& view,
                        bool one_line) {
    const u32 reach = quick.reach;
    if (quick.on_stack && step.contains(a)) return {step.object, false};
    const u64 line = a >> view.line_bits;
    const Address begin = line << view.line_bits, last = begin + ((Address{1} << view.line_bits) - 1);
    if (one_line) {
        if (!quick.on_stack && step.contains(begin) && last - step.begin < step.size)
            return {step.object, true};
        if (const u32 object = owner_of_line(line); object != kSeveralOwners) {
            // Small blocks are one object.
            if (object == step.object && step.size == 0 && object != 0) {
                const OwnedExtent extent = owner_of(a);
                step.set_extent(extent.begin, extent.end, reach);
            }
            return {object, true};
        }
    }
    if (step.contains(a)) return {step.object, false};
    const OwnedExtent extent = owner_of(a);
    if (a + reach >= extent.end) return {kNoObject, false};
    if (extent.stack_of != 0) return {extent.object, false, true};
    if (extent.object == step.object) step.set_extent(extent.begin, extent.end, reach);
    return {extent.object, false};
}

// A step whose object changes for good gets the new one soon; one that has several in turns seldom.
constexpr u32 kElsewhereOften = 32;

// Charges the uses of a step that is neither to its own object nor to one of the others that it knows.
// `first`: the outcome of the first one, if it has been brought.
void charge_alone(Thread t, const u64* at, RecordBlock& block, usize number, u32 object,
                  const QuickView& view, const Outcome* first) {
    BlockStep& step = block.steps()[number];
    const UseRange uses = uses_of(block, number);
    for (usize i = uses.first; i < uses.end; ++i) {
        const log::AccessUse& use = block.shape->uses[i];
        const Address address = address_of(use, block.quick_steps()[number], at);
        const u32 whose = object != kNoObject
                              ? object
                              : owner_at(address, position_of(t, block, at, use.instruction)).object;
        charge_one(t, view, use, block.path, address, whose, i == uses.first ? first : nullptr);
    }
    OtherObject* const other = object == kNoObject ? nullptr : add_other(step, uses, object);
    if (other == nullptr) return;
    for (usize i = uses.first; i < uses.end; ++i) {
        bool made = false;
        other->rows()[i - uses.first] = row_of({block.shape->uses[i].instruction, block.path}, object, made);
    }
}

// Whether a step in two lines hits both, which are its object's. They are in different sets, and of one page:
// so all that changes is that each becomes the one of its set that was used last. `is_known`: the bytes are
// the step's object's.
bool hits_both(const QuickStep& step, bool is_known, const StepShape& shape, Address a,
               const QuickView& view) {
    const u64 first = a >> view.line_bits, second = first + 1;
    const u32 first_bytes = static_cast<u32>((second << view.line_bits) - a);
    const u64 page = a >> view.page_bits;
    if (!view.has_lines || !view.only_caches_move || (a + step.reach) >> view.line_bits != second ||
        shape.is_cut(first_bytes) || second << view.line_bits >> view.page_bits != page ||
        view.nearest->share_a_set(first, second))
        return false;
    const u32 entry = view.tlb->entry_of(page);
    const u32 one = view.nearest->entry_of(first), two = view.nearest->entry_of(second);
    if (entry == Tlb::kNone || one == SetCache::kNoEntry || two == SetCache::kNoEntry) return false;
    const u32 tag = step.tag();
    if (!is_known &&
        (tag == kSeveralTag || view.nearest->tag_of(one) != tag || view.nearest->tag_of(two) != tag))
        return false;
    view.tlb->used(entry);
    view.nearest->use(first, one);
    view.nearest->use(second, two);
    if (shape.stores_before(first_bytes)) view.nearest->mark_entry(one);
    if (shape.stores_behind(first_bytes)) view.nearest->mark_entry(two);
    return true;
}

// The rows of the uses of a step to an object; null: they have been charged alone. From now on they may be
// the step's own. `outcome`: of the first use, if it has been brought.
const u32* rows_of_step(Thread t, const u64* at, RecordBlock& block, usize number, const StepOwner& owner,
                        const QuickView& view, const Outcome* outcome) {
    BlockStep& step = block.steps()[number];
    u32* const own = block.rows + block.quick_steps()[number].use;
    const u32 object = owner.object;
    if (owner.on_stack) {
        if (step.object == kNoObject || step.size == 0 || (step.elsewhere + 1) % kElsewhereOften == 0) {
            bind_on_stack(t, at, block, number, object);
            return own;
        }
        ++step.elsewhere;
        charge_alone(t, at, block, number, kNoObject, view, outcome);
        return nullptr;
    }
    if (object == step.object && object != kNoObject) return own;
    if (object != kNoObject && (step.object == kNoObject || (step.elsewhere + 1) % kElsewhereOften == 0)) {
        bind(t, block, number, object, reinterpret_cast<const log::Record*>(at)->path);
        return own;
    }
    OtherObject* const other = object == kNoObject ? nullptr : other_object(step, object);
    // Nothing is charged to rows that the step does not have yet.
    ++step.elsewhere;
    if (other == nullptr) {
        charge_alone(t, at, block, number, object, view, outcome);
        return nullptr;
    }
    ++other->count;
    return other->rows();
}

// What a use cost beyond a hit, to its row.
void charge_beyond_hit(Thread t, u32 number, CallPath path, const Outcome& outcome) {
    const u64 hit = hierarchy->latency(0);
    if (outcome.cycles == hit && outcome.l1_misses == 0 && !outcome.first_touch) return;
    CostRow& row = rows()[number];
    charge(row.figures, outcome);
    row.figures.cycles -= hit;
    if (outcome.first_touch)
        note_first_touch(t, {row.place.instruction, path}, row.object_number, false, true);
}

// A line that has just been used, and the TLB's entry of its page.
struct UsedLine {
    u64 line;
    u32 entry, page_entry;
    u32 tag;    // 0: it has none, or several objects'
    u32 found;  // the level that had it; 0: the first
};

// The line is the owner's from now on.
void tag_line(const UsedLine& used, QuickStep& quick, const BlockStep& step, const StepOwner& owner,
              Address a, const QuickView& view) {
    if (used.tag != 0 || !view.has_tags) return;
    const u32 tag = owner.has_line && can_have_tag(owner.object) ? owner.object + 1 : kSeveralTag;
    hierarchy->set_tag(view, used.line, used.entry, used.page_entry, tag);
    // An address that is always the same is always its object's.
    if (quick.place == 0 && owner.object == step.object && step.contains(a)) quick.owned = owned_word(tag);
}

// A step to bytes that are not known to be its object's.
[[gnu::noinline]] void charge_used_line(Thread t, const u64* at, RecordBlock& block, usize number, Address a,
                                        const QuickView& view, const UsedLine& used) {
    QuickStep& quick = block.quick_steps()[number];
    BlockStep& step = block.steps()[number];
    const StepOwner owner =
        used.tag != 0 ? StepOwner{used.tag - 1, true} : owner_of_step(step, quick, a, view, true);
    Outcome outcome;
    if (used.found != 0) hierarchy->add_beyond_first(used.line, used.found, outcome);
    const Outcome* const known = used.found != 0 ? &outcome : nullptr;
    const u32* const numbers = rows_of_step(t, at, block, number, owner, view, known);
    if (numbers == nullptr) return;
    if (known != nullptr) charge_beyond_hit(t, numbers[0], block.path, outcome);
    tag_line(used, quick, step, owner, a, view);
}

// Inside one line, of a page that the TLB has at `page_entry`. The view is plain.
void charge_plain_step(Thread t, const u64* at, RecordBlock& block, usize number, Address a,
                       const QuickView& view, u32 page_entry) {
    QuickStep& quick = block.quick_steps()[number];
    BlockStep& step = block.steps()[number];
    const u64 line = a >> view.line_bits;
    view.tlb->used(page_entry);
    if (view.second != nullptr) view.second->fetch_ahead(line);
    const SetCache::TouchedLine touched = view.nearest->touch_or_insert(line);
    UsedLine used{line, touched.entry, page_entry, 0, 0};
    if (touched.hit) {
        if (quick.stores()) view.nearest->mark_entry(touched.entry);
        const u32 tag = view.nearest->tag_of(touched.entry);
        if (tag == kSeveralTag ? (quick.place != 0 || quick.on_stack) && step.contains(a)
                               : tag != 0 && tag - 1 == step.object)
            return;
        used.tag = tag == kSeveralTag ? 0 : tag;
        return charge_used_line(t, at, block, number, a, view, used);
    }
    used.found =
        hierarchy->beyond_first(view, t.serial - 1, line, touched.entry, quick.stores(), touched.gone);
    const Address begin = line << view.line_bits, last = begin + ((Address{1} << view.line_bits) - 1);
    if (used.found != 1 || !step.contains(begin) || last - step.begin >= step.size ||
        step.object == kNoObject)
        return charge_used_line(t, at, block, number, a, view, used);
    // Nearly all of these: the second level has the line, and it is the step's object's. The first use
    // decides.
    CostFigures& figures = rows()[block.rows[quick.use]].figures;
    figures.cycles += hierarchy->latency(1) - hierarchy->latency(0);
    ++figures.l1_misses;
    tag_line(used, quick, step, {step.object, !quick.on_stack}, a, view);
}

// A step that is not inside one line of a page that the TLB has, or in a hierarchy that is not plain.
[[gnu::noinline]] void charge_other_step(Thread t, const u64* at, RecordBlock& block, usize number, Address a,
                                         const QuickView& view) {
    const QuickStep& quick = block.quick_steps()[number];
    BlockStep& step = block.steps()[number];
    const u64 line = a >> view.line_bits;
    const bool one_line = (a + quick.reach) >> view.line_bits == line;
    if (!one_line && hits_both(quick, step.contains(a), block.block_shape->steps()[number], a, view)) return;
    const CallPath path = reinterpret_cast<const log::Record*>(at)->path;
    const bool hits = view.hits(a, quick.reach, quick.stores());
    u32 tag = hits ? view.nearest->tag(line) : 0;
    if (tag == kSeveralTag) tag = 0;
    if (tag != 0 && tag - 1 == step.object) return;
    const StepOwner owner =
        tag != 0 ? StepOwner{tag - 1, true} : owner_of_step(step, quick, a, view, one_line);
    const u32* const numbers = rows_of_step(t, at, block, number, owner, view, nullptr);
    if (numbers == nullptr || tag != 0) return;
    if (!one_line) {
        const UseRange uses = uses_of(block, number);
        for (usize i = uses.first; i < uses.end; ++i) {
            const log::AccessUse& each = block.shape->uses[i];
            charge_beyond_hit(
                t, numbers[i - uses.first], path,
                hierarchy->access(t.serial - 1, address_of(each, quick, at), each.bytes, each.stores));
        }
        return;
    }
    if (!hits)
        charge_beyond_hit(t, numbers[0], path,
                          hierarchy->access(t.serial - 1, a, quick.reach + 1u, quick.stores()));
    if (!can_have_tag(owner.object) || !owner.has_line || !view.has_tags) return;
    const u32 entry = view.nearest->entry_of(line), page_entry = view.tlb->entry_of(a >> view.page_bits);
    if (entry != SetCache::kNoEntry && page_entry != Tlb::kNone)
        hierarchy->set_tag(view, line, entry, page_entry, owner.object + 1);
}

}  // namespace

void charge_step(Thread t, const u64* at, RecordBlock& block, usize number, Address a,
                 const QuickView& view) {
    if (view.is_plain && (a + block.quick_steps()[number].reach) >> view.line_bits == a >> view.line_bits)
        [[likely]] {
        const u32 page_entry = view.tlb->entry_of(a >> view.page_bits);
        if (page_entry != Tlb::kNone) return charge_plain_step(t, at, block, number, a, view, page_entry);
    }
    charge_other_step(t, at, block, number, a, view);
}

namespace {

template <bool kHasTags, bool kIsUsual>
void charge_run(Thread t, const u64* first, const u64* end) {
    const QuickView view = hierarchy->quick_view(t.serial - 1);
    RecordLoop<kHasTags, kIsUsual> loop(t, view);
    const log::Record* last = reinterpret_cast<const log::Record*>(first);
    if (first != end) follow_from_last(t.serial, last->path);
    for (const u64* at = first; at != end; at += log::record_words(static_cast<u32>(*at))) {
        const auto& record = *reinterpret_cast<const log::Record*>(at);
        read_until(t.serial, first, at);
        if (record.path != last->path) [[unlikely]]
            follow_call(t.serial, *last, record.path);
        last = &record;
        if (RecordBlock* const block = block_of(record)) [[likely]] {
            loop.charge(at, *block);
            continue;
        }
        // Such a place may never come again.
        loop.pause();
        const CallPath path = are_rows_folded() ? CallPath::Root : record.path;
        log::for_each_access(record, log::shape(record.shape), [&](const log::AccessUse& use, Address a) {
            const AccessPosition position{t.serial, record.path, use.instruction, path == record.path};
            charge_one(t, view, use, path, a, owner_at(a, position).object);
        });
        loop.go_on();
    }
    read_until(t.serial, first, end);
    if (first == end) return;
    thread_is_in(t.serial, last->path);
    keep_last(t.serial, *last);
}

void keep_rows_few() {
    if (!has_too_many_rows()) return;
    settle_blocks();
    rt::Vector<u32> numbers;
    fold_rows(numbers);
    renumber_blocks(numbers);
}

}  // namespace

void start_charging(Hierarchy& simulated) { hierarchy = &simulated; }

AccessCharger::AccessCharger(Thread t) : thread_(t), view_(hierarchy->quick_view(t.serial - 1)) {
    keep_rows_few();
}

void AccessCharger::charge(const log::AccessUse& use, CallPath path, Address a, u32 object) {
    note_use(thread_, use, a, object, charge_one(thread_, view_, use, path, a, object), *hierarchy);
}

void charge_records(Thread t, const u64* first, const u64* end) {
    keep_rows_few();
    look_at_frames();
    if (tags_age != owner_age) {
        hierarchy->clear_tags();
        tags_age = owner_age;
    }
    const QuickView view = hierarchy->quick_view(t.serial - 1);
    if (!view.has_tags)
        charge_run<false, false>(t, first, end);
    else if (view.line_bits == kUsualLineBits)
        charge_run<true, true>(t, first, end);
    else
        charge_run<true, false>(t, first, end);
}

void forget_charges() {
    forget_blocks();
    forget_rows();
    forget_owners();
    forget_uses();
}

}  // namespace memspy::cost
