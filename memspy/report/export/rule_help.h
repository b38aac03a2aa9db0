// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a kind of finding is, and what helps: for the pages of code hosts, which show both beside a result.
#pragma once

#include <string_view>

namespace memspy::report {

struct RuleHelp {
    std::string_view kind;
    std::string_view what;    // one sentence
    std::string_view remedy;  // what helps, and how to look further
};

// Null for a kind of another tool.
const RuleHelp* rule_help(std::string_view kind);

}  // namespace memspy::report
