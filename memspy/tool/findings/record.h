// SPDX-License-Identifier: GPL-2.0-or-later
//
// The core's copy of a finding (the error's "extra"), for error_manager.cc and printer.cc.
#pragma once

#include "findings/nearest_memory.h"
#include "findings/suppression_names.h"
#include "vg/vg.h"

namespace memspy::findings {

// The extra part of every error except leaks and summed findings, which have a LeakRecord and a SummedRecord.
// The core copies it byte by byte if an error is new, after complete() has completed it.
struct ErrorRecord {
    Finding finding;
    AddrInfo described;       // by the core, if finding.place is Unknown; else Addr_Undescribed
    NearestMemory nearest{};  // if there is no memory at the address
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

// Whether the report names the owner of the finding's address. Other owners are not looked up, because that
// is expensive.
bool tells_address(const Finding& finding);

// The guest thread of the error that is being reported.
u32 reporting_thread();

// Prints one error, as text or XML. The core writes the parts before and after.
void print(const Error* error);

}  // namespace memspy::findings
