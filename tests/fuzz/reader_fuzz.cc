// SPDX-License-Identifier: GPL-2.0-or-later
//
// Whatever bytes memspy-report reads: no crash, no undefined behaviour, and what it reads of a profile and writes
// again is the same when it is read once more.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "report/command_line.h"
#include "report/error_reader.h"
#include "report/merge.h"
#include "report/profile_reader.h"
#include "report/profile_writer.h"
#include "report/sections/contention/names.h"
#include "report/sections/contention/text.h"
#include "report/sections/contention/words.h"
#include "report/sections/defects/text.h"
#include "report/sections/heap_profile/advice.h"
#include "report/sections/heap_profile/formats.h"
#include "report/sections/locality/names.h"
#include "report/sections/waste/advice.h"
#include "report/sections/zeros/names.h"
#include "report/sections/zeros/text.h"
#include "report/text_part.h"

// A section names its commands, texts and conclusions; none is used here.
namespace memspy::report::mpi {
extern const Command kMpiCommand;
const Command kMpiCommand{};
std::unique_ptr<TextPart> text_part(const TextView&) { return nullptr; }
}  // namespace memspy::report::mpi
namespace memspy::report::cost {
extern const Command kCostCommand;
const Command kCostCommand{};
}  // namespace memspy::report::cost
namespace memspy::report::locality {
extern const Command kLocalityCommand;
const Command kLocalityCommand{};
extern const Command kMapCommand;
const Command kMapCommand{};
void pass_with_names(const AnyRecord& record, SourceNames&, ProfileHandler& to) { to.record(record); }
}  // namespace memspy::report::locality
namespace memspy::report::mix {
extern const Command kMixCommand;
const Command kMixCommand{};
}  // namespace memspy::report::mix
namespace memspy::report::heap_profile {
extern const Command kHeapCommand;
const Command kHeapCommand{};
const ConclusionKind kConclusions{};
void export_dhat(ExportJob&) {}
void export_massif(ExportJob&) {}
void export_pprof(ExportJob&) {}
}  // namespace memspy::report::heap_profile
namespace memspy::report::waste {
extern const Command kWasteCommand;
const Command kWasteCommand{};
const ConclusionKind kAdvice{};
}  // namespace memspy::report::waste
namespace memspy::report::shared_memory {
extern const Command kSharedMemoryCommand;
const Command kSharedMemoryCommand{};
std::unique_ptr<TextPart> text_part(const TextView&) { return nullptr; }
}  // namespace memspy::report::shared_memory
namespace memspy::report::races {
extern const Command kRacesCommand;
const Command kRacesCommand{};
}  // namespace memspy::report::races
namespace memspy::report::contention {
std::vector<ErrorRemedy> remedies_of(const Group&) { return {}; }
std::unique_ptr<TextPart> text_part(const TextView&) { return nullptr; }
void pass_with_names(const AnyRecord& record, SourceNames&, ProfileHandler& to) { to.record(record); }
}  // namespace memspy::report::contention
namespace memspy::report::zeros {
std::unique_ptr<TextPart> text_part(const TextView&) { return nullptr; }
void pass_with_names(const AnyRecord& record, SourceNames&, ProfileHandler& to) { to.record(record); }
}  // namespace memspy::report::zeros
namespace memspy::report::defects {
std::string what_of(const Defect& defect) { return std::string(defect.what); }
std::unique_ptr<TextPart> text_part(const TextView&) { return nullptr; }
}  // namespace memspy::report::defects
namespace memspy::report::ranks {
std::unique_ptr<TextPart> text_part(const TextView&) { return nullptr; }
}  // namespace memspy::report::ranks

using namespace memspy::report;

namespace {

void must(bool condition) {
    if (!condition) std::abort();
}

// Returns false if the document is refused.
bool read(std::string_view document, XmlSink& sink) {
    try {
        read_xml_text("input", document, sink);
        return true;
    } catch (const InputError&) {
        return false;
    } catch (const FoldError&) {
        return false;
    }
}

struct CountErrors : ErrorHandler {
    void error(const Error& error) override { parts += error.parts.size(); }
    std::size_t parts = 0;
};

std::string merged(std::string_view document, int times) {
    StringPool strings;
    Merger merger(strings);
    for (int i = 0; i < times; ++i) {
        merger.begin_file();
        ProfileReader reader(merger, strings);
        if (!read(document, reader)) return {};
    }
    std::ostringstream out;
    ProfileWriter writer(out);
    merger.emit(writer);
    writer.finish();
    return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view document(reinterpret_cast<const char*>(data), size);
    {
        StringPool strings;
        CountErrors count;
        ErrorReader reader(count, strings);
        read(document, reader);
    }
    if (const std::string once = merged(document, 1); !once.empty()) must(merged(once, 1) == once);
    merged(document, 2);
    return 0;
}
