// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/parameters.h"

#include "instrument/core/policy.h"

namespace memspy::client {
namespace {
constinit ParameterJudge g_judge = nullptr;
constinit ValueKeeper g_keeper = {};
}  // namespace

void judge(ParameterJudge judge) { g_judge = judge; }

bool tell_parameter(u32 thread, const Parameter& parameter) {
    return g_judge != nullptr && instrument::policy().enabled && g_judge(thread, parameter);
}

void judge(const ValueKeeper& keeper) { g_keeper = keeper; }

bool keep_values(u32 thread, Address begin, usize bytes) {
    return g_keeper.keep != nullptr && instrument::policy().enabled && g_keeper.keep(thread, begin, bytes);
}
void return_values(Address begin, usize bytes) {
    if (g_keeper.give_back != nullptr) g_keeper.give_back(begin, bytes);
}

}  // namespace memspy::client
