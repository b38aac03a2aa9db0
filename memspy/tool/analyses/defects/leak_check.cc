// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/leak_check.h"

#include <algorithm>
#include <new>

#include "analyses/defects/client_memory.h"
#include "analyses/defects/leak_graph.h"
#include "analyses/defects/leak_roots.h"
#include "analyses/defects/loss_records.h"
#include "analyses/defects/output/leak_text.h"
#include "analyses/defects/place.h"
#include "analyses/defects/unseen_writes.h"
#include "client/guards.h"
#include "client/replacement.h"
#include "findings/findings.h"
#include "heap/heap.h"
#include "instrument/core/policy.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::defects {

namespace {

findings::FindingKind kind_of(Reach reach) {
    switch (reach) {
        case Reach::Reachable: return findings::FindingKind::Leak_StillReachable;
        case Reach::Possible: return findings::FindingKind::Leak_PossiblyLost;
        case Reach::Indirect: return findings::FindingKind::Leak_IndirectlyLost;
        case Reach::Definite: break;
    }
    return findings::FindingKind::Leak_DefinitelyLost;
}

// The bits in a set of leak kinds: LeakKindBits have the order of Reach.
static_assert(kReachable == 1u << static_cast<unsigned>(Reach::Reachable));
static_assert(kPossible == 1u << static_cast<unsigned>(Reach::Possible));
static_assert(kIndirect == 1u << static_cast<unsigned>(Reach::Indirect));
static_assert(kDefinite == 1u << static_cast<unsigned>(Reach::Definite));
bool in_set(u32 set, Reach reach) { return (set >> static_cast<unsigned>(reach) & 1) != 0; }

static_assert(heuristic_bit(Heuristic::StdString) == kStdString);
static_assert(heuristic_bit(Heuristic::Length64) == kLength64);
static_assert(heuristic_bit(Heuristic::NewArray) == kNewArray);
static_assert(heuristic_bit(Heuristic::MultipleInheritance) == kMultipleInheritance);
static_assert(heuristic_bit(Heuristic::ThreadVector) == kThreadVector);

class Checker {
public:
    void run(u32 thread, const LeakRequest& request, bool at_exit);
    void note_thread_exit(u32 thread) { roots_.note_thread_exit(thread); }
    bool print_block_list(u64 from, u64 to, u64 max_blocks, u32 heuristics);
    void who_points_at(Address target, usize bytes);
    const LeakCounts& counts() const { return now_.counts; }

private:
    bool report(u32 thread, usize index, bool print, bool count);
    void report_all(u32 thread, const LeakRequest& request);
    void print_record(usize index) const;
    void print_found_from(u32 block, u64& remaining);

    ClientMemory memory_;
    LeakRoots roots_;
    // Kept after a search for block lists; valid until a block is freed.
    LeakGraph* graph_ = nullptr;
    u64 frees_ = 0;
    LossRecords records_;
    LeakAmounts now_;
    LeakDelta delta_ = LeakDelta::Any;
};

// If a program carves blocks from a block of its own by client requests, they replace that block: only the
// carved blocks are allocated, and a pointer to the outer block keeps none of them.
void collect_blocks(LeakGraph& graph) {
    rt::Vector<heap::Block> kept;
    heap::for_each_live(
        [](heap::Block& block, void* argument) {
            auto& blocks = *static_cast<rt::Vector<heap::Block>*>(argument);
            Address end = block.payload + (block.size == 0 ? 1 : block.size);
            if (!blocks.empty()) {
                heap::Block& last = blocks.back();
                Address last_end = last.payload + (last.size == 0 ? 1 : last.size);
                if (last_end > block.payload) {
                    if (last_end >= end) {
                        last = block;
                        return;
                    }
                    if (text_output())
                        VG_(umsg)(
                            "Block 0x%lx of size %lu overlaps with block 0x%lx of size %lu; "
                            "the leak check leaves it out\n",
                            block.payload, block.size, last.payload, last.size);
                    return;
                }
            }
            blocks.push_back(block);
        },
        &kept);
    for (const heap::Block& block : kept)
        graph.add_block(block.payload, block.size, static_cast<u32>(block.allocated));
}

// Returns true if a suppression hides the record.
bool Checker::report(u32 thread, usize index, bool print, bool count) {
    const LossRecord& record = records_[index];
    return findings::report_leak(thread,
                                 {.kind = kind_of(record.reach),
                                  .allocated = record.allocated,
                                  .direct_bytes = record.bytes,
                                  .indirect_bytes = record.indirect_bytes,
                                  .blocks = record.blocks,
                                  .number = index + 1,
                                  .total = records_.size(),
                                  .compared = delta_ != LeakDelta::Any,
                                  .old_direct_bytes = record.old_bytes,
                                  .old_indirect_bytes = record.old_indirect_bytes,
                                  .old_blocks = record.old_blocks},
                                 print, count);
}

void Checker::report_all(u32 thread, const LeakRequest& request) {
    findings::begin_leak_search();
    bool full = request.mode == LeakCheck::Full;
    auto shown = [&](const LossRecord& record) {
        return full && in_set(request.show_kinds, record.reach) && record.shows_in(request.delta);
    };
    // The largest records come last, so find the first record to print.
    usize print_from = 0;
    if (full && request.max_records < records_.size()) {
        u64 printed = 0;
        for (usize i = records_.size(); i-- > 0;) {
            if (!shown(records_[i]) || report(thread, i, false, false)) continue;
            if (++printed == request.max_records) {
                print_from = i;
                break;
            }
        }
        findings::begin_leak_search();
    }
    for (usize i = 0; i < records_.size(); ++i) {
        const LossRecord& record = records_[i];
        bool print = i >= print_from && shown(record);
        bool count = full && in_set(request.error_kinds, record.reach) && record.shows_in(request.delta);
        bool suppressed = report(thread, i, print, count);
        LeakAmount& amount = suppressed                        ? now_.counts.suppressed
                             : record.reach == Reach::Definite ? now_.counts.definite
                             : record.reach == Reach::Indirect ? now_.counts.indirect
                             : record.reach == Reach::Possible ? now_.counts.possible
                                                               : now_.counts.reachable;
        amount.bytes += record.bytes;
        amount.blocks += record.blocks;
    }
}

LeakGraph* new_graph(const WordReader& reader, u32 heuristics) {
    void* memory = rt::allocate(sizeof(LeakGraph), "memspy.leak_graph");
    return new (memory) LeakGraph(reader, heuristics);
}

void delete_graph(LeakGraph* graph) {
    if (graph == nullptr) return;
    graph->~LeakGraph();
    rt::release(graph);
}

// The core's callback for registers has no argument.
LeakGraph* graph_for_registers = nullptr;
RootRange searched_in_registers;

void Checker::run(u32 thread, const LeakRequest& request, bool at_exit) {
    if (!instrument::policy().enabled) define_what_was_not_seen();
    LeakAmounts before = now_;
    now_ = LeakAmounts();
    delta_ = request.delta;
    memory_.refresh();
    delete_graph(graph_);
    graph_ = new_graph(memory_.reader(), request.heuristics);
    frees_ = heap::totals().frees;
    collect_blocks(*graph_);
    if (graph_->blocks().empty()) {
        records_.clear();
        if (text_output() && client::is_replaced())
            VG_(umsg)("All heap blocks were freed -- no leaks are possible\n\n");
        return;
    }
    if (VG_(clo_verbosity) > 1 && !VG_(clo_xml))
        VG_(umsg)("Searching for pointers to %'lu not-freed blocks\n", graph_->blocks().size());

    graph_->prepare();
    for (const RootRange& range : roots_.ranges(at_exit ? thread : LeakRoots::kNoThread))
        memory_.for_each_word(range.begin, range.end,
                              [this](const FoundWord& word) { graph_->root(word.value); });
    for (Address stack : roots_.signal_stacks()) graph_->root(stack);
    graph_for_registers = graph_;
    VG_(apply_to_GP_regs)([](ThreadId, const HChar*, UWord value) { graph_for_registers->root(value); });
    graph_->solve();
    memory_.finish();

    if (VG_(clo_verbosity) > 1 && !VG_(clo_xml)) {
        VG_(umsg)("Checked %'llu bytes\n", static_cast<ULong>(memory_.bytes_read()));
        if (memory_.bytes_faulted() > 0)
            VG_(umsg)("Skipped %'llu bytes due to read errors\n",
                      static_cast<ULong>(memory_.bytes_faulted()));
        VG_(umsg)("\n");
    }
    records_.update(*graph_);
    for (const LeakGraph::GraphBlock& block : graph_->blocks()) {
        if (block.heuristic == Heuristic::None) continue;
        LeakAmount& saved = now_.saved_by[static_cast<usize>(block.heuristic)];
        saved.bytes += block.size;
        ++saved.blocks;
    }
    report_all(thread, request);
    if (text_output()) print_summary(request, now_, before);
}

void Checker::print_record(usize index) const {
    defects::print_record(records_[index], index + 1, records_.size(), delta_ != LeakDelta::Any);
}

// Prints, indented, all lost blocks found from `block`, and recursively those found from them.
void Checker::print_found_from(u32 block, u64& remaining) {
    const auto& blocks = graph_->blocks();
    struct PathStep {
        u32 next;  // candidate to look at
        u32 from;
    };
    // Sorted pairs (found from, block) have each block's children in one run.
    rt::Vector<u64> children;
    for (u32 i = 0; i < blocks.size(); ++i)
        if (blocks[i].reach == Reach::Indirect)
            children.push_back(static_cast<u64>(blocks[i].found_from) << 32 | i);
    std::sort(children.begin(), children.end());
    auto first_child = [&children](u32 from) {
        return static_cast<u32>(
            std::lower_bound(children.begin(), children.end(), static_cast<u64>(from) << 32) -
            children.begin());
    };
    rt::Vector<PathStep> path;
    path.push_back({first_child(block), block});
    while (!path.empty() && remaining > 0) {
        PathStep& step = path.back();
        if (step.next == children.size() || children[step.next] >> 32 != step.from) {
            path.pop_back();
            continue;
        }
        u32 child = static_cast<u32>(children[step.next++]);
        for (usize i = 0; i < path.size(); ++i) VG_(umsg)("  ");
        VG_(umsg)("0x%lx[%lu] indirect loss record %lu\n", blocks[child].payload, blocks[child].size,
                  records_.index_of(blocks[child]) + 1);
        --remaining;
        path.push_back({first_child(child), child});
    }
}

bool Checker::print_block_list(u64 from, u64 to, u64 max_blocks, u32 heuristics) {
    if (graph_ == nullptr || graph_->blocks().empty()) {
        VG_(umsg)("Can't print block list : no valid leak search result\n");
        return false;
    }
    if (frees_ != heap::totals().frees) {
        VG_(umsg)("Can't print obsolete block list : redo a leak search first\n");
        return false;
    }
    if (from == 0 || from > records_.size()) return false;
    if (to > records_.size()) to = records_.size();

    const auto& blocks = graph_->blocks();
    rt::Vector<u32> records_of_blocks;
    for (const LeakGraph::GraphBlock& block : blocks)
        records_of_blocks.push_back(static_cast<u32>(records_.index_of(block)));

    u64 remaining = max_blocks;
    for (u64 number = from; number <= to && remaining > 0; ++number) {
        // A single record is always shown; records of a range only if they have a block to show.
        bool headed = from == to;
        if (headed) print_record(number - 1);
        for (u32 i = 0; i < blocks.size() && remaining > 0; ++i) {
            const LeakGraph::GraphBlock& block = blocks[i];
            if (records_of_blocks[i] != number - 1) continue;
            if (heuristics != 0 && (heuristic_bit(block.heuristic) & heuristics) == 0) continue;
            if (!headed) print_record(number - 1);
            headed = true;
            if (block.heuristic != Heuristic::None)
                VG_(umsg)("0x%lx[%lu] (found via heuristic %s)\n", block.payload, block.size,
                          heuristic_name(block.heuristic));
            else
                VG_(umsg)("0x%lx[%lu]\n", block.payload, block.size);
            --remaining;
            if (block.reach == Reach::Definite || block.reach == Reach::Indirect)
                print_found_from(i, remaining);
        }
    }
    return true;
}

void Checker::who_points_at(Address target, usize bytes) {
    if (bytes == 1)
        VG_(umsg)("Searching for pointers to %#lx\n", target);
    else
        VG_(umsg)("Searching for pointers pointing in %lu bytes from %#lx\n", bytes, target);

    memory_.refresh();
    LeakGraph* blocks = new_graph(memory_.reader(), 0);
    collect_blocks(*blocks);
    blocks->prepare();

    auto look = [&](const FoundWord& word) {
        if (word.value - target >= bytes) return;
        if (word.value == target) {
            VG_(umsg)("*%#lx points at %#lx\n", word.address, target);
            print_description(word.address);
            return;
        }
        VG_(umsg)("*%#lx interior points at %lu bytes inside %#lx\n", word.address, word.value - target,
                  target);
        print_description(word.address);
        u32 block = blocks->find(word.value);
        if (block == kNoBlock || blocks->blocks()[block].payload == word.value) return;
        for (unsigned h = 1; h < kHeuristics; ++h) {
            Heuristic heuristic = static_cast<Heuristic>(h);
            if (blocks->match(block, word.value, heuristic_bit(heuristic)) == heuristic)
                VG_(umsg)("block at %#lx considered reachable by ptr %#lx using %s heuristic\n",
                          blocks->blocks()[block].payload, word.value, heuristic_name(heuristic));
        }
    };
    for (const RootRange& range : roots_.ranges(LeakRoots::kNoThread))
        memory_.for_each_word(range.begin, range.end, look);
    for (const LeakGraph::GraphBlock& block : blocks->blocks())
        memory_.for_each_word(block.payload, block.payload + block.size, look);
    memory_.finish();
    delete_graph(blocks);

    searched_in_registers = {target, target + bytes};
    VG_(apply_to_GP_regs)([](ThreadId thread, const HChar* name, UWord value) {
        const RootRange& range = searched_in_registers;
        if (value < range.begin || value >= range.end) return;
        if (value == range.begin)
            VG_(umsg)("tid %u register %s pointing at %#lx\n", thread, name, range.begin);
        else
            VG_(umsg)("tid %u register %s interior pointing %lu bytes inside %#lx\n", thread, name,
                      value - range.begin, range.begin);
    });
}

// Made at first use: the tool has no static constructors.
Checker& checker() {
    static Checker* instance = nullptr;
    if (instance == nullptr) instance = new (rt::allocate(sizeof(Checker), "memspy.leak_check")) Checker();
    return *instance;
}

bool heap_is_seen() { return client::is_replaced() || heap::totals().allocations != 0; }

}  // namespace

LeakRequest leak_request_from_options() {
    LeakRequest request;
    request.show_kinds = options().show_leak_kinds;
    request.error_kinds = options().errors_for_leak_kinds;
    request.heuristics = options().leak_check_heuristics;
    return request;
}

void run_leak_check(u32 thread, const LeakRequest& request) {
    client::lift_guards();
    checker().run(thread, request, false);
}

const LeakCounts& last_leak_counts() { return checker().counts(); }

void print_heap_summary() {
    if (!text_output()) return;
    if (!heap_is_seen()) {
        VG_(umsg)(
            "The program's malloc was not replaced (is it static, and has no symbols?): heap defects cannot "
            "be seen.\n\n");
        return;
    }
    const heap::HeapTotals totals = heap::totals();
    VG_(umsg)(
        "HEAP SUMMARY:\n"
        "    in use at exit: %'llu bytes in %'llu blocks\n"
        "  total heap usage: %'llu allocs, %'llu frees, %'llu bytes allocated\n"
        "   peak heap usage: %'llu bytes in %'llu blocks\n"
        "\n",
        static_cast<ULong>(totals.live_bytes), static_cast<ULong>(totals.live_blocks),
        static_cast<ULong>(totals.allocations), static_cast<ULong>(totals.frees),
        static_cast<ULong>(totals.bytes), static_cast<ULong>(totals.peak_bytes),
        static_cast<ULong>(totals.peak_blocks));
}

void leak_check_at_exit(u32 thread) {
    if (options().leak_check == LeakCheck::No) {
        if (VG_(clo_verbosity) == 1 && !VG_(clo_xml) && heap_is_seen())
            VG_(umsg)("For a detailed leak analysis, rerun with: --leak-check=full\n\n");
        return;
    }
    client::lift_guards();
    LeakRequest request = leak_request_from_options();
    request.mode = options().leak_check;
    checker().run(thread, request, true);
}

void note_thread_exit(u32 thread) { checker().note_thread_exit(thread); }

bool print_block_list(u64 from, u64 to, u64 max_blocks, u32 heuristics) {
    return checker().print_block_list(from, to, max_blocks, heuristics);
}

void print_who_points_at(Address target, usize bytes) { checker().who_points_at(target, bytes); }

}  // namespace memspy::defects
