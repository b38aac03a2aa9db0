// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/system.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace memspy::machine {
namespace {

namespace fs = std::filesystem;
const std::string kCpus = "/sys/devices/system/cpu/";

// The first line of a file; empty if it cannot be read.
std::string line_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

u64 number(const std::string& text) {
    if (text.empty() || text[0] < '0' || text[0] > '9') return 0;
    std::size_t end = 0;
    const u64 value = std::stoull(text, &end);
    if (end < text.size() && text[end] == 'K') return value << 10;
    if (end < text.size() && text[end] == 'M') return value << 20;
    return value;
}

void read_caches(System& system) {
    for (int index = 0;; ++index) {
        const std::string folder = kCpus + "cpu0/cache/index" + std::to_string(index) + "/";
        const std::string type = line_of(folder + "type");
        if (type.empty()) break;
        if (type != "Data" && type != "Unified") continue;
        ReportedCache cache;
        cache.level = static_cast<int>(number(line_of(folder + "level")));
        cache.size = number(line_of(folder + "size"));
        cache.line = number(line_of(folder + "coherency_line_size"));
        cache.ways = number(line_of(folder + "ways_of_associativity"));
        cache.shared_cpus = line_of(folder + "shared_cpu_list");
        system.caches.push_back(cache);
    }
}

void read_topology(System& system) {
    std::set<std::string> sockets, cores;
    for (u64 cpu = 0; cpu < system.cpus; ++cpu) {
        const std::string folder = kCpus + "cpu" + std::to_string(cpu) + "/topology/";
        const std::string socket = line_of(folder + "physical_package_id");
        if (socket.empty()) continue;
        sockets.insert(socket);
        cores.insert(socket + ":" + line_of(folder + "core_id"));
    }
    system.sockets = sockets.size();
    system.cores = cores.size();
    system.threads_per_core = system.cores == 0 ? 0 : system.cpus / system.cores;
    std::error_code problem;
    for (const auto& entry : fs::directory_iterator("/sys/devices/system/node", problem)) {
        const std::string name = entry.path().filename();
        if (name.starts_with("node") && name.size() > 4 && name[4] >= '0' && name[4] <= '9') ++system.nodes;
    }
}

}  // namespace

System read_system() {
    System system;
    system.cpus = static_cast<u64>(std::max(1L, sysconf(_SC_NPROCESSORS_CONF)));
    system.page_size = static_cast<u64>(sysconf(_SC_PAGESIZE));
    system.memory_bytes = static_cast<u64>(sysconf(_SC_PHYS_PAGES)) * system.page_size;
    read_caches(system);
    read_topology(system);
    system.frequency_mhz =
        static_cast<double>(number(line_of(kCpus + "cpu0/cpufreq/cpuinfo_max_freq"))) / 1000;
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) continue;
        const std::string value = line.substr(colon + 2);
        if (line.starts_with("model name") && system.model.empty()) system.model = value;
        if (line.starts_with("CPU part") && system.model.empty()) system.model = "ARM part " + value;
        if (line.starts_with("cpu MHz") && system.frequency_mhz == 0)
            std::istringstream(value) >> system.frequency_mhz;
        if (line.starts_with("flags") && value.find(" hypervisor") != std::string::npos)
            system.hypervisor = true;
    }
    return system;
}

}  // namespace memspy::machine
