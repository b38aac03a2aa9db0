// SPDX-License-Identifier: GPL-2.0-or-later
#pragma once

#include "report/command_line.h"

namespace memspy::report::mpi {

extern const Command kMpiCommand;  // memspy-report mpi

}  // namespace memspy::report::mpi
