// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the analysis found, for its section of the profile.
#pragma once

#include "analyses/shared_memory/line_uses.h"
#include "analyses/shared_memory/mapped_files.h"

namespace memspy::shared_memory {

const rt::Vector<SharedFile>& files();
const rt::Vector<LineStretch>& stretches();  // settled
ContextId stack_of_site(u32 site);
u64 left_out();

}  // namespace memspy::shared_memory
