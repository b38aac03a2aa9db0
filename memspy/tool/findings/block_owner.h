// SPDX-License-Identifier: GPL-2.0-or-later
//
// A heap block as the owner of an address.
#pragma once

#include "findings/findings.h"
#include "heap/heap.h"

namespace memspy::findings {

AddressOwner owner_in(const heap::Block& block, Address access);

}  // namespace memspy::findings
