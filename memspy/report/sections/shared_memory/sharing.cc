// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/sections/shared_memory/sharing.h"

#include <algorithm>
#include <bit>
#include <set>

#include "report/table.h"

namespace memspy::report::shared_memory {
namespace {

// One stretch of a process; its place is its stack.
struct ProcessStretch {
    SharingProcess process;
    const LineUse* use;
    u64 accesses() const { return use->loads + use->stores; }
    u64 loaded() const { return use->loaded.value; }
    u64 stored() const { return use->stored.value; }
    u64 bytes() const { return loaded() | stored(); }
};
using StretchUses = std::vector<ProcessStretch>;

struct Fetches {
    u64 all = 0, of_same_bytes = 0;
};

// Of the process with uses [begin, end), which come to the line together with all others.
Fetches fetches(const StretchUses& uses, std::size_t begin, std::size_t end) {
    u64 others_stored = 0, own_bytes = 0;
    Fetches most;
    for (std::size_t i = begin; i < end; ++i) own_bytes |= uses[i].bytes();
    u64 stores = 0, stores_to_own = 0, accesses = 0, accesses_to_stored = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (i >= begin && i < end) continue;
        stores += uses[i].use->stores;
        others_stored |= uses[i].stored();
        if ((uses[i].stored() & own_bytes) != 0) stores_to_own += uses[i].use->stores;
    }
    for (std::size_t i = begin; i < end; ++i) {
        accesses += uses[i].accesses();
        if ((uses[i].bytes() & others_stored) != 0) accesses_to_stored += uses[i].accesses();
    }
    most.all = std::min(accesses, stores);
    most.of_same_bytes = std::min(accesses_to_stored, stores_to_own);
    return most;
}

std::size_t end_of_process(const StretchUses& uses, std::size_t begin) {
    std::size_t end = begin;
    while (end < uses.size() && uses[end].process == uses[begin].process) ++end;
    return end;
}

SharedLineUser user_of(const StretchUses& uses, std::size_t begin, std::size_t end, u64 least) {
    SharedLineUser user;
    user.process = uses[begin].process;
    std::vector<const ProcessStretch*> order;
    for (std::size_t i = begin; i < end; ++i) {
        user.loads += uses[i].use->loads;
        user.stores += uses[i].use->stores;
        if (uses[i].accesses() >= least) order.push_back(&uses[i]);
    }
    std::stable_sort(order.begin(), order.end(), [](const ProcessStretch* a, const ProcessStretch* b) {
        return a->accesses() > b->accesses();
    });
    for (const ProcessStretch* each : order) {
        user.loaded |= each->loaded();
        user.stored |= each->stored();
        user.stacks.push_back(each->use->stack);
    }
    return user;
}

// `uses` are those of each of the lines, sorted by process.
bool judge(const StretchUses& uses, SharedLines& found) {
    u64 accesses = 0;
    for (const ProcessStretch& each : uses) accesses += each.accesses();
    for (std::size_t begin = 0; begin < uses.size();) {
        const std::size_t end = end_of_process(uses, begin);
        const Fetches most = fetches(uses, begin, end);
        found.true_fetches += most.of_same_bytes;
        found.false_fetches += most.all - std::min(most.all, most.of_same_bytes);
        // A process that only once filled the line has no part in it.
        SharedLineUser user = user_of(uses, begin, end, accesses / 100);
        if (!user.stacks.empty()) found.users.push_back(std::move(user));
        begin = end;
    }
    if (found.false_fetches + found.true_fetches < Sharing::kLeastFetches) return false;
    found.false_fetches *= found.lines;
    found.true_fetches *= found.lines;
    return true;
}

bool are_alike(const SharedLines& a, const SharedLines& b) {
    std::set<StackId> of_a, of_b;
    for (const SharedLineUser& user : a.users) of_a.insert(user.stacks.begin(), user.stacks.end());
    for (const SharedLineUser& user : b.users) of_b.insert(user.stacks.begin(), user.stacks.end());
    return a.is_false() == b.is_false() && of_a == of_b;
}

void find_lines(const std::vector<SharedFile>& files, std::vector<SharedLines>& to) {
    // Where stretches begin and end.
    std::map<u64, std::pair<StretchUses, StretchUses>> borders;
    for (const SharedFile& file : files)
        for (const LineUse& use : file.uses) {
            const ProcessStretch stretch{{file.rank, file.process}, &use};
            borders[use.offset].first.push_back(stretch);
            borders[use.offset + use.lines * Sharing::kLineBytes].second.push_back(stretch);
        }
    StretchUses active;
    for (auto at = borders.begin(); at != borders.end(); ++at) {
        for (const ProcessStretch& ends : at->second.second)
            std::erase_if(active, [&](const ProcessStretch& each) { return each.use == ends.use; });
        active.insert(active.end(), at->second.first.begin(), at->second.first.end());
        if (active.empty() || std::next(at) == borders.end()) continue;
        std::stable_sort(active.begin(), active.end(), [](const ProcessStretch& a, const ProcessStretch& b) {
            return a.process < b.process;
        });
        if (active.front().process == active.back().process) continue;
        SharedLines next;
        next.path = files.front().path;
        next.mapped = files.front().stack;
        next.offset = at->first;
        next.lines = (std::next(at)->first - at->first) / Sharing::kLineBytes;
        if (!judge(active, next)) continue;
        if (!to.empty() && to.back().mapped == next.mapped && to.back().path == next.path &&
            to.back().offset + to.back().lines * Sharing::kLineBytes == next.offset &&
            are_alike(to.back(), next)) {
            to.back().lines += next.lines;
            to.back().false_fetches += next.false_fetches;
            to.back().true_fetches += next.true_fetches;
        } else {
            to.push_back(std::move(next));
        }
    }
}

}  // namespace

void Sharing::take(const AnyRecord& record) {
    const auto* const file = record.as<SharedFile>();
    if (file == nullptr) return;
    left_out_ += file->left_out;
    files_[{std::string(file->host), file->device, file->inode}].push_back(*file);
}

std::vector<SharedLines> Sharing::lines() const {
    std::vector<SharedLines> found;
    for (const auto& [key, files] : files_) {
        std::vector<SharedLines> of_file;
        find_lines(files, of_file);
        found.insert(found.end(), of_file.begin(), of_file.end());
    }
    std::stable_sort(found.begin(), found.end(), [](const SharedLines& a, const SharedLines& b) {
        if (a.is_false() != b.is_false()) return a.is_false();
        return a.false_fetches + a.true_fetches > b.false_fetches + b.true_fetches;
    });
    return found;
}

std::string text_of(const SharingProcess& process) {
    return process.rank != kNobody ? "rank " + std::to_string(process.rank)
                                   : "process " + std::to_string(process.process);
}

std::string bytes_of(u64 mask) {
    std::string text;
    for (unsigned first = 0; first < 64;) {
        if ((mask >> first & 1) == 0) {
            ++first;
            continue;
        }
        const auto length = static_cast<unsigned>(std::countr_one(mask >> first));
        text += (text.empty() ? "" : ", ") + std::to_string(first);
        if (length > 1) text += "-" + std::to_string(first + length - 1);
        first += length;
    }
    return text;
}

// Parts of which each process stores to its own.
std::string advice_on(const SharedLines& lines) {
    if (!lines.is_false()) return "";
    u64 before = 0, all = 0;
    bool have_own = true;
    for (const SharedLineUser& user : lines.users) {
        have_own &= (user.stored & before) == 0;
        before |= user.stored;
        all |= user.stored | user.loaded;
    }
    if (!have_own) return "keep what only one process stores to on a line of its own";
    unsigned stride = 0;
    std::vector<unsigned> starts;
    for (const SharedLineUser& user : lines.users)
        if (user.stored != 0) starts.push_back(static_cast<unsigned>(std::countr_zero(user.stored)));
    std::sort(starts.begin(), starts.end());
    for (std::size_t i = 1; i < starts.size(); ++i)
        stride = stride == 0 ? starts[i] - starts[i - 1] : std::min(stride, starts[i] - starts[i - 1]);
    if (stride == 0) return "keep what one process stores to apart from what the others load, by 64 bytes";
    return "give each process a line of its own: 64 bytes apart instead of " + std::to_string(stride);
}

std::string summary_of(const Sharing& sharing) {
    u64 lines = 0, falsely = 0;
    for (const SharedLines& each : sharing.lines()) {
        lines += each.lines;
        falsely += each.is_false() ? each.lines : 0;
    }
    if (lines == 0) return "";
    return "Lines of shared memory that processes take from each other: " + with_commas(lines) + ", " +
           with_commas(falsely) + " by false sharing (memspy-report shared-memory).\n";
}

std::string name_of(const SharedLines& lines, const Catalog& catalog) {
    const Frame* const at = catalog.site(lines.mapped, Catalog::SiteOf::Allocation);
    if (at != nullptr) return "memory of " + catalog.label(*at);
    return lines.path.empty() ? "anonymous memory" : std::string(lines.path);
}

}  // namespace memspy::report::shared_memory
