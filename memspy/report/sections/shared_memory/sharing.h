// SPDX-License-Identifier: GPL-2.0-or-later
//
// Lines that several processes use, at least one of them to store: found in the profiles of all of them.
//
// Nobody knows the order in which processes came to a line. So what is counted is how often the line could at most
// have gone from one to another. A process has to fetch a line when another one has stored to it since it last had it:
// not more often than it comes to the line, nor than the others store to it. These fetches are true sharing as far as
// accesses and stores touch the same bytes, and false sharing otherwise.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "report/catalog.h"
#include "report/sections/shared_memory/records.h"

namespace memspy::report::shared_memory {

// A process: of MPI by its rank.
struct SharingProcess {
    u64 rank = kNobody, process = 0;
    bool operator==(const SharingProcess&) const = default;
    bool operator<(const SharingProcess& other) const {
        return std::tie(rank, process) < std::tie(other.rank, other.process);
    }
};

// What a process does to a line.
struct SharedLineUser {
    SharingProcess process;
    u64 loads = 0, stores = 0;
    u64 loaded = 0, stored = 0;   // bytes, without those of places that have next to no part in it
    std::vector<StackId> stacks;  // of the same places, the busiest first
};

// Lines side by side that are used equally.
struct SharedLines {
    std::string_view path;
    StackId mapped{};  // the call that made the memory
    u64 offset = 0, lines = 1;
    u64 false_fetches = 0, true_fetches = 0;  // of all of them, at most
    std::vector<SharedLineUser> users;        // of the first line
    bool is_false() const { return false_fetches > true_fetches; }
};

class Sharing {
public:
    static constexpr u64 kLineBytes = 64;
    // A line is filled, and read by another process, with a load and a store of each byte: that is no sharing that
    // costs anything. Lines with fewer fetches are no findings.
    static constexpr u64 kLeastFetches = 2 * kLineBytes;

    void take(const AnyRecord& record);
    // The most fetches first, false ones before true ones.
    std::vector<SharedLines> lines() const;
    u64 left_out() const { return left_out_; }
    bool empty() const { return files_.empty(); }

private:
    // Host, device, inode.
    using FileKey = std::tuple<std::string, u64, u64>;
    std::map<FileKey, std::vector<SharedFile>> files_;
    u64 left_out_ = 0;
};

// "rank 3", "process 1234".
std::string text_of(const SharingProcess& process);
// "0-7, 16-23" of a line's bytes.
std::string bytes_of(u64 mask);
// What to do, "" if there is nothing.
std::string advice_on(const SharedLines& lines);
// A line on all of them, for reports on other things; "" if there are none.
std::string summary_of(const Sharing& sharing);
// What makes the memory.
std::string name_of(const SharedLines& lines, const Catalog& catalog);

}  // namespace memspy::report::shared_memory
