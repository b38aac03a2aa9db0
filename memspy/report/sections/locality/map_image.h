// SPDX-License-Identifier: GPL-2.0-or-later
//
// Pictures of accesses as one PNG: a panel for the reads and one for the writes of each, with axes and a
// legend.
#pragma once

#include <string>
#include <vector>

#include "report/sections/locality/picture.h"

namespace memspy::report::locality {

struct TitledPicture {
    std::string title;
    Picture picture;
};
std::string png_of(const std::vector<TitledPicture>& pictures);

// `8`, `1.5k`, `64k`, `3M`: in at most five characters.
std::string brief_bytes(u64 bytes);
std::string brief_count(u64 count);

}  // namespace memspy::report::locality
