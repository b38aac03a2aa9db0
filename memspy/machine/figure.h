// SPDX-License-Identifier: GPL-2.0-or-later
//
// A figure of the machine: its value, or the reason why it was not found; how it was found, and how reliable
// it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace memspy::machine {

using u64 = std::uint64_t;

// Measured: each repetition and each cross-check agreed. Estimated: near this value. Reported: reported by
// the system, not measured.
enum class Sureness { NotFound, Reported, Estimated, Measured };

inline const char* name_of(Sureness sureness) {
    switch (sureness) {
        case Sureness::NotFound: return "not found";
        case Sureness::Reported: return "reported by the system";
        case Sureness::Estimated: return "estimated";
        case Sureness::Measured: return "measured";
    }
    return "not found";
}

template <typename T>
struct Figure {
    std::optional<T> value;
    Sureness sureness = Sureness::NotFound;
    std::string how;

    explicit operator bool() const { return value.has_value(); }
    T operator*() const { return *value; }

    static Figure measured(T value, std::string how) { return {value, Sureness::Measured, std::move(how)}; }
    static Figure estimated(T value, std::string how) { return {value, Sureness::Estimated, std::move(how)}; }
    static Figure reported(T value, std::string how) { return {value, Sureness::Reported, std::move(how)}; }
    static Figure not_found(std::string why) { return {std::nullopt, Sureness::NotFound, std::move(why)}; }
};

}  // namespace memspy::machine
