// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/parameters.h"

#include "instrument/instrument.h"

namespace memspy::client {
namespace {
constinit ParameterJudge g_judge = nullptr;
}

void judge(ParameterJudge judge) { g_judge = judge; }

bool tell_parameter(u32 thread, const Parameter& parameter) {
    return g_judge != nullptr && instrument::policy().enabled && g_judge(thread, parameter);
}

}  // namespace memspy::client
