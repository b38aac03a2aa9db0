// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/rates.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "machine/bandwidth.h"
#include "machine/chase.h"
#include "machine/peak.h"
#include "machine/processors.h"
#include "machine/repetition.h"

namespace memspy::machine {
namespace {

const std::string kUnsteady = "repetitions did not agree, or no time was left";

Figure<double> figure_of(std::optional<double> value, const std::string& how) {
    return value ? Figure<double>::measured(*value, how) : Figure<double>::not_found(kUnsteady);
}

u64 faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<u64>(usage.ru_minflt);
}

// Fresh memory is touched byte by byte in steps of 512: the system counts one fault for each page.
void measure_pages(Rates& rates, u64 page_size, const Deadline& deadline) {
    constexpr u64 kSize = u64{4} << 20;
    std::optional<u64> seen;
    bool agree = true;
    const auto touch = [&] {
        void* const mapped = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mapped == MAP_FAILED) return 1e300;
        madvise(mapped, kSize, MADV_NOHUGEPAGE);
        const u64 before = faults();
        const double start = now_ns();
        for (u64 at = 0; at < kSize; at += 512) static_cast<volatile char*>(mapped)[at] = 1;
        const double time = now_ns() - start;
        const u64 count = faults() - before;
        munmap(mapped, kSize);
        const u64 page = count == 0 ? 0 : kSize / count;
        if (page == 0 || (seen && *seen != page)) agree = false;
        seen = page;
        return time / static_cast<double>(kSize / page_size);
    };
    Repetition how;
    how.agree = 0.1;
    how.most = 15;
    const auto time = repeat(touch, deadline, how);
    if (seen && agree && (*seen & (*seen - 1)) == 0)
        rates.page_size =
            Figure<u64>::measured(*seen, "bytes of fresh memory for each page fault that the system counted");
    else
        rates.page_size = Figure<u64>::not_found("the system counted no two times as many page faults");
    rates.page_fault_ns = figure_of(time, "touching fresh memory, a page");
}

// More memory than any cache holds, but not much of all there is.
u64 size_beyond_caches(u64 largest_cache) {
    const u64 all = static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * static_cast<u64>(sysconf(_SC_PAGESIZE));
    const u64 wanted = std::clamp<u64>(largest_cache * 8, u64{64} << 20, u64{1} << 30);
    return std::clamp<u64>(wanted, u64{64} << 20, std::max(all / 8, u64{64} << 20)) & ~u64{4095};
}

void measure_memory(Rates& rates, u64 largest_cache, const Deadline& deadline) {
    const u64 size = size_beyond_caches(largest_cache);
    const Mapping memory(size, true, &deadline);
    if (!memory.is_touched()) {
        rates.bandwidth_one = rates.bandwidth_all = rates.memory_ns = Figure<double>::not_found(kUnsteady);
        return;
    }
    rates.bandwidth_one = bandwidth_of_one(memory, deadline);
    rates.bandwidth_all = bandwidth_of_all(own_processors(), size, deadline);
    void* volatile* at = static_cast<void* volatile*>(link_all_lines(memory.begin(), size, &deadline));
    // Each sample visits lines that were last visited a whole round ago.
    Repetition how;
    how.agree = 0.08;
    std::optional<double> latency;
    if (at != nullptr)
        latency = repeat(
            [&] {
                const double start = now_ns();
                for (int i = 0; i < 4000; ++i) at = static_cast<void* volatile*>(*at);
                return (now_ns() - start) / 4000;
            },
            deadline, how);
    rates.memory_ns = figure_of(latency, "dependent loads over " + std::to_string(size >> 20) +
                                             " MiB, each line once, in random order, translation included");
}

// A word that two cores write in turns.
Figure<double> line_between(int first, int second, const Deadline& deadline) {
    constexpr int kTurns = 300;
    if (deadline.passed()) return Figure<double>::not_found("no time was left");
    alignas(256) std::atomic<int> turn = 0;
    std::atomic<bool> stop = false, pinned = false;
    std::thread answer([&] {
        pinned = stay_on({second});
        while (!stop) {
            if (turn.load(std::memory_order_acquire) % 2 == 1) turn.fetch_add(1, std::memory_order_release);
        }
    });
    const bool here = stay_on({first});
    Repetition how;
    how.agree = 0.1;
    const auto time = repeat(
        [&] {
            const double start = now_ns();
            for (int i = 0; i < kTurns; ++i) {
                const int next = turn.load(std::memory_order_relaxed) + 2;
                turn.store(next - 1, std::memory_order_release);
                while (turn.load(std::memory_order_acquire) != next && !deadline.passed()) {
                }
            }
            return (now_ns() - start) / (2.0 * kTurns);
        },
        deadline, how);
    stop = true;
    answer.join();
    if (!here || !pinned) return Figure<double>::not_found("a thread cannot choose its processor");
    return figure_of(time, "a word that two threads write in turns");
}

void measure_cores(Rates& rates, const Deadline& deadline) {
    const std::vector<int> cpus = own_processors();
    if (cpus.size() < 2) {
        rates.core_to_core_ns = Figure<double>::not_found("there is one processor only");
        return;
    }
    // Pairs with the first processor come first: there may be no time for all.
    for (std::size_t first = 0; first < cpus.size(); ++first)
        for (std::size_t second = first + 1; second < cpus.size(); ++second) {
            if (rates.pairs.size() >= kMostPairs) break;
            rates.pairs.push_back(
                {cpus[first], cpus[second], line_between(cpus[first], cpus[second], deadline)});
        }
    stay_on(cpus);
    const CorePair* fastest = nullptr;
    for (const CorePair& pair : rates.pairs)
        if (pair.ns && (fastest == nullptr || *pair.ns < *fastest->ns)) fastest = &pair;
    if (fastest == nullptr)
        rates.core_to_core_ns = Figure<double>::not_found(kUnsteady);
    else
        rates.core_to_core_ns = Figure<double>::measured(
            *fastest->ns, "a word that two threads on two processors write in turns; the fastest of " +
                              std::to_string(rates.pairs.size()) + " pairs: " +
                              std::to_string(fastest->first) + " and " + std::to_string(fastest->second));
}

void measure_arithmetic(Rates& rates, const Deadline& deadline) {
    constexpr int kRounds = 2000;
    const auto integers = repeat(
        [&] {
            u64 a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
            const double start = now_ns();
            for (int i = 0; i < kRounds; ++i) {
                // The operands must be unknown to the compiler, or it would add only once.
                asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
                a += 3, b += 3, c += 3, d += 3, e += 3, f += 3, g += 3, h += 3;
            }
            asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
            return (now_ns() - start) / (8.0 * kRounds);
        },
        deadline);
    rates.integer_per_ns =
        integers ? Figure<double>::measured(1 / *integers, "independent 64-bit additions, one thread")
                 : Figure<double>::not_found(kUnsteady);
    const PeakLoop peak = widest_loop();
    volatile double factor = 0.5, result = 0;  // the values stay small
    const auto floats = repeat(
        [&] {
            const double start = now_ns();
            result = peak.run(factor, kRounds);
            return (now_ns() - start) / (peak.operations * kRounds);
        },
        deadline);
    rates.floating_per_ns =
        floats ? Figure<double>::measured(1 / *floats,
                                          "independent multiplications and additions of vectors of " +
                                              std::string(peak.name) + ", one thread")
               : Figure<double>::not_found(kUnsteady);
    const auto call = repeat(
        [&] {
            const double start = now_ns();
            for (int i = 0; i < 200; ++i) syscall(SYS_getppid);
            return (now_ns() - start) / 200;
        },
        deadline);
    rates.system_call_ns = figure_of(call, "getppid");
}

}  // namespace

Rates measure_rates(u64 page_size, u64 largest_cache, const Deadline& deadline) {
    Rates rates;
    measure_pages(rates, page_size, deadline);
    measure_arithmetic(rates, deadline);
    measure_cores(rates, deadline);
    measure_memory(rates, largest_cache, deadline);
    return rates;
}

}  // namespace memspy::machine
