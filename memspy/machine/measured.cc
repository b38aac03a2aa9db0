// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/measured.h"

#include <algorithm>

#include "machine/chase.h"
#include "machine/clock.h"
#include "machine/counter.h"
#include "machine/figure_text.h"
#include "machine/search.h"

namespace memspy::machine {

namespace {

// The first cache once more, from the processor's counter of its misses. What the times did not tell comes
// from there.
void compare_with_counters(Measured& result, double seconds) {
    const MissCounter counter;
    if (!counter.works()) {
        result.counters = "an ordinary user has none here: " + counter.why_not();
        return;
    }
    const Deadline deadline(seconds);
    CountedChase chase(u64{16} << 20, counter, deadline);
    const MeasuredHierarchy counted = search(chase);
    if (counted.caches.empty() || result.hierarchy.caches.empty()) {
        result.counters = "they showed no cache";
        return;
    }
    result.counters = "misses of the first cache were counted";
    const CacheLevel& from = counted.caches[0];
    CacheLevel& to = result.hierarchy.caches[0];
    const auto take = [&](const std::string& what, const Figure<u64>& theirs, Figure<u64>& ours) {
        if (!theirs) return;
        if (!ours)
            ours = Figure<u64>::measured(*theirs, "misses counted by the processor: " + theirs.how);
        else if (*ours == *theirs)
            ours.how += "; the processor's count of misses agrees";
        else
            result.disagreements.push_back("level 1, " + what + ": " + std::to_string(*ours) +
                                           " by times, by counted misses " + std::to_string(*theirs));
    };
    take("size", from.size, to.size);
    take("line", from.line, to.line);
    take("ways", from.ways, to.ways);
}

void compare_all(Measured& result) {
    const auto compare = [&](const std::string& what, const Figure<u64>& figure, u64 reported,
                             const std::string& who) {
        if (figure && reported != 0 && *figure != reported)
            result.disagreements.push_back(what + ": " + std::to_string(*figure) + " " +
                                           name_of(figure.sureness) + ", " + who + " says " +
                                           std::to_string(reported));
    };
    const auto compare_caches = [&](const std::vector<ReportedCache>& caches, const std::string& who) {
        for (const ReportedCache& reported : caches) {
            const auto level = static_cast<std::size_t>(reported.level);
            if (level == 0 || level > result.hierarchy.caches.size()) continue;
            const CacheLevel& cache = result.hierarchy.caches[level - 1];
            const std::string name = "level " + std::to_string(reported.level);
            compare(name + ", size", cache.size, reported.size, who);
            if (cache.at_least && reported.size < *cache.at_least)
                result.disagreements.push_back(name + ", size: " + size_of(cache) + " by walks, " + who +
                                               " says " + bytes(Figure<u64>::reported(reported.size, "")));
            compare(name + ", line", cache.line, reported.line, who);
            compare(name + ", ways", cache.ways, reported.ways, who);
        }
    };
    compare_caches(result.system.caches, "the system");
    compare_caches(result.cpuid, "CPUID");
    // The two may differ where nothing was measured.
    for (const ReportedCache& cpuid : result.cpuid)
        for (const ReportedCache& system : result.system.caches)
            if (cpuid.level == system.level && (cpuid.size != system.size || cpuid.ways != system.ways))
                result.disagreements.push_back(
                    "level " + std::to_string(cpuid.level) + ": the system says " +
                    std::to_string(system.size) + " bytes of " + std::to_string(system.ways) +
                    " ways, CPUID " + std::to_string(cpuid.size) + " of " + std::to_string(cpuid.ways));
    compare("page size", result.rates.page_size, result.system.page_size, "the system");
}

// Walks tell the number of entries to a sixteenth.
void compare_tlbs(Measured& result) {
    for (const ReportedTlb& reported : result.cpuid_tlbs)
        for (const TlbLevel& tlb : result.hierarchy.tlbs) {
            if (tlb.level != reported.level || !tlb.entries) continue;
            const u64 found = *tlb.entries,
                      apart = found > reported.entries ? found - reported.entries : reported.entries - found;
            if (apart * 16 > reported.entries)
                result.disagreements.push_back(
                    "data TLB level " + std::to_string(tlb.level) + ", entries: " + std::to_string(found) +
                    " " + name_of(tlb.entries.sureness) + ", CPUID says " + std::to_string(reported.entries));
        }
}

}  // namespace

Measured measure(double seconds) {
    const Deadline all(seconds);
    Measured result;
    result.system = read_system();
    u64 largest = 0;
    for (const ReportedCache& cache : result.system.caches) largest = std::max(largest, cache.size);
    {
        // The caches come first; the rest of the time is for the other measurements.
        const Deadline searches(seconds * 0.7), caches(seconds * 0.8);
        // So much that the longest walk leaves the last cache.
        Chase chase(std::clamp<u64>(5 * largest / 2, u64{64} << 20, u64{256} << 20), caches);
        const double began = now_ns(), had = thread_ns();
        result.hierarchy = search_again(chase, searches);
        result.processor_share = (thread_ns() - had) / std::max(now_ns() - began, 1.0);
    }
    compare_with_counters(result, seconds * 0.15);
    result.rates = measure_rates(result.system.page_size, largest, all);
    result.disk = measure_disk(all);
    result.cpuid = caches_of_cpuid();
    result.cpuid_tlbs = tlbs_of_cpuid();
    compare_all(result);
    compare_tlbs(result);
    // A level that the system reports and the search did not find is still listed.
    for (const ReportedCache& reported : result.system.caches) {
        while (result.hierarchy.caches.size() < static_cast<std::size_t>(reported.level)) {
            CacheLevel cache;
            cache.level = static_cast<int>(result.hierarchy.caches.size()) + 1;
            const std::string why = "walks showed no such level";
            cache.size = cache.line = cache.ways = Figure<u64>::not_found(why);
            cache.latency_ns = Figure<double>::not_found(why);
            result.hierarchy.caches.push_back(cache);
        }
    }
    return result;
}

}  // namespace memspy::machine
