// SPDX-License-Identifier: GPL-2.0-or-later
//
// The time that messages take on the network, by what `memspy-machine network` measured: half a round trip of
// their size, which is L + 2 o + (n-1) G; of a collective call its time for that size.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/fields.h"

namespace memspy::report::mpi {

class Wire {
public:
    // `several_nodes`: the ranks ran on more than one. Throws std::runtime_error if the file has no such
    // network.
    Wire(const std::string& file, bool several_nodes);

    // Microseconds of so many calls, with so many bytes together; nothing if such a call was not measured.
    std::optional<u64> microseconds(std::string_view call, std::string_view pattern, u64 calls,
                                    u64 bytes) const;

private:
    struct SizePoint {
        double bytes, ns;
    };
    using Times = std::vector<SizePoint>;  // ascending
    static double time_of(const Times& times, double bytes);

    Times message_;
    std::map<std::string, Times, std::less<>> collectives_;
};

}  // namespace memspy::report::mpi
