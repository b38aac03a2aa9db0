// SPDX-License-Identifier: GPL-2.0-or-later
//
// Walks on this machine: each load's address is the value of the load before, so that no load begins before
// the last one is done.
#pragma once

#include "machine/clock.h"
#include "machine/counter.h"
#include "machine/walk.h"

namespace memspy::machine {

// Memory from the system, touched. `large` asks for large pages; without it they are refused.
class Mapping {
public:
    // On a busy machine even that takes long: it ends where `until` passes.
    Mapping(u64 size, bool large, const Deadline* until = nullptr);
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    char* begin() const { return begin_; }  // aligned to 2 MiB
    u64 size() const { return size_; }
    bool is_touched() const { return is_touched_; }

private:
    bool is_touched_ = true;
    void* mapped_;
    u64 mapped_size_;
    char* begin_;
    u64 size_;
};

// Makes each line of 64 bytes point to another one, all in one circle in random order. Fewer of them, such as
// one in each page, would fit in a cache. Returns where the walk begins; null if `until` passes before.
void* link_all_lines(char* begin, u64 size, const Deadline* until = nullptr);

class Chase : public Walker {
public:
    Chase(u64 size, const Deadline& deadline);

    std::optional<double> ns(std::span<const u64> offsets, PageKind memory, double agree = 0.02,
                             std::optional<u64> beside = std::nullopt) override;
    u64 size() const override { return large_.size(); }
    u64 page() const override { return page_; }

protected:
    // Makes the walk's addresses point to each other and goes round it a few times.
    void prepare(std::span<const u64> offsets, PageKind memory, std::optional<u64> beside);
    // Goes on by so many loads.
    void go(u64 loads);
    static u64 loads_for(std::span<const u64> offsets);  // to be timed at once
    const Deadline& deadline_;

private:
    Mapping large_, ordinary_;
    u64 page_;
    // Of the prepared walk.
    void* at_ = nullptr;
    const char* beside_ = nullptr;
};

// The same walks by the counter of misses: kHit for a load that hits the first cache, kMiss for one that does
// not, as if they were times. So the same search finds the first cache from them.
class CountedChase : public Chase {
public:
    CountedChase(u64 size, const MissCounter& counter, const Deadline& deadline)
        : Chase(size, deadline), counter_(counter) {}
    std::optional<double> ns(std::span<const u64> offsets, PageKind memory, double agree = 0.02,
                             std::optional<u64> beside = std::nullopt) override;
    static constexpr double kHit = 1, kMiss = 4;

private:
    const MissCounter& counter_;
};

}  // namespace memspy::machine
