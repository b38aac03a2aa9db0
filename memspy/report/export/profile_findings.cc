// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/profile_findings.h"

#include "report/catalog.h"
#include "report/export/job.h"
#include "report/section.h"

namespace memspy::report {
namespace {

class FindingReader : public Catalog {
public:
    explicit FindingReader(StringPool& strings) : strings_(strings) {}
    void run(const Run& record) override {
        Catalog::run(record);
        if (!file.run.exe.empty()) return;
        file.run.tool = "memspy";
        file.run.pid = record.pid;
        file.run.ppid = record.ppid;
        file.run.exe = record.command.exe;
        file.run.arguments = texts_of(record.command.arguments);
        file.run.options = texts_of(record.options.arguments);
    }
    void record(const AnyRecord& record) override {
        if (record.section.placed_finding == nullptr) return;
        const auto finding = record.section.placed_finding(record, *this);
        if (!finding) return;
        Error error;
        error.unique = strings_.intern("0x" + std::to_string(file.errors.size()));
        error.kind = finding->kind;
        error.what = strings_.intern(finding->what);
        error.leaked_bytes = finding->leaked_bytes;
        error.leaked_blocks = finding->leaked_blocks;
        error.thread = finding->thread;
        error.remedies = finding->remedies;
        error.parts.push_back({{}, frames_of_stack(finding->stack)});
        for (const PlacedFinding::FindingRemark& remark : finding->remarks)
            if (!remark.text.empty())
                error.parts.push_back({strings_.intern(remark.text), frames_of_stack(remark.stack)});
        file.errors.push_back(std::move(error));
        file.counts.push_back(finding->times);
    }

    ErrorFile file;

private:
    std::vector<ErrorFrame> frames_of_stack(StackId stack) {
        std::vector<ErrorFrame> frames;
        for (const FrameIndex index : frames_of(stack)) {
            const Frame& each = frame(index);
            const Module* const module = find_module(each.module);
            frames.push_back({strings_.intern(hexadecimal(each.ip)),
                              module == nullptr ? Text() : module->path, each.fn, each.dir, each.file,
                              each.line});
        }
        return frames;
    }

    StringPool& strings_;
};

}  // namespace

ErrorFile findings_of_profiles(ExportJob& job) {
    FindingReader reader(job.inputs.strings());
    read_profiles(job, reader);
    reader.file.path = job.profiles.front();
    reader.file.finished = true;
    return std::move(reader.file);
}

}  // namespace memspy::report
