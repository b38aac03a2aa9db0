// SPDX-License-Identifier: GPL-2.0-or-later
//
// An analysis to learn from: how many bytes the program's accesses have. It asks for the access log from the
// first instruction on, counts, and says what it counted in the text and in a section <sizes> of the profile:
//
//   <sizes>
//     <size bytes="8" loads="1200" stores="300"/>    by ascending size
//   </sizes>
//
// Larger accesses than kMost (system calls) count as that.
#include "analyses/analysis.h"
#include "log/consumer.h"
#include "rt/global.h"
#include "rt/text.h"
#include "rt/vector.h"
#include "vg/vg.h"

namespace memspy::fields::sizes {
#define MEMSPY_FIELDS "fields/sizes.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::sizes

namespace memspy::sizes {
namespace {

namespace names = fields::sizes;

struct Count {
    u64 loads = 0, stores = 0;
    u64 all() const { return loads + stores; }
};
constexpr usize kMost = 512;
rt::Global<rt::Vector<Count>> counts;  // by size

// Calls f(bytes, count) for each size that is reported.
template <typename F>
void for_each_size(F f) {
    for (usize bytes = 1; bytes < counts->size(); ++bytes)
        if ((*counts)[bytes].all() >= static_cast<u64>(options().sizes_least)) f(bytes, (*counts)[bytes]);
}

void records(threads::Thread, const u64* first, const u64* end) {
    log::for_each_record(first, end, [](const log::Record& record, const log::Shape& shape) {
        log::for_each_access(record, shape, [](const log::AccessUse& use, Address) {
            Count& count = (*counts)[use.bytes < kMost ? use.bytes : kMost];
            count.loads += use.loads;
            count.stores += use.stores;
        });
    });
}

// In a forked child: the counts belong to the parent.
void forked(threads::Thread) {
    for (Count& count : *counts) count = {};
}

void start() {
    if (!options().sizes) return;
    counts->resize(kMost + 1);
    log::attach({.from_start = true, .records = records, .forked = forked});
}

void finish(End) {
    if (!options().sizes || VG_(clo_verbosity) == 0 || VG_(clo_xml)) return;
    VG_(umsg)("Accesses by size\n");
    for_each_size([](usize bytes, const Count& count) {
        rt::Text line;
        line.add("  ").add_number(bytes).add(bytes == 1 ? " byte: " : " bytes: ");
        line.add_number(count.loads).add(" loads, ").add_number(count.stores).add(" stores");
        VG_(umsg)("%s\n", line.c_str());
    });
}

void write(profile::XmlWriter& xml) {
    xml.open(names::kSection);
    for_each_size([&](usize bytes, const Count& count) {
        xml.open(names::kSize);
        xml.attribute(names::Size::bytes, bytes);
        xml.attribute(names::Size::loads, count.loads);
        xml.attribute(names::Size::stores, count.stores);
        xml.close();
    });
    xml.close();
}

constexpr profile::ProfileSection kSection = {
    .has_data = [] { return true; }, .collect = [](profile::ProfileNeeds&) {}, .write = write};

}  // namespace

extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "sizes",
                                .wanted = [] { return options().sizes; },
                                .start = start,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::sizes
