// SPDX-License-Identifier: GPL-2.0-or-later
//
// The heap profile in the formats of other programs (memspy-report export).
#pragma once

#include "report/export/export.h"

namespace memspy::report::heap_profile {

void export_dhat(ExportJob& job);    // JSON for DHAT's viewer, dh_view.html
void export_massif(ExportJob& job);  // for ms_print and massif-visualizer
void export_pprof(ExportJob& job);   // for pprof and google-pprof

}  // namespace memspy::report::heap_profile
