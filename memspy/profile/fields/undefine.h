// SPDX-License-Identifier: GPL-2.0-or-later
//
// Behind an inclusion of a table of fields: takes its macros back, and MEMSPY_FIELDS with them.
#undef ELEMENT
#undef FIELD
#undef FIELD_OR
#undef PROCESSES
#undef KINDS
#undef PART
#undef LIST
#undef WORDS
#undef TEXT
#undef NUMBERS
#undef PAIRS
#undef END
#undef SECTION
#undef RECORD
#undef END_SECTION
#undef DOCUMENT
#undef HELD
#undef MEMSPY_FIELDS
