// SPDX-License-Identifier: GPL-2.0-or-later
//
// Figures in words.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>

#include "machine/hierarchy.h"

namespace memspy::machine {

inline std::string text_of(double value) {
    std::ostringstream out;
    out.precision(value < 10 ? 2 : 1);
    out << std::fixed << value;
    return out.str();
}

template <typename T>
std::string text_of(const Figure<T>& figure) {
    if (!figure) return "not found";
    if constexpr (std::is_same_v<T, double>)
        return text_of(*figure);
    else
        return std::to_string(*figure);
}

inline std::string bytes(const Figure<u64>& figure) {
    if (!figure) return "not found";
    if (*figure % (u64{1} << 20) == 0) return std::to_string(*figure >> 20) + " MiB";
    if (*figure % 1024 == 0) return std::to_string(*figure >> 10) + " KiB";
    return std::to_string(*figure) + " bytes";
}

// A cache's size, or what it held at least.
inline std::string size_of(const CacheLevel& cache) {
    if (cache.size || !cache.at_least) return bytes(cache.size);
    return "at least " + text_of(static_cast<double>(*cache.at_least) / (1 << 20)) + " MiB";
}

}  // namespace memspy::machine
