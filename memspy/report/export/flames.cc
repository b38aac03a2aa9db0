// SPDX-License-Identifier: GPL-2.0-or-later
//
// Stacks for flame graphs: "folded" lines (`main;work;lock 42`), and speedscope's JSON with all metrics.
#include <map>
#include <nlohmann/json.hpp>

#include "report/command_line.h"
#include "report/export/contexts.h"
#include "report/export/export.h"

namespace memspy::report {
namespace {

std::string name_of(const Contexts& contexts, const Frame& frame) {
    if (!frame.fn.empty()) return std::string(frame.fn);
    const Module* module = contexts.find_module(frame.module);
    return hexadecimal(frame.offset != kNoAddress ? frame.offset : frame.ip) +
           (module != nullptr ? " in " + std::string(base_name(module->path)) : "");
}

std::size_t metric_of(std::string_view name) {
    std::string names;
    for (std::size_t i = 0; i < all_metrics().size(); ++i) {
        if (all_metrics()[i].name == name) return i;
        names += (i == 0 ? "" : ", ") + std::string(all_metrics()[i].name);
    }
    throw UsageError("--metric=" + std::string(name) + " is not a metric; there are " + names);
}

}  // namespace

void export_folded(ExportJob& job) {
    Contexts contexts;
    read_profiles(job, contexts);
    const std::size_t chosen = metric_of(job.metric);
    std::map<std::string, u64> lines;
    for (const auto& [stack, costs] : contexts.costs()) {
        if (costs[chosen] == 0) continue;
        std::string line;
        const auto frames = contexts.frames_of(static_cast<StackId>(stack));
        for (auto at = frames.rbegin(); at != frames.rend(); ++at) {
            std::string name = name_of(contexts, contexts.frame(*at));
            // The format gives these two characters a meaning.
            for (char& c : name) c = c == ';' ? ':' : c == '\n' ? ' ' : c;
            line += (line.empty() ? "" : ";") + name;
        }
        lines[line.empty() ? "(not known)" : line] += costs[chosen];
    }
    for (const auto& [line, count] : lines) job.out << line << ' ' << count << '\n';
}

void export_speedscope(ExportJob& job) {
    using Json = nlohmann::ordered_json;
    Contexts contexts;
    read_profiles(job, contexts);
    Json frames = Json::array();
    std::map<std::tuple<std::string, Text, u64>, std::size_t> numbers;
    auto number_of = [&](const Frame& frame) {
        const auto [at, is_new] =
            numbers.try_emplace({name_of(contexts, frame), frame.file, frame.line}, frames.size());
        if (is_new) {
            Json& object = frames.emplace_back(Json{{"name", std::get<0>(at->first)}});
            if (!frame.file.empty())
                object["file"] = frame.dir.empty() ? std::string(frame.file)
                                                   : std::string(frame.dir) + "/" + std::string(frame.file);
            if (frame.line != 0) object["line"] = frame.line;
        }
        return at->second;
    };
    Json profiles = Json::array();
    for (std::size_t i = 0; i < all_metrics().size(); ++i) {
        Json samples = Json::array();
        Json weights = Json::array();
        u64 total = 0;
        for (const auto& [stack, costs] : contexts.costs()) {
            if (costs[i] == 0) continue;
            Json sample = Json::array();
            const auto indices = contexts.frames_of(static_cast<StackId>(stack));
            for (auto at = indices.rbegin(); at != indices.rend(); ++at)
                sample.push_back(number_of(contexts.frame(*at)));
            samples.push_back(std::move(sample));
            weights.push_back(costs[i]);
            total += costs[i];
        }
        if (samples.empty()) continue;
        profiles.push_back({{"type", "sampled"},
                            {"name", std::string(all_metrics()[i].title)},
                            {"unit", "none"},
                            {"startValue", 0},
                            {"endValue", total},
                            {"samples", std::move(samples)},
                            {"weights", std::move(weights)}});
    }
    const Json document{
        {"$schema", "https://www.speedscope.app/file-format-schema.json"},
        {"exporter", "memspy-report " MEMSPY_VERSION},
        {"name", contexts.runs().empty() ? "" : std::string(contexts.runs().front().command.exe)},
        {"activeProfileIndex", 0},
        {"shared", {{"frames", std::move(frames)}}},
        {"profiles", std::move(profiles)}};
    job.out << document.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace memspy::report
