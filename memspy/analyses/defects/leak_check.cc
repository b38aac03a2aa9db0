// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/leak_check.h"

#include <algorithm>
#include <new>

#include "analyses/defects/defects.h"
#include "analyses/defects/leak_graph.h"
#include "analyses/defects/leak_words.h"
#include "findings/findings.h"
#include "heap/heap.h"
#include "instrument/instrument.h"
#include "rt/hash_map.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::defects {

namespace {

constexpr Address kWord = sizeof(u64);

const char* kind_text(Reach reach) {
    switch (reach) {
        case Reach::Reachable: return "still reachable";
        case Reach::Possible: return "possibly lost";
        case Reach::Indirect: return "indirectly lost";
        case Reach::Definite: return "definitely lost";
    }
    return "";
}

findings::Kind kind_of(Reach reach) {
    switch (reach) {
        case Reach::Reachable: return findings::Kind::Leak_StillReachable;
        case Reach::Possible: return findings::Kind::Leak_PossiblyLost;
        case Reach::Indirect: return findings::Kind::Leak_IndirectlyLost;
        case Reach::Definite: break;
    }
    return findings::Kind::Leak_DefinitelyLost;
}

// The bit in a set of leak kinds: LeakKindBits stand in the order of Reach.
static_assert(kReachable == 1u << static_cast<unsigned>(Reach::Reachable));
static_assert(kPossible == 1u << static_cast<unsigned>(Reach::Possible));
static_assert(kIndirect == 1u << static_cast<unsigned>(Reach::Indirect));
static_assert(kDefinite == 1u << static_cast<unsigned>(Reach::Definite));
bool in_set(u32 set, Reach reach) { return (set >> static_cast<unsigned>(reach) & 1) != 0; }

const char* heuristic_name(Heuristic heuristic) {
    switch (heuristic) {
        case Heuristic::StdString: return "stdstring";
        case Heuristic::Length64: return "length64";
        case Heuristic::NewArray: return "newarray";
        case Heuristic::MultipleInheritance: return "multipleinheritance";
        case Heuristic::None: break;
    }
    return "none";
}
static_assert(heuristic_bit(Heuristic::StdString) == kStdString);
static_assert(heuristic_bit(Heuristic::Length64) == kLength64);
static_assert(heuristic_bit(Heuristic::NewArray) == kNewArray);
static_assert(heuristic_bit(Heuristic::MultipleInheritance) == kMultipleInheritance);

ExeContext* or_null(ContextId id) {
    return id == ContextId::None ? VG_(null_ExeContext)() : context_of(id);
}

bool text_output() { return VG_(clo_verbosity) >= 1 && !VG_(clo_xml); }

// " (+n)" or " (-n)" for amounts that are compared with an earlier search, else nothing.
class Difference {
public:
    Difference(u64 now, u64 old, bool compared) {
        text_[0] = '\0';
        if (!compared) return;
        bool less = now < old;
        VG_(snprintf)(text_, sizeof text_, " (%c%'llu)", less ? '-' : '+',
                      static_cast<ULong>(less ? old - now : now - old));
    }
    const char* text() const { return text_; }

private:
    HChar text_[40];
};

// ---- reading client memory --------------------------------------------------------------------------

// The address space manager and the kernel may disagree about what is readable, so a fault while reading
// must not end the run. Everything that is used after the jump is static and volatile: it survives.
VG_MINIMAL_JMP_BUF(fault_return);

void on_fault(Int signal, Addr) {
    // We do not return from the handler, so nobody else takes the signal out of the mask again.
    vki_sigset_t mask;
    VG_(sigprocmask)(VKI_SIG_SETMASK, nullptr, &mask);
    VG_(sigdelset)(&mask, signal);
    VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, nullptr);
    if (signal == VKI_SIGSEGV || signal == VKI_SIGBUS) VG_MINIMAL_LONGJMP(fault_return);
}

// Which pages of large anonymous mappings were never touched, told by the kernel's page map. They are zeros,
// and there can be many gigabytes of them that reading would give page tables at least.
class UntouchedPages {
public:
    // When the page of `at` is untouched, moves `at` behind it (not beyond `stop`) and is true. Else sets
    // `stop` no farther than the page's end. `mapping_end` is where the mapping ends.
    bool skip(Address& at, Address& stop, Address mapping_end) {
        if (at < window_begin_ || at >= window_end_) {
            if (mapping_end - at < kWorthIt || !load(at, mapping_end)) return false;
        }
        Address page_end = VG_PGROUNDUP(at + 1);
        if (page_end < stop) stop = page_end;
        if ((entries_[(at - window_begin_) / VKI_PAGE_SIZE] & kTouched) != 0) return false;
        at = stop;
        return true;
    }

    void close() {
        if (file_ >= 0) VG_(close)(file_);
        file_ = -1;
        unavailable_ = false;
        window_begin_ = window_end_ = 0;
    }

private:
    static constexpr usize kEntries = 512;
    // Smaller mappings are read quicker than asked about.
    static constexpr Address kWorthIt = Address{1} << 20;
    static constexpr u64 kTouched = u64{3} << 62;  // in memory, or swapped out

    bool load(Address at, Address mapping_end) {
        if (unavailable_) return false;
        unavailable_ = true;  // unless all goes well
        if (file_ < 0) {
            SysRes opened = VG_(open)("/proc/self/pagemap", VKI_O_RDONLY, 0);
            if (sr_isError(opened)) return false;
            file_ = static_cast<Int>(sr_Res(opened));
        }
        Address begin = VG_PGROUNDDN(at);
        usize count = (mapping_end - begin) / VKI_PAGE_SIZE;
        if (count > kEntries) count = kEntries;
        Off64T offset = static_cast<Off64T>(begin / VKI_PAGE_SIZE * sizeof(u64));
        Int bytes = static_cast<Int>(count * sizeof(u64));
        if (VG_(lseek)(file_, offset, VKI_SEEK_SET) != offset) return false;
        if (VG_(read)(file_, entries_, bytes) != bytes) return false;
        window_begin_ = begin;
        window_end_ = begin + count * VKI_PAGE_SIZE;
        unavailable_ = false;
        return true;
    }

    Int file_ = -1;
    bool unavailable_ = false;
    Address window_begin_ = 0;
    Address window_end_ = 0;
    u64 entries_[kEntries] = {};
};

class ClientMemory {
public:
    // Forgets what was learnt of shadow memory and mappings; the client has run since.
    void refresh() {
        words_ = DefinedWords();
        readable_begin_ = readable_end_ = 0;
        bytes_read_ = bytes_faulted_ = 0;
    }
    // Call when the client is about to run again.
    void finish() { untouched_.close(); }

    WordReader reader() {
        return {.read = [](void* self, Address& at, Address end, FoundWord* words, usize capacity) {
                    return static_cast<ClientMemory*>(self)->read(at, end, words, capacity);
                },
                .read_word = [](void* self, Address at, u64& value) {
                    return static_cast<ClientMemory*>(self)->read_word(at, value);
                },
                .is_function_table = [](void* self, Address at) {
                    return static_cast<ClientMemory*>(self)->is_function_table(at);
                },
                .argument = this};
    }

    // Calls f(FoundWord) for each usable word.
    template <typename F>
    void for_each_word(Address begin, Address end, F&& f) {
        FoundWord words[kWordsAtOnce];
        while (begin < end) {
            usize count = read(begin, end, words, kWordsAtOnce);
            for (usize i = 0; i < count; ++i) f(words[i]);
        }
    }

    u64 bytes_read() const { return bytes_read_; }
    u64 bytes_faulted() const { return bytes_faulted_; }

private:
    static constexpr usize kWordsAtOnce = 256;
    // A table counts when it shows two functions within its first words, with nothing else but nulls.
    static constexpr usize kTableWords = 20;
    static constexpr unsigned kTableFunctions = 2;

    usize read(Address& at, Address end, FoundWord* words, usize capacity) {
        usize count = 0;
        while (count < capacity) {
            at = words_.next(at, end);
            if (at >= end) break;
            if (!is_readable(at)) {
                at = VG_PGROUNDUP(at + 1);
                if (at > end) at = end;
                continue;
            }
            Address stop = readable_end_ < end ? readable_end_ : end;
            if (anonymous_ && untouched_.skip(at, stop, readable_end_)) continue;
            count += copy(at, stop, words + count, capacity - count);
        }
        return count;
    }

    bool read_word(Address at, u64& value) {
        if (at % kWord != 0 || !DefinedWords::defined(at) || !is_readable(at)) return false;
        FoundWord word;
        if (copy(at, at + kWord, &word, 1) == 0) return false;
        value = word.value;
        return true;
    }

    bool is_function_table(Address at) {
        const NSegment* segment = VG_(am_find_nsegment)(at);
        if (segment == nullptr || segment->kind != SkFileC || !segment->hasR) return false;
        Address stop = at + kTableWords * kWord;
        if (stop > segment->end) stop = segment->end;
        unsigned functions = 0;
        for (; at + kWord <= stop; at += kWord) {
            u64 word = 0;
            if (!read_word(at, word)) return false;
            if (word == 0) continue;
            const NSegment* code = VG_(am_find_nsegment)(word);
            if (code == nullptr || code->kind != SkFileC || !code->hasT) return false;
            if (++functions == kTableFunctions) return true;
        }
        return false;
    }

    // May the client read there? Remembers the mapping that it found.
    bool is_readable(Address at) {
        if (at >= readable_begin_ && at < readable_end_) return true;
        const NSegment* segment = VG_(am_find_nsegment)(at);
        if (segment == nullptr || !segment->hasR) return false;
        if (segment->kind != SkFileC && segment->kind != SkAnonC && segment->kind != SkShmC) return false;
        readable_begin_ = segment->start;
        readable_end_ = segment->end + 1;
        anonymous_ = segment->kind == SkAnonC;
        return true;
    }

    // Copies defined words from `at` on, up to the first one that is not, or until `stop`, or until the
    // array is full; moves `at` to the first one not looked at. After a fault the page is left out.
    [[gnu::noinline]] usize copy(Address& at, Address stop, FoundWord* words, usize capacity) {
        static volatile usize copied;
        static volatile Address reading;
        copied = 0;
        reading = at;
        fault_catcher_t former = VG_(set_fault_catcher)(on_fault);
        if (VG_MINIMAL_SETJMP(fault_return) == 0) {
            Address a = at;
            for (usize i = 0; i < capacity && a + kWord <= stop && DefinedWords::defined(a); a += kWord, ++i) {
                reading = a;
                u64 value = *reinterpret_cast<const volatile u64*>(a);
                words[i] = {a, value};
                copied = i + 1;
            }
            at = a;
        } else {
            Address next_page = VG_PGROUNDUP(reading + 1);
            bytes_faulted_ += next_page - reading;
            at = next_page < stop ? next_page : stop;
        }
        VG_(set_fault_catcher)(former);
        bytes_read_ += copied * kWord;
        return copied;
    }

    DefinedWords words_;
    UntouchedPages untouched_;
    Address readable_begin_ = 0;
    Address readable_end_ = 0;
    bool anonymous_ = false;
    u64 bytes_read_ = 0;
    u64 bytes_faulted_ = 0;
};

// ---- stacks -----------------------------------------------------------------------------------------

struct Range {
    Address begin, end;
};

// The free part of a stack reaches from the stack pointer down to the end of its mapping. That is only
// known to hold nothing else when the mapping below is a guard or the room into which a stack grows: a
// program may have made a stack in the middle of other data. Empty when in doubt. `red_zone` is what the ABI lets
// a function use below the stack pointer; a thread that has ended uses none of it any more.
Range free_part_of_stack(Address stack_pointer, Address highest_byte, usize size, usize red_zone) {
    Range none = {0, 0};
    Address lowest = highest_byte + 1 - size;
    if (stack_pointer < lowest || stack_pointer > highest_byte) return none;  // it runs on some other stack
    const NSegment* segment = VG_(am_find_nsegment)(stack_pointer);
    if (segment == nullptr || segment->isCH) return none;
    Address begin = segment->start;
    const NSegment* below = VG_(am_find_nsegment)(begin - 1);
    if (below == nullptr || below->hasR) return none;
    Address end = stack_pointer - red_zone;
    return end > begin ? Range{begin, end} : none;
}

bool same_object(DiEpoch epoch, Address a, Address b) {
    DebugInfo* object = VG_(find_DebugInfo)(epoch, a);
    return object != nullptr && object == VG_(find_DebugInfo)(epoch, b);
}

// At the end of a run the C library's exit functions stand on the stack of the thread that called exit.
// They keep no pointer to the program's blocks, but slots that they never wrote to show what the program's
// own functions left there, so that a lost block would look reachable. Returns the address above which the
// stack is the program's own, 0 when there is nothing to leave out.
Address end_of_exit_frames(u32 thread) {
    // What exit and its first callee save at once: the program's registers may hold the only pointer.
    constexpr Address kSavedRegisters = 128;
    // main's callers: two functions of the C library and the program's entry.
    constexpr UInt kFramesBelowMain = 3;
    constexpr UInt kDepth = 64;
    Addr ips[kDepth], sps[kDepth], fps[kDepth];
    UInt depth = VG_(get_StackTrace)(thread, ips, kDepth, sps, fps, 0);
    DiEpoch epoch = VG_(current_DiEpoch)();
    // Beyond the program's entry the unwinder may go on into what is no code.
    for (UInt i = 0; i < depth; ++i)
        if (VG_(find_DebugInfo)(epoch, ips[i]) == nullptr) depth = i;

    UInt exit_frame = depth;
    for (UInt i = 0; i < depth; ++i) {
        const HChar* name;
        if (VG_(get_fnname)(epoch, ips[i], &name) && VG_(strcmp)(name, "exit") == 0) exit_frame = i;
    }
    if (exit_frame + 1 >= depth) return 0;
    for (UInt i = 0; i < exit_frame; ++i) {
        // A function of the program that exit called, and that ended the run: it still has its pointers.
        const HChar* object;
        if (same_object(epoch, ips[i], ips[exit_frame])) continue;
        if (VG_(get_objname)(epoch, ips[i], &object) && VG_(strstr)(object, "/vgpreload_") != nullptr) continue;
        return 0;
    }
    bool main_returned = depth - 1 - exit_frame <= kFramesBelowMain &&
                         same_object(epoch, ips[exit_frame], ips[exit_frame + 1]);
    return main_returned ? sps[exit_frame + 1] : sps[exit_frame + 1] - kSavedRegisters;
}

// ---- loss records -----------------------------------------------------------------------------------

struct LossRecord {
    Reach reach;
    ContextId allocated;
    u64 bytes = 0, indirect_bytes = 0, blocks = 0;
    u64 old_bytes = 0, old_indirect_bytes = 0, old_blocks = 0;  // in the search before

    u64 total() const { return bytes + indirect_bytes; }
};

// Largest last, so that they stand at the end of a long output. The rest makes the order definite.
bool prints_before(const LossRecord& a, const LossRecord& b) {
    if (a.total() != b.total()) return a.total() < b.total();
    if (a.reach != b.reach) return a.reach < b.reach;
    if (a.blocks != b.blocks) return a.blocks < b.blocks;
    return a.allocated < b.allocated;
}

struct Amounts {
    LeakCounts counts;
    LeakAmount saved_by[kHeuristics];
};

class Checker {
public:
    void run(u32 thread, const LeakRequest& request, bool at_exit);
    void note_thread_exit(u32 thread);
    bool print_block_list(u64 from, u64 to, u64 max_blocks, u32 heuristics);
    void who_points_at(Address target, usize bytes);
    const LeakCounts& counts() const { return now_.counts; }

private:
    void collect_blocks(LeakGraph& graph);
    void find_free_stacks(u32 exiting_thread);
    template <typename F>
    void for_each_root_range(F&& f);
    ContextId representative(ContextId context);
    void make_records();
    bool shows_by_delta(const LossRecord& record, LeakDelta delta) const;
    bool report(u32 thread, usize index, bool print, bool count);
    void report_all(u32 thread, const LeakRequest& request);
    void print_summary(const LeakRequest& request, const Amounts& before) const;
    void print_amount(const char* what, const LeakAmount& now, const LeakAmount& old, LeakDelta delta) const;
    void print_record(usize index) const;
    usize record_of(const LeakGraph::Block& block);
    void print_found_from(u32 block, u64& remaining);

    ClientMemory memory_;
    // Kept after a search for block lists; valid while nothing was freed.
    LeakGraph* graph_ = nullptr;
    u64 frees_ = 0;
    rt::Vector<LossRecord> records_;
    rt::HashMap<u32> record_index_;  // (context, kind) -> index in records_
    // Contexts that the resolution does not tell apart share the first of them.
    rt::HashMap<ContextId> representative_;
    rt::Vector<ContextId> representatives_;
    Amounts now_;
    LeakDelta delta_ = LeakDelta::Any;

    rt::Vector<Range> ended_;       // free parts of ended threads' stacks
    rt::Vector<Range> free_stack_;  // ascending; for one search
};

u64 record_key(Reach reach, ContextId context) {
    return static_cast<u64>(context) << 2 | static_cast<u64>(reach);
}

// Blocks that a program carves from a block of its own by client requests replace that block: what is
// allocated are the carved ones, and a pointer to the outer block keeps none of them.
void Checker::collect_blocks(LeakGraph& graph) {
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
                        VG_(umsg)("Block 0x%lx of size %lu overlaps with block 0x%lx of size %lu; "
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

void Checker::note_thread_exit(u32 thread) {
    Range range = free_part_of_stack(VG_(get_SP)(thread), VG_(thread_get_stack_max)(thread),
                                     VG_(thread_get_stack_size)(thread), 0);
    if (range.begin == range.end) return;
    for (Range& other : ended_) {
        if (other.begin != range.begin) continue;
        other = range;
        return;
    }
    ended_.push_back(range);
}

void Checker::find_free_stacks(u32 exiting_thread) {
    free_stack_.clear();
    ThreadId thread;
    Addr low, high;
    VG_(thread_stack_reset_iter)(&thread);
    while (VG_(thread_stack_next)(&thread, &low, &high)) {
        if (thread == exiting_thread) continue;
        Range range = free_part_of_stack(low, high, VG_(thread_get_stack_size)(thread), VG_STACK_REDZONE_SZB);
        if (range.begin != range.end) free_stack_.push_back(range);
        // A running thread has the stack of an ended one, or part of it.
        for (usize i = 0; i < ended_.size();) {
            if (low >= ended_[i].begin && low < ended_[i].end) {
                ended_[i] = ended_.back();
                ended_.pop_back();
            } else {
                ++i;
            }
        }
    }
    if (exiting_thread != VG_INVALID_THREADID) {
        // The core does not count it among the threads any more, but has its registers.
        Address stack_pointer = VG_(get_SP)(exiting_thread);
        Range range = free_part_of_stack(stack_pointer, stack_pointer, 1, 0);
        if (range.begin != range.end) {
            Address own = end_of_exit_frames(exiting_thread);
            const NSegment* segment = VG_(am_find_nsegment)(stack_pointer);
            if (own > range.end && own <= segment->end) range.end = own;
            free_stack_.push_back(range);
        }
    }
    for (const Range& range : ended_) {
        // Still the mapping that it was? A stack has a guard below it, other mappings hardly ever.
        const NSegment* segment = VG_(am_find_nsegment)(range.begin);
        if (segment == nullptr || segment->start != range.begin || segment->end + 1 < range.end) continue;
        const NSegment* below = VG_(am_find_nsegment)(range.begin - 1);
        if (below == nullptr || below->hasR) continue;
        free_stack_.push_back(range);
    }
    std::sort(free_stack_.begin(), free_stack_.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
}

template <typename F>
void Checker::for_each_root_range(F&& f) {
    Int count = 0;
    Addr* starts = VG_(get_segment_starts)(SkFileC | SkAnonC | SkShmC, &count);
    for (Int i = 0; i < count; ++i) {
        const NSegment* segment = VG_(am_find_nsegment)(starts[i]);
        if (segment == nullptr || !segment->hasR || !segment->hasW || segment->isCH) continue;
        if (heap::is_heap_memory(segment->start)) continue;
        if (segment->kind == SkFileC && (VKI_S_ISCHR(segment->mode) || VKI_S_ISBLK(segment->mode))) {
            // Reading a device may hang or do something. Only the device of zeros is plain memory.
            const HChar* name = VG_(am_get_filename)(segment);
            if (name == nullptr || VG_(strcmp)(name, "/dev/zero") != 0) continue;
        }
        // The table of segments may move while f works, so take what is needed now.
        Address at = segment->start;
        Address end = segment->end + 1;
        for (const Range& hole : free_stack_) {
            if (hole.end <= at || hole.begin >= end) continue;
            if (hole.begin > at) f(at, hole.begin);
            at = hole.end;
        }
        if (at < end) f(at, end);
    }
    VG_(free)(starts);
}

ContextId Checker::representative(ContextId context) {
    if (options().leak_resolution == LeakResolution::High) return context;  // the core keeps each once
    u64 key = static_cast<u64>(context);
    if (const ContextId* known = representative_.find(key)) return *known;
    VgRes resolution = options().leak_resolution == LeakResolution::Low ? Vg_LowRes : Vg_MedRes;
    ContextId result = context;
    for (ContextId other : representatives_) {
        if (context == ContextId::None || other == ContextId::None) continue;
        if (!VG_(eq_ExeContext)(resolution, context_of(context), context_of(other))) continue;
        result = other;
        break;
    }
    if (result == context) representatives_.push_back(context);
    representative_[key] = result;
    return result;
}

void Checker::make_records() {
    // Records of the search before stay, even when nothing is left of them: that is a change, too.
    usize kept = 0;
    record_index_.clear();
    for (const LossRecord& old : records_) {
        if (old.blocks == 0) continue;
        record_index_[record_key(old.reach, old.allocated)] = static_cast<u32>(kept);
        LossRecord record = {.reach = old.reach,
                             .allocated = old.allocated,
                             .bytes = 0,
                             .indirect_bytes = 0,
                             .blocks = 0,
                             .old_bytes = old.bytes,
                             .old_indirect_bytes = old.indirect_bytes,
                             .old_blocks = old.blocks};
        records_[kept++] = record;
    }
    records_.resize(kept);

    for (const LeakGraph::Block& block : graph_->blocks()) {
        ContextId context = representative(static_cast<ContextId>(block.tag));
        u64 key = record_key(block.reach, context);
        u32* index = record_index_.find(key);
        if (index == nullptr) {
            records_.push_back({.reach = block.reach, .allocated = context});
            index = &record_index_[key];
            *index = static_cast<u32>(records_.size() - 1);
        }
        LossRecord& record = records_[*index];
        record.bytes += block.size;
        record.indirect_bytes += block.indirect_bytes;
        ++record.blocks;
        if (block.heuristic != Heuristic::None) {
            LeakAmount& saved = now_.saved_by[static_cast<usize>(block.heuristic)];
            saved.bytes += block.size;
            ++saved.blocks;
        }
    }
    std::sort(records_.begin(), records_.end(), prints_before);
    for (usize i = 0; i < records_.size(); ++i)
        record_index_[record_key(records_[i].reach, records_[i].allocated)] = static_cast<u32>(i);
}

bool Checker::shows_by_delta(const LossRecord& record, LeakDelta delta) const {
    switch (delta) {
        case LeakDelta::Any: return record.blocks > 0;
        case LeakDelta::Increased:
            return record.bytes > record.old_bytes || record.indirect_bytes > record.old_indirect_bytes ||
                   record.blocks > record.old_blocks;
        case LeakDelta::Changed:
            return record.bytes != record.old_bytes || record.indirect_bytes != record.old_indirect_bytes ||
                   record.blocks != record.old_blocks;
        case LeakDelta::New: return record.blocks > 0 && record.old_blocks == 0;
    }
    return false;
}

// True when a suppression hides the record.
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
        return full && in_set(request.show_kinds, record.reach) && shows_by_delta(record, request.delta);
    };
    // The largest records come last: find where to begin so that no more than wanted are printed.
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
        bool count =
            full && in_set(request.error_kinds, record.reach) && shows_by_delta(record, request.delta);
        bool suppressed = report(thread, i, print, count);
        LeakAmount& amount = suppressed                           ? now_.counts.suppressed
                             : record.reach == Reach::Definite  ? now_.counts.definite
                             : record.reach == Reach::Indirect  ? now_.counts.indirect
                             : record.reach == Reach::Possible  ? now_.counts.possible
                                                                : now_.counts.reachable;
        amount.bytes += record.bytes;
        amount.blocks += record.blocks;
    }
}

void Checker::print_amount(const char* what, const LeakAmount& now, const LeakAmount& old,
                           LeakDelta delta) const {
    bool compared = delta != LeakDelta::Any;
    VG_(umsg)("%s: %'llu%s bytes in %'llu%s blocks\n", what, static_cast<ULong>(now.bytes),
              Difference(now.bytes, old.bytes, compared).text(), static_cast<ULong>(now.blocks),
              Difference(now.blocks, old.blocks, compared).text());
}

void Checker::print_summary(const LeakRequest& request, const Amounts& before) const {
    const LeakCounts& counts = now_.counts;
    const LeakCounts& old = before.counts;
    VG_(umsg)("LEAK SUMMARY:\n");
    print_amount("   definitely lost", counts.definite, old.definite, request.delta);
    print_amount("   indirectly lost", counts.indirect, old.indirect, request.delta);
    print_amount("     possibly lost", counts.possible, old.possible, request.delta);
    print_amount("   still reachable", counts.reachable, old.reachable, request.delta);
    bool headed = false;
    for (unsigned h = 1; h < kHeuristics; ++h) {
        if (now_.saved_by[h].blocks == 0 && before.saved_by[h].blocks == 0) continue;
        if (!headed) VG_(umsg)("                      of which reachable via heuristic:\n");
        headed = true;
        HChar what[64];
        VG_(snprintf)(what, sizeof what, "                        %-19s",
                      heuristic_name(static_cast<Heuristic>(h)));
        print_amount(what, now_.saved_by[h], before.saved_by[h], request.delta);
    }
    print_amount("        suppressed", counts.suppressed, old.suppressed, request.delta);

    bool full = request.mode == LeakCheck::Full;
    u64 blocks =
        counts.definite.blocks + counts.indirect.blocks + counts.possible.blocks + counts.reachable.blocks;
    if (!full && blocks > 0) {
        if (request.from_monitor)
            VG_(umsg)("To see details of leaked memory, give 'full' arg to leak_check\n");
        else
            VG_(umsg)("Rerun with --leak-check=full to see details of leaked memory\n");
    }
    if (full && counts.reachable.blocks > 0 && !in_set(request.show_kinds, Reach::Reachable)) {
        VG_(umsg)("Reachable blocks (those to which a pointer was found) are not shown.\n");
        if (request.from_monitor)
            VG_(umsg)("To see them, add 'reachable any' args to leak_check\n");
        else
            VG_(umsg)("To see them, rerun with: --leak-check=full --show-leak-kinds=all\n");
    }
    VG_(umsg)("\n");
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

// The core calls back without an argument for registers.
LeakGraph* graph_for_registers = nullptr;
Range searched_in_registers;

void Checker::run(u32 thread, const LeakRequest& request, bool at_exit) {
    if (!instrument::policy().enabled) define_what_was_not_seen();
    Amounts before = now_;
    now_ = Amounts();
    delta_ = request.delta;
    memory_.refresh();
    delete_graph(graph_);
    graph_ = new_graph(memory_.reader(), request.heuristics);
    frees_ = heap::totals().frees;
    collect_blocks(*graph_);
    if (graph_->blocks().empty()) {
        records_.clear();
        record_index_.clear();
        if (text_output()) VG_(umsg)("All heap blocks were freed -- no leaks are possible\n\n");
        return;
    }
    if (VG_(clo_verbosity) > 1 && !VG_(clo_xml))
        VG_(umsg)("Searching for pointers to %'lu not-freed blocks\n", graph_->blocks().size());

    graph_->prepare();
    find_free_stacks(at_exit ? thread : VG_INVALID_THREADID);
    for_each_root_range([this](Address begin, Address end) {
        memory_.for_each_word(begin, end, [this](const FoundWord& word) { graph_->root(word.value); });
    });
    graph_for_registers = graph_;
    VG_(apply_to_GP_regs)([](ThreadId, const HChar*, UWord value) { graph_for_registers->root(value); });
    graph_->solve();
    memory_.finish();

    if (VG_(clo_verbosity) > 1 && !VG_(clo_xml)) {
        VG_(umsg)("Checked %'llu bytes\n", static_cast<ULong>(memory_.bytes_read()));
        if (memory_.bytes_faulted() > 0)
            VG_(umsg)("Skipped %'llu bytes due to read errors\n", static_cast<ULong>(memory_.bytes_faulted()));
        VG_(umsg)("\n");
    }
    make_records();
    report_all(thread, request);
    if (text_output()) print_summary(request, before);
}

// ---- block lists and pointers to an address ---------------------------------------------------------

void Checker::print_record(usize index) const {
    const LossRecord& record = records_[index];
    bool compared = delta_ != LeakDelta::Any;
    ULong number = index + 1, total = records_.size();
    u64 old_total = record.old_bytes + record.old_indirect_bytes;
    if (record.indirect_bytes > 0)
        VG_(umsg)("%'llu%s (%'llu%s direct, %'llu%s indirect) bytes in %'llu%s blocks are %s in loss record "
                  "%'llu of %'llu\n",
                  static_cast<ULong>(record.total()), Difference(record.total(), old_total, compared).text(),
                  static_cast<ULong>(record.bytes), Difference(record.bytes, record.old_bytes, compared).text(),
                  static_cast<ULong>(record.indirect_bytes),
                  Difference(record.indirect_bytes, record.old_indirect_bytes, compared).text(),
                  static_cast<ULong>(record.blocks),
                  Difference(record.blocks, record.old_blocks, compared).text(), kind_text(record.reach), number,
                  total);
    else
        VG_(umsg)("%'llu%s bytes in %'llu%s blocks are %s in loss record %'llu of %'llu\n",
                  static_cast<ULong>(record.bytes), Difference(record.bytes, record.old_bytes, compared).text(),
                  static_cast<ULong>(record.blocks),
                  Difference(record.blocks, record.old_blocks, compared).text(), kind_text(record.reach), number,
                  total);
    if (record.allocated != ContextId::None) VG_(pp_ExeContext)(context_of(record.allocated));
}

usize Checker::record_of(const LeakGraph::Block& block) {
    const u32* index =
        record_index_.find(record_key(block.reach, representative(static_cast<ContextId>(block.tag))));
    CHECK(index != nullptr);
    return *index;
}

// Prints, indented, all lost blocks that were found from `block`, and what was found from those.
void Checker::print_found_from(u32 block, u64& remaining) {
    const auto& blocks = graph_->blocks();
    struct Step {
        u32 next;  // candidate to look at
        u32 from;
    };
    // Pairs (found from, block) in order give each block's children as a run.
    rt::Vector<u64> children;
    for (u32 i = 0; i < blocks.size(); ++i)
        if (blocks[i].reach == Reach::Indirect) children.push_back(static_cast<u64>(blocks[i].found_from) << 32 | i);
    std::sort(children.begin(), children.end());
    auto first_child = [&children](u32 from) {
        return static_cast<u32>(std::lower_bound(children.begin(), children.end(), static_cast<u64>(from) << 32) -
                                children.begin());
    };
    rt::Vector<Step> path;
    path.push_back({first_child(block), block});
    while (!path.empty() && remaining > 0) {
        Step& step = path.back();
        if (step.next == children.size() || children[step.next] >> 32 != step.from) {
            path.pop_back();
            continue;
        }
        u32 child = static_cast<u32>(children[step.next++]);
        for (usize i = 0; i < path.size(); ++i) VG_(umsg)("  ");
        VG_(umsg)("0x%lx[%lu] indirect loss record %lu\n", blocks[child].payload, blocks[child].size,
                  record_of(blocks[child]) + 1);
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
    for (const LeakGraph::Block& block : blocks) records_of_blocks.push_back(static_cast<u32>(record_of(block)));

    u64 remaining = max_blocks;
    for (u64 number = from; number <= to && remaining > 0; ++number) {
        // A single record is shown in any case, those of a range only when they have a block to show.
        bool headed = from == to;
        if (headed) print_record(number - 1);
        for (u32 i = 0; i < blocks.size() && remaining > 0; ++i) {
            const LeakGraph::Block& block = blocks[i];
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
            if (block.reach == Reach::Definite || block.reach == Reach::Indirect) print_found_from(i, remaining);
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
    find_free_stacks(VG_INVALID_THREADID);

    auto look = [&](const FoundWord& word) {
        if (word.value - target >= bytes) return;
        if (word.value == target) {
            VG_(umsg)("*%#lx points at %#lx\n", word.address, target);
            print_description(word.address);
            return;
        }
        VG_(umsg)("*%#lx interior points at %lu bytes inside %#lx\n", word.address, word.value - target, target);
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
    for_each_root_range([&](Address begin, Address end) { memory_.for_each_word(begin, end, look); });
    for (const LeakGraph::Block& block : blocks->blocks())
        memory_.for_each_word(block.payload, block.payload + block.size, look);
    memory_.finish();
    delete_graph(blocks);

    searched_in_registers = {target, target + bytes};
    VG_(apply_to_GP_regs)([](ThreadId thread, const HChar* name, UWord value) {
        const Range& range = searched_in_registers;
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
    if (instance == nullptr)
        instance = new (rt::allocate(sizeof(Checker), "memspy.leak_check")) Checker();
    return *instance;
}

}  // namespace

LeakRequest leak_request_from_options() {
    LeakRequest request;
    request.show_kinds = options().show_leak_kinds;
    request.error_kinds = options().errors_for_leak_kinds;
    request.heuristics = options().leak_check_heuristics;
    return request;
}

void run_leak_check(u32 thread, const LeakRequest& request) { checker().run(thread, request, false); }

const LeakCounts& last_leak_counts() { return checker().counts(); }

void print_heap_summary() {
    if (!text_output()) return;
    heap::Totals totals = heap::totals();
    VG_(umsg)("HEAP SUMMARY:\n"
              "    in use at exit: %'llu bytes in %'llu blocks\n"
              "  total heap usage: %'llu allocs, %'llu frees, %'llu bytes allocated\n"
              "\n",
              static_cast<ULong>(totals.live_bytes), static_cast<ULong>(totals.live_blocks),
              static_cast<ULong>(totals.allocations), static_cast<ULong>(totals.frees),
              static_cast<ULong>(totals.bytes));
}

void leak_check_at_exit(u32 thread) {
    if (options().leak_check == LeakCheck::No) {
        if (VG_(clo_verbosity) == 1 && !VG_(clo_xml))
            VG_(umsg)("For a detailed leak analysis, rerun with: --leak-check=full\n\n");
        return;
    }
    LeakRequest request = leak_request_from_options();
    request.mode = options().leak_check;
    checker().run(thread, request, true);
}

void note_thread_exit(u32 thread) { checker().note_thread_exit(thread); }

bool print_block_list(u64 from, u64 to, u64 max_blocks, u32 heuristics) {
    return checker().print_block_list(from, to, max_blocks, heuristics);
}

void print_who_points_at(Address target, usize bytes) { checker().who_points_at(target, bytes); }

void print_description(Address address) {
    AddrInfo info;
    info.tag = Addr_Undescribed;
    const heap::Block* block = heap::find_near(address);
    if (block == nullptr) {
        VG_(describe_addr)(VG_(current_DiEpoch)(), address, &info);
    } else {
        bool freed = block->state == heap::BlockState::Freed;
        info.tag = Addr_Block;
        auto& described = info.Addr.Block;
        described.block_kind = freed ? Block_Freed : Block_Mallocd;
        described.block_desc = "block";
        described.block_szB = block->size;
        described.rwoffset = static_cast<PtrdiffT>(address - block->payload);
        described.allocated_at = or_null(block->allocated);
        described.freed_at = or_null(freed ? block->freed : ContextId::None);
        VG_(initThreadInfo)(&described.alloc_tinfo);
    }
    VG_(pp_addrinfo_mc)(address, &info, False);
    VG_(clear_addrinfo)(&info);
}

}  // namespace memspy::defects
