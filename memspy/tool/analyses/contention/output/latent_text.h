// SPDX-License-Identifier: GPL-2.0-or-later
//
// The sentence on latent false sharing.
#pragma once

#include "remedies/sharing_report.h"

namespace memspy::contention {

using namespace remedies;

// "On lines of 128 bytes: false sharing inside counters, about 12,000 events". `describe_blocks` as in SummaryOptions.
void add_latent(rt::Text& text, const SharingReport& report, const LatentFinding& finding,
                void (*describe_blocks)(rt::Text& text, ContextId allocated, bool several));

}  // namespace memspy::contention
