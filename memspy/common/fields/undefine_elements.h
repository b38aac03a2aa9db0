// SPDX-License-Identifier: GPL-2.0-or-later
//
// Between two inclusions of a table of fields: takes back the macros that say what an element has, so that
// the next inclusion can give them another meaning.
#undef ELEMENT
#undef FIELD_Always
#undef FIELD_Optional
#undef FIELD_OR
#undef KINDS
#undef PART
#undef LIST
#undef WORDS
#undef TEXT
#undef NUMBERS
#undef PAIRS
#undef WRITTEN
#undef END
