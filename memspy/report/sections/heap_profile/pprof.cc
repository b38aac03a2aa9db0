// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap profile as text that pprof and gperftools' google-pprof read: for each stack what is in use (here
// at the peak) and what was allocated in all, and where modules were loaded. Names come from the program when it is
// read.
#include "report/sections/heap_profile/formats.h"
#include "report/sections/heap_profile/heap_reader.h"

namespace memspy::report::heap_profile {
namespace {

void write_counts(std::ostream& out, u64 peak_blocks, u64 peak_bytes, u64 blocks, u64 bytes) {
    out << peak_blocks << ": " << peak_bytes << " [" << blocks << ": " << bytes << "] @";
}

// Without the allocation function, which is memspy's. An inlined function has its caller's address.
void write_stack(std::ostream& out, const HeapReader& reader, StackId stack) {
    const auto frames = reader.frames_of(stack);
    for (std::size_t i = frames.size() > 1 ? 1 : 0; i < frames.size(); ++i)
        if (const Frame& frame = reader.frame(frames[i]); !frame.inlined) out << ' ' << hexadecimal(frame.ip);
    out << '\n';
}

class ModuleLines : public HeapReader {
public:
    void module(const Module& record) override {
        HeapReader::module(record);
        std::string line = hexadecimal(record.begin).substr(2) + "-" + hexadecimal(record.end).substr(2) +
                           " r-xp " + hexadecimal(Address{record.begin.value - record.bias.value}).substr(2) +
                           " 00:00 0 " + std::string(record.path) + "\n";
        lines_ += line;
    }
    const std::string& lines() const { return lines_; }

private:
    std::string lines_;
};

}  // namespace

void export_pprof(ExportJob& job) {
    ModuleLines reader;
    read_profiles(job, reader);
    if (reader.empty()) throw UsageError("no heap profile in this file; run with --heap-profile=yes");
    const Total& total = reader.total();
    job.out << "heap profile: ";
    write_counts(job.out, total.peak_blocks, total.peak_bytes, total.blocks, total.bytes);
    job.out << " heapprofile\n";
    for (const Context& context : reader.contexts()) {
        if (context.custom) continue;
        write_counts(job.out, context.peak_blocks, context.peak_bytes, context.blocks, context.bytes);
        write_stack(job.out, reader, context.stack);
    }
    job.out << "\nMAPPED_LIBRARIES:\n" << reader.lines();
}

}  // namespace memspy::report::heap_profile
