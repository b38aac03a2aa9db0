// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/simulated_machine.h"

#include "machines/database.h"
#include "options.h"
#include "vg/caches.h"
#include "vg/vg.h"

namespace memspy {
namespace {

constinit SimulatedMachine chosen;

// Describes this machine's caches from the system's figures; false if they are not sufficient.
bool describe_this_machine(machine::Description& d) {
    vg::SystemCache caches[vg::kMostSystemCaches];
    for (u32 i = 0, found = vg::system_caches(caches); i < found; ++i) {
        const u64 level = caches[i].level;
        if (level > machine::kMaxLevels) continue;
        machine::CacheDescription& cache = d.caches[level - 1];
        cache.size = caches[i].size;
        cache.line = caches[i].line;
        cache.ways = caches[i].ways;
        cache.shared = level > 2 ? 0 : 1;
        if (d.cache_levels < level) d.cache_levels = static_cast<unsigned>(level);
        if (cache.size == 0 || cache.ways == 0 || cache.line == 0 ||
            cache.size % (cache.line * cache.ways) != 0)
            return false;
    }
    for (u32 level = 0; level < d.cache_levels; ++level)
        if (d.caches[level].size == 0 || d.caches[level].line != d.caches[0].line) return false;
    VG_(strcpy)(d.name, "this machine, as its system describes it");
    d.tlbs[0].entries = 64;
    chosen.assumed_tlb = true;
    d.tlb_levels = 1;
    d.page = VKI_PAGE_SIZE;
    return d.cache_levels > 0;
}

[[noreturn]] void refuse(const char* machine, const char* why, unsigned line) {
    if (line != 0)
        VG_(fmsg)("--cost-machine=%s: line %u: %s\n", machine, line, why);
    else
        VG_(fmsg)("--cost-machine=%s: %s\n", machine, why);
    VG_(exit)(1);
}

void parse_machine(const char* name, const char* text, u64 length) {
    const char* problem = nullptr;
    unsigned line = 0;
    if (!machine::parse(text, length, chosen.description, problem, line)) refuse(name, problem, line);
}

void choose_machine() {
    const char* wanted = options().simulated_machine;
    if (VG_STREQ(wanted, "auto")) {
        if (describe_this_machine(chosen.description)) return;
        chosen.description = {};
        chosen.assumed_tlb = chosen.system_described = false;
        wanted = "cortex-a72";
    }
    for (const machine::KnownMachine* known = machine::kKnownMachines; known->key != nullptr; ++known)
        if (VG_STREQ(known->key, wanted)) return parse_machine(wanted, known->text, known->length);
    constexpr u64 kMost = 64 << 10;
    char* const text = static_cast<char*>(rt::allocate(kMost, "memspy.cost.machine"));
    const u64 length = vg::read_file(wanted, text, kMost);
    if (length == 0) refuse(wanted, "no known machine, and no file that can be read", 0);
    parse_machine(wanted, text, length);
    rt::release(text);
}

}  // namespace

const SimulatedMachine& simulated_machine() {
    static bool known = false;
    if (!known) choose_machine();
    known = true;
    return chosen;
}

}  // namespace memspy
