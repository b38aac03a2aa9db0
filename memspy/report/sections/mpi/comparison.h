// SPDX-License-Identifier: GPL-2.0-or-later
//
// Bytes that calls of MPI send and receive.
#pragma once

#include <memory>
#include <string_view>

namespace memspy::report {
class Comparison;
}

namespace memspy::report::mpi {

std::unique_ptr<Comparison> comparison(std::string_view metric);

}  // namespace memspy::report::mpi
