// SPDX-License-Identifier: GPL-2.0-or-later
//
// An archive of OTF2, for Vampir and other viewers of traces: when ranks were in calls of MPI, in microseconds; of
// profiles without MPI, when threads waited, in virtual time, an instruction as a nanosecond. The library's own writer
// makes it (write_otf2.py, which describes the lines that it reads), so only this export needs it.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "report/catalog.h"
#include "report/export/export.h"
#include "report/other_programs.h"
#include "report/sections/contention/records.h"
#include "report/sections/mpi/waiting.h"

namespace memspy::report {
namespace {

constexpr int kNoModule = 3;  // exit status of write_otf2.py

struct TraceSpan {
    u64 begin, end;
    std::size_t region;
    auto operator<=>(const TraceSpan&) const = default;
};
struct TraceRegion {
    std::string name;
    std::string_view file;
    u64 line = 0;
    auto operator<=>(const TraceRegion&) const = default;
};

// The spans of ranks or threads. Two at once, of threads in calls at once, have locations beside each other.
class Trace : public Catalog {
public:
    void record(const AnyRecord& record) override {
        events_.take(record);
        if (const auto* call = record.as<mpi::Call>()) calls_[{call->rank, call->number}] = *call;
        if (const auto* wait = record.as<contention::Wait>()) waits_.push_back(*wait);
    }

    bool is_of_ranks() const { return !events_.ranks().empty(); }
    // Of each rank or thread, ascending.
    std::map<u64, std::set<TraceSpan>> spans() {
        std::map<u64, std::set<TraceSpan>> spans;
        u64 first = ~u64{0};
        for (const auto& [number, rank] : events_.ranks()) first = std::min(first, rank.began);
        if (is_of_ranks())
            for (const auto& [number, rank] : events_.ranks()) add(rank, rank.began - first, spans[number]);
        else
            for (const contention::Wait& wait : waits_) add(wait, spans);
        return spans;
    }
    const std::vector<TraceRegion>& regions() const { return regions_; }

private:
    std::size_t region_of(TraceRegion region, StackId stack) {
        if (const Frame* const at = site(stack); at != nullptr) {
            region.file = at->file;
            region.line = at->line;
        }
        const auto [known, is_new] = numbers_.try_emplace(region, regions_.size());
        if (is_new) regions_.push_back(region);
        return known->second;
    }

    // A call that completes several messages is one span. `since`: when the rank began.
    void add(const mpi::RankEvents& rank, u64 since, std::set<TraceSpan>& to) {
        const auto take = [&](const std::vector<u64>& events, std::size_t length, std::size_t call) {
            for (std::size_t i = 0; i + length <= events.size(); i += length) {
                const auto row = calls_.find({rank.rank, events[i + call]});
                if (row == calls_.end()) continue;
                to.insert({since + events[i + length - 2], since + events[i + length - 1],
                           region_of({std::string(row->second.name), {}, 0}, row->second.stack)});
            }
        };
        take(rank.sends, 6, 3);
        take(rank.receives, 7, 3);
        take(rank.collectives, 4, 1);
    }

    void add(const contention::Wait& wait, std::map<u64, std::set<TraceSpan>>& to) {
        std::string name = "wait: " + std::string(wait.kind);
        if (const Object* const object = find_object(wait.object); object != nullptr)
            name += " " + label(*object);
        else if (!wait.name.empty())
            name += " " + std::string(wait.name);
        for (const contention::WaitSpan& span : wait.spans)
            to[static_cast<u64>(span.thread)].insert(
                {span.from, span.until, region_of({name, {}, 0}, wait.stack)});
    }

    mpi::MpiEvents events_;
    std::map<mpi::CallKey, mpi::Call> calls_;
    std::vector<contention::Wait> waits_;
    std::map<TraceRegion, std::size_t> numbers_;
    std::vector<TraceRegion> regions_;
};

// One part of a line of the protocol.
std::string part(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c == '\t' || c == '\n') c = ' ';
    return result;
}

std::string lines_of(Trace& trace) {
    const std::map<u64, std::set<TraceSpan>> spans = trace.spans();
    const bool of_ranks = trace.is_of_ranks();
    std::string text = of_ranks ? "clock\t1000000\n" : "clock\t1000000000\n";
    for (const TraceRegion& region : trace.regions())
        text += "region\t" + part(region.name) + (of_ranks ? "\tmpi\t" : "\twait\t") + part(region.file) +
                '\t' + std::to_string(region.line) + '\n';
    std::size_t locations = 0;
    for (const auto& [number, of] : spans) {
        const std::string name = (of_ranks ? "rank " : "thread ") + std::to_string(number);
        const std::size_t first = locations;
        std::vector<u64> ends;
        std::string own;
        for (const TraceSpan& span : of) {
            std::size_t lane = 0;
            while (lane < ends.size() && ends[lane] > span.begin) ++lane;
            if (lane == ends.size()) {
                ends.push_back(0);
                text += "location\t" + (of_ranks ? name : "the process") + '\t' + name +
                        (lane == 0 ? "" : ", at once " + std::to_string(lane + 1)) + '\n';
            }
            ends[lane] = span.end;
            own += "span\t" + std::to_string(first + lane) + '\t' + std::to_string(span.region) + '\t' +
                   std::to_string(span.begin) + '\t' + std::to_string(span.end) + '\n';
        }
        locations += ends.size();
        text += own;
    }
    return text;
}

// Debian's packages are for the system's Python.
std::string writer_command(const std::string& folder) {
    const std::string script =
        (folder_of_this_program() / "../share/memspy/export/write_otf2.py").lexically_normal();
    const char* const python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    return std::string(python) + " -B " + quoted(script) + " " + quoted(folder);
}

}  // namespace

void export_otf2(ExportJob& job) {
    if (job.folder.empty()) throw UsageError("--to=otf2 needs -o FOLDER, which it makes");
    if (std::filesystem::exists(job.folder)) throw UsageError(job.folder + " exists");
    Trace trace;
    read_profiles(job, trace);
    const std::string lines = lines_of(trace);
    if (trace.regions().empty())
        throw UsageError("these profiles have neither calls of MPI nor waits of threads (of one process)");
    std::signal(SIGPIPE, SIG_IGN);
    FILE* const pipe = popen(writer_command(job.folder).c_str(), "w");
    if (pipe == nullptr) throw std::runtime_error("python3 cannot be started");
    std::fwrite(lines.data(), 1, lines.size(), pipe);
    const int status = pclose(pipe);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoModule)
        throw std::runtime_error("--to=otf2 needs OTF2's writer: apt-get install python3-otf2");
    if (status != 0) throw std::runtime_error("the archive " + job.folder + " could not be written");
}

}  // namespace memspy::report
