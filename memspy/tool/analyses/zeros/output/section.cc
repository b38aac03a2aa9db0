// SPDX-License-Identifier: GPL-2.0-or-later
//
// The element <zeros> of the profile file.
#include "analyses/zeros/advice.h"
#include "analyses/zeros/data.h"
#include "analyses/zeros/results.h"
#include "options.h"
#include "places/stacks.h"
#include "profile/profile.h"

namespace memspy::fields::zeros {
#define MEMSPY_FIELDS "fields/zeros.def"
#include "fields/names_from.h"
}  // namespace memspy::fields::zeros

namespace memspy::zeros {
namespace {

using places::ObjectId;
using profile::ProfileNeeds;
using profile::ProfileSection;
using profile::XmlWriter;
namespace names = fields::zeros;

const char* word(ZerosMode mode) {
    switch (mode) {
        case ZerosMode::No: return "no";
        case ZerosMode::Code: return "code";
        case ZerosMode::Data: return "data";
        case ZerosMode::All: return "all";
    }
    return "no";
}

// `Names`: the attributes' names for the enclosing element.
template <typename Names>
void write_advice(const ZeroAdvice& advice, void* argument) {
    XmlWriter& xml = *static_cast<XmlWriter*>(argument);
    xml.open(Names::advice);
    xml.attribute(names::Advice::kind, word(advice.remedy));
    if (advice.type[0] != '\0') xml.attribute(names::Advice::type, advice.type);
    xml.attribute(names::Advice::part, word(advice.part));
    xml.attribute_unless_zero(names::Advice::bytes, advice.bytes);
    xml.attribute_unless_zero(names::Advice::zero, advice.zero);
    xml.attribute_unless_zero(names::Advice::all, advice.all);
    rt::Text sentence;
    advice::add_sentence(sentence, advice);
    xml.text(sentence.c_str());
    xml.close();
}

template <typename Names>
void write_share(XmlWriter& xml, const ZeroShare& share) {
    xml.attribute_unless_zero(Names::accessed, share.accessed);
    xml.attribute_unless_zero(Names::zero, share.zero);
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
    xml.open(names::ObjectCounts::map);
    xml.attribute(names::Map::cell, counts.cell_bytes);
    xml.text(text.c_str());
    xml.close();
}

void write_object(ObjectId id, const ObjectCounts& counts, void* argument) {
    XmlWriter& xml = *static_cast<XmlWriter*>(argument);
    xml.open(names::kObjectCounts);
    xml.attribute(names::ObjectCounts::object, static_cast<u64>(id));
    xml.attribute_unless_zero(names::ObjectCounts::blocks, counts.blocks);
    xml.attribute(names::ObjectCounts::size, counts.bytes);
    xml.attribute(names::ObjectCounts::accessed, counts.accessed);
    xml.attribute(names::ObjectCounts::cells, counts.cells);
    xml.attribute_unless_zero(names::ObjectCounts::redundant, counts.redundant);
    const LoadShare loads = counts.loads.all();
    xml.attribute_unless_zero(names::ObjectCounts::loaded, loads.loaded);
    xml.attribute_unless_zero(names::ObjectCounts::loaded_redundant, loads.redundant);
    if (const u32 change = counts.loads.change(); change != 0) {
        const LoadShare before = counts.loads.sum(0, change);
        const LoadShare behind = counts.loads.sum(change, LoadHistory::kSlots);
        xml.open(names::ObjectCounts::change);
        xml.attribute(names::Change::thousandths, u64{thousandths_before(change)});
        xml.attribute_unless_zero(names::Change::loaded_before, before.loaded);
        xml.attribute_unless_zero(names::Change::redundant_before, before.redundant);
        xml.attribute_unless_zero(names::Change::loaded, behind.loaded);
        xml.attribute_unless_zero(names::Change::redundant, behind.redundant);
        xml.close();
    }
    for (u32 i = 0; i < kZeroBlockKinds; ++i) {
        xml.open(names::ObjectCounts::zero_blocks);
        xml.attribute(names::Blocks::bytes, kZeroBlockSizes[i]);
        write_share<names::Blocks>(xml, counts.zero_blocks[i]);
        xml.close();
    }
    if (const RowPattern rows = counts.zero_rows(); rows.stride != 0) {
        xml.open(names::ObjectCounts::rows);
        xml.attribute(names::Stride::stride, rows.stride);
        write_share<names::Stride>(xml, rows.share);
        xml.close();
    }
    if (counts.columns.stride != 0) {
        rt::Text text;
        add_columns(text, counts.columns);
        xml.open(names::ObjectCounts::columns);
        xml.attribute(names::Columns::stride, counts.columns.stride);
        xml.text(text.c_str());
        xml.close();
    }
    write_map(xml, counts);
    // A section holds several things, or the linker's own: nobody can change its layout.
    if (!places::is_section(places::object(id))) advise(counts, write_advice<names::ObjectCounts>, &xml);
    xml.close();
}

places::Place place_of(const LoadRow& row) { return {row.instruction, row.path}; }

template <typename Names>
void write_totals(XmlWriter& xml, const LoadTotals& t) {
    xml.attribute_unless_zero(Names::loads, t.loads);
    xml.attribute_unless_zero(Names::elements, t.elements);
    xml.attribute_unless_zero(Names::cells, t.cells);
    xml.attribute_unless_zero(Names::redundant, t.redundant);
    xml.attribute_unless_zero(Names::zero, t.zero);
}

template <typename Names>
void write_kinds(XmlWriter& xml, const KindTotals& totals) {
    xml.open(Names::integer);
    write_totals<names::Counts>(xml, totals.integer);
    xml.attribute_unless_zero(names::Counts::unknown_loads, totals.integer.unknown_loads);
    xml.close();
    xml.open(Names::floating);
    write_totals<names::FloatCounts>(xml, totals.floating);
    xml.close();
}

void write_row(XmlWriter& xml, const LoadRow& row) {
    const LoadCounts& counts = row.counts;
    if (counts.elements == 0) return;
    xml.open(names::kRow);
    if (const ContextId stack = places::stack_of(place_of(row)); stack != ContextId::None)
        xml.attribute(names::Row::stack, static_cast<u64>(stack));
    xml.attribute(names::Row::type, row.type.is_float() ? "float" : "integer");
    if (!row.type.known()) xml.attribute(names::Row::known, "no");
    if (row.uses.arithmetic) xml.attribute(names::Row::arithmetic, "yes");
    xml.attribute(names::Row::bytes, row.type.bytes());
    xml.attribute(names::Row::lanes, row.type.lanes());
    xml.attribute(names::Row::loads, row.loads());
    xml.attribute(names::Row::elements, counts.elements);
    xml.attribute_unless_zero(names::Row::redundant, counts.redundant);
    xml.attribute_unless_zero(names::Row::zero, counts.zero);
    xml.attribute(names::Row::threads, row.threads);
    rt::Text text;
    for (u32 i = 0; i < row.type.cells(); ++i) {
        if (i != 0) text.add(' ');
        add_plain(text, counts.cells[i]);
    }
    xml.open(names::Row::redmap);
    xml.text(text.c_str());
    xml.close();
    // Libraries' too: who reads the profile knows whether they are the user's own.
    advise(row, write_advice<names::Row>, &xml);
    xml.close();
}

void collect(ProfileNeeds& needs) {
    if (const CodeReport* code = code_report())
        for (const LoadRow& row : code->rows)
            if (const ContextId stack = places::stack_of(place_of(row)); stack != ContextId::None)
                needs.stack(stack, place_of(row));
    if (data_is_on())
        for_each_object([](ObjectId id, const ObjectCounts&,
                           void* argument) { static_cast<ProfileNeeds*>(argument)->object(id); },
                        &needs);
}

void write(XmlWriter& xml) {
    xml.open(names::kSection);
    xml.attribute(names::Model::mode, word(options().zeros));
    xml.attribute(names::Model::context, static_cast<u64>(options().zeros_context));
    if (const CodeReport* code = code_report()) {
        xml.open(names::kTotal);
        xml.attribute_unless_zero(names::Total::rows_left_out, code->left_out);
        xml.attribute_unless_zero(names::Total::late_contexts, code->late_contexts);
        write_kinds<names::Total>(xml, code->totals);
        xml.close();
        for (const ThreadTotals& thread : code->threads) {
            xml.open(names::kThreadCounts);
            xml.attribute(names::ThreadCounts::thread, thread.serial);
            write_kinds<names::ThreadCounts>(xml, thread.totals);
            xml.close();
        }
        for (const LoadRow& row : code->rows) write_row(xml, row);
    }
    if (data_is_on()) for_each_object(write_object, &xml);
    xml.close();
}

bool has_data() { return options().zeros != ZerosMode::No; }

}  // namespace

extern const ProfileSection kSection = {has_data, collect, write};

}  // namespace memspy::zeros
