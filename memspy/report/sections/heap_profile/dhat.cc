// SPDX-License-Identifier: GPL-2.0-or-later
//
// DHAT's file format, version 2, as dhat/dh_main.c of Valgrind describes it: programme points by allocation
// stack, and a table of frames. Accesses by offset ("acc") are not in memspy's profiles.
#include <map>
#include <nlohmann/json.hpp>

#include "report/sections/heap_profile/formats.h"
#include "report/sections/heap_profile/heap_reader.h"

namespace memspy::report::heap_profile {
namespace {

using Json = nlohmann::ordered_json;

// `0x401136: main (x.c:12)`, as DHAT writes frames.
std::string frame_text(const HeapReader& reader, const Frame& frame) {
    const Module* const module = reader.find_module(frame.module);
    std::string text = hexadecimal(frame.ip) + ": " + (frame.fn.empty() ? "???" : std::string(frame.fn));
    const std::string place = source_place(frame);
    if (!place.empty()) return text + " (" + place + ")";
    return text + (module == nullptr ? "" : " (in " + std::string(module->path) + ")");
}

class FrameTable {
public:
    explicit FrameTable(const HeapReader& reader) : reader_(reader) {}
    std::size_t number_of(const Frame& frame) {
        const auto [at, is_new] = numbers_.try_emplace(frame_text(reader_, frame), texts_.size());
        if (is_new) texts_.push_back(at->first);
        return at->second;
    }
    const Json& texts() const { return texts_; }

private:
    const HeapReader& reader_;
    Json texts_ = Json::array({"[root]"});
    std::map<std::string, std::size_t> numbers_;
};

std::string command_of(const HeapReader& reader) {
    if (reader.runs().empty()) return "";
    const auto& command = reader.runs().front().command;
    std::string text(command.exe);
    for (const Text each : texts_of(command.arguments)) text += " " + std::string(each);
    return text;
}

}  // namespace

void export_dhat(ExportJob& job) {
    HeapReader reader;
    read_profiles(job, reader);
    if (reader.empty()) throw UsageError("no heap profile in this file; run with --heap-profile=yes");
    FrameTable frames(reader);
    Json points = Json::array();
    for (const Context& context : reader.contexts()) {
        if (context.custom) continue;
        Json stack = Json::array();
        for (const FrameIndex index : reader.frames_of(context.stack))
            stack.push_back(frames.number_of(reader.frame(index)));
        points.push_back({{"tb", context.bytes},
                          {"tbk", context.blocks},
                          {"tl", context.lifetimes},
                          {"mb", context.max_bytes},
                          {"mbk", context.blocks},
                          {"gb", context.peak_bytes},
                          {"gbk", context.peak_blocks},
                          {"eb", context.end_bytes},
                          {"ebk", context.end_blocks},
                          {"rb", context.loaded},
                          {"wb", context.stored},
                          {"fs", std::move(stack)}});
    }
    const Json document{{"dhatFileVersion", 2},
                        {"mode", "heap"},
                        {"verb", "Allocated"},
                        {"bklt", true},
                        {"bkacc", reader.has_accesses()},
                        {"tu", "instrs"},
                        {"Mtu", "Minstr"},
                        {"tuth", 500},
                        {"cmd", command_of(reader)},
                        {"pid", reader.runs().empty() ? 0 : reader.runs().front().pid},
                        {"te", reader.total().end_time},
                        {"tg", reader.total().peak_time},
                        {"pps", std::move(points)},
                        {"ftbl", frames.texts()}};
    job.out << document.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace memspy::report::heap_profile
