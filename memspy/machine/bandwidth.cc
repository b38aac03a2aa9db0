// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/bandwidth.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <thread>

#include "machine/processors.h"
#include "machine/repetition.h"

namespace memspy::machine {
namespace {

// Long enough for threads that do not begin at the same time, and short enough to be rarely interrupted: less
// than a millisecond.
constexpr u64 kPiece = u64{16} << 20;
constexpr Repetition kCoarse{.least = 5, .most = 40, .agree = 0.1};
const std::string kUnsteady = "repetitions did not agree, or no time was left";

// As many vectors as keep the loads of a core busy.
template <typename Words>
[[gnu::always_inline]] inline u64 sum_of(const char* from, u64 bytes) {
    constexpr u64 kSums = 4;
    Words sums[kSums] = {};
    for (u64 at = 0; at < bytes; at += sizeof sums)
        for (u64 k = 0; k < kSums; ++k)
            sums[k] += *reinterpret_cast<const Words*>(from + at + k * sizeof(Words));
    const Words all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    u64 sum = 0;
    for (u64 k = 0; k < sizeof(Words) / sizeof(u64); ++k) sum += all[k];
    return sum;
}

using TwoInOrder = u64 __attribute__((vector_size(16), may_alias));
u64 sum_of_two(const char* from, u64 bytes) { return sum_of<TwoInOrder>(from, bytes); }

#if defined(__x86_64__)
using FourInOrder = u64 __attribute__((vector_size(32), may_alias));
using EightInOrder = u64 __attribute__((vector_size(64), may_alias));
__attribute__((target("avx2"))) u64 sum_of_four(const char* from, u64 bytes) {
    return sum_of<FourInOrder>(from, bytes);
}
__attribute__((target("avx512f"))) u64 sum_of_eight(const char* from, u64 bytes) {
    return sum_of<EightInOrder>(from, bytes);
}
#endif

// Time of `bytes` bytes as a figure of bytes a nanosecond.
Figure<double> figure_of(std::optional<double> ns, u64 bytes, const std::string& how) {
    return ns ? Figure<double>::measured(static_cast<double>(bytes) / *ns, how)
              : Figure<double>::not_found(kUnsteady);
}

// Threads that begin a round at the same time.
class Team {
public:
    Team(const std::vector<int>& processors, u64 part) : readers_(processors.size()) {
        for (std::size_t i = 0; i < processors.size(); ++i)
            threads_.emplace_back([this, i, cpu = processors[i], part] { work(i, cpu, part); });
        wait_for_all();
    }
    ~Team() {
        stop_ = true;
        ++round_;
        for (std::thread& thread : threads_) thread.join();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    bool ready() const {
        return std::ranges::all_of(readers_, [](const TeamReader& reader) { return reader.ready; });
    }
    // From the first one's begin to the last one's end.
    double round() {
        finished_ = 0;
        ++round_;
        wait_for_all();
        double begin = std::numeric_limits<double>::max(), end = 0;
        for (const TeamReader& reader : readers_) {
            begin = std::min(begin, reader.begin);
            end = std::max(end, reader.end);
        }
        return end - begin;
    }

private:
    struct alignas(128) TeamReader {
        bool ready = false;
        double begin = 0, end = 0;
        u64 sum = 0;
    };

    void wait_for_all() const {
        while (finished_ < readers_.size()) std::this_thread::yield();
    }
    void work(std::size_t index, int cpu, u64 part) {
        TeamReader& me = readers_[index];
        std::unique_ptr<Mapping> memory;
        if (stay_on({cpu})) {
            try {
                memory = std::make_unique<Mapping>(part, true);
            } catch (const std::bad_alloc&) {
            }
        }
        me.ready = memory != nullptr;
        ++finished_;
        u64 at = 0;
        for (u64 seen = 0;;) {
            while (round_ == seen) std::this_thread::yield();
            seen = round_;
            if (stop_) return;
            me.begin = now_ns();
            if (memory) me.sum += read_in_order(memory->begin() + at, kPiece);
            me.end = now_ns();
            at = at + 2 * kPiece <= part ? at + kPiece : 0;
            ++finished_;
        }
    }

    std::vector<TeamReader> readers_;
    std::vector<std::thread> threads_;
    std::atomic<u64> round_ = 0, finished_ = 0;
    std::atomic<bool> stop_ = false;
};

}  // namespace

u64 read_in_order(const char* from, u64 bytes) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return sum_of_eight(from, bytes);
    if (__builtin_cpu_supports("avx2")) return sum_of_four(from, bytes);
#endif
    return sum_of_two(from, bytes);
}

Figure<double> bandwidth_of_one(const Mapping& memory, const Deadline& deadline) {
    u64 at = 0;
    volatile u64 sink = 0;
    const auto time = repeat(
        [&] {
            const double start = now_ns();
            sink = read_in_order(memory.begin() + at, kPiece);
            const double taken = now_ns() - start;
            at = at + 2 * kPiece <= memory.size() ? at + kPiece : 0;
            return taken;
        },
        deadline, kCoarse);
    return figure_of(time, kPiece, "reading memory in order, one thread");
}

Figure<double> bandwidth_of_all(const std::vector<int>& processors, u64 bytes, const Deadline& deadline) {
    if (processors.empty() || deadline.passed()) return Figure<double>::not_found(kUnsteady);
    const u64 part = std::max(bytes / processors.size() / kPiece * kPiece, kLeastPart);
    Team team(processors, part);
    if (!team.ready()) return Figure<double>::not_found("a thread had no memory, or not its processor");
    const auto time = repeat([&] { return team.round(); }, deadline, kCoarse);
    return figure_of(
        time, kPiece * processors.size(),
        "reading memory in order, " + std::to_string(processors.size()) + " threads, each of its own");
}

}  // namespace memspy::machine
