// SPDX-License-Identifier: GPL-2.0-or-later
#include "analyses/analysis.h"
#include "analyses/locality/output/summary.h"
#include "analyses/locality/reading.h"
#include "log/consumer.h"
#include "options.h"

namespace memspy::locality {
namespace {

bool is_wanted() { return options().locality != LocalityMode::No; }

void start() {
    if (is_wanted()) start_reading();
}

void finish(End) {
    if (!is_on()) return;
    log::settle();
    print_summary();
}

}  // namespace

extern const profile::ProfileSection kSection;
extern const Analysis kAnalysis;
constexpr Analysis kAnalysis = {.name = "locality",
                                .wanted = is_wanted,
                                .check_options =
                                    [](Options& chosen) {
                                        if (chosen.locality != LocalityMode::No) log::request_replay_order();
                                    },
                                .start = start,
                                .finish = finish,
                                .section = &kSection};

}  // namespace memspy::locality
