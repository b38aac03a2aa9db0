// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/zeros/counters.h"

#include <new>

#include "analyses/zeros/rows.h"
#include "rt/global.h"
#include "rt/hash_map.h"
#include "threads/call_tree.h"

namespace memspy::zeros {

using threads::CallPath;
using threads::Thread;

// A row is kept if it has at least one part in this many. Python has 40,000 instructions that load; 4,300 of
// them qualify and do 96 % of the loads.
constexpr u64 kPartsWorthARow = 10'000;

namespace {

u32 depth = 0;
bool complete = true;
CounterUse use;

// The part that counts up is in the lower half, where the map's hash spreads it best.
u64 key_of(u32 number, CallPath path) { return u64{static_cast<u32>(path)} << 32 | number; }

rt::Global<EndedRows> ended;

// --- slots ---

struct SiteSlot {
    SiteNumber number;
    CounterSlot slot;
    u32 counters;
};
rt::Global<rt::Vector<CounterSlot>> slots;  // by site; piece kMostPieces: none yet
rt::Global<rt::Vector<SiteSlot>> taken;
u32 piece_count = 0, piece_used = kPieceBytes;

// --- blocks ---

struct CounterBlock {
    Stretch* stretch;
    CallPath path;
    u64* counters() { return reinterpret_cast<u64*>(this + 1); }
};
static_assert(sizeof(CounterBlock) == 16);

// A deep recursion can have any number of contexts. When this much is used, new ones have no context.
constexpr u64 kMostBlockBytes = u64{512} << 20;
constexpr u32 kChunkBytes = 256 * 1024;  // blocks are allocated from chunks of this size
u64 block_bytes = 0;
u64 late_contexts = 0;
rt::Global<rt::HashMap<Stretch*>> stretches;  // by first instruction, a list
u32 stretch_total = 0;
rt::Global<rt::Vector<ContextCell*>> filled;  // cells filled since another thread ran
rt::Global<rt::HashMap<CallPath>> cuts;       // path -> the path of its last `depth` calls

// --- threads ---

struct ThreadCounters {
    u32 serial;
    u8* pieces[kMostPieces];
    u32 piece_count;
    rt::Vector<CounterBlock*>* blocks;
    rt::Vector<u8*>* chunks;
    u32 left;                              // of the last chunk
    rt::HashMap<CounterBlock*>* block_of;  // by (stretch, path)
};
rt::Global<rt::Vector<ThreadCounters*>> living;
rt::Global<rt::Vector<ThreadCounters*>> spare;
ThreadCounters* running = nullptr;

template <typename T>
T* make(const char* what) {
    T* made = static_cast<T*>(rt::allocate(sizeof(T), what));
    return new (made) T();
}

void give_pieces(ThreadCounters& memory) {
    while (memory.piece_count < piece_count)
        memory.pieces[memory.piece_count++] =
            static_cast<u8*>(rt::map_zeroed(kPieceBytes, "memspy.zero_counters"));
}

ThreadCounters& memory_of(Thread t) {
    for (ThreadCounters* memory : *living)
        if (memory->serial == t.serial) return *memory;
    ThreadCounters* memory = nullptr;
    if (!spare->empty()) {
        memory = spare->back();
        spare->pop_back();
    } else {
        memory = make<ThreadCounters>("memspy.zero_memory");
        memory->piece_count = 0;
        memory->blocks = make<rt::Vector<CounterBlock*>>("memspy.zero_memory");
        memory->chunks = make<rt::Vector<u8*>>("memspy.zero_memory");
        memory->left = 0;
        memory->block_of = make<rt::HashMap<CounterBlock*>>("memspy.zero_memory");
    }
    memory->serial = t.serial;
    give_pieces(*memory);
    living->push_back(memory);
    return *memory;
}

void empty_cells() {
    for (ContextCell* cell : *filled) cell->key = 0;
    filled->resize(0);
}

// Calls f(site, counters) for the sites where the thread loaded something: of a short thread's, these are
// few. The others' counters are only read, so their pages stay unreal.
template <typename F>
void for_each_used(ThreadCounters& memory, F f) {
    for (const SiteSlot& s : *taken) {
        auto* counters = reinterpret_cast<u64*>(memory.pieces[s.slot.piece] + s.slot.offset);
        u64 any = 0;
        for (u32 i = 0; i < s.counters; ++i) any |= counters[i];
        if (any != 0) f(s, counters);
    }
}

void clear(const SiteSlot& s, u64* counters) {
    for (u32 i = 0; i < s.counters; ++i) counters[i] = 0;
}

bool (*is_left_out)(Address instruction) = nullptr;
bool counts(SiteNumber number) { return is_left_out == nullptr || !is_left_out(site(number).instruction); }

// `f`: what happens to a site's counters then.
template <typename Rows, typename F>
void add_to(Rows& rows, ThreadCounters& memory, F f) {
    rows.begin_thread(memory.serial);
    for_each_used(memory, [&](const SiteSlot& s, u64* counters) {
        if (counts(s.number)) rows.add(s.number, CallPath::Root, counters);
        f(s, counters);
    });
    for (CounterBlock* block : *memory.blocks) {
        const u64* counters = block->counters();
        for (SiteNumber number : *block->stretch->sites) {
            if (counts(number)) rows.add(number, block->path, counters);
            counters += counters_of(site(number).type);
        }
    }
    rows.end_thread();
}

// Keeps the memory for another thread. Its sites' counters are clear.
void spare_for_another(ThreadCounters& memory) {
    for (CounterBlock* block : *memory.blocks) block_bytes -= block->stretch->block_bytes;
    for (u8* chunk : *memory.chunks) rt::release(chunk);
    memory.blocks->clear();
    memory.chunks->clear();
    memory.left = 0;
    memory.block_of->clear();
    spare->push_back(&memory);
}

CounterBlock* new_block(ThreadCounters& memory, Stretch& stretch, CallPath path) {
    const u32 bytes = stretch.block_bytes;
    if (memory.left < bytes) {
        memory.left = bytes < kChunkBytes ? kChunkBytes : bytes;
        memory.chunks->push_back(static_cast<u8*>(rt::allocate(memory.left, "memspy.zero_blocks")));
    }
    memory.left -= bytes;
    auto* block = reinterpret_cast<CounterBlock*>(memory.chunks->back() + memory.left);
    __builtin_memset(static_cast<void*>(block), 0, bytes);
    block->stretch = &stretch;
    block->path = path;
    memory.blocks->push_back(block);
    block_bytes += bytes;
    ++use.blocks;
    return block;
}

CallPath cut(CallPath path) {
    if (depth >= kAllCalls) return path;
    if (CallPath* known = cuts->find(static_cast<u32>(path))) return *known;
    Address calls[kAllCalls];
    u32 count = threads::return_addresses(path, calls, depth);
    CallPath result = CallPath::Root;
    while (count > 0) result = threads::child_of(result, calls[--count]);
    return (*cuts)[static_cast<u32>(path)] = result;
}

}  // namespace

void leave_out(bool (*wanted)(Address instruction)) { is_left_out = wanted; }

void set_context_depth(u32 calls) {
    depth = calls;
    if (depth > 0 && cells == nullptr)
        cells = static_cast<ContextCell*>(rt::map_zeroed(kCells * sizeof(ContextCell), "memspy.zero_cells"));
}
u32 context_depth() { return depth; }

void thread_runs(Thread t) {
    if (running != nullptr && running->serial == t.serial) return;
    running = &memory_of(t);
    for (u32 i = 0; i < piece_count; ++i) running_pieces[i] = running->pieces[i];
    empty_cells();
}

void thread_gone(Thread t) {
    for (usize i = 0; i < living->size(); ++i) {
        ThreadCounters* memory = (*living)[i];
        if (memory->serial != t.serial) continue;
        (*living)[i] = living->back();
        living->pop_back();
        add_to(*ended, *memory, clear);
        spare_for_another(*memory);
        if (running == memory) {
            running = nullptr;
            empty_cells();
        }
        return;
    }
}

void forget_all() {
    ended->clear();
    for (ThreadCounters* memory : *living) {
        for_each_used(*memory, clear);
        spare_for_another(*memory);
    }
    living->clear();
    running = nullptr;
    empty_cells();
}

CounterSlot slot_of(SiteNumber number) {
    const usize index = static_cast<u32>(number);
    while (slots->size() <= index) slots->push_back(CounterSlot{});
    CounterSlot& slot = (*slots)[index];
    if (slot.piece != kMostPieces) return slot;
    const u32 counters = counters_of(site(number).type), bytes = counters * u32{sizeof(u64)};
    if (piece_used + bytes > kPieceBytes) {
        if (piece_count == kMostPieces) {
            complete = false;
            return slot;
        }
        ++piece_count;
        piece_used = 0;
        for (ThreadCounters* memory : *living) give_pieces(*memory);
        if (running != nullptr) running_pieces[piece_count - 1] = running->pieces[piece_count - 1];
    }
    slot = CounterSlot{.piece = piece_count - 1, .offset = piece_used};
    piece_used += bytes;
    taken->push_back(SiteSlot{number, slot, counters});
    return slot;
}

Stretch* stretch_of(Address first, const rt::Vector<SiteNumber>& sites) {
    Stretch*& head = (*stretches)[first];
    for (Stretch* s = head; s != nullptr; s = s->next) {
        bool same = s->sites->size() == sites.size();
        for (usize i = 0; same && i < sites.size(); ++i) same = (*s->sites)[i] == sites[i];
        if (same) return s;
    }
    auto* made = make<Stretch>("memspy.zero_stretch");
    made->sites = make<rt::Vector<SiteNumber>>("memspy.zero_stretch");
    made->sites->reserve(sites.size());
    made->block_bytes = sizeof(CounterBlock);
    for (SiteNumber number : sites) {
        made->sites->push_back(number);
        made->block_bytes += counters_of(site(number).type) * u32{sizeof(u64)};
    }
    made->number = ++stretch_total;
    made->next = head;
    head = made;
    return made;
}

void fill_cell(Stretch& stretch, CallPath path) {
    ++use.cell_misses;
    CallPath context = cut(path);
    if (block_bytes >= kMostBlockBytes) {
        context = CallPath::Root;
        ++late_contexts;
    }
    CounterBlock*& block = (*running->block_of)[key_of(stretch.number, context)];
    if (block == nullptr) block = new_block(*running, stretch, context);
    ContextCell& cell = cell_of(stretch, path);
    if (cell.key == 0) filled->push_back(&cell);
    cell.key = stretch.tag() | static_cast<u32>(path);
    cell.block = reinterpret_cast<u8*>(block->counters());
}

void build(CodeReport& report) {
    RowBuilder builder;
    builder.add_ended(*ended);
    usize most = living->size() * taken->size();
    for (const ThreadCounters* memory : *living)
        for (const CounterBlock* block : *memory->blocks) most += block->stretch->sites->size();
    builder.expect(most);
    for (ThreadCounters* memory : *living) add_to(builder, *memory, [](const SiteSlot&, u64*) {});
    builder.give(report, kPartsWorthARow);
    report.complete = complete;
    report.late_contexts = late_contexts;
}

const CounterUse& counter_use() {
    use.bytes_of_blocks = block_bytes;
    use.sites = site_count();
    use.stretches = stretch_total;
    return use;
}

}  // namespace memspy::zeros
