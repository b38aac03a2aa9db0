// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/output.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "machine/figure_text.h"

namespace memspy::machine {

namespace {

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

}  // namespace

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
    // Beside one busy program for each processor everything is still found.
    constexpr double kEnough = 0.4;
    constexpr int kWhole = 100;
    if (m.processor_share < kEnough)
        out << "the search had a processor for " << static_cast<int>(m.processor_share * kWhole)
            << " % of its time, so that many figures are not found: measure again when less runs here\n";
    for (const std::string& line : m.disagreements) out << "disagreement: " << line << '\n';
    if (m.disagreements.empty()) out << "no figure that was found disagrees with the system's own\n";
}

namespace {

template <typename T>
Json json_of(const Figure<T>& figure) {
    return figure ? Json(*figure) : Json(nullptr);
}

template <typename T>
Json with_how(const Figure<T>& figure) {
    return {{"value", json_of(figure)}, {"sure", name_of(figure.sureness)}, {"how", figure.how}};
}

}  // namespace

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
    json["processor_share"] = m.processor_share;
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

}  // namespace memspy::machine
