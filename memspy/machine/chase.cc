// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/chase.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>
#include <random>
#include <vector>

#include "machine/repetition.h"

namespace memspy::machine {
namespace {

constexpr u64 kLargePage = u64{2} << 20;
// A sample is long enough to make the clock's cost negligible, and short enough to be rarely interrupted:
// some 10 us.
constexpr u64 kLeastLoads = 1500;
// So many loads take so long that few repetitions must do, and that other programs on the processor interrupt
// most of them: only the thread's own time counts.
constexpr u64 kManyLoads = 20000, kVeryManyLoads = u64{1} << 18;

// Eight at a time: the loop itself then takes less than a tenth of a cycle per load.
void* follow(void* at, u64 loads) {
    void* volatile* next = static_cast<void* volatile*>(at);
    for (u64 i = 0; i < loads; i += 8) {
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
        next = static_cast<void* volatile*>(*next);
    }
    return const_cast<void*>(static_cast<void volatile*>(next));
}

// The same with a load at the same place in the page at `beside` before each, on which the load's address
// depends. All words there are 0.
void* follow_beside(void* at, u64 loads, const char* beside, u64 page) {
    for (u64 i = 0; i < loads; ++i) {
        const auto place = reinterpret_cast<std::uintptr_t>(at) & (page - 1);
        const std::uintptr_t zero = *reinterpret_cast<const volatile std::uintptr_t*>(beside + place);
        at = *reinterpret_cast<void* volatile*>(static_cast<char*>(at) + zero);
    }
    return at;
}

}  // namespace

Mapping::Mapping(u64 size, bool large, const Deadline* until) : mapped_size_(size + kLargePage), size_(size) {
    mapped_ = mmap(nullptr, mapped_size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (mapped_ == MAP_FAILED) throw std::bad_alloc();
    const auto address = (reinterpret_cast<std::uintptr_t>(mapped_) + kLargePage - 1) & ~(kLargePage - 1);
    begin_ = reinterpret_cast<char*>(address);
    madvise(begin_, size, large ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (u64 at = 0; at < size && is_touched_; at += 4096) {
        begin_[at] = 1;
        if (at % kLargePage == 0 && until != nullptr) is_touched_ = !until->passed();
    }
}

Mapping::~Mapping() { munmap(mapped_, mapped_size_); }

void* link_all_lines(char* begin, u64 size, const Deadline* until) {
    constexpr std::size_t kAtOnce = 1 << 16;
    std::vector<std::uint32_t> lines(size / 64);
    std::iota(lines.begin(), lines.end(), 0);
    std::shuffle(lines.begin(), lines.end(), std::mt19937_64(7));
    const auto place = [&](std::size_t i) { return begin + u64{lines[i]} * 64; };
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i % kAtOnce == 0 && until != nullptr && until->passed()) return nullptr;
        *reinterpret_cast<void**>(place(i)) = place(i + 1 == lines.size() ? 0 : i + 1);
    }
    return place(0);
}

Chase::Chase(u64 size, const Deadline& deadline)
    : deadline_(deadline),
      large_(size, true),
      ordinary_(size, false),
      page_(static_cast<u64>(sysconf(_SC_PAGESIZE))) {}

void Chase::prepare(std::span<const u64> offsets, PageKind memory, std::optional<u64> beside) {
    char* const begin = (memory == PageKind::Large ? large_ : ordinary_).begin();
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        char* const next = begin + offsets[i + 1 == offsets.size() ? 0 : i + 1];
        *reinterpret_cast<void**>(begin + offsets[i]) = next;
    }
    beside_ = nullptr;
    if (beside) {
        std::fill_n(begin + *beside * page_, page_, 0);
        beside_ = begin + *beside * page_;
    }
    at_ = begin + offsets[0];
    const u64 rounds = offsets.size() < kVeryManyLoads ? 3 : 1;
    go(std::max<u64>(rounds * offsets.size(), 300));
}

void Chase::go(u64 loads) {
    at_ = beside_ != nullptr ? follow_beside(at_, loads, beside_, page_) : follow(at_, loads);
}

// follow() takes eight loads at a time.
u64 Chase::loads_for(std::span<const u64> offsets) {
    return (std::max<u64>(offsets.size(), kLeastLoads) + 7) / 8 * 8;
}

std::optional<double> Chase::ns(std::span<const u64> offsets, PageKind memory, double agree,
                                std::optional<u64> beside) {
    if (deadline_.passed()) return std::nullopt;
    prepare(offsets, memory, beside);
    const u64 loads = loads_for(offsets);
    Repetition how;
    how.agree = agree;
    if (agree > 0.1) how.least = 3;
    if (loads > kManyLoads) {
        how.least = loads < kVeryManyLoads ? 2 : 1;
        how.most = loads < kVeryManyLoads ? 8 : 3;
    }
    const auto now = loads > kManyLoads ? thread_ns : now_ns;
    return repeat(
        [&] {
            const double start = now();
            go(loads);
            return (now() - start) / static_cast<double>(loads);
        },
        deadline_, how);
}

std::optional<double> CountedChase::ns(std::span<const u64> offsets, PageKind memory, double agree,
                                       std::optional<u64> beside) {
    if (deadline_.passed()) return std::nullopt;
    prepare(offsets, memory, beside);
    const u64 loads = loads_for(offsets);
    Repetition how;
    how.agree = agree;
    how.least = 2;
    return repeat(
        [&] {
            const u64 before = counter_.misses();
            go(loads);
            const double share = static_cast<double>(counter_.misses() - before) / static_cast<double>(loads);
            return kHit + (kMiss - kHit) * std::min(share, 1.0);
        },
        deadline_, how);
}

}  // namespace memspy::machine
