// SPDX-License-Identifier: GPL-2.0-or-later
#include "instrument/spins/spin_search.h"

#include "instrument/core/access.h"
#include "instrument/core/known_bits.h"
#include "instrument/spins/loop_run.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "vg/compat.h"

namespace memspy::instrument {
namespace {

using Decision = LoopRun::Decision;
using TripEnd = LoopRun::TripEnd;

// Where a branch goes while the thread waits, by the branch's address.
rt::Global<rt::HashMap<Address>> marks;

rt::Global<rt::HashMap<bool>> code;   // of all loops that were found
rt::Global<rt::HashMap<bool>> looks;  // the atomic updates in it

// Places that were no waits are looked at again after twice as many slices each time: most are code that
// works.
struct Refusal {
    u32 times, left;
};
rt::Global<rt::HashMap<Refusal>> refusals;

bool is_refused(Address head) {
    Refusal* const known = refusals->find(head);
    return known != nullptr && known->left != 0 && known->left-- != 0;
}
void refuse(Address head) {
    constexpr u32 kMost = 8;
    Refusal& known = (*refusals)[head];
    if (known.times < kMost) ++known.times;
    known.left = (1u << known.times) - 1;
}

// Whether the branch leads out of the loop where it goes the other way. `before`: the state at the trip's
// begin; `after`: a trip behind its end, since registers that are not in use there differ with the way.
bool leads_out(const LoopRun& before, const LoopRun& after, Address head, LoopFlip flip) {
    LoopRun other(before);
    return other.trip(head, flip) != TripEnd::Back || other.trip(head) != TripEnd::Back ||
           !other.is_like(after);
}

// A loop that counts its trips and then sleeps or yields waits, too. It may also end by itself, or do something that
// others see in each fourth or hundredth of them. Then it works. More trips, or longer ones, are not worth the time:
// one that counts on looks again for its words.
bool goes_on(LoopRun& run, Address head) {
    constexpr u32 kTrips = 256;
    constexpr usize kInstructions = 16384;
    usize followed = 0;
    for (u32 i = 0; i < kTrips && followed < kInstructions; ++i, followed += run.instructions().size())
        if (const TripEnd outcome = run.trip(head); outcome != TripEnd::Back)
            return outcome == TripEnd::Waits;
    return true;
}

void add_words(SpinLoop& spin, const LoopRun& run, u16 words) {
    for (usize i = 0; i < run.words().size() && spin.count < SpinLoop::kMostWords; ++i) {
        if (((words >> i) & 1) == 0) continue;
        bool known = false;
        for (u32 k = 0; k < spin.count; ++k) known = known || spin.words[k] == run.words()[i];
        if (!known) spin.words[spin.count++] = run.words()[i];
    }
}

// Looks for branches that wait in the loop that begins at `head`, where `run` is. False if the code is no
// such loop, nor part of one.
bool search(LoopRun& run, Address head, SpinLoop* spin) {
    // After the first trip comparisons of the second are of two trips of the loop.
    for (int i = 0; i < 2; ++i) {
        if (run.trip(head) != TripEnd::Back) return false;
        run.compare();
    }
    const LoopRun before(run);
    if (run.trip(head) != TripEnd::Back) return false;
    LoopRun after(run);
    if (after.trip(head) != TripEnd::Back) return false;
    if (run.reads_on()) return true;
    bool counts = false;
    for (const Decision& decision : run.decisions()) counts = counts || decision.condition.varies;
    // One branch of a loop is enough: with two, a look would have two halves, each with some of the words.
    Address marked = 0;
    for (const Decision& decision : run.decisions())
        if (marks->find(decision.instruction) != nullptr) marked = decision.instruction;
    Address next = 0, outermost = 0;
    rt::HashMap<bool> tried;
    for (u32 i = 0; i < run.decisions().size(); ++i) {
        const Decision& decision = run.decisions()[i];
        const LoopValue& condition = decision.condition;
        const u16 words = run.others_words(condition.words);
        if (words == 0 || condition.varies) continue;
        // A parameter of unoptimised code is such a word, too.
        if ((counts || run.changes()) && !run.is_any_off_stack(words)) continue;
        // A loop inside the trip makes the same decision again and again.
        if (tried[decision.instruction]) continue;
        tried[decision.instruction] = true;
        if (!leads_out(before, after, head, {i, false}) && !leads_out(before, after, head, {i, true}))
            continue;
        // A function that the loop calls is called by others, too.
        if (decision.stack >= outermost) {
            outermost = decision.stack;
            spin->branch = marked != 0 ? marked : decision.instruction;
            next = decision.next;
        }
        add_words(*spin, run, words);
    }
    if (spin->branch == 0) return true;
    if (counts && marked == 0 && !goes_on(after, head)) {
        spin->branch = 0;
        spin->count = 0;
        return false;
    }
    spin->found = true;
    spin->changes = run.changes();
    for (const Address instruction : run.instructions()) {
        spin->instructions.push_back(instruction);
        spin->looks += instruction == spin->branch ? 1 : 0;
    }
    for (const Address look : run.looks()) {
        if ((*looks)[look]) continue;
        (*looks)[look] = true;
        vg::discard_translation(look);
    }
    if (marked == 0) (*marks)[spin->branch] = next;
    return true;
}

// A thread may be in a loop that only passes the time until its next look: the loop around that is the one
// that waits.
void search(u32 guest_id, Address head, SpinLoop* spin) {
    constexpr int kNested = 3;
    LoopRun run(guest_id, VG_(thread_get_stack_max)(guest_id));
    for (int i = 0; i < kNested && search(run, head, spin) && !spin->found; ++i)
        if (run.leave(&head) != TripEnd::Back) return;
}

}  // namespace

void search_spin(u32 guest_id, SpinLoop* found) {
    const Address head = VG_(get_IP)(guest_id);
    if (is_refused(head)) return;
    search(guest_id, head, found);
    if (!found->found) return refuse(head);
    for (const Address instruction : found->instructions) (*code)[instruction] = true;
    vg::discard_translation(found->branch);
}

bool is_spin_code(Address instruction) { return code->find(instruction) != nullptr; }

bool is_look(Address instruction) { return looks->find(instruction) != nullptr; }

void mark_spins(IRSB* block) {
    if (marks->empty()) return;
    const Address* next = nullptr;
    for (int i = 0; i < block->stmts_used; ++i) {
        IRStmt* const s = block->stmts[i];
        if (s->tag == Ist_IMark) next = marks->find(instruction_address(s));
        if (s->tag == Ist_Exit && next != nullptr && s->Ist.Exit.jk == Ijk_Boring &&
            constant_bits(*s->Ist.Exit.dst).bits == *next)
            s->Ist.Exit.jk = Ijk_Yield;
    }
    if (next != nullptr && block->jumpkind == Ijk_Boring && block->next->tag == Iex_Const &&
        constant_bits(*block->next->Iex.Const.con).bits == *next)
        block->jumpkind = Ijk_Yield;
}

}  // namespace memspy::instrument
