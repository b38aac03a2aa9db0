// SPDX-License-Identifier: GPL-2.0-or-later
//
// The list of analyses, from all.def.
#pragma once

#include "analyses/analysis.h"

#define MEMSPY_ANALYSIS(name)                                                                                \
    namespace memspy::name {                                                                                 \
    extern const Analysis kAnalysis;                                                                         \
    }
#include "analyses/all.def"
#undef MEMSPY_ANALYSIS

namespace memspy {

inline constexpr const Analysis* kAnalyses[] = {
#define MEMSPY_ANALYSIS(name) &name::kAnalysis,
#include "analyses/all.def"
#undef MEMSPY_ANALYSIS
};

// Calls the member of each analysis that has it.
template <typename... Parameters, typename... Arguments>
void tell_all(void (*Analysis::*what)(Parameters...), Arguments&&... arguments) {
    for (const Analysis* analysis : kAnalyses)
        if (analysis->*what != nullptr) (analysis->*what)(arguments...);
}

}  // namespace memspy
