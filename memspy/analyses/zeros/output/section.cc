// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <zeros> of the profile file.
#include "analyses/zeros/advice.h"
#include "analyses/zeros/data.h"
#include "options.h"
#include "profile/profile.h"

namespace memspy::zeros {
namespace {

using places::ObjectId;
using profile::ProfileNeeds;
using profile::ProfileSection;
using profile::XmlWriter;

const char* word(ZerosMode mode) {
    switch (mode) {
        case ZerosMode::No: return "no";
        case ZerosMode::Code: return "code";
        case ZerosMode::Data: return "data";
        case ZerosMode::All: return "all";
    }
    return "no";
}

void write_advice(const Advice& advice, void* argument) {
    XmlWriter& xml = *static_cast<XmlWriter*>(argument);
    xml.open("advice");
    xml.attribute("kind", word(advice.kind));
    if (advice.type != nullptr) xml.attribute("type", advice.type);
    xml.text(advice.text->c_str());
    xml.close();
}

void write_share(XmlWriter& xml, const Share& share) {
    xml.attribute_unless_zero("accessed", share.accessed);
    xml.attribute_unless_zero("zero", share.zero);
}

void add_plain(rt::Text& text, u64 value) {
    char digits[20];
    u32 length = 0;
    do digits[length++] = static_cast<char>('0' + value % 10);
    while ((value /= 10) != 0);
    while (length > 0) text.add(digits[--length]);
}

void write_map(XmlWriter& xml, const ObjectCounts& counts) {
    rt::Text text;
    const u64 used = (counts.reach + counts.cell_bytes - 1) / counts.cell_bytes;
    for (u64 i = 0; i < used; ++i) {
        if (i != 0) text.add(' ');
        add_plain(text, counts.map[i].accessed);
        text.add('/');
        add_plain(text, counts.map[i].redundant);
    }
    xml.open("map");
    xml.attribute("cell", counts.cell_bytes);
    xml.text(text.c_str());
    xml.close();
}

void write_object(ObjectId id, const ObjectCounts& counts, void* argument) {
    XmlWriter& xml = *static_cast<XmlWriter*>(argument);
    xml.open("object-counts");
    xml.attribute("object", static_cast<u64>(id));
    xml.attribute_unless_zero("blocks", counts.blocks);
    xml.attribute("size", counts.bytes);
    xml.attribute("accessed", counts.accessed);
    xml.attribute_unless_zero("redundant", counts.redundant);
    for (u32 i = 0; i < kZeroBlockKinds; ++i) {
        xml.open("zero-blocks");
        xml.attribute("bytes", kZeroBlockSizes[i]);
        write_share(xml, counts.zero_blocks[i]);
        xml.close();
    }
    if (counts.rows.stride != 0) {
        xml.open("zero-rows");
        xml.attribute("stride", counts.rows.stride);
        write_share(xml, counts.rows.share);
        xml.close();
    }
    if (counts.columns.stride != 0) {
        rt::Text text;
        add_columns(text, counts.columns);
        xml.open("zero-columns");
        xml.attribute("stride", counts.columns.stride);
        xml.text(text.c_str());
        xml.close();
    }
    write_map(xml, counts);
    // A section holds several things, or what the linker made: nobody can lay it out anew.
    if (!places::is_section(places::object(id))) advise(counts, write_advice, &xml);
    xml.close();
}

places::Place place_of(const Row& row) { return {row.instruction, row.path}; }

void write_kinds(XmlWriter& xml, const KindTotals& totals) {
    auto write_totals = [&](const char* name, const Totals& t) {
        xml.open(name);
        xml.attribute_unless_zero("loads", t.loads);
        xml.attribute_unless_zero("elements", t.elements);
        xml.attribute_unless_zero("cells", t.cells);
        xml.attribute_unless_zero("redundant", t.redundant);
        xml.attribute_unless_zero("zero", t.zero);
        xml.attribute_unless_zero("unknown-loads", t.unknown_loads);
        xml.close();
    };
    write_totals("integer", totals.integer);
    write_totals("float", totals.floating);
}

void write_row(XmlWriter& xml, const Row& row) {
    const Counts& counts = row.counts;
    if (counts.elements == 0) return;
    xml.open("row");
    if (const ContextId stack = places::stack_of(place_of(row)); stack != ContextId::None)
        xml.attribute("stack", static_cast<u64>(stack));
    xml.attribute("type", row.type.is_float() ? "float" : "integer");
    if (!row.type.known()) xml.attribute("known", "no");
    if (row.uses.arithmetic) xml.attribute("arithmetic", "yes");
    xml.attribute("bytes", row.type.bytes());
    xml.attribute("lanes", row.type.lanes());
    xml.attribute("loads", row.loads());
    xml.attribute("elements", counts.elements);
    xml.attribute_unless_zero("redundant", counts.redundant);
    xml.attribute_unless_zero("zero", counts.zero);
    xml.attribute("threads", row.threads);
    rt::Text text;
    for (u32 i = 0; i < row.type.cells(); ++i) {
        if (i != 0) text.add(' ');
        add_plain(text, counts.cells[i]);
    }
    xml.open("redmap");
    xml.text(text.c_str());
    xml.close();
    advise(row, write_advice, &xml);
    xml.close();
}

void collect(ProfileNeeds& needs) {
    if (const CodeReport* code = code_report())
        for (const Row& row : code->rows)
            if (const ContextId stack = places::stack_of(place_of(row)); stack != ContextId::None)
                needs.stack(stack, place_of(row));
    if (data_is_on())
        for_each_object([](ObjectId id, const ObjectCounts&,
                           void* argument) { static_cast<ProfileNeeds*>(argument)->object(id); },
                        &needs);
}

void write(XmlWriter& xml) {
    xml.open("zeros");
    xml.attribute("mode", word(options().zeros));
    xml.attribute("context", static_cast<u64>(options().zeros_context));
    if (const CodeReport* code = code_report()) {
        xml.open("total");
        xml.attribute_unless_zero("rows-left-out", code->left_out);
        xml.attribute_unless_zero("late-contexts", code->late_contexts);
        write_kinds(xml, code->totals);
        xml.close();
        for (const ThreadTotals& thread : code->threads) {
            xml.open("thread-counts");
            xml.attribute("thread", thread.serial);
            write_kinds(xml, thread.totals);
            xml.close();
        }
        for (const Row& row : code->rows) write_row(xml, row);
    }
    if (data_is_on()) for_each_object(write_object, &xml);
    xml.close();
}

bool has_data() { return options().zeros != ZerosMode::No; }

}  // namespace

extern const ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::zeros
