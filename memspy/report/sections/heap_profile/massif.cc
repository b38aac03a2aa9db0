// SPDX-License-Identifier: GPL-2.0-or-later
//
// Massif's file format: snapshots of the live bytes, with the tree of callers at the peak. Time is
// instructions ("i"). Only the peak's tree is exact in its stacks; other moments have their sums.
#include <algorithm>
#include <map>

#include "report/sections/heap_profile/formats.h"
#include "report/sections/heap_profile/heap_reader.h"

namespace memspy::report::heap_profile {
namespace {

// Callers below an allocation, by the frame that each is.
struct TreeNode {
    u64 bytes = 0;
    std::map<FrameIndex, TreeNode> callers;
};

// As Massif: what is below one per cent of the snapshot is in one line.
constexpr u64 kPartsWorthALine = 100;

std::string label_of(const HeapReader& reader, FrameIndex index) {
    const Frame& frame = reader.frame(index);
    return hexadecimal(frame.ip) + ": " + reader.label(frame);
}

void write_node(std::ostream& out, const HeapReader& reader, const TreeNode& node, const std::string& label,
                u64 all, unsigned depth) {
    std::vector<const std::pair<const FrameIndex, TreeNode>*> shown;
    u64 rest = 0, left_out = 0;
    for (const auto& each : node.callers) {
        if (each.second.bytes * kPartsWorthALine >= all)
            shown.push_back(&each);
        else
            rest += each.second.bytes, ++left_out;
    }
    std::ranges::stable_sort(shown, std::ranges::greater{}, [](auto* each) { return each->second.bytes; });
    const std::string indent(depth, ' ');
    out << indent << 'n' << shown.size() + (left_out != 0 ? 1 : 0) << ": " << node.bytes << ' ' << label
        << '\n';
    for (const auto* each : shown)
        write_node(out, reader, each->second, label_of(reader, each->first), all, depth + 1);
    if (left_out != 0)
        out << indent << " n0: " << rest << " in " << left_out << (left_out == 1 ? " place" : " places")
            << ", below massif's threshold (1.00%)\n";
}

void write_snapshot(std::ostream& out, std::size_t number, u64 time, u64 bytes) {
    out << "#-----------\nsnapshot=" << number << "\n#-----------\ntime=" << time << "\nmem_heap_B=" << bytes
        << "\nmem_heap_extra_B=0\nmem_stacks_B=0\n";
}

}  // namespace

void export_massif(ExportJob& job) {
    HeapReader reader;
    read_profiles(job, reader);
    if (reader.empty()) throw UsageError("no heap profile in this file; run with --heap-profile=yes");
    const Total& total = reader.total();
    TreeNode root;
    for (const Context& context : reader.contexts()) {
        if (context.custom || context.peak_bytes == 0) continue;
        TreeNode* node = &root;
        node->bytes += context.peak_bytes;
        const auto frames = reader.frames_of(context.stack);
        for (std::size_t i = frames.size() > 1 ? 1 : 0; i < frames.size(); ++i) {
            node = &node->callers[frames[i]];
            node->bytes += context.peak_bytes;
        }
    }
    std::string command(reader.runs().empty() ? Text() : reader.runs().front().command.exe);
    if (!reader.runs().empty())
        for (const Text each : texts_of(reader.runs().front().command.arguments))
            command += " " + std::string(each);
    job.out << "desc: memspy --heap-profile\ncmd: " << command << "\ntime_unit: i\n";
    std::size_t number = 0;
    bool peak_written = false;
    const auto write_peak = [&] {
        peak_written = true;
        write_snapshot(job.out, number++, total.peak_time, total.peak_bytes);
        job.out << "heap_tree=peak\n";
        write_node(job.out, reader, root, "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.",
                   total.peak_bytes, 0);
    };
    for (const Moment& moment : reader.moments()) {
        if (!peak_written && moment.time >= total.peak_time) write_peak();
        write_snapshot(job.out, number++, moment.time, moment.bytes);
        job.out << "heap_tree=empty\n";
    }
    if (!peak_written) write_peak();
    write_snapshot(job.out, number, total.end_time, total.end_bytes);
    job.out << "heap_tree=empty\n";
}

}  // namespace memspy::report::heap_profile
