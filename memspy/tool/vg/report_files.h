// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files that the core writes its report to, --log-file and --xml-file, where the run does not come to its
// own end.
#pragma once

#include "vg/vg.h"

namespace memspy::vg {

// Writes the end of the XML behind what is there, for the next error to overwrite: a file whose program is
// killed or becomes another one is well-formed. Does nothing where no error has been added since.
void close_xml_for_now();

// The program that this one becomes has the same process number, and opens its files under the same names.
// Ours move out of the way: x.1234.xml becomes x.1234.1.xml. Those of a forked child without errors are left
// to be overwritten. A file that a forked child shares with its parent stays the parent's, and the program
// that the child becomes gets another name, x.1.xml.
void make_way_for_exec();
// The path with the first number that makes it free before its extension. To be freed.
HChar* numbered_path(const HChar* path);
// Call it before the command line is read, and before other handlers of forks are registered.
void register_report_files();
// This process was forked: a file without its process number in the name is the parent's.
void share_report_files();

}  // namespace memspy::vg
