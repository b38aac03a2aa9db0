// SPDX-License-Identifier: GPL-2.0-or-later
//
// The names of streams in texts.
#pragma once

#include "advice/loops.h"
#include "analyses/locality/streams.h"
#include "rt/text.h"
#include "rt/xml_writer.h"

namespace memspy::locality {

const char* word(StreamKind kind);
// "malloc in main (a.c:3)", "table", "multiply", "a.c:7", "thread 2"; for a pair both names.
void add_name(rt::Text& text, const Stream& stream);
void add_object_name(rt::Text& text, u32 object);
// Its texts are put into the three.
advice::AdviceItem named_object(u32 object, rt::Text& name, rt::Text& variable, rt::Text& origin);
void add_function_name(rt::Text& text, u32 function);
using advice::add_fraction;

// What the name of a block is made of, for memspy-report, which may know its type. `Names`: the attributes.
template <typename Names>
void write_block_name(profile::XmlWriter& xml, const advice::AdviceItem& item) {
    if (!item.block) return;
    if (item.variable[0] != '\0') xml.attribute(Names::variable, item.variable);
    xml.attribute(Names::origin, item.origin);
}

}  // namespace memspy::locality
