// SPDX-License-Identifier: GPL-2.0-or-later
//
// Known machines, in the format of description.h; one file of database/ each. Each figure names its source; a
// figure without a source is left out.
#pragma once

#include <cstdint>

namespace memspy::machine {

struct KnownMachine {
    const char* key;
    const char* text;
    std::uint64_t length;
};

// Ends with an entry whose key is null.
extern const KnownMachine kKnownMachines[];

}  // namespace memspy::machine
