// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/locality/advice.h"

namespace memspy::locality {
namespace {

constexpr u64 kLine = 64;
constexpr u64 kLongestStructure = 256;  // longer ones are rows of something
// Reuse distances of a word just used: 1, 2, up to 4, 8, 16, 32 words.
constexpr u32 kNearBuckets = 6;

u64 size_of(i64 step) { return static_cast<u64>(step < 0 ? -step : step); }
bool is_near(u64 a, u64 b) { return (a > b ? a - b : b - a) * 20 <= (a > b ? a : b); }
u64 least(u64 a, u64 b) { return a < b ? a : b; }

// Most of the instruction's accesses are in runs of one step.
bool is_regular(const ObjectWalk& walk) { return walk.commonest().accesses * 4 >= walk.accesses * 3; }
// Most runs began at the same distance from the one before. (`votes` has those against it taken off.)
bool has_shift(const Runs& runs) { return runs.shifted >= 4 && runs.votes * 2 >= runs.shifted; }
u64 run_length(const Runs& runs) { return runs.accesses / runs.runs; }

class Finder {
public:
    Finder(const AdviceInput& input, rt::Vector<LocalityAdvice>& advice) : input_(input), advice_(advice) {
        for (const ObjectReuse& each : *input.objects) all_ += each.accesses;
        for (const ObjectWalk& walk : *input.walks) {
            walked_ += walk.accesses;
            InstructionWalks& instruction = instructions_[walk.instruction];
            instruction.accesses += walk.accesses;
            instruction.jumps += walk.jumps;
            instruction.reach += walk.reach();
        }
    }

    void find() {
        const rt::Vector<u32> next = link_functions();
        rt::Vector<u8> done;
        done.resize(input_.walks->size());
        for (usize i = 0; i < done.size(); ++i)
            if (done[i] == 0 && next[i] != 0) find_in_loop(i, next, done);
        for (const ObjectReuse& each : *input_.objects) {
            if (each.accesses * 20 < all_) continue;
            if (!find_fields(each.object)) find_blocks(each);
        }
        sort();
    }

private:
    u64 first_cache() const { return (*input_.caches)[0]; }
    // Sampled walks are a part of all accesses.
    bool is_much(u64 walk_accesses) const { return walk_accesses * 50 >= walked_; }

    // For each regular walk, the next one of its function, or their number behind the last; 0 for others. A
    // program has some 100,000 walks, too many to look at all of them for each.
    rt::Vector<u32> link_functions() const {
        const rt::Vector<ObjectWalk>& walks = *input_.walks;
        rt::Vector<u32> next;
        next.resize(walks.size());
        rt::HashMap<u32> following;  // by function
        for (usize i = walks.size(); i-- > 0;) {
            if (!is_regular(walks[i])) continue;
            u32& known = following[walks[i].function];
            next[i] = known != 0 ? known : static_cast<u32>(walks.size());
            known = static_cast<u32>(i);
        }
        return next;
    }

    // The instructions of one inner loop: of one function, and as often executed.
    void find_in_loop(usize first, const rt::Vector<u32>& next, rt::Vector<u8>& done) {
        const rt::Vector<ObjectWalk>& walks = *input_.walks;
        const ObjectWalk& leader = walks[first];
        LoopWalks loop;
        u64 accesses = 0;
        for (usize i = first; i < walks.size(); i = next[i]) {
            const ObjectWalk& walk = walks[i];
            if (done[i] != 0 || !is_near(walk.accesses, leader.accesses)) continue;
            done[i] = 1;
            loop.push_back(&walk);
            accesses += walk.accesses;
        }
        if (is_much(accesses)) judge_loop(loop, accesses);
    }

    using LoopWalks = rt::Vector<const ObjectWalk*>;

    // Instructions that share lines: those of one line that go through one object in the same steps. An
    // unrolled loop has several, and a stencil. How many they are; 0 where an earlier one counts them.
    static u64 alike(const LoopWalks& loop, usize i) {
        u64 count = 0;
        for (usize j = 0; j < loop.size(); ++j) {
            if (loop[j]->object != loop[i]->object || loop[j]->line != loop[i]->line ||
                loop[j]->commonest().step != loop[i]->commonest().step)
                continue;
            if (j < i) return 0;
            ++count;
        }
        return count;
    }

    // In a loop of `rounds` rounds. A walk that goes on where it ended the last time has no runs of its own.
    static u64 shift_of(const Runs& runs, u64 rounds, u64 otherwise) {
        if (run_length(runs) >= 2 * rounds) return size_of(runs.step) * rounds;
        return has_shift(runs) ? size_of(runs.shift) : otherwise;
    }

    // Bytes of lines that each round touches, and would touch with the loops interchanged.
    struct Touched {
        u64 now = 0, interchanged = 0;
    };
    static Touched touched_by(const LoopWalks& loop, u64 rounds) {
        Touched sum;
        for (usize i = 0; i < loop.size(); ++i) {
            const u64 count = alike(loop, i);
            if (count == 0) continue;
            const Runs& runs = loop[i]->commonest();
            const u64 step = size_of(runs.step);
            sum.now += least(count * kLine, step);
            sum.interchanged += least(count * kLine, count * shift_of(runs, rounds, step));
        }
        return sum;
    }

    void judge_loop(const LoopWalks& loop, u64 accesses) {
        const ObjectWalk* column = nullptr;  // a long step inside, a short one around it
        for (usize i = 0; i < loop.size(); ++i) {
            const Runs& runs = loop[i]->commonest();
            const u64 step = size_of(runs.step), shift = size_of(runs.shift);
            if (!has_shift(runs) || step < kLine || shift == 0 || shift >= kLine) continue;
            // The lines of a run are still there when the next one needs them.
            if (alike(loop, i) * run_length(runs) * kLine <= first_cache()) continue;
            if (column == nullptr || step > size_of(column->commonest().step)) column = loop[i];
        }
        if (column == nullptr) return;
        const u64 rounds = run_length(column->commonest());
        bool has_row = false;  // the other way round
        for (const ObjectWalk* walk : loop) {
            const u64 step = size_of(walk->commonest().step);
            has_row =
                has_row || (step != 0 && step < kLine && shift_of(walk->commonest(), rounds, 0) >= kLine);
        }
        const Touched touched = touched_by(loop, rounds);
        if (!has_row && touched.interchanged * 2 > touched.now) return;
        LocalityAdvice advice =
            about(*column, has_row ? AdviceKind::Tiles : AdviceKind::Interchange, accesses);
        advice.shift = size_of(column->commonest().shift);
        advice_.push_back(advice);
    }

    static LocalityAdvice about(const ObjectWalk& walk, AdviceKind kind, u64 accesses) {
        LocalityAdvice advice;
        advice.kind = kind;
        advice.object = walk.object;
        advice.function = walk.function;
        advice.line = walk.line;
        advice.accesses = accesses;
        advice.step = size_of(walk.commonest().step);
        return advice;
    }

    // Runs that go through the object's rows at the same place of each. Behind a condition there are many of
    // them.
    static bool stays_in_column(const Runs& runs) {
        return runs.shifted < 4 || runs.in_column * 4 >= runs.shifted * 3;
    }

    bool find_fields(u32 object) {
        u64 accesses = 0, step = 0, most = 0;
        const ObjectWalk* busiest = nullptr;
        for (const ObjectWalk& walk : *input_.walks) {
            if (walk.object != object) continue;
            accesses += walk.uses();
            const Runs& runs = walk.commonest();
            const u64 size = size_of(runs.step);
            if (!is_regular(walk) || size < 2 * walk.bytes || size < 16 || !stays_in_column(runs)) continue;
            if (run_length(runs) * least(size, kLine) <= first_cache() || begins_text(walk, size)) continue;
            if (walk.uses() > most) {
                most = walk.uses();
                step = size;
                busiest = &walk;
            }
        }
        if (busiest == nullptr || !is_much(busiest->accesses)) return false;
        HotMembers hot = hot_members(object, step, kWidest * step, accesses);
        // An unrolled loop has several rows in a step, all used alike. But so are two members half a
        // structure apart: another loop may have other steps, and where members are named on lines of their
        // own, no line is in both halves.
        const bool is_row_known = has_shorter_row(object, step);
        for (u64 parts = kWidest; parts > 1; --parts) {
            if (step % parts != 0 || hot.bytes % parts != 0) continue;
            const u64 row = step / parts;
            if (is_row_known ? !has_odd_rows(object, row) : !is_repeated(object, step, row)) continue;
            const HotMembers of_part = hot_members(object, row, kWidest * step, accesses);
            if (of_part.bytes * parts != hot.bytes) continue;
            step = row;
            hot = of_part;
            break;
        }
        if (step < 16 || hot.bytes == 0 || hot.bytes * 2 > step) return false;
        LocalityAdvice advice = about(
            *busiest, step > kLongestStructure ? AdviceKind::Columns : AdviceKind::HotField, hot.accesses);
        advice.step = step;
        advice.used = hot.bytes;
        advice_.push_back(advice);
        return true;
    }

    // Walks that show how long a row is: not from one word to the next.
    template <typename F>
    bool any_in_rows(u32 object, F f) const {
        for (const ObjectWalk& walk : *input_.walks) {
            const u64 size = size_of(walk.commonest().step);
            if (walk.object == object && is_regular(walk) && size > walk.bytes && size >= 16 && f(size))
                return true;
        }
        return false;
    }
    // Whether some walk has steps of a part of this.
    bool has_shorter_row(u32 object, u64 step) const {
        return any_in_rows(object, [=](u64 size) { return size < step && step % size == 0; });
    }
    // Whether some walk has steps of an odd number of rows.
    bool has_odd_rows(u32 object, u64 row) const {
        return any_in_rows(object, [=](u64 size) { return size % row == 0 && size / row % 2 == 1; });
    }

    // Whether each walk in such steps, or several of them at once, has another one of its line a row behind
    // it.
    bool is_repeated(u32 object, u64 step, u64 row) const {
        rt::Vector<const ObjectWalk*> walks;
        for (const ObjectWalk& walk : *input_.walks) {
            const u64 size = size_of(walk.commonest().step);
            if (walk.object == object && is_regular(walk) && size != 0 && size % step == 0)
                walks.push_back(&walk);
        }
        for (const ObjectWalk* walk : walks) {
            const Runs& runs = walk->commonest();
            const u64 size = size_of(runs.step);
            bool any = false;
            for (const ObjectWalk* other : walks)
                any = any || (other->line == walk->line && is_near(other->accesses, walk->accesses) &&
                              size_of(other->commonest().step) == size &&
                              other->commonest().offset % size == (runs.offset + row) % size);
            if (!any) return false;
        }
        return true;
    }

    // Whether the walk is through the first bytes of texts, one in each row. A loop over a text loads its
    // first byte before it begins, or with the others. The bytes of a text are one member, and how long it is
    // is not known.
    bool begins_text(const ObjectWalk& walk, u64 row) const {
        if (walk.bytes != 1) return false;
        const u64 offset = walk.commonest().offset;
        for (const ObjectWalk& each : *input_.walks)
            if (each.object == walk.object && each.text != ObjectWalk::kNowhere &&
                (each.text % row == offset % row || each.text % row == (offset + 1) % row))
                return true;
        return false;
    }

    // The members of a row that have most accesses.
    struct HotMembers {
        u64 bytes = 0, accesses = 0;  // 0: all members together have too few
    };
    // As few members as have two fifths of the object's accesses, with all that are used nearly as often.
    // Measured with one member of 4 to 16 in an array of its own, others used in order or not: programs were
    // 0.99 to 2.6 times as fast if it had a third of the accesses, 1.0 to 2.7 times if a half, and 1.1 or
    // more there if the array was larger than the second cache.
    static constexpr u64 kHotFifths = 2;

    // A vectorised loop has steps of several rows.
    static constexpr u64 kWidest = 16;

    // Of walks with steps of whole rows.
    HotMembers hot_members(u32 object, u64 row, u64 longest, u64 all) const {
        rt::Vector<const ObjectWalk*> columns;
        for (const ObjectWalk& walk : *input_.walks) {
            const Runs& runs = walk.commonest();
            const u64 size = size_of(runs.step);
            if (walk.object == object && size != 0 && size % row == 0 && size <= longest &&
                is_regular(walk) && stays_in_column(runs) && !begins_text(walk, row))
                columns.push_back(&walk);
        }
        rt::Vector<u64> uses;  // of each byte
        uses.resize(row);
        for (const ObjectWalk* walk : columns)
            for (u64 i = 0; i < walk->bytes; ++i) uses[(walk->commonest().offset + i) % row] += walk->uses();
        // With a lower limit more bytes are hot.
        HotMembers hot;
        u64 limit = ~u64{0};
        while (hot.accesses * 5 < all * kHotFifths) {
            u64 next = 0;
            for (const u64 each : uses)
                if (each < limit && each > next) next = each;
            if (next == 0) return {};
            limit = next - next / 4;
            hot = {};
            for (const u64 each : uses) hot.bytes += each >= limit ? 1 : 0;
            for (const ObjectWalk* walk : columns)
                if (uses[walk->commonest().offset % row] >= limit) hot.accesses += walk->uses();
        }
        return hot;
    }

    // Distances are between powers of two of words.
    void find_blocks(const ObjectReuse& object) {
        if (object.accesses * 10 < all_) return;
        // A loop stores what it has just loaded; unrolled, it loads some words first. Such uses say nothing.
        u64 others = object.reuses.accesses();
        for (u32 i = 0; i < kNearBuckets; ++i) others -= object.reuses.buckets[i];
        for (const u64 cache : *input_.caches) {
            u64 above = 0, low = 0, high = 0;
            for (u32 i = kNearBuckets; i < kBuckets; ++i) {
                const u64 from = u64{8} << (i - 1);
                if (from < cache || from >= 4 * cache || object.reuses.buckets[i] == 0) continue;
                if (low == 0) low = from;
                high = 2 * from;
                above += object.reuses.buckets[i];
            }
            if (above == 0 || above * 2 < others) continue;
            const ObjectWalk* busiest = nullptr;
            for (const ObjectWalk& walk : *input_.walks)
                if (walk.object == object.object &&
                    (busiest == nullptr || walk.stands_for >= busiest->stands_for))
                    busiest = &walk;  // of equal ones the later: the first filled it
            if (busiest == nullptr || has_loop_advice(*busiest) || is_in_random_loop(*busiest)) return;
            const u32 loops = comes_back(*busiest) ? 1 : loops_through(object.object);
            if (loops == 0) return;
            LocalityAdvice advice = about(*busiest, AdviceKind::Blocks, above);
            advice.loops = loops;
            advice.cache = cache;
            advice.low = low;
            advice.high = high;
            advice_.push_back(advice);
            return;
        }
    }

    // A loop goes twice through all that the walk reaches in the object, or may do so. If the loop around it
    // is unrolled, it has several copies of the walk.
    bool comes_back(const ObjectWalk& walk) const {
        const Runs& runs = walk.commonest();
        const u64 step = size_of(runs.step) > walk.bytes ? size_of(runs.step) : walk.bytes;
        u64 accesses = 0;
        for (const ObjectWalk& each : *input_.walks)
            if (each.object == walk.object && each.function == walk.function && each.line == walk.line &&
                each.loads == walk.loads && each.stores == walk.stores &&
                each.commonest().step == runs.step && each.commonest().offset % step == runs.offset % step)
                accesses += each.stands_for;
        return accesses * step >= 2 * walk.reach();
    }

    // How many loops go through the whole object, one after the other; 0 where it is not sure that they may
    // take turns. A loop that only loads may make something that the next one needs of all of it: a sum, a
    // maximum. So those that store must be more, and three: the first one may only read what there is.
    u32 loops_through(u32 object) {
        struct Loop {
            u64 began;
            bool stores;
        };
        u64 reach = 0;
        for (const ObjectWalk& walk : *input_.walks)
            if (walk.object == object && walk.reach() > reach) reach = walk.reach();
        rt::Vector<Loop> loops;
        for (const ObjectWalk& walk : *input_.walks) {
            const Runs& runs = walk.commonest();
            if (walk.object != object || !is_regular(walk) || runs.step == 0) continue;
            if (is_in_random_loop(walk)) return 0;
            if (walk.stands_for * size_of(runs.step) < reach / 4 * 3) continue;
            // Walks of one loop begin in its first round.
            Loop* known = nullptr;
            for (Loop& each : loops) {
                const u64 apart = each.began < walk.began ? walk.began - each.began : each.began - walk.began;
                if (apart < walk.accesses / 2) known = &each;
            }
            if (known == nullptr) {
                loops.push_back(Loop{walk.began, false});
                known = &loops.back();
            }
            known->stores |= walk.stores;
        }
        u32 storing = 0;
        for (const Loop& each : loops) storing += each.stores ? 1 : 0;
        const auto all = static_cast<u32>(loops.size());
        return storing >= 3 && 2 * storing > all ? all : 0;
    }

    // Words anywhere: half of the steps are longer than a line and not the one before. A table that fits the
    // first cache stays there.
    struct InstructionWalks {
        u64 accesses = 0, jumps = 0, reach = 0;  // in all objects
        bool is_random(u64 cache) const { return jumps * 2 >= accesses && reach > cache; }
    };
    // The loop has an access to words anywhere in each round: where those are depends on what it has read,
    // and parts of one object have nothing to do with parts of the other.
    bool is_in_random_loop(const ObjectWalk& walk) {
        for (const ObjectWalk& each : *input_.walks) {
            if (each.function != walk.function) continue;
            const InstructionWalks& other = instructions_[each.instruction];
            if (other.is_random(first_cache()) &&
                (each.instruction == walk.instruction || is_near(other.accesses, walk.accesses)))
                return true;
        }
        return false;
    }

    // It comes first: what is used again, and when, will be different then.
    bool has_loop_advice(const ObjectWalk& walk) const {
        for (const LocalityAdvice& each : advice_)
            if (each.function == walk.function && each.kind <= AdviceKind::Tiles) return true;
        return false;
    }

    void sort() {
        for (usize i = 1; i < advice_.size(); ++i)
            for (usize j = i; j > 0 && advice_[j].accesses > advice_[j - 1].accesses; --j) {
                const LocalityAdvice moved = advice_[j];
                advice_[j] = advice_[j - 1];
                advice_[j - 1] = moved;
            }
    }

    rt::HashMap<InstructionWalks> instructions_;
    const AdviceInput& input_;
    rt::Vector<LocalityAdvice>& advice_;
    u64 all_ = 0, walked_ = 0;
};

}  // namespace

void find_advice(const AdviceInput& input, rt::Vector<LocalityAdvice>& advice) {
    Finder(input, advice).find();
}

}  // namespace memspy::locality
