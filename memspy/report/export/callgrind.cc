// SPDX-License-Identifier: GPL-2.0-or-later
//
// Callgrind's format, for KCachegrind and callgrind_annotate: costs of each line by itself, and of each call
// with everything below it. The number of calls is not known; `calls=` has the number of contexts with the
// call.
#include <map>
#include <set>

#include "report/export/contexts.h"
#include "report/export/export.h"

namespace memspy::report {
namespace {

struct FunctionKey {
    Text object;
    std::string file, name;
    auto operator<=>(const FunctionKey&) const = default;
};

struct CallEdge {
    u64 line;
    FunctionKey callee;
    u64 callee_line;
    auto operator<=>(const CallEdge&) const = default;
};

struct CallCost {
    u64 contexts = 0;
    ContextCosts costs;
};

struct FunctionCost {
    std::map<u64, ContextCosts> lines;
    std::map<CallEdge, CallCost> calls;
};

using Graph = std::map<FunctionKey, FunctionCost>;

FunctionKey key_of(const Contexts& contexts, const Frame& frame) {
    const Module* module = contexts.find_module(frame.module);
    // Readers find the source by its whole path if that is known.
    return {module == nullptr ? Text{} : module->path,
            (frame.dir.starts_with('/') ? std::string(frame.dir) + "/" : "") + std::string(frame.file),
            frame.fn.empty() ? hexadecimal(frame.offset != kNoAddress ? frame.offset : frame.ip)
                             : std::string(frame.fn)};
}

Graph graph_of(const Contexts& contexts) {
    Graph graph;
    for (const auto& [stack, costs] : contexts.costs()) {
        const auto frames = contexts.frames_of(static_cast<StackId>(stack));
        if (frames.empty()) {
            graph[{{}, {}, "(not known)"}].lines[0].add(costs);
            continue;
        }
        const Frame& innermost = contexts.frame(frames.front());
        graph[key_of(contexts, innermost)].lines[innermost.line].add(costs);
        // In a recursion the same call is on the stack many times, but its costs count once.
        std::set<std::pair<FunctionKey, CallEdge>> counted;
        for (std::size_t i = 1; i < frames.size(); ++i) {
            const Frame &caller = contexts.frame(frames[i]), &callee = contexts.frame(frames[i - 1]);
            const FunctionKey from = key_of(contexts, caller);
            const CallEdge call{caller.line, key_of(contexts, callee), callee.line};
            if (!counted.emplace(from, call).second) continue;
            CallCost& sums = graph[from].calls[call];
            ++sums.contexts;
            sums.costs.add(costs);
        }
    }
    return graph;
}

// Names are written once and then referred to by numbers.
class CompressedNames {
public:
    std::string operator()(const std::string& name) {
        const auto [at, is_new] = numbers_.try_emplace(name, numbers_.size() + 1);
        const std::string number = "(" + std::to_string(at->second) + ")";
        return is_new ? number + " " + name : number;
    }

private:
    std::map<std::string, std::size_t> numbers_;
};

std::string or_unknown(Text text) { return text.empty() ? "???" : std::string(text); }

// The metrics that have any value; all where none has, since a file has at least one event.
std::vector<std::size_t> used_metrics(const ContextCosts& total) {
    std::vector<std::size_t> used, all;
    for (std::size_t i = 0; i < all_metrics().size(); ++i) {
        all.push_back(i);
        if (total[i] != 0) used.push_back(i);
    }
    return used.empty() ? all : used;
}

}  // namespace

void export_callgrind(ExportJob& job) {
    Contexts contexts;
    read_profiles(job, contexts);
    std::ostream& out = job.out;
    out << "# callgrind format\nversion: 1\ncreator: memspy-report " MEMSPY_VERSION "\n";
    if (!contexts.runs().empty()) {
        const Run& run = contexts.runs().front();
        out << "pid: " << run.pid << "\ncmd: " << run.command.exe;
        for (const Argument& each : run.command.arguments) out << ' ' << each.text;
        out << '\n';
    }
    out << "part: 1\n\npositions: line\n";
    ContextCosts total;
    for (const auto& [stack, costs] : contexts.costs()) total.add(costs);
    const std::vector<std::size_t> used = used_metrics(total);
    auto write = [&](const ContextCosts& costs) {
        for (const std::size_t metric : used) out << ' ' << costs[metric];
        out << '\n';
    };
    for (const std::size_t i : used)
        out << "event: " << all_metrics()[i].event << " : " << all_metrics()[i].title << '\n';
    out << "events:";
    for (const std::size_t i : used) out << ' ' << all_metrics()[i].event;
    out << "\nsummary:";
    write(total);

    CompressedNames objects, files, functions;
    for (const auto& [key, function] : graph_of(contexts)) {
        out << "\nob=" << objects(or_unknown(key.object)) << "\nfl=" << files(or_unknown(key.file))
            << "\nfn=" << functions(key.name) << '\n';
        for (const auto& [line, costs] : function.lines) {
            out << line;
            write(costs);
        }
        for (const auto& [call, sums] : function.calls) {
            out << "cob=" << objects(or_unknown(call.callee.object))
                << "\ncfi=" << files(or_unknown(call.callee.file)) << "\ncfn=" << functions(call.callee.name)
                << "\ncalls=" << sums.contexts << ' ' << call.callee_line << '\n';
            out << call.line;
            write(sums.costs);
        }
    }
    out << "\ntotals:";
    write(total);
}

}  // namespace memspy::report
