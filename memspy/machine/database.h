// SPDX-License-Identifier: GPL-2.0-or-later
//
// Known machines, as description.h reads them; one file of database/ each. Each figure names the source that it was read
// in; one that was not found in any is left out.
#pragma once

#include <cstdint>

namespace memspy::machine {

struct KnownMachine {
    const char* key;
    const char* text;
    std::uint64_t length;
};

// kKnownMachines[0] to the one whose key is null.
extern const KnownMachine kKnownMachines[];

}  // namespace memspy::machine
