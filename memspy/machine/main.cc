// SPDX-License-Identifier: GPL-2.0-or-later
//
// memspy-machine: measures the machine that it runs on, and shows known machines.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>

#include "machine/chase.h"
#include "machine/counter.h"
#include "machine/cpuid.h"
#include "machine/disk.h"
#include "machine/network.h"
#include "machine/rates.h"
#include "machine/search.h"
#include "machine/system.h"
#include "machines/database.h"
#include "machines/description.h"

namespace memspy::machine {
namespace {

using Json = nlohmann::ordered_json;

struct Measured {
    System system;
    MeasuredHierarchy hierarchy;
    Rates rates;
    Disk disk;
    std::vector<ReportedCache> cpuid;
    std::string counters;  // what the processor's counters were good for
    std::vector<std::string> disagreements;
};

// Numbers

std::string text_of(double value) {
    std::ostringstream out;
    out.precision(value < 10 ? 2 : 1);
    out << std::fixed << value;
    return out.str();
}

template <typename T>
std::string text_of(const Figure<T>& figure) {
    if (!figure) return "not found";
    if constexpr (std::is_same_v<T, double>)
        return text_of(*figure);
    else
        return std::to_string(*figure);
}

std::string bytes(const Figure<u64>& figure) {
    if (!figure) return "not found";
    if (*figure % (u64{1} << 20) == 0) return std::to_string(*figure >> 20) + " MiB";
    if (*figure % 1024 == 0) return std::to_string(*figure >> 10) + " KiB";
    return std::to_string(*figure) + " bytes";
}

// A cache's size, or what it held at least.
std::string size_of(const CacheLevel& cache) {
    if (cache.size || !cache.at_least) return bytes(cache.size);
    return "at least " + text_of(static_cast<double>(*cache.at_least) / (1 << 20)) + " MiB";
}

// The first cache once more, from the processor's counter of its misses. What the times did not tell comes from there.
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
        result.hierarchy = search_again(chase, searches);
    }
    compare_with_counters(result, seconds * 0.15);
    result.rates = measure_rates(result.system.page_size, largest, all);
    result.disk = measure_disk(all);
    result.cpuid = caches_of_cpuid();

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

struct FigureRow {
    std::string what, value, how;
};

template <typename T>
FigureRow row(const std::string& what, const Figure<T>& figure, const std::string& value) {
    std::string how = figure.how;
    if (figure) how = std::string(name_of(figure.sureness)) + ": " + how;
    return {what, value, how};
}

std::vector<FigureRow> rows_of(const Measured& m) {
    std::vector<FigureRow> rows;
    const System& s = m.system;
    const auto print = [&](const std::string& what, const std::string& value) {
        rows.push_back({what, value, "reported by the system"});
    };
    print("processor", s.model.empty() ? "not reported" : s.model);
    print("processors, cores, sockets, nodes", std::to_string(s.cpus) + ", " + std::to_string(s.cores) +
                                                   ", " + std::to_string(s.sockets) + ", " +
                                                   std::to_string(s.nodes));
    print("frequency", s.frequency_mhz == 0 ? "not reported" : text_of(s.frequency_mhz) + " MHz");
    print("memory", std::to_string(s.memory_bytes >> 20) + " MiB");
    if (s.hypervisor) print("virtual machine", "yes");
    rows.push_back(
        {"processor's counters", m.counters.starts_with("misses") ? "used" : "not used", m.counters});
    rows.push_back(row("page size", m.rates.page_size, bytes(m.rates.page_size)));
    for (const CacheLevel& cache : m.hierarchy.caches) {
        const std::string name = "level " + std::to_string(cache.level) + ", ";
        rows.push_back(row(name + "size", cache.at_least ? cache.at_least : cache.size, size_of(cache)));
        rows.push_back(row(name + "line", cache.line, text_of(cache.line)));
        rows.push_back(row(name + "ways", cache.ways, text_of(cache.ways)));
        rows.push_back(row(name + "latency, ns", cache.latency_ns, text_of(cache.latency_ns)));
    }
    for (const TlbLevel& tlb : m.hierarchy.tlbs) {
        const std::string name = "data TLB level " + std::to_string(tlb.level) + ", ";
        rows.push_back(row(name + "entries", tlb.entries, text_of(tlb.entries)));
        rows.push_back(row(name + "cost of a miss, ns", tlb.extra_ns, text_of(tlb.extra_ns)));
    }
    const auto rate = [&](const std::string& what, const Figure<double>& figure) {
        rows.push_back(row(what, figure, text_of(figure)));
    };
    rate("memory latency, ns", m.rates.memory_ns);
    rate("bandwidth, one thread, GB/s", m.rates.bandwidth_one);
    rate("bandwidth, all threads, GB/s", m.rates.bandwidth_all);
    rate("core to core, ns", m.rates.core_to_core_ns);
    rate("integer operations a ns", m.rates.integer_per_ns);
    rate("floating-point operations a ns", m.rates.floating_per_ns);
    rate("system call, ns", m.rates.system_call_ns);
    rate("page fault, ns", m.rates.page_fault_ns);
    rows.push_back({"disk, folder and size",
                    m.disk.folder + ", " + std::to_string(m.disk.size >> 20) + " MiB",
                    "reported by the system"});
    rate("disk latency, us", m.disk.latency_us);
    rate("disk reading, GB/s", m.disk.read_gb_s);
    rate("disk writing, GB/s", m.disk.write_gb_s);
    return rows;
}

void print_text(std::ostream& out, const Measured& m) {
    const std::vector<FigureRow> rows = rows_of(m);
    std::size_t first = 0, second = 0;
    for (const FigureRow& r : rows) {
        first = std::max(first, r.what.size());
        second = std::max(second, std::min<std::size_t>(r.value.size(), 24));
    }
    for (const FigureRow& r : rows) {
        out << r.what << std::string(first + 2 - r.what.size(), ' ') << r.value
            << std::string(r.value.size() < second + 2 ? second + 2 - r.value.size() : 2, ' ') << r.how
            << '\n';
    }
    for (const std::string& line : m.disagreements) out << "disagreement: " << line << '\n';
    if (m.disagreements.empty()) out << "no figure that was found disagrees with the system's own\n";
}

template <typename T>
Json json_of(const Figure<T>& figure) {
    return figure ? Json(*figure) : Json(nullptr);
}

template <typename T>
Json with_how(const Figure<T>& figure) {
    return {{"value", json_of(figure)}, {"sure", name_of(figure.sureness)}, {"how", figure.how}};
}

Json json_of(const Measured& m) {
    Json json;
    json["format"] = "memspy-machine 1";
    json["page_size"] = json_of(m.rates.page_size);
    json["page_size_how"] = m.rates.page_size.how;
    json["caches"] = Json::array();
    for (const CacheLevel& cache : m.hierarchy.caches) {
        json["caches"].push_back({{"level", cache.level},
                                  {"size", json_of(cache.size)},
                                  {"size_at_least", json_of(cache.at_least)},
                                  {"line", json_of(cache.line)},
                                  {"ways", json_of(cache.ways)},
                                  {"latency_ns", json_of(cache.latency_ns)},
                                  {"how",
                                   {{"size", cache.at_least ? cache.at_least.how : cache.size.how},
                                    {"line", cache.line.how},
                                    {"ways", cache.ways.how},
                                    {"latency_ns", cache.latency_ns.how}}}});
    }
    json["tlbs"] = Json::array();
    for (const TlbLevel& tlb : m.hierarchy.tlbs)
        json["tlbs"].push_back({{"level", tlb.level},
                                {"entries", json_of(tlb.entries)},
                                {"miss_ns", json_of(tlb.extra_ns)},
                                {"how", tlb.entries.how}});
    const Rates& r = m.rates;
    json["rates"] = {{"memory_ns", with_how(r.memory_ns)},
                     {"bandwidth_one_gb_s", with_how(r.bandwidth_one)},
                     {"bandwidth_all_gb_s", with_how(r.bandwidth_all)},
                     {"core_to_core_ns", with_how(r.core_to_core_ns)},
                     {"integer_per_ns", with_how(r.integer_per_ns)},
                     {"floating_per_ns", with_how(r.floating_per_ns)},
                     {"system_call_ns", with_how(r.system_call_ns)},
                     {"page_fault_ns", with_how(r.page_fault_ns)}};
    json["core_pairs"] = Json::array();
    for (const CorePair& pair : r.pairs)
        json["core_pairs"].push_back({{"processors", {pair.first, pair.second}}, {"ns", with_how(pair.ns)}});
    json["disk"] = {{"folder", m.disk.folder},
                    {"size", m.disk.size},
                    {"latency_us", with_how(m.disk.latency_us)},
                    {"read_gb_s", with_how(m.disk.read_gb_s)},
                    {"write_gb_s", with_how(m.disk.write_gb_s)}};
    const System& s = m.system;
    json["system"] = {{"model", s.model},
                      {"processors", s.cpus},
                      {"cores", s.cores},
                      {"sockets", s.sockets},
                      {"nodes", s.nodes},
                      {"threads_per_core", s.threads_per_core},
                      {"frequency_mhz", s.frequency_mhz},
                      {"memory_bytes", s.memory_bytes},
                      {"page_size", s.page_size},
                      {"virtual_machine", s.hypervisor}};
    for (const ReportedCache& cache : s.caches)
        json["system"]["caches"].push_back({{"level", cache.level},
                                            {"size", cache.size},
                                            {"line", cache.line},
                                            {"ways", cache.ways},
                                            {"shared_cpus", cache.shared_cpus}});
    json["counters"] = m.counters;
    json["disagreements"] = m.disagreements;
    json["curve"] = Json::array();
    for (const CurvePoint& point : m.hierarchy.curve)
        json["curve"].push_back({{"bytes", point.lines * 64}, {"ns", point.ns}});
    return json;
}

// The staircase: bytes walked over, doubling, and nanoseconds for a load, doubling.
void print_svg(std::ostream& out, const Measured& m) {
    constexpr int kWidth = 720, kHeight = 420, kLeft = 60, kRight = 20, kBottom = 50, kTop = 20;
    const auto& curve = m.hierarchy.curve;
    double least = 0.5, most = 2, last = 4096;
    for (const CurvePoint& point : curve) {
        while (point.ns < least) least /= 2;
        most = std::max(most, point.ns);
        last = std::max(last, static_cast<double>(point.lines * 64));
    }
    const double columns = std::log2(last / 1024), rows = std::log2(most / least);
    const auto x = [&](double size) {
        return kLeft + std::log2(size / 1024) / columns * (kWidth - kLeft - kRight);
    };
    const auto y = [&](double ns) {
        return kHeight - kBottom - std::log2(ns / least) / rows * (kHeight - kBottom - kTop);
    };
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << kWidth << ' ' << kHeight
        << "\" font-family=\"sans-serif\" font-size=\"11\">\n<title>Time of a load by bytes walked "
           "over</title>\n"
        << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    for (double size = 1024; size <= last; size *= 4)
        out << "<text x=\"" << x(size) << "\" y=\"" << kHeight - kBottom + 16 << "\" text-anchor=\"middle\">"
            << (size < 1 << 20 ? std::to_string(static_cast<u64>(size) >> 10) + "K"
                               : std::to_string(static_cast<u64>(size) >> 20) + "M")
            << "</text>\n";
    for (double ns = least; ns <= most; ns *= 2)
        out << "<line x1=\"" << kLeft << "\" x2=\"" << kWidth - kRight << "\" y1=\"" << y(ns) << "\" y2=\""
            << y(ns) << "\" stroke=\"#ddd\"/><text x=\"" << kLeft - 6 << "\" y=\"" << y(ns) + 4
            << "\" text-anchor=\"end\">" << ns << "</text>\n";
    out << "<text x=\"" << kWidth / 2 << "\" y=\"" << kHeight - 12
        << "\" text-anchor=\"middle\">bytes walked over</text>\n"
        << "<text x=\"6\" y=\"14\">ns a load</text>\n<polyline fill=\"none\" stroke=\"#1f77b4\" "
           "stroke-width=\"2\" points=\"";
    for (const CurvePoint& point : curve)
        out << x(static_cast<double>(point.lines * 64)) << ',' << y(point.ns) << ' ';
    out << "\"/>\n</svg>\n";
}

// The database

struct NameFirst {
    bool operator()(const std::string& one, const std::string& two) const {
        return std::pair(one != "name", one) < std::pair(two != "name", two);
    }
};
using Values = std::map<std::string, std::pair<std::string, std::string>, NameFirst>;

Values values_of(const KnownMachine& machine) {
    Values values;
    std::istringstream text(std::string(machine.text, machine.length));
    const auto trim = [](std::string word) {
        word.erase(0, word.find_first_not_of(' '));
        word.erase(word.find_last_not_of(' ') + 1);
        return word;
    };
    std::string source;
    for (std::string line; std::getline(text, line);) {
        const std::size_t equals = line.find('=');
        if (equals == std::string::npos || line[0] == '#') continue;
        const std::size_t comment = line.find("  # ");
        std::string said = comment == std::string::npos ? "" : line.substr(comment + 4);
        if (said.starts_with("the same") && !said.starts_with("the same manual"))
            said = source + said.substr(std::strlen("the same"));
        else if (!said.empty())
            source =
                said.substr(0, said.find("), ") == std::string::npos ? said.size() : said.find("), ") + 1);
        values[trim(line.substr(0, equals))] = {trim(line.substr(equals + 1, comment - equals - 1)), said};
    }
    return values;
}

const KnownMachine& known(const std::string& key) {
    for (const KnownMachine* machine = kKnownMachines; machine->key != nullptr; ++machine)
        if (key == machine->key) return *machine;
    throw std::runtime_error("no machine " + key + " is known; memspy-machine list names them");
}

void list(std::ostream& out) {
    for (const KnownMachine* machine = kKnownMachines; machine->key != nullptr; ++machine) {
        Description description;
        const char* problem = nullptr;
        unsigned line = 0;
        const bool whole = parse(machine->text, machine->length, description, problem, line);
        out << machine->key << std::string(18 - std::strlen(machine->key), ' ') << description.name
            << (whole ? "" : "  (not all of its caches are published)") << '\n';
    }
}

void show(std::ostream& out, const std::string& key) {
    for (const auto& [name, value] : values_of(known(key)))
        out << name << std::string(std::max<std::size_t>(18, name.size() + 1) - name.size(), ' ')
            << value.first << (value.second.empty() ? "" : "  [" + value.second + "]") << '\n';
}

void compare(std::ostream& out, const std::string& left, const std::string& right) {
    const auto first = values_of(known(left)), second = values_of(known(right));
    std::set<std::string, NameFirst> keys;
    for (const auto& [name, value] : first) keys.insert(name);
    for (const auto& [name, value] : second) keys.insert(name);
    const auto cell = [](const auto& values, const std::string& key) {
        const auto at = values.find(key);
        return at == values.end() ? std::string("-") : at->second.first;
    };
    for (const std::string& key : keys) {
        const std::string a = cell(first, key), b = cell(second, key);
        out << key << std::string(std::max<std::size_t>(18, key.size() + 1) - key.size(), ' ') << a
            << std::string(std::max<std::size_t>(44, a.size() + 1) - a.size(), ' ') << b
            << (a == b ? "" : "  *") << '\n';
    }
}

// The machine file with this network: what else the file has stays.
Json with_network(const std::string& file, const Json& network) {
    Json machine{{"format", "memspy-machine 1"}};
    if (std::ifstream old(file); !file.empty() && old) {
        machine = Json::parse(old, nullptr, false);
        if (!machine.is_object() || machine.value("format", "") != "memspy-machine 1")
            throw std::runtime_error(file +
                                     " is no file of memspy-machine --format=json; nothing was changed");
    }
    machine["network"] = network;
    return machine;
}

constexpr const char* kUsage =
    "usage: memspy-machine [--format=text|json|svg] [--seconds=N] [-o FILE]\n"
    "       mpirun -n N memspy-machine network [--format=text|json] [--seconds=N] [--mpi-library=FILE] [-o "
    "FILE]\n"
    "       memspy-machine list | show NAME | compare NAME NAME\n\n"
    "Measures the caches, translation buffers and memory of this machine, with the method of each figure. "
    "An\n"
    "uncertain figure is \"not found\". list, show and compare print machines from public sources.\n\n"
    "  --format=FORMAT  text [default], json, or svg: the curve of the time of a load by bytes walked over\n"
    "  --seconds=N      start no new measurement after N seconds [50]\n"
    "  -o, --output=FILE  write there instead of to standard output\n"
    "  --version, --help\n";

// What is wrong with a command that is none.
std::string problem_of(const std::vector<std::string>& words) {
    const std::string &command = words[0], more = "; memspy-machine --help has the commands";
    if (command == "list" || command == "network") return command + " takes no name" + more;
    if (command == "show") return "show takes the name of one machine; memspy-machine list has them";
    if (command == "compare") return "compare takes the names of two machines; memspy-machine list has them";
    return "there is no command " + command + more;
}

// A minute of measurements is not for nothing.
void check_writable(const std::string& output) {
    const auto folder = std::filesystem::path(output).parent_path();
    if (std::filesystem::is_directory(output))
        throw std::runtime_error("cannot write " + output + ": it is a folder");
    const bool exists = std::filesystem::exists(output);
    if (access(exists ? output.c_str() : folder.empty() ? "." : folder.c_str(), W_OK) != 0)
        throw std::runtime_error("cannot write " + output + ": " + std::strerror(errno));
}

int run(const std::vector<std::string>& words) {
    std::string format = "text", output, library;
    double seconds = 50;
    std::vector<std::string> plain;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == "--help" || word == "-h") {
            std::cout << kUsage;
            return 0;
        }
        if (word == "--version") {
            std::cout << "memspy-machine " MEMSPY_VERSION "\n";
            return 0;
        }
        if (word.starts_with("--format="))
            format = word.substr(9);
        else if (word.starts_with("--seconds=")) {
            std::istringstream number(word.substr(10));
            if (!(number >> seconds) || !number.eof() || seconds < 1 || seconds > 3600)
                throw std::runtime_error("--seconds is a number from 1 to 3600, not " + word.substr(10));
        } else if (word.starts_with("--mpi-library="))
            library = word.substr(14);
        else if (word == "-o" && i + 1 < words.size())
            output = words[++i];
        else if (word == "-o")
            throw std::runtime_error("-o needs the name of a file");
        else if (word.starts_with("--output="))
            output = word.substr(9);
        else if (word.starts_with("-"))
            throw std::runtime_error("unknown option " + word + "; memspy-machine --help lists them");
        else
            plain.push_back(word);
    }
    if (format != "text" && format != "json" && format != "svg")
        throw std::runtime_error("--format is text, json or svg, not " + format);
    if (!output.empty()) check_writable(output);
    std::ostringstream out;
    if (plain.empty()) {
        const Measured measured = measure(seconds);
        if (format == "json")
            out << json_of(measured).dump(2) << '\n';
        else if (format == "svg")
            print_svg(out, measured);
        else
            print_text(out, measured);
    } else if (plain[0] == "network" && plain.size() == 1) {
        const Json measured = measure_network({library, seconds});
        if (measured.is_null()) return 0;
        if (!output.empty() || format == "json") out << with_network(output, measured).dump(2) << '\n';
        if (format == "text") std::cout << text_of_network(measured);
    } else if (plain[0] == "list" && plain.size() == 1) {
        list(out);
    } else if (plain[0] == "show" && plain.size() == 2) {
        show(out, plain[1]);
    } else if (plain[0] == "compare" && plain.size() == 3) {
        compare(out, plain[1], plain[2]);
    } else {
        throw std::runtime_error(problem_of(plain));
    }
    if (output.empty()) {
        std::cout << out.str() << std::flush;
        return std::cout ? 0 : 2;
    }
    std::ofstream file(output);
    file << out.str() << std::flush;
    if (!file) throw std::runtime_error("cannot write " + output);
    return 0;
}

}  // namespace
}  // namespace memspy::machine

int main(int argc, char** argv) {
    try {
        return memspy::machine::run({argv + 1, argv + std::max(argc, 1)});
    } catch (const std::exception& error) {
        std::cerr << "memspy-machine: " << error.what() << '\n';
        return 2;
    }
}
