// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/defects/client_memory.h"

#include "vg/vg.h"

namespace memspy::defects {

namespace {

constexpr Address kWord = sizeof(u64);
// For smaller mappings reading is faster than asking.
constexpr Address kWorthAsking = Address{1} << 20;
constexpr u64 kTouched = u64{3} << 62;  // bits of an entry of the page map: resident or swapped out
// A table counts if its first words have two functions and otherwise only nulls.
constexpr usize kTableWords = 20;
constexpr unsigned kTableFunctions = 2;

// The address space manager and the kernel may disagree about what is readable, so a fault while reading must
// not end the run. All variables used after the jump are static and volatile, so they survive it.
VG_MINIMAL_JMP_BUF(fault_return);

void on_fault(Int signal, Addr) {
    // The handler does not return, so the signal mask must be restored here.
    vki_sigset_t mask;
    VG_(sigprocmask)(VKI_SIG_SETMASK, nullptr, &mask);
    VG_(sigdelset)(&mask, signal);
    VG_(sigprocmask)(VKI_SIG_SETMASK, &mask, nullptr);
    if (signal == VKI_SIGSEGV || signal == VKI_SIGBUS) VG_MINIMAL_LONGJMP(fault_return);
}

}  // namespace

bool UntouchedPages::skip(Address& at, Address& stop, Address mapping_end) {
    if (at < window_begin_ || at >= window_end_) {
        if (mapping_end - at < kWorthAsking || !load(at, mapping_end)) return false;
    }
    Address page_end = VG_PGROUNDUP(at + 1);
    if (page_end < stop) stop = page_end;
    if ((entries_[(at - window_begin_) / VKI_PAGE_SIZE] & kTouched) != 0) return false;
    at = stop;
    return true;
}

void UntouchedPages::close() {
    if (file_ >= 0) VG_(close)(file_);
    file_ = -1;
    unavailable_ = false;
    window_begin_ = window_end_ = 0;
}

bool UntouchedPages::load(Address at, Address mapping_end) {
    if (unavailable_) return false;
    unavailable_ = true;  // unless the rest succeeds
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

void ClientMemory::refresh() {
    words_ = DefinedWords();
    readable_begin_ = readable_end_ = 0;
    bytes_read_ = bytes_faulted_ = 0;
}

WordReader ClientMemory::reader() {
    return {
        .read =
            [](void* self, Address& at, Address end, FoundWord* words, usize capacity) {
                return static_cast<ClientMemory*>(self)->read(at, end, words, capacity);
            },
        .read_word = [](void* self, Address at,
                        u64& value) { return static_cast<ClientMemory*>(self)->read_word(at, value); },
        .is_function_table =
            [](void* self, Address at) { return static_cast<ClientMemory*>(self)->is_function_table(at); },
        .argument = this};
}

usize ClientMemory::read(Address& at, Address end, FoundWord* words, usize capacity) {
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

bool ClientMemory::read_word(Address at, u64& value) {
    if (at % kWord != 0 || !DefinedWords::defined(at) || !is_readable(at)) return false;
    FoundWord word;
    if (copy(at, at + kWord, &word, 1) == 0) return false;
    value = word.value;
    return true;
}

bool ClientMemory::is_function_table(Address at) {
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

// Whether the client may read there.
bool ClientMemory::is_readable(Address at) {
    if (at >= readable_begin_ && at < readable_end_) return true;
    const NSegment* segment = VG_(am_find_nsegment)(at);
    if (segment == nullptr || !segment->hasR) return false;
    if (segment->kind != SkFileC && segment->kind != SkAnonC && segment->kind != SkShmC) return false;
    readable_begin_ = segment->start;
    readable_end_ = segment->end + 1;
    anonymous_ = segment->kind == SkAnonC;
    return true;
}

// Copies defined words from `at` on, up to the first undefined one, to `stop`, or until the array is full;
// moves `at` to the first word not examined. After a fault skips the page.
[[gnu::noinline]] usize ClientMemory::copy(Address& at, Address stop, FoundWord* words, usize capacity) {
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

}  // namespace memspy::defects
