// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the core's error manager keeps of a finding (its "extra"), for error_manager.cc and printer.cc.
#pragma once

#include "findings/suppression_names.h"
#include "vg/vg.h"

namespace memspy::findings {

// The extra part of every error but leaks and sharing, which have a LeakRecord and a SummedRecord. The core
// copies it byte by byte when an error is new, after it has been completed by complete().
struct ErrorRecord {
    Finding finding;
    AddrInfo described;  // by the core, when finding.place is Unknown; else Addr_Undescribed
};

inline FindingKind kind_of(const Error* error) {
    return static_cast<FindingKind>(VG_(get_error_kind)(error));
}
inline const ErrorRecord& record_of(const Error* error) {
    return *static_cast<const ErrorRecord*>(VG_(get_error_extra)(error));
}
inline const LeakRecord& leak_of(const Error* error) {
    return *static_cast<const LeakRecord*>(VG_(get_error_extra)(error));
}
inline const SummedRecord& summed_of(const Error* error) {
    return *static_cast<const SummedRecord*>(VG_(get_error_extra)(error));
}

// Whether the report has the owner of the finding's address. Others are not looked up: it is
// expensive.
bool tells_address(const Finding& finding);

// Printer of one error, as text or XML. The core has written what comes before and writes what comes after.
void print(const Error* error);

}  // namespace memspy::findings
