// SPDX-License-Identifier: GPL-2.0-or-later
//
// Behind the last inclusion of a table of fields: takes all its macros back, and MEMSPY_FIELDS with them.
#include "fields/undefine_elements.h"
#undef FIELD
#undef PROCESSES
#undef SECTION
#undef RECORD
#undef END_SECTION
#undef DOCUMENT
#undef HELD
#undef MEMSPY_FIELDS
